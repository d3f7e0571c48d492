// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// Tower may give a VM another id between the refresh and the apply. The change
// reaches the VM all the same.
func TestVM_updateOfAVMWhoseIDChanged(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		scenario      string
		before, after map[string]any
		calls         map[string]int // that the update sends
		ready         bool
	}{
		"its properties": {
			before: map[string]any{"power_state": "STOPPED"},
			after:  map[string]any{"power_state": "STOPPED", "description": "changed"},
			calls:  map[string]int{"update-vm-basic-info": 2}, // one finds no VM
		},
		"disks and labels": {
			before: map[string]any{"power_state": "STOPPED", "data_disks": []any{map[string]any{"name": "removed", "size_gib": 1}}},
			after:  map[string]any{"power_state": "STOPPED", "data_disks": []any{map[string]any{"name": "added", "size_gib": 1}}, "labels": map[string]any{"a": "b"}},
			calls:  map[string]int{"create-label": 1, "add-labels-to-resources": 1, "remove-vm-disk": 1, "delete-vm-volume": 1, "add-vm-disk": 1},
		},
		"NICs that are listed for the first time": {
			before: map[string]any{"power_state": "STOPPED"},
			after:  map[string]any{"power_state": "STOPPED", "nics": []any{}},
			calls:  map[string]int{"remove-vm-nic-by-where": 1},
		},
		"a wait that is resumed": {
			scenario: "guests: [{match: moved, nics: [{index: 0, dhcp: 30s}]}]",
			before:   map[string]any{"network_readiness": map[string]any{"timeout": "100ms", "on_timeout": "warn"}},
			after:    map[string]any{"network_readiness": map[string]any{"timeout": "1m", "on_timeout": "warn"}},
			calls:    map[string]int{},
			ready:    true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, tc.scenario)
			p := newProtocol(t, sim)
			for _, config := range []map[string]any{tc.before, tc.after} {
				config["name"], config["cluster_id"] = "moved", clusterID(sim, "cluster-1")
				config["source"] = map[string]any{"content_library_vm_template_id": sim.RowID("get-content-library-vm-templates", rows{"name": "rocky-8"})}
			}
			created := p.read(p.apply(held{}, tc.before))
			plan := p.plan(created, tc.after)
			id, err := sim.Server().ChangeVMID("moved")
			staged(t, err)
			before := mutations(sim)
			changed, diags := p.applyPlan(plan)
			p.ok(nil, diags)
			if got := sent(sim, before); !maps.Equal(got, tc.calls) {
				t.Errorf("Tower was sent %v, want %v", got, tc.calls)
			}
			refreshed := p.read(changed)
			p.identifies("the refresh after the update", refreshed, id)
			for name, want := range tc.after {
				if got := p.attributes(p.vm, refreshed.state)[name]; name == "description" && !got.Equal(tftypes.NewValue(tftypes.String, want)) {
					t.Errorf("%s is %s, want %v", name, got, want)
				}
			}
			var ready bool
			if got := p.attributes(p.vm, changed.state)["network_ready"]; !got.IsNull() {
				if err := got.As(&ready); err != nil {
					t.Fatal(err)
				}
			}
			if ready != tc.ready {
				t.Errorf("network_ready is %t", ready)
			}
		})
	}
}
