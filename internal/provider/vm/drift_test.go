// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// driftRow is a change that somebody makes beside Terraform, and what comes of
// it. Each has a VM of its own.
type driftRow struct {
	name   string
	args   args
	change func(d *drifter)
	// effect is what the next plan is to show: unseen for a change that is nobody's
	// business here.
	effect effect
	calls  []string       // that put it right
	tower  map[string]any // as in inPlaceRow; afterwards
}

func (r driftRow) row() inPlaceRow {
	return inPlaceRow{argument: r.name, effect: r.effect, before: r.args, tower: r.tower}
}

// drifter changes one VM as a user of Tower does.
type drifter struct {
	t        *testing.T
	api      *towerAPI
	world    inPlaceWorld
	name, id string
}

// change makes a call about the VM.
func (d *drifter) change(operation string, data body) {
	d.t.Helper()
	payload := body{"where": body{"id": d.id}}
	if data != nil {
		payload["data"] = data
	}
	d.api.change(operation, payload)
}

// nic makes a call about one of the VM's NICs.
func (d *drifter) nic(place int, data body) {
	d.t.Helper()
	d.api.change("update-vm-nic-advance-info", body{"where": body{"id": d.nicIDs()[place]}, "data": data})
}

func (d *drifter) nicIDs() []string {
	d.t.Helper()
	var ids []string
	for _, nic := range post[[]body](d.api, "get-vm-nics", body{"where": body{"vm": body{"id": d.id}}, "orderBy": "order_ASC"}) {
		ids = append(ids, textAt(nic, "id"))
	}
	return ids
}

// disk is the id of one of the VM's disks, and that of its volume.
func (d *drifter) disk(place int) (id, volume string) {
	d.t.Helper()
	found := d.api.disks(d.name)[place]
	return found.ID, found.Volume.ID
}

func (d *drifter) staged(err error) {
	d.t.Helper()
	staged(d.t, err)
}

func (d *drifter) server() *towersim.Server { return d.world.sim.Server() }

// What is changed behind Terraform's back is seen by the plan and put right by
// the apply; what is not ours, or not configured, makes no noise.
func TestAccVM_drift(t *testing.T) {
	t.Parallel()
	w := newInPlaceWorld(t)
	api := apiOf(t, w.sim)
	table := slices.Concat(driftOfTheVM(), driftOfDevices(), driftOfDrives(), driftThatIsNone(), driftOfDrivesThatIsNone())
	var b strings.Builder
	b.WriteString(w.head())
	for _, drift := range table {
		b.WriteString(drift.row().render(drift.args))
	}
	cli := acctest.NewCLI(t, b.String())
	cli.Apply()
	before := cli.Show()
	for _, drift := range table {
		row := drift.row()
		drift.change(&drifter{t: t, api: api, world: w, name: row.key(), id: idIn(before, row.address())})
	}
	first := len(w.sim.Server().Mutations())
	plan := cli.Plan("-out=change.tfplan")
	if len(plan.Errors) > 0 {
		t.Fatalf("the plan has errors: %v", plan.Errors)
	}
	cli.Apply("change.tfplan")
	after, sent := cli.Show(), w.sim.Server().Mutations()[first:]
	documents := towerDocuments(w.sim)
	again := cli.Plan()
	for _, drift := range table {
		row := drift.row()
		t.Run(row.key(), func(t *testing.T) {
			row.checkPlan(t, plan)
			id := idIn(after, row.address())
			if calls := callsAbout(sent, []string{id, idIn(before, row.address())}); !slices.Equal(calls, drift.calls) {
				t.Errorf("Tower was sent %q, want %q", calls, drift.calls)
			}
			row.checkTower(t, w, documents[id])
			if action := again.Actions[row.address()]; action != "" {
				t.Errorf("the plan afterwards is %q, not empty", action)
			}
		})
	}
}

func driftOfTheVM() []driftRow {
	const (
		update  = "update-vm-basic-info"
		limited = "update-vm-io-policy io_policy,whole_vm"
		members = "update-vm-placement-group enabled,must_hosts,vm_host_must_enabled,vm_host_must_policy,vm_host_prefer_enabled," +
			"vm_host_prefer_policy,vm_vm_policy,vm_vm_policy_enabled,vms"
	)
	limits := args{"max_iops": "5000", "max_iops_policy": `"FORCED"`, "max_bandwidth": "104857600", "max_bandwidth_policy": `"FORCED"`}
	io := func(whole body) func(*drifter) {
		return func(d *drifter) { d.change("update-vm-io-policy", body{"whole_vm": whole}) }
	}
	basic := func(data body) func(*drifter) { return func(d *drifter) { d.change(update, data) } }
	return []driftRow{
		{
			name: "name", change: basic(body{"name": "somebody renamed it"}),
			effect: inPlace, calls: []string{update + " name"}, tower: map[string]any{"name": "name"},
		},
		{
			name: "description", args: args{"description": `"mine"`}, change: basic(body{"description": "theirs"}),
			effect: inPlace, calls: []string{update + " description"}, tower: map[string]any{"description": "mine"},
		},
		{
			name: "ha", args: args{"ha": "true"}, change: basic(body{"ha": false}),
			effect: inPlace, calls: []string{update + " ha"}, tower: map[string]any{"ha": true},
		},
		{
			name: "num_cpus", args: args{"num_cpus": "2"}, change: basic(body{"vcpu": 4, "cpu_cores": 2, "cpu_sockets": 2}),
			effect: restarts, calls: stopped(update + " cpu_cores,cpu_sockets,vcpu"), tower: map[string]any{"vcpu": 2},
		},
		{
			name: "memory_mib", args: args{"memory_mib": "4096"}, change: basic(body{"memory": 8 << 30}),
			effect: restarts, calls: stopped(update + " memory"), tower: map[string]any{"memory": 4.0 * (1 << 30)},
		},
		{
			name: "num_cores_per_socket", args: args{"num_cpus": "4", "num_cores_per_socket": "4"},
			change: func(d *drifter) {
				d.change("shutdown-vm", nil)
				d.change(update, body{"vcpu": 4, "cpu_cores": 2, "cpu_sockets": 2})
				d.change("start-vm", nil)
			},
			effect: restarts, calls: stopped(update + " cpu_cores,cpu_sockets,vcpu"), tower: map[string]any{"cpu.cores": 4, "cpu.sockets": 1},
		},
		{
			name: "folder_id", args: args{"folder_id": "local.folder_a"},
			change: func(d *drifter) { d.change("add-vm-to-folder", body{"folder_id": d.world.locals["folder_b"]}) },
			effect: inPlace, calls: []string{"add-vm-to-folder folder_id"}, tower: map[string]any{"folder.id": "local.folder_a"},
		},
		{
			name: "folder_id left", args: args{"folder_id": "local.folder_a"}, change: func(d *drifter) { d.change("remove-vm-from-folder", nil) },
			effect: inPlace, calls: []string{"add-vm-to-folder folder_id"}, tower: map[string]any{"folder.id": "local.folder_a"},
		},
		{
			name: "host_id", args: args{"host_id": "local.h2"}, change: func(d *drifter) { d.staged(d.server().MoveVM(d.name, "h3")) },
			effect: inPlace, calls: []string{"migrate-vm host_id"}, tower: map[string]any{"host.id": "local.h2"},
		},
		{
			name: "placement_group_id", args: args{"placement_group_id": "local.group_a"},
			change: func(d *drifter) {
				d.world.sim.Call("update-vm-placement-group", body{"where": body{"id": d.world.locals["group_a"]}, "data": body{"vms": body{"id_in": []string{}}}}, new(any))
			},
			effect: inPlace, calls: []string{members}, tower: map[string]any{"vm_placement_group.0.id": "local.group_a"},
		},
		{
			name: "labels changed", args: args{"labels": `{ env = "test" }`},
			change: func(d *drifter) {
				d.staged(d.server().UnlabelVM(d.name, "env"))
				d.staged(d.server().LabelVM(d.name, "env", "prod"))
			},
			effect: inPlace, calls: []string{"remove-labels-from-resources vms", "add-labels-to-resources vms"}, tower: map[string]any{"labels.env": "test"},
		},
		{
			name: "labels removed", args: args{"labels": `{ env = "test" }`}, change: func(d *drifter) { d.staged(d.server().UnlabelVM(d.name, "env")) },
			effect: inPlace, calls: []string{"add-labels-to-resources vms"}, tower: map[string]any{"labels.env": "test"},
		},
		{
			name: "io_policy", args: args{"io_policy": `"RESTRICT_WHOLE_VM"`},
			change: func(d *drifter) { d.change("update-vm-io-policy", body{"io_policy": "RESTRICT_EACH_DISK"}) },
			effect: inPlace, calls: []string{limited}, tower: map[string]any{"io_policy": "RESTRICT_WHOLE_VM"},
		},
		{name: "max_iops", args: limits, change: io(body{"max_iops": 1}), effect: inPlace, calls: []string{limited}, tower: map[string]any{"max_iops": 5000}},
		{name: "max_iops_policy", args: limits, change: io(body{"max_iops_policy": "DYNAMIC"}), effect: inPlace, calls: []string{limited}, tower: map[string]any{"max_iops_policy": "FORCED"}},
		{name: "max_bandwidth", args: limits, change: io(body{"max_bandwidth": 1024}), effect: inPlace, calls: []string{limited}, tower: map[string]any{"max_bandwidth": 104857600.0}},
		{
			name: "max_bandwidth_policy", args: limits, change: io(body{"max_bandwidth_policy": "DYNAMIC"}),
			effect: inPlace, calls: []string{limited}, tower: map[string]any{"max_bandwidth_policy": "FORCED"},
		},
		{
			name: "power_state off", args: args{"power_state": `"RUNNING"`}, change: func(d *drifter) { d.staged(d.server().PowerOffGuest(d.name)) },
			effect: inPlace, calls: []string{"start-vm"}, tower: map[string]any{"status": "RUNNING"},
		},
		{
			name: "power_state on", args: args{"power_state": `"STOPPED"`}, change: func(d *drifter) { d.change("start-vm", nil) },
			effect: inPlace, calls: []string{"shutdown-vm"}, tower: map[string]any{"status": "STOPPED"},
		},
		{
			name: "power_state suspended", args: args{"power_state": `"RUNNING"`}, change: func(d *drifter) { d.staged(d.server().SuspendGuest(d.name)) },
			effect: inPlace, calls: []string{"resume-vm"}, tower: map[string]any{"status": "RUNNING"},
		},
	}
}

func driftOfDevices() []driftRow {
	const (
		device = "update-vm-nic-advance-info"
		silent = `{ vlan_id = local.vlan_default, network_type = "NONE"%s }`
	)
	one := args{"nics": fmt.Sprintf("["+silent+"]", "")}
	two := func(n int) args {
		return args{"nics": fmt.Sprintf("["+silent+", "+silent+"]", fmt.Sprintf(`, mac_address = "52:54:00:00:03:%02x"`, n), "")}
	}
	disk := func(more string) args { return args{"data_disks": `[{ name = "a", size_gib = 1` + more + ` }]`} }
	return []driftRow{
		{
			name: "nics vlan_id", args: one, change: func(d *drifter) { d.nic(0, body{"connect_vlan_id": d.world.locals["vlan_ecp"]}) },
			effect: inPlace, calls: []string{device + " connect_vlan_id"}, tower: map[string]any{"nics.0.vlan.id": "local.vlan_default", "nics.#": 1},
		},
		{
			name: "nics enabled", args: one, change: func(d *drifter) { d.nic(0, body{"enabled": false}) },
			effect: inPlace, calls: []string{device + " enabled"}, tower: map[string]any{"nics.0.enabled": true},
		},
		{
			name: "nics mirror", args: one, change: func(d *drifter) { d.nic(0, body{"mirror": true}) },
			effect: inPlace, calls: []string{device + " mirror"}, tower: map[string]any{"nics.0.mirror": false},
		},
		{
			name: "nics mac_address", args: two(1), change: func(d *drifter) { d.nic(0, body{"mac_address": "52:54:00:00:04:01"}) },
			effect: inPlace, calls: []string{device + " mac_address"}, tower: map[string]any{"nics.0.mac_address": "52:54:00:00:03:01", "nics.#": 2},
		},
		{
			name: "nics model", args: one,
			change: func(d *drifter) {
				d.change("shutdown-vm", nil)
				d.change("update-vm-nic", body{"nic_index": 0, "model": "E1000"})
				d.change("start-vm", nil)
			},
			effect: restarts, calls: stopped("update-vm-nic model,nic_index"), tower: map[string]any{"nics.0.model": "VIRTIO"},
		},
		{
			name: "nics removed", args: two(2), change: func(d *drifter) {
				d.api.change("remove-vm-nic-by-where", body{"where": body{"id": d.nicIDs()[0]}, "effect": body{"vm_ids": []string{d.id}}})
			},
			effect: inPlace, calls: []string{"add-vm-nic vm_nics"}, tower: map[string]any{"nics.#": 2, "nics.1.mac_address": "52:54:00:00:03:02"},
		},
		{
			name: "nics added", args: one, change: func(d *drifter) {
				d.change("add-vm-nic", body{"vm_nics": []body{{"connect_vlan_id": d.world.locals["vlan_ecp"], "model": "VIRTIO"}}})
			},
			effect: inPlace, calls: []string{"remove-vm-nic-by-where"}, tower: map[string]any{"nics.#": 1, "nics.0.vlan.id": "local.vlan_default"},
		},
		{
			name: "system_disk bus", args: args{"system_disk": `{ bus = "VIRTIO" }`}, change: func(d *drifter) { d.rebus(0, "SCSI") },
			effect: restarts, calls: stopped("update-vm-disk bus,vm_disk_id"), tower: map[string]any{"disks.0.bus": "VIRTIO"},
		},
		{
			name: "data_disks bus", args: disk(""), change: func(d *drifter) { d.rebus(1, "SCSI") },
			effect: unseen, tower: map[string]any{"disks.1.bus": "SCSI"},
		},
		{
			name: "data_disks configured bus", args: disk(`, bus = "VIRTIO"`), change: func(d *drifter) { d.rebus(1, "SCSI") },
			effect: restarts, calls: stopped("update-vm-disk bus,vm_disk_id"), tower: map[string]any{"disks.1.bus": "VIRTIO"},
		},
		{
			name: "data_disks detached", args: disk(""), change: func(d *drifter) { d.api.detach(d.name, "a") },
			effect: inPlace, calls: []string{"add-vm-disk vm_disks"}, tower: map[string]any{"disks.#": 2, "disks.1.volume.name": "a"},
		},
		{
			name: "data_disks deleted", args: disk(""), change: func(d *drifter) {
				_, volume := d.disk(1)
				d.api.detach(d.name, "a")
				d.api.change("delete-vm-volume", body{"where": body{"id": volume}})
			},
			effect: inPlace, calls: []string{"add-vm-disk vm_disks"}, tower: map[string]any{"disks.#": 2, "disks.1.volume.name": "a"},
		},
	}
}

// rebus puts a disk on another bus.
func (d *drifter) rebus(place int, bus string) {
	d.t.Helper()
	d.change("shutdown-vm", nil)
	id, _ := d.disk(place)
	d.change("update-vm-disk", body{"vm_disk_id": id, "bus": bus})
	d.change("start-vm", nil)
}

// driftThatIsNone are changes that a plan must not show.
func driftThatIsNone() []driftRow {
	const silent = `{ vlan_id = local.vlan_default, network_type = "NONE" }`
	three := args{"nics": `[{ vlan_id = local.vlan_default }, { vlan_id = local.vlan_ecp, network_type = "NONE" }, ` + silent + `]`}
	return []driftRow{
		{name: "NICs in another order", args: three, change: func(d *drifter) { d.staged(d.server().ReverseNICs(d.name)) }},
		{
			name: "other NIC and disk ids", args: args{"nics": three["nics"], "data_disks": `[{ name = "a", size_gib = 1 }]`, "system_disk": "{ size_gib = 40 }"},
			change: func(d *drifter) {
				nics := d.nicIDs()
				d.change("update-vm-basic-info", body{"description": "edited"})
				if slices.Equal(nics, d.nicIDs()) {
					d.t.Error("the ids of the NICs have not changed")
				}
			},
		},
		{name: "another VM id", args: three, change: func(d *drifter) {
			_, err := d.server().ChangeVMID(d.name)
			d.staged(err)
		}},
		{name: "moved to another host", change: func(d *drifter) { d.staged(d.server().MoveVM(d.name, "h2")); d.staged(d.server().MoveVM(d.name, "h3")) }},
		{name: "other addresses", args: args{"nics": "[{ vlan_id = local.vlan_default }]"}, change: func(d *drifter) { d.staged(d.server().SetAddresses(d.name, "10.255.99.9")) }},
		{name: "no address", args: args{"nics": "[{ vlan_id = local.vlan_default }]"}, change: func(d *drifter) { d.staged(d.server().SetAddresses(d.name, "")) }},
		{name: "tools that stopped", change: func(d *drifter) { d.staged(d.server().SetVMTools(d.name, "NOT_RUNNING")) }},
		{
			name: "a disk of others", args: args{"data_disks": "[]"}, change: func(d *drifter) { d.api.attach(d.name, d.world.locals["volume_a"]) },
			tower: map[string]any{"disks.#": 2},
		},
		{
			name: "labels of others", args: args{"labels": `{ env = "test" }`}, change: func(d *drifter) { d.staged(d.server().LabelVM(d.name, "team", "x")) },
			tower: map[string]any{"labels.team": "x", "labels.env": "test"},
		},
		{name: "snapshots of others", change: func(d *drifter) { takeSnapshot(d.t, d.world.sim, d.name, "snapshot-of-"+d.name) }},
		{
			name: "what is not configured", args: args{"nics": ""},
			change: func(d *drifter) {
				d.change("update-vm-basic-info", body{"description": "theirs", "ha": false, "vcpu": 4, "cpu_cores": 4, "cpu_sockets": 1, "memory": 8 << 30})
				d.change("add-vm-to-folder", body{"folder_id": d.world.locals["folder_a"]})
				d.change("update-vm-io-policy", body{"io_policy": "RESTRICT_WHOLE_VM", "whole_vm": body{"max_iops": 100}})
				_, volume := d.disk(0)
				d.api.change("expand-vm-disk", body{"where": body{"vm_volume": body{"id": volume}}, "size": 50 << 30})
				d.change("add-vm-nic", body{"vm_nics": []body{{"connect_vlan_id": d.world.locals["vlan_ecp"], "model": "VIRTIO"}}})
				d.staged(d.server().PowerOffGuest(d.name))
			},
			tower: map[string]any{"vcpu": 4, "ha": false, "status": "STOPPED", "nics.#": 2},
		},
	}
}
