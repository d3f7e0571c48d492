// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// lateChange changes a VM to values that the plan does not know yet: the name in
// angle brackets is a member of lateValues.
type lateChange struct {
	name          string
	before, after args
	calls         []string
}

func (l lateChange) row() inPlaceRow { return inPlaceRow{argument: l.name} }

// lateValues are known once the apply has made what they come from.
const lateValues = `
resource "terraform_data" "late" {
  input = {
    cpus = 3, memory = 2048, size = 60, stopped = "STOPPED", scsi = "SCSI", gpu = local.gpu_a, vlan = local.vlan_other, mac = "52:54:00:00:0a:16",
    address = "10.255.233.14", static = "IPV4", e1000 = "E1000", off = false, gateway = "10.255.0.1",
    nics = [{ vlan_id = local.vlan_other, network_type = "NONE" }], disks = [{ name = "d", size_gib = 3 }],
    routes = [{ gateway = "10.255.0.1", network = "10.9.0.0", netmask = "255.255.0.0" }],
  }
}

`

func lateChanges() []lateChange {
	late := func(text string) string {
		return strings.NewReplacer("<", "terraform_data.late.output.", ">", "").Replace(text)
	}
	nic := func(members string) args {
		return args{"nics": late("[{ vlan_id = local.vlan_default" + members + " }]")}
	}
	static := func(last int, more string) args {
		return nic(fmt.Sprintf(`, network_type = "IPV4", ip_address = "10.255.233.%d", netmask = "255.255.0.0"%s`, last, more))
	}
	const routes = `, routes = [{ gateway = "10.255.0.1", network = "10.9.0.0", netmask = "255.255.0.0" }]`
	const device = "update-vm-nic-advance-info"
	return []lateChange{
		{"num_cpus", args{"num_cpus": "2"}, args{"num_cpus": late("<cpus>")}, []string{"update-vm-basic-info cpu_cores,cpu_sockets,vcpu"}},
		{"memory_mib", args{"memory_mib": "4096"}, args{"memory_mib": late("<memory>")}, stopped("update-vm-basic-info memory")},
		{"power_state", nil, args{"power_state": late("<stopped>")}, []string{"shutdown-vm"}},
		{"system_disk", nil, args{"system_disk": late("{ bus = <scsi>, size_gib = <size> }")}, stopped("update-vm-disk bus,vm_disk_id", "expand-vm-disk")},
		{
			"data_disks",
			args{"data_disks": `[{ name = "d", size_gib = 2 }]`},
			args{"data_disks": late(`[{ name = "d", size_gib = 2, bus = <scsi> }]`)},
			stopped("update-vm-disk bus,vm_disk_id"),
		},
		{"all data_disks", nil, args{"data_disks": late("<disks>")}, []string{"add-vm-disk vm_disks"}},
		{
			"gpu_devices",
			args{"host_id": "local.h1", "ha": "false"},
			args{"host_id": "local.h1", "ha": "false", "gpu_devices": late("[{ gpu_id = <gpu> }]")},
			[]string{"shutdown-vm", "add-vm-gpu-device", "start-vm host_id"},
		},
		{"all nics", nil, args{"nics": late("<nics>")}, []string{device + " connect_vlan_id"}},
		{"vlan_id", nic(""), args{"nics": late("[{ vlan_id = <vlan> }]")}, []string{device + " connect_vlan_id"}},
		{"vlan_id of a new NIC", nic(""), args{"nics": late("[{ vlan_id = local.vlan_default }, { vlan_id = <vlan> }]")}, []string{"add-vm-nic vm_nics"}},
		{"model", nic(""), nic(", model = <e1000>"), stopped("update-vm-nic model,nic_index")},
		{"enabled", nic(""), nic(", enabled = <off>"), []string{device + " enabled"}},
		{"mac_address", nic(""), nic(", mac_address = <mac>"), []string{device + " mac_address"}},
		// What turns out to be as before is refused by no plan.
		{"network_type that stays", static(11, ""), args{"nics": strings.Replace(static(11, "")["nics"], `"IPV4"`, late("<static>"), 1)}, []string{}},
		{"routes that stay", static(12, routes), static(12, ", routes = <routes>"), []string{}},
		{"gateway of a route that stays", static(13, routes), static(13, strings.Replace(routes, `"10.255.0.1"`, "<gateway>", 1)), []string{}},
		{"default_route that stays", nic(""), nic(", default_route = <off>"), []string{}},
		{
			"ip_address that stays while the VM is off",
			args{"power_state": `"STOPPED"`, "nics": static(14, "")["nics"]},
			args{"power_state": `"STOPPED"`, "nics": strings.Replace(static(14, "")["nics"], `"10.255.233.14"`, late("<address>"), 1)},
			[]string{},
		},
	}
}

// A plan promises nothing that a value may still change which becomes known
// during the apply only, and refuses nothing because of it.
func TestAccVM_valuesKnownOnlyDuringTheApply(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, `
inventory:
  clusters:
    - name: cluster-1
      hosts: [{name: h1}]
      vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: other, dhcp: 10.254.0.0/16}]
      gpus: [{host: 0, model: A10}]
`)
	id := func(operation, name string) string { return sim.RowID(operation, rows{"name": name}) }
	w := inPlaceWorld{sim: sim, locals: map[string]string{
		"vlan_default": id("get-vlans", "default"), "vlan_other": id("get-vlans", "other"), "h1": id("get-hosts", "h1"),
		"gpu_a": sim.RowID("get-gpu-devices", rows{"model": "A10"}),
	}}
	table := lateChanges()
	config := func(late string, arguments func(lateChange) args) string {
		b := w.headWithout(uplink) + late
		for _, l := range table {
			b += l.row().render(arguments(l))
		}
		return b
	}
	cli := acctest.NewCLI(t, config("", func(l lateChange) args { return l.before }))
	cli.Apply()
	before := cli.Show()
	first := len(sim.Server().Mutations())
	cli.Configure(config(lateValues, func(l lateChange) args { return l.after }))
	applied := cli.TryApply()
	for address, errors := range applied.Errors {
		t.Errorf("the apply of %s fails: %q", address, errors)
	}
	sent, again := sim.Server().Mutations()[first:], cli.Plan()
	for _, l := range table {
		t.Run(l.row().key(), func(t *testing.T) {
			id := idIn(before, l.row().address())
			if action := applied.Actions[l.row().address()]; action != "update" {
				t.Errorf("the plan is %q, want an update", action)
			}
			if calls := callsAbout(sent, []string{id, id}); !slices.Equal(calls, l.calls) {
				t.Errorf("Tower was sent %q, want %q", calls, l.calls)
			}
			if action := again.Actions[l.row().address()]; action != "" {
				t.Errorf("the plan afterwards is %q, not empty", action)
			}
		})
	}
}
