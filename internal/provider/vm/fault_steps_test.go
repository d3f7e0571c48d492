// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/sync/errgroup"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// eachStep runs a story in which all requests pass, and then again and again with
// the first of its requests refused, the second, and so on. The story returns
// what gate.during does.
func eachStep(t *testing.T, story func(t *testing.T, n int) (refused string, requests int)) {
	t.Helper()
	_, all := story(t, 0)
	if all == 0 {
		t.Fatal("no request was made")
	}
	// They wait most of the time, so that more can run at once than there are CPUs.
	var stories errgroup.Group
	stories.SetLimit(10)
	for n := range all {
		stories.Go(func() error {
			t.Run(fmt.Sprintf("request %d", n+1), func(t *testing.T) {
				if refused, _ := story(t, n+1); refused == "" {
					t.Error("no request was refused")
				}
			})
			return nil
		})
	}
	if err := stories.Wait(); err != nil {
		t.Error(err)
	}
}

// Whichever request of the first update after an import fails, what the VM had
// attached that nobody gave to Terraform outlives its destroy.
func TestVM_failedTakeoverClaimsNoVolume(t *testing.T) {
	t.Parallel()
	eachStep(t, func(t *testing.T, n int) (string, int) {
		sim := acctest.Simulator(t, older)
		g := newGate(t, sim)
		p, api := newProtocolAt(t, sim, map[string]any{"server": g.url}), apiOf(t, sim)
		for _, disk := range []string{"data", "pvc"} {
			api.attach("older", api.volume("older-"+disk, 3))
		}
		imported := p.importVM(tfprotov6.ImportResourceStateRequest{ID: "cluster-1/older"})
		plan := p.plan(imported, map[string]any{
			"name": "older", "cluster_id": sim.RowID("get-clusters", byName{"name": "cluster-1"}),
			"description": "taken over", "labels": map[string]any{"team": "web"},
			"data_disks": []any{map[string]any{"name": "older-data", "size_gib": 4}},
		})
		var changed held
		var diags []*tfprotov6.Diagnostic
		refused, requests := g.during(n, func() { changed, diags = p.applyPlan(plan) })
		if n == 0 {
			p.ok(nil, diags)
		}
		p.destroy(p.read(changed))
		var left []string
		for _, volume := range api.volumes("") {
			left = append(left, volume.Name)
		}
		if !strings.Contains(strings.Join(left, " "), "older-pvc") {
			t.Errorf("after %s was refused (%v), the destroy leaves only the volumes %q", refused, diags, left)
		}
		return refused, requests
	})
}
