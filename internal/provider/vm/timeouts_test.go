// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// Where Tower no longer answers, each operation ends with its own time-out, which
// holds from the first request on.
func TestVM_timeoutHoldsFromTheFirstRequest(t *testing.T) {
	t.Parallel()
	const (
		short = "2s"
		long  = 10 * time.Second // less than a request takes by itself, see request_timeout below
	)
	for name, operation := range map[string]func(p *protocol, prior held, config map[string]any) func() []*tfprotov6.Diagnostic{
		"create": func(p *protocol, _ held, config map[string]any) func() []*tfprotov6.Diagnostic {
			config["name"], config["cd_roms"] = "new", nil
			plan := p.plan(held{}, config)
			return func() []*tfprotov6.Diagnostic {
				_, diags := p.applyPlan(plan)
				return diags
			}
		},
		"read": func(p *protocol, prior held, _ map[string]any) func() []*tfprotov6.Diagnostic {
			return func() []*tfprotov6.Diagnostic {
				_, diags := p.tryRead(prior)
				return diags
			}
		},
		"plan": func(p *protocol, prior held, config map[string]any) func() []*tfprotov6.Diagnostic {
			config["data_disks"] = []any{map[string]any{"name": "data", "size_gib": 1}}
			return func() []*tfprotov6.Diagnostic { return p.tryPlan(prior, config).plan.Diagnostics }
		},
		"update": func(p *protocol, prior held, config map[string]any) func() []*tfprotov6.Diagnostic {
			config["data_disks"] = []any{map[string]any{"name": "data", "size_gib": 1}}
			plan := p.plan(prior, config)
			return func() []*tfprotov6.Diagnostic {
				_, diags := p.applyPlan(plan)
				return diags
			}
		},
		"delete": func(p *protocol, prior held, _ map[string]any) func() []*tfprotov6.Diagnostic {
			return func() []*tfprotov6.Diagnostic { return p.tryDestroy(prior) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, older)
			g := newGate(t, sim)
			p := newProtocolAt(t, sim, map[string]any{"server": g.url, "request_timeout": "20s", "max_retries": 0})
			timeouts := p.object(p.vm.AttributeTypes["timeouts"])
			limits := map[string]any{}
			for operation := range timeouts.AttributeTypes {
				limits[operation] = short
			}
			config := map[string]any{"name": "asleep", "cluster_id": sim.RowID("get-clusters", byName{"name": "cluster-1"}), "timeouts": limits}
			prior := p.apply(p.read(p.importVM(tfprotov6.ImportResourceStateRequest{ID: "cluster-1/asleep"})), config)
			run := operation(p, prior, config)
			g.hang(true)
			start := time.Now()
			diags := run()
			if took := time.Since(start); took > long {
				t.Errorf("it took %s", took)
			}
			if len(diags) != 1 || !strings.Contains(diags[0].Detail, "The time that the timeouts argument allows has run out") {
				t.Errorf("the operation ended with %v", diags)
			}
		})
	}
}
