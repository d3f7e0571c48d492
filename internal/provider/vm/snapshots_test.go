// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// aboutSnapshots are the warnings that mention snapshots.
func aboutSnapshots(warnings map[string][]string) []string {
	var out []string
	for _, list := range warnings {
		for _, w := range list {
			if strings.Contains(w, "napshots") {
				out = append(out, w)
			}
		}
	}
	return out
}

// wantAbout checks that there is one warning for each list of words, which it has.
func wantAbout(t *testing.T, when string, got []string, want ...[]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d warnings about snapshots, want %d: %q", when, len(got), len(want), got)
	}
	all := strings.Join(got, "\n")
	for _, words := range want {
		for _, word := range words {
			if !strings.Contains(all, word) {
				t.Errorf("%s: the warnings do not say %q: %s", when, word, all)
			}
		}
	}
}

// A VM with two snapshots is destroyed in each of the ways.
func TestAccVM_snapshotsOfADestroyedVM(t *testing.T) {
	t.Parallel()
	names := []string{`"before-upgrade"`, `"after-upgrade"`}
	for name, tc := range map[string]struct {
		arguments  string
		snapshots  []string
		fault      *towersim.Fault
		plan, done [][]string
		left       int
	}{
		"left": {
			snapshots: []string{"before-upgrade", "after-upgrade"}, left: 2,
			plan: [][]string{append(names, "has snapshots", "delete_snapshots = true")},
			done: [][]string{append(names, "has snapshots"), append(names, "are left")},
		},
		"deleted, too":       {arguments: "delete_snapshots = true", snapshots: []string{"before-upgrade", "after-upgrade"}},
		"none":               {},
		"in the recycle bin": {arguments: `delete_mode = "RECYCLE_BIN"`, snapshots: []string{"before-upgrade"}, left: 1},
		"not to be read":     {snapshots: []string{"before-upgrade"}, left: 1, fault: &towersim.Fault{Operation: "get-vm-snapshots", Times: 2, Status: 403}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, "")
			head := sim.ProviderConfig() + sim.DataSources()
			cli := acctest.NewCLI(t, head+vmNamed("a", "web", "{ vlan_id = data.elf_vlan.test.id }", tc.arguments))
			cli.Apply()
			for _, snapshot := range tc.snapshots {
				takeSnapshot(t, sim, "web", snapshot)
			}
			if tc.fault != nil {
				staged(t, sim.Server().InjectFaults(*tc.fault))
			}
			cli.Configure(head)
			if tc.fault == nil {
				wantAbout(t, "plan", aboutSnapshots(cli.Plan().Warnings), tc.plan...)
			}
			wantAbout(t, "apply", aboutSnapshots(cli.Apply().Warnings), tc.done...)
			if left := len(sim.Rows("get-vm-snapshots", nil)); left != tc.left {
				t.Errorf("%d snapshots are left, want %d", left, tc.left)
			}
		})
	}
}

func TestAccVM_snapshotsOfAReplacedVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	head := sim.ProviderConfig() + sim.DataSources()
	cli := acctest.NewCLI(t, head+vmNamed("a", "web", "{ vlan_id = data.elf_vlan.test.id }"))
	cli.Apply()
	takeSnapshot(t, sim, "web", "s")
	cli.Configure(head + vmNamed("a", "web", "{ vlan_id = data.elf_vlan.test.id }", `guest_os_type = "WINDOWS"`))
	wantAbout(t, "plan", aboutSnapshots(cli.Plan().Warnings), []string{`"s"`, "has snapshots"})
	wantAbout(t, "apply", aboutSnapshots(cli.Apply().Warnings), []string{`"s"`, "has snapshots"}, []string{"are left"})
}

// However many VMs are destroyed, their snapshots are asked for together.
func TestAccVM_snapshotsAreLookedUpTogether(t *testing.T) {
	t.Parallel()
	const n = 50
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1, hosts: 5}]}", acctest.WithSpeed(20))
	cli := acctest.NewCLI(t, manyConfig(sim, n))
	cli.Apply()
	looks := func() int { return sim.Server().Stats().Requests["get-vm-snapshots"] }
	if got := looks(); got != 0 {
		t.Errorf("a create reads snapshots %d times", got)
	}
	cli.Plan("-destroy")
	if got := looks(); got < 1 || got > n/5 {
		t.Errorf("the plan of a destroy of %d VMs reads snapshots %d times", n, got)
	}
	before := looks()
	cli.Run("apply", "-destroy", "-auto-approve", "-no-color", fmt.Sprintf("-parallelism=%d", n))
	if got := looks() - before; got > n/2 {
		t.Errorf("the destroy of %d VMs reads snapshots %d times", n, got)
	}
}
