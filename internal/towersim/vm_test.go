// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func TestPowerTransitions(t *testing.T) {
	for _, test := range []struct {
		operation string
		from, to  wire.VMStatus
		fails     bool
	}{
		{"start-vm", "STOPPED", "RUNNING", false},
		{"start-vm", "RUNNING", "RUNNING", true},
		{"start-vm", "SUSPENDED", "SUSPENDED", true},
		{"shutdown-vm", "RUNNING", "STOPPED", false},
		{"shutdown-vm", "STOPPED", "STOPPED", true},
		{"poweroff-vm", "RUNNING", "STOPPED", false},
		{"poweroff-vm", "SUSPENDED", "STOPPED", false},
		{"poweroff-vm", "STOPPED", "STOPPED", true},
		{"suspend-vm", "RUNNING", "SUSPENDED", false},
		{"suspend-vm", "STOPPED", "STOPPED", true},
		{"resume-vm", "SUSPENDED", "RUNNING", false},
		{"resume-vm", "RUNNING", "RUNNING", true},
		{"restart-vm", "RUNNING", "RUNNING", false},
		{"restart-vm", "STOPPED", "STOPPED", true},
		{"force-restart-vm", "RUNNING", "RUNNING", false},
		{"force-restart-vm", "SUSPENDED", "SUSPENDED", true},
	} {
		t.Run(test.operation+" from "+string(test.from), func(t *testing.T) {
			x := start(t, "")
			vm := x.vmIn(test.from)
			reply := x.operate(test.operation, vm.ID)

			if test.fails {
				x.failed(reply.TaskID, "VM_STATUS_NOT_ALLOWED")
			} else {
				x.succeeded(reply.TaskID)
			}

			if got := x.vm(vm.ID).Status; got != test.to {
				t.Errorf("the VM is %s, want %s", got, test.to)
			}
		})
	}
}

// vmIn creates a VM and brings it into a power state.
func (x *tower) vmIn(status wire.VMStatus) wire.VM {
	x.t.Helper()

	if status == wire.VMStatusStopped {
		return x.newVM(object{"status": "STOPPED"})
	}

	vm := x.newVM(object{})
	if status == wire.VMStatusSuspended {
		x.mustOperate("suspend-vm", vm.ID)
	}

	return vm
}

func TestNewerTowersRefuseAWrongPowerState(t *testing.T) {
	x := start(t, "version: 4.7.0")
	vm := x.newVM(object{})
	x.refused("start-vm", byID(vm.ID), http.StatusBadRequest)
}

func TestGuestCanIgnoreAShutdown(t *testing.T) {
	x := start(t, `guests: [{match: "*", acpi: false}]`)
	vm := x.newVM(object{})
	x.failed(x.operate("shutdown-vm", vm.ID).TaskID, "JOB_VM_SHUTDOWN_TIMEOUT")

	if got := x.vm(vm.ID).Status; got != wire.VMStatusRunning {
		t.Errorf("the VM is %s", got)
	}

	x.mustOperate("poweroff-vm", vm.ID)
}

func TestStartOnAWantedHost(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED"})
	id := x.idOf("get-hosts", "cluster-1-host-2")
	x.mustOperate("start-vm", vm.ID, object{"host_id": id})

	if got := x.vm(vm.ID).Host.ID; got != id {
		t.Errorf("the VM is on %s", got)
	}

	x.refused("start-vm", object{"where": object{}, "data": object{"host_id": "x"}}, http.StatusNotFound)
}

func TestStartNeedsMemory(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, hosts: [{memory_gib: 4}]}]}")
	vm := x.newVM(object{"name": "a", "status": "STOPPED"})
	x.newVM(object{"name": "b"})
	x.failed(x.operate("start-vm", vm.ID).TaskID, "VM_SCHEDULE_FAILED")
	x.mustOperate("poweroff-vm", x.vms(object{"name": "b"})[0].ID)
	x.mustOperate("start-vm", vm.ID)
}

func TestHostShowsItsMemory(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, hosts: [{name: h, memory_gib: 16}]}]}")
	free := func() int64 { return post[[]wire.Host](x, "get-hosts", object{})[0].AllocatableMemoryBytes >> 30 }

	if got := free(); got != 16 {
		t.Errorf("empty: %d GiB", got)
	}

	vm := x.newVM(object{})

	if got := free(); got != 12 {
		t.Errorf("with a VM: %d GiB", got)
	}

	x.mustOperate("poweroff-vm", vm.ID)

	if got := free(); got != 16 {
		t.Errorf("with a stopped VM: %d GiB", got)
	}
}

func TestUpdateVM(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.mustOperate("update-vm-basic-info", vm.ID, object{
		"name": "b", "description": "d", "ha": false, "vcpu": 4, "cpu_cores": 2, "cpu_sockets": 2, "memory": int64(8) << 30,
	})

	got := x.vm(vm.ID)
	if got.Name != "b" || got.Description != "d" || got.HA || got.VCPU != 4 || got.CPU.Cores != 2 || got.Memory != 8<<30 {
		t.Errorf("got %+v", got)
	}

	if nic := x.nics(vm.ID)[0]; nic.VM.Name != "b" {
		t.Errorf("the NIC's VM is called %q", nic.VM.Name)
	}
}

func TestShrinkingNeedsAStoppedVM(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.failed(x.operate("update-vm-basic-info", vm.ID, object{"memory": 1 << 30}).TaskID, "VM_STATUS_NOT_ALLOWED")
	x.mustOperate("poweroff-vm", vm.ID)
	x.mustOperate("update-vm-basic-info", vm.ID, object{"memory": 1 << 30, "vcpu": 1})

	if got := x.vm(vm.ID); got.Memory != 1<<30 || got.VCPU != 1 {
		t.Errorf("got %d bytes, %d CPUs", got.Memory, got.VCPU)
	}
}

func TestGrowingBeyondTheHostFails(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, hosts: [{memory_gib: 8}]}]}")
	vm := x.newVM(object{})
	x.failed(x.operate("update-vm-basic-info", vm.ID, object{"memory": int64(9) << 30, "name": "b"}).TaskID, "VM_SCHEDULE_FAILED")

	if got := x.vm(vm.ID); got.Name != "vm" || got.Memory != 4<<30 {
		t.Errorf("half of the change was applied: %q, %d bytes", got.Name, got.Memory)
	}

	x.mustOperate("update-vm-basic-info", vm.ID, object{"memory": int64(8) << 30})
}

func TestRenameToATakenName(t *testing.T) {
	x := start(t, "")
	x.newVM(object{"name": "a"})
	vm := x.newVM(object{"name": "b"})
	x.failed(x.operate("update-vm-basic-info", vm.ID, object{"name": "a"}).TaskID, "VM_DUPLICATED_NAME")
}

func TestEditRenewsTheIDsOfNICsAndDisks(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	nic, disk := x.nics(vm.ID)[0], x.disks(vm.ID)[0]
	x.mustOperate("update-vm-basic-info", vm.ID, object{"description": "d"})

	after := x.vm(vm.ID)
	if x.nics(vm.ID)[0].ID == nic.ID || x.disks(vm.ID)[0].ID == disk.ID {
		t.Error("the ids are the old ones")
	}

	if after.VMNics[0].ID != x.nics(vm.ID)[0].ID || after.VMDisks[0].ID != x.disks(vm.ID)[0].ID {
		t.Error("the VM has ids that are not in the lists")
	}

	if text(x.nics(vm.ID)[0].MACAddress) != text(nic.MACAddress) || x.disks(vm.ID)[0].VMVolume.ID != disk.VMVolume.ID {
		t.Error("MAC address or volume changed")
	}

	if old := post[[]wire.VMNic](x, "get-vm-nics", byID(nic.ID)); len(old) != 0 {
		t.Error("the old id still finds the NIC")
	}
}

func TestDeleteVMTakesItsPartsAlong(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})

	reply := post[[]wire.WithTask[wire.Deleted]](x, "delete-vm", byID(vm.ID))[0]
	if reply.Data.ID != vm.ID || *x.vm(vm.ID).EntityAsyncStatus != wire.EntityAsyncStatusDeleting {
		t.Errorf("got %+v", reply)
	}

	x.finishTasks()
	x.succeeded(reply.TaskID)

	for _, operation := range []string{"get-vms", "get-vm-nics", "get-vm-disks", "get-vm-volumes"} {
		if left := post[[]object](x, operation, object{}); len(left) != 0 {
			t.Errorf("%s: %d are left", operation, len(left))
		}
	}

	if report := x.report("vm"); report.DeletedAt == nil || len(report.NICs) != 1 {
		t.Errorf("got %+v", report)
	}
}

func TestDeletingARunningVMCanFail(t *testing.T) {
	x := start(t, "delete_running: false")
	vm := x.newVM(object{})

	reply := post[[]wire.WithTask[wire.Deleted]](x, "delete-vm", byID(vm.ID))[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VM_STATUS_NOT_ALLOWED")

	if got := x.vm(vm.ID); got.EntityAsyncStatus != nil {
		t.Errorf("the VM is still %s", *got.EntityAsyncStatus)
	}

	x.mustOperate("poweroff-vm", vm.ID)
	x.operate("delete-vm", vm.ID)

	if left := x.vms(object{}); len(left) != 0 {
		t.Errorf("%d VMs are left", len(left))
	}
}

func TestRecycleBin(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})
	x.operate("move-vm-to-recycle", vm.ID)

	got := x.vm(vm.ID)
	if !got.InRecycleBin || got.DeletedAt == nil || text(got.OriginalName) != "a" || got.Status != wire.VMStatusStopped {
		t.Errorf("in the bin: %+v", got)
	}

	x.failed(x.operate("start-vm", vm.ID).TaskID, "VM_STATUS_NOT_ALLOWED")
	x.operate("recover-vm-from-recycle", vm.ID)

	got = x.vm(vm.ID)
	if got.InRecycleBin || got.DeletedAt != nil || got.Name != "a" {
		t.Errorf("recovered: %+v", got)
	}
}

func TestRecoveryToATakenNameFails(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})
	x.operate("move-vm-to-recycle", vm.ID)
	x.newVM(object{"name": "a"})
	x.failed(x.operate("recover-vm-from-recycle", vm.ID).TaskID, "VM_DUPLICATED_NAME")
}

func TestRecycleBinCanBeOff(t *testing.T) {
	x := start(t, "recycle_bin: false")
	vm := x.newVM(object{})
	x.refused("move-vm-to-recycle", byID(vm.ID), http.StatusBadRequest)
}

func TestHiddenVMComesBack(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})

	if err := x.HideVM("a", 10*second); err != nil {
		t.Fatal(err)
	}

	if len(x.vms(object{})) != 0 || len(x.nics(vm.ID)) != 0 || len(x.vms(object{"id": vm.ID})) != 0 {
		t.Error("the VM is still shown")
	}

	x.Advance(10 * second)

	if len(x.vms(object{})) != 1 || len(x.nics(vm.ID)) != 1 {
		t.Error("the VM did not come back")
	}
}

func TestChangesBehindTheClientsBack(t *testing.T) {
	for name, test := range map[string]struct {
		change func(x *tower) error
		seen   func(vm wire.VM) bool
	}{
		"tools":    {func(x *tower) error { return x.SetVMTools("a", "RESTRICTION") }, func(vm wire.VM) bool { return vm.VMToolsStatus == "RESTRICTION" }},
		"host":     {func(x *tower) error { return x.MoveVM("a", "cluster-1-host-2") }, func(vm wire.VM) bool { return vm.Host.Name == "cluster-1-host-2" }},
		"crash":    {func(x *tower) error { return x.SuspendGuest("a") }, func(vm wire.VM) bool { return vm.Status == wire.VMStatusSuspended }},
		"shutdown": {func(x *tower) error { return x.PowerOffGuest("a") }, func(vm wire.VM) bool { return vm.Status == wire.VMStatusStopped }},
		"name":     {func(x *tower) error { return x.RenameVM("a", "b") }, func(vm wire.VM) bool { return vm.Name == "b" }},
		"bin":      {func(x *tower) error { return x.MoveToRecycleBin("a") }, func(vm wire.VM) bool { return vm.InRecycleBin }},
	} {
		t.Run(name, func(t *testing.T) {
			x := start(t, "")
			vm := x.newVM(object{"name": "a"})

			if err := test.change(x); err != nil {
				t.Fatal(err)
			}

			if got := x.vm(vm.ID); !test.seen(got) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestNICsInAnotherOrder(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: a, nics: [default, ecp]}]}")
	id := x.idOf("get-vms", "a")
	before := x.nics(id)

	if err := x.ReverseNICs("a"); err != nil {
		t.Fatal(err)
	}

	after := x.nics(id)
	wantStrings(t, "MACs", []string{*after[0].MACAddress, *after[1].MACAddress}, []string{*before[1].MACAddress, *before[0].MACAddress})

	if after[0].ID == before[1].ID || *after[0].Order != 0 {
		t.Errorf("the first NIC is %s at %d, and was %s", after[0].ID, *after[0].Order, before[1].ID)
	}
}

func TestActionOnAMissingVMIsAnError(t *testing.T) {
	if err := start(t, "").DeleteVM("a"); err == nil {
		t.Error("a VM that does not exist was deleted")
	}
}

func TestAddressesSetByHandStay(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})

	if err := x.SetAddresses("a", "10.255.7.7"); err != nil {
		t.Fatal(err)
	}

	x.Advance(600 * second)
	wantStrings(t, "addresses", x.addresses(vm.ID), []string{"10.255.7.7"})
}

func TestFolderOfAVM(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.refused("add-vm-to-folder", object{"where": object{"id": vm.ID}, "data": object{"folder_id": "x"}}, http.StatusNotFound)
	x.mustOperate("remove-vm-from-folder", vm.ID)
}

func TestDuplicateVMsAppear(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})

	id, err := x.DuplicateVM("a")
	if err != nil {
		t.Fatal(err)
	}

	twins := x.vms(object{"name": "a"})
	if len(twins) != 2 || id == vm.ID || x.vm(id).Status != wire.VMStatusStopped || len(x.nics(id)) != 1 {
		t.Errorf("got %+v", twins)
	}
}

func TestVMComesBackUnderAnotherID(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})

	id, err := x.ChangeVMID("a")
	if err != nil {
		t.Fatal(err)
	}

	if len(x.vms(object{"id": vm.ID})) != 0 || x.vm(id).LocalID != vm.LocalID || len(x.nics(id)) != 1 {
		t.Errorf("the VM is %+v", x.vm(id))
	}
}
