// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// volatile are the attributes that follow the guest, and change by themselves.
var volatile = []string{"status", "vm_tools_status", "ip_addresses", "default_ip_address", "network_ready", "network_readiness_report"}

// wholeChange is a VM and a change of everything that Tower has of it and that
// can change in place.
func wholeChange(t *testing.T, sim *acctest.Sim) (before, after map[string]any) {
	t.Helper()
	vlan := func(name string) any {
		return sim.RowID("get-vlans", rows{"name": name, "vds": rows{"cluster": rows{"name": "cluster-1"}}})
	}
	iso := func(name string) any {
		return sim.RowID("get-elf-images", rows{"name": name, "cluster": rows{"name": "cluster-1"}})
	}
	common := map[string]any{
		"cluster_id": clusterID(sim, "cluster-1"), "network_readiness": map[string]any{"enabled": false}, "shutdown_timeout": "0s",
		"source": map[string]any{"content_library_vm_template_id": sim.RowID("get-content-library-vm-templates", rows{"name": "rocky-8"})},
	}
	before = map[string]any{
		"name": "before", "description": "before", "ha": true, "num_cpus": 2, "memory_mib": 4096, "labels": map[string]any{"a": "1", "b": "2"},
		"folder_id": newFolder(sim, "a", "cluster-1"), "placement_group_id": newGroup(sim, "a", "cluster-1"), "owner": "ann", "max_iops": 100,
		"system_disk": map[string]any{"size_gib": 41},
		"data_disks":  []any{map[string]any{"name": "kept", "size_gib": 2}, map[string]any{"name": "removed", "size_gib": 1}},
		"cd_roms":     []any{map[string]any{"iso_id": iso("rocky-8.iso")}},
		"nics": []any{
			map[string]any{"vlan_id": vlan("default"), "network_type": "IPV4", "ip_address": "10.255.9.1", "netmask": "255.255.0.0", "wait_for_ip": false},
			map[string]any{"vlan_id": vlan("ecp"), "network_type": "NONE"},
		},
	}
	after = map[string]any{
		"name": "after", "description": "after", "ha": false, "num_cpus": 4, "memory_mib": 2048, "labels": map[string]any{"b": "3", "c": "4"},
		"folder_id": newFolder(sim, "b", "cluster-1"), "placement_group_id": newGroup(sim, "b", "cluster-1"), "owner": "bob", "max_iops": 200,
		"system_disk": map[string]any{"size_gib": 42},
		"data_disks":  []any{map[string]any{"name": "added", "size_gib": 1}, map[string]any{"name": "kept", "size_gib": 3}},
		"cd_roms":     []any{map[string]any{}, map[string]any{"iso_id": iso("tools.iso")}},
		"nics": []any{
			map[string]any{"vlan_id": vlan("ecp"), "network_type": "NONE"},
			map[string]any{"vlan_id": vlan("default"), "network_type": "IPV4", "ip_address": "10.255.9.2", "netmask": "255.255.0.0", "mirror": true, "wait_for_ip": false},
		},
	}
	maps.Copy(before, common)
	maps.Copy(after, common)
	return before, after
}

// Whichever changing call of an update is refused, the state has what was done
// until then and nothing else, and the next apply does the rest.
func TestVM_failedUpdateRecordsWhatWasDone(t *testing.T) {
	t.Parallel()
	eachStep(t, func(t *testing.T, n int) (string, int) {
		sim := acctest.Simulator(t, inPlaceScenario, acctest.WithTask(0))
		g := newGate(t, sim)
		g.counts = func(path string) bool { return !strings.Contains(path, "/get-") }
		p := newProtocolAt(t, sim, map[string]any{"server": g.url})
		before, after := wholeChange(t, sim)
		created := p.apply(held{}, before)
		toolsRun := func() {
			id := p.text(p.vm, created.state, "id")
			eventually(t, "the tools run, if the VM does", func() bool {
				vm := sim.Rows("get-vms", rows{"id": id})[0]
				return vm["status"] != "RUNNING" || vm["vm_tools_status"] == "RUNNING"
			})
		}
		toolsRun()
		plan := p.plan(p.read(created), after)
		var changed held
		var diags []*tfprotov6.Diagnostic
		refused, requests := g.during(n, func() { changed, diags = p.applyPlan(plan) })
		if n == 0 {
			p.ok(nil, diags)
		}
		t.Logf("refused: %q, %v", refused, summaries(diags))
		p.recordsNoMoreThanTower(created, changed)
		configured := slices.ContainsFunc(sim.Server().Mutations(), func(m towersim.Mutation) bool { return m.Operation == "update-vm-nic-basic-info" })
		if address := p.staticAddress(changed); configured != (address == "10.255.9.2") {
			t.Errorf("the state has the static address %s, and the guest was configured: %t", address, configured)
		}
		if n > 0 {
			toolsRun()
			p.recordsNoMoreThanTower(held{}, p.apply(p.read(changed), after))
		}
		return refused, requests
	})
}

func summaries(diags []*tfprotov6.Diagnostic) (all []string) {
	for _, d := range diags {
		all = append(all, fmt.Sprintf("%s: %s", d.Summary, d.Detail))
	}
	return all
}

// recordsNoMoreThanTower checks that a state has what Tower has or, of a call that
// was done in part, what the state before it had.
func (p *protocol) recordsNoMoreThanTower(before, state held) {
	p.t.Helper()
	recorded, refreshed := p.attributes(p.vm, state.state), p.attributes(p.vm, p.read(state).state)
	prior := map[string]tftypes.Value{}
	if before.state != nil {
		prior = p.attributes(p.vm, before.state)
	}
	for name, value := range recorded {
		if slices.Contains(volatile, name) {
			continue
		}
		got, inTower := settled(p.t, value), settled(p.t, refreshed[name])
		if was, ok := prior[name]; !got.Equal(inTower) && !(ok && got.Equal(settled(p.t, was))) {
			p.t.Errorf("%s is recorded as %s, and Tower has %s", name, got, inTower)
		}
	}
}

// settled is a value without the addresses of NICs.
func settled(t *testing.T, value tftypes.Value) tftypes.Value {
	t.Helper()
	out, err := tftypes.Transform(value, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if step, ok := at.LastStep().(tftypes.AttributeName); ok && step == "ip_addresses" {
			return tftypes.NewValue(v.Type(), nil), nil
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// staticAddress is the address of the only static NIC in a state.
func (p *protocol) staticAddress(state held) string {
	p.t.Helper()
	var nics []tftypes.Value
	if err := p.attributes(p.vm, state.state)["nics"].As(&nics); err != nil {
		p.t.Fatal(err)
	}
	for _, nic := range nics {
		var members map[string]tftypes.Value
		var kind, address string
		if err := nic.As(&members); err != nil {
			p.t.Fatal(err)
		}
		if v := members["network_type"]; v.IsNull() || v.As(&kind) != nil || kind != "IPV4" {
			continue
		}
		if v := members["ip_address"]; !v.IsNull() && v.As(&address) == nil {
			return address
		}
	}
	return ""
}
