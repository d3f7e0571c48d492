// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// disksInNoOrder returns the disks of a VM in the order in which Tower lists
// them if the request has no order.
func (x *tower) disksInNoOrder(vmID string) []wire.VMDisk {
	x.t.Helper()

	return post[[]wire.VMDisk](x, "get-vm-disks", object{"where": object{"vm": object{"id": vmID}}})
}

func boots(disks []wire.VMDisk) []int {
	all := make([]int, len(disks))
	for i := range disks {
		all[i] = disks[i].Boot
	}

	return all
}

// blankWithDisks creates a VM with a new disk at each of the boot orders.
func (x *tower) blankWithDisks(name string, orders ...int) wire.VM {
	x.t.Helper()

	disks := make([]object, len(orders))
	for i, boot := range orders {
		disks[i] = object{"boot": boot, "bus": "VIRTIO", "vm_volume": object{
			"name": fmt.Sprintf("%s-%d", name, boot), "size": 1 << 30, "elf_storage_policy": "REPLICA_2_THIN_PROVISION",
		}}
	}

	reply := post[[]vmReply](x, "create-vm", []object{{
		"name": name, "cluster_id": x.idOf("get-clusters", "cluster-1"), "status": "STOPPED", "firmware": "BIOS", "ha": true,
		"memory": 1 << 30, "vcpu": 1, "cpu_cores": 1, "cpu_sockets": 1, "vm_nics": []object{},
		"vm_disks": object{"mount_new_create_disks": disks},
	}})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	return x.vm(reply.Data.ID)
}

func TestDisksInNoOrderAreInBootOrder(t *testing.T) {
	x := start(t, "")
	vm := x.blankWithDisks("a", 3, 0, 1, 5, 2, 4)

	if got := boots(x.disksInNoOrder(vm.ID)); !slices.IsSorted(got) {
		t.Errorf("at first, their boot orders are %v", got)
	}

	x.mustOperate("update-vm-basic-info", vm.ID, object{"description": "edited, so that all ids are new"})

	if got := boots(x.disksInNoOrder(vm.ID)); !slices.IsSorted(got) {
		t.Errorf("after an edit, their boot orders are %v", got)
	}
}

func TestRowsInNoOrderAreInOrderOfCreation(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: first, cluster: cluster-1}]}")
	want := []string{"first"}

	for i := range 9 {
		name := fmt.Sprintf("vm-%d", 9-i)
		x.newVM(object{"name": name, "status": "STOPPED"})

		want = append(want, name)
	}

	vms := post[[]wire.VM](x, "get-vms", object{})

	got := make([]string, len(vms))
	for i := range vms {
		got[i] = vms[i].Name
	}

	wantStrings(t, "the VMs", got, want)
}
