// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (x *tower) newSnapshot(vmID, name string) string {
	x.t.Helper()

	reply := post[[]wire.WithTask[wire.VMSnapshot]](x, "create-vm-snapshot", object{"data": []object{{"vm_id": vmID, "name": name}}})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	return reply.Data.ID
}

func TestRollbackRestoresTheHardware(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED"})
	mac, volume := text(x.nics(vm.ID)[0].MACAddress), x.disks(vm.ID)[0].VMVolume.ID
	id := x.newSnapshot(vm.ID, "s")

	x.mustOperate("update-vm-basic-info", vm.ID, object{"memory": int64(8) << 30})
	x.addNIC(vm.ID, object{})
	x.mustOperate("add-vm-disk", vm.ID, object{"vm_disks": object{"mount_new_create_disks": []object{{
		"boot": 2, "bus": "VIRTIO", "vm_volume": object{"name": "late", "size": 1 << 30, "elf_storage_policy": "REPLICA_2_THIN_PROVISION"},
	}}}})
	x.mustOperate("rollback-vm", vm.ID, object{"snapshot_id": id})

	nics, disks := x.nics(vm.ID), x.disks(vm.ID)
	if x.vm(vm.ID).Memory != 4<<30 || len(nics) != 1 || text(nics[0].MACAddress) != mac {
		t.Errorf("got %d bytes and the NICs %+v", x.vm(vm.ID).Memory, nics)
	}

	if len(disks) != 1 || disks[0].VMVolume.ID != volume {
		t.Errorf("got the disks %+v", disks)
	}

	if late := post[[]wire.VMVolume](x, "get-vm-volumes", object{"where": object{"name": "late"}}); len(late) != 1 || late[0].Mounting {
		t.Errorf("the volume that was attached later: %+v", late)
	}
}

func TestRollbackNeedsAStoppedVMAndItsOwnSnapshot(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})
	id := x.newSnapshot(vm.ID, "s")
	x.failed(x.operate("rollback-vm", vm.ID, object{"snapshot_id": id}).TaskID, "VM_STATUS_NOT_ALLOWED")

	other := x.newVM(object{"name": "b"})
	x.refused("rollback-vm", edit(other.ID, object{"snapshot_id": id}), http.StatusBadRequest)
	x.refused("rollback-vm", edit(other.ID, object{"snapshot_id": "x"}), http.StatusNotFound)
}

func TestSnapshotsGoWithTheirVMWhenAskedTo(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.newSnapshot(vm.ID, "s")
	post[[]wire.WithTask[wire.Deleted]](x, "delete-vm", object{"where": object{"id": vm.ID}, "effect": object{"include_snapshots": true}})
	x.finishTasks()

	if left := post[[]wire.VMSnapshot](x, "get-vm-snapshots", object{}); len(left) != 0 {
		t.Errorf("%d snapshots are left", len(left))
	}
}

func TestConvertedVMBecomesTheTemplate(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED"})

	reply := post[[]wire.WithTask[wire.VMTemplate]](x, "convert-vm-template-from-vm", []object{
		{"vm_id": vm.ID, "name": "t", "cloud_init_supported": true},
	})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	template := first[wire.VMTemplate](x, "get-vm-templates", object{"name": "t"})
	if len(x.vms(object{})) != 0 || template.Memory != vm.Memory || len(template.VMDisks) != 1 || !template.CloudInitSupported {
		t.Errorf("got %+v", template)
	}

	back := post[[]vmReply](x, "convert-vm-template-to-vm", []object{{"converted_from_template_id": template.ID, "name": "again"}})[0]
	x.finishTasks()
	x.succeeded(back.TaskID)

	if x.vm(back.Data.ID).Name != "again" || len(post[[]wire.VMTemplate](x, "get-vm-templates", object{"where": object{"name": "t"}})) != 0 {
		t.Error("the template did not become the VM")
	}
}

func TestTemplateOfARunningVMFails(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})

	reply := post[[]wire.WithTask[wire.VMTemplate]](x, "clone-vm-template-from-vm", []object{
		{"vm_id": vm.ID, "name": "t", "cloud_init_supported": false},
	})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VM_STATUS_NOT_ALLOWED")

	if left := post[[]wire.VMTemplate](x, "get-vm-templates", object{"where": object{"name": "t"}}); len(left) != 0 {
		t.Errorf("%d templates are left", len(left))
	}
}

func TestLibraryTemplateIsUsableWhereItWasDistributed(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2, vlans: [{name: other}]}]}")
	vm := x.newVM(object{"status": "STOPPED"})
	far := x.idOf("get-clusters", "cluster-2")

	reply := post[[]wire.WithTask[wire.ContentLibraryVMTemplate]](x, "clone-content-library-vm-template-from-vm", []object{
		{"vm": object{"id": vm.ID}, "name": "t", "clusters": object{"name": "cluster-1"}},
	})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	params := object{"name": "far", "cluster_id": far, "template_id": reply.Data.ID}
	x.refused("create-vm-from-content-library-template", x.params(params), http.StatusNotFound)
	post[[]object](x, "distribute-content-library-vm-template-clusters", edit(reply.Data.ID, object{"clusters": object{"id": far}}))
	x.finishTasks()

	// The template's network does not exist here: a network of the cluster
	// replaces it.
	if nics := x.nics(x.newVM(params).ID); len(nics) != 1 || nics[0].Vlan.Name != "other" {
		t.Errorf("got %+v", nics)
	}

	post[[]object](x, "remove-content-library-vm-template-clusters", edit(reply.Data.ID, object{"clusters": object{"id": far}}))
	x.finishTasks()
	x.refused("create-vm-from-content-library-template", x.params(params), http.StatusNotFound)
}

func TestBatchOfVMsHasOneTask(t *testing.T) {
	x := start(t, "")
	vms := []object{}

	for _, p := range x.params(object{"name": "a"}, object{"name": "b"}) {
		delete(p, "template_id")
		vms = append(vms, p)
	}

	reply := post[wire.WithTask[[]wire.VM]](x, "create-vm-from-content-library-template-batch", object{
		"template_id": x.idOf("get-content-library-vm-templates", "rocky-8"), "vms": vms,
	})
	x.finishTasks()
	x.succeeded(reply.TaskID)

	if len(reply.Data) != 2 || len(x.vms(object{"status": "RUNNING"})) != 2 {
		t.Errorf("got %+v", reply)
	}
}

func TestRollbackRestoresTheGuestsConfiguration(t *testing.T) {
	x := start(t, "")
	params := x.networks(
		object{"type": "IPV4", "ip_address": "10.255.9.9", "netmask": "255.255.0.0"}, object{"type": "IPV4_DHCP"},
	)
	vm, _ := x.newRunningVM(params)
	x.mustOperate("poweroff-vm", vm.ID)

	id := x.newSnapshot(vm.ID, "s")
	x.mustOperate("remove-vm-nic", vm.ID, object{"nic_index": []int{0}})
	x.mustOperate("rollback-vm", vm.ID, object{"snapshot_id": id})
	x.mustOperate("start-vm", vm.ID)
	x.Advance(100 * second)

	if got := x.addresses(vm.ID); len(got) != 2 || got[0] != "10.255.9.9" || got[1] == "" {
		t.Errorf("got %q", got)
	}
}
