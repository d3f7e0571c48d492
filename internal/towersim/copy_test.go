// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const copies = `
inventory:
  vm_templates: [{name: golden, cluster: cluster-1, num_cpus: 3, memory_mib: 2048, disk_gib: 7, firmware: UEFI, cloud_init: true}]`

// first returns the only row that a list operation finds.
func first[T any](x *tower, operation string, where object) T {
	x.t.Helper()

	rows := post[[]T](x, operation, object{"where": where})
	if len(rows) != 1 {
		x.t.Fatalf("%s found %d rows", operation, len(rows))
	}

	return rows[0]
}

func TestCopiesInheritFromTheirSource(t *testing.T) {
	x := start(t, copies)
	source := x.newVM(object{"description": "of the source", "vcpu": 4, "cpu_cores": 2, "cpu_sockets": 2})
	taken := post[[]wire.WithTask[wire.VMSnapshot]](x, "create-vm-snapshot", object{"data": []object{{"name": "s", "vm_id": source.ID}}})[0]
	x.refused("clone-vm", []object{{"name": "locked", "src_vm_id": source.ID}}, http.StatusBadRequest)
	x.finishTasks()

	template := first[wire.VMTemplate](x, "get-vm-templates", object{"name": "golden"})
	snapshot := first[wire.VMSnapshot](x, "get-vm-snapshots", object{"vm": object{"id": source.ID}})

	if snapshot.ID != taken.Data.ID || snapshot.VCPU != 4 || len(snapshot.VMDisks) != 1 || len(snapshot.VMNics) != 1 {
		t.Errorf("the snapshot is %+v", snapshot)
	}

	for operation, test := range map[string]struct {
		sent        object
		vcpu        int
		description string
		macs        bool
	}{
		"create-vm-from-template":  {object{"template_id": template.ID, "is_full_copy": false}, 3, "", false},
		"clone-vm":                 {object{"src_vm_id": source.ID}, 4, "of the source", true},
		"rebuild-vm-from-snapshot": {object{"rebuild_from_snapshot_id": snapshot.ID}, 4, "of the source", true},
	} {
		test.sent["name"], test.sent["status"] = operation, "RUNNING"
		reply := post[[]vmReply](x, operation, []object{test.sent})[0]
		x.finishTasks()
		x.succeeded(reply.TaskID)

		vm := x.vm(reply.Data.ID)
		if vm.VCPU != test.vcpu || vm.Description != test.description || vm.Status != wire.VMStatusRunning {
			t.Errorf("%s: %d CPUs, description %q, %s", operation, vm.VCPU, vm.Description, vm.Status)
		}

		if nics := x.nics(vm.ID); len(nics) != 1 || *nics[0].MACAddress == *x.nics(source.ID)[0].MACAddress {
			t.Errorf("%s: NICs %+v", operation, nics)
		}

		if disks := x.disks(vm.ID); len(disks) != 1 || disks[0].VMVolume == nil {
			t.Errorf("%s: disks %+v", operation, disks)
		}
	}
}

func TestSnapshotOutlivesItsVM(t *testing.T) {
	x := start(t, "")
	source := x.newVM(object{})
	post[[]wire.WithTask[wire.VMSnapshot]](x, "create-vm-snapshot", object{"data": []object{{"name": "s", "vm_id": source.ID}}})
	x.finishTasks()

	if got := x.vm(source.ID).Snapshots; len(got) != 1 || got[0].Name != "s" {
		t.Errorf("the VM shows the snapshots %+v", got)
	}

	if err := x.DeleteVM(source.Name); err != nil {
		t.Fatal(err)
	}

	snapshot := first[wire.VMSnapshot](x, "get-vm-snapshots", object{"name": "s"})
	if snapshot.VM != nil {
		t.Errorf("the snapshot still shows its VM: %+v", snapshot.VM)
	}

	reply := post[[]vmReply](x, "rebuild-vm-from-snapshot", []object{{"name": "again", "rebuild_from_snapshot_id": snapshot.ID}})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	post[[]wire.WithTask[wire.Deleted]](x, "delete-vm-snapshot", object{"where": object{"id": snapshot.ID}})
	x.finishTasks()

	if left := post[[]wire.VMSnapshot](x, "get-vm-snapshots", object{}); len(left) != 0 {
		t.Errorf("%d snapshots are left", len(left))
	}
}

func TestCopyIsRefused(t *testing.T) {
	x := start(t, "")
	x.refused("create-vm-from-template", []object{{"name": "a", "template_id": "none", "is_full_copy": true}}, http.StatusNotFound)
	x.refused("clone-vm", []object{{"name": "a", "src_vm_id": "none"}}, http.StatusNotFound)
	x.refused("rebuild-vm-from-snapshot", []object{{"name": "a", "rebuild_from_snapshot_id": "none"}}, http.StatusNotFound)
	x.refused("clone-vm", []object{}, http.StatusBadRequest)
	x.refused("create-vm-snapshot", object{"data": []object{{"name": "s", "vm_id": "none"}}}, http.StatusNotFound)
	x.refused("create-vm-snapshot", object{"data": []object{{"name": "", "vm_id": x.newVM(object{}).ID}}}, http.StatusBadRequest)
}

// A template's CD-ROM drives are copied only if the request mentions disks.
func TestDrivesOfATemplate(t *testing.T) {
	x := start(t, "")
	source := x.newVM(object{})
	x.mustOperate("add-vm-cd-rom", source.ID, object{"vm_cd_roms": []object{{"boot": 9}}})
	x.mustOperate("poweroff-vm", source.ID)
	post[[]wire.WithTask[wire.VMTemplate]](x, "clone-vm-template-from-vm", []object{{"vm_id": source.ID, "name": "t", "cloud_init_supported": true}})
	x.finishTasks()

	for i, tc := range []struct {
		operate any
		drives  int
	}{
		{nil, 0},
		{object{}, 0},
		{object{"modify_disks": []object{{"disk_index": 0, "bus": "SCSI"}}}, 1},
		{object{"new_disks": object{"mount_cd_roms": []object{{"boot": 10}}}}, 2},
		{object{"new_disks": object{"mount_cd_roms": []object{{"boot": 10}}}, "remove_disks": object{"disk_index": []int{1}}}, 1},
	} {
		params := object{"name": string(rune('a' + i)), "template_id": x.idOf("get-vm-templates", "t"), "is_full_copy": false}
		if tc.operate != nil {
			params["disk_operate"] = tc.operate
		}

		reply := post[[]vmReply](x, "create-vm-from-template", []object{params})[0]
		x.finishTasks()
		x.succeeded(reply.TaskID)

		drives := 0

		for _, d := range x.disks(reply.Data.ID) {
			if d.Type == wire.VMDiskTypeCdRom {
				drives++
			}
		}

		if drives != tc.drives {
			t.Errorf("disk_operate %v: %d drives, want %d", tc.operate, drives, tc.drives)
		}
	}
}
