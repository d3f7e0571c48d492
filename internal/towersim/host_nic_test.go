// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func passThrough(host string) object {
	return object{"pci_nics": object{"user_usage": "PASS_THROUGH", "host": object{"id": host}}}
}

func TestHostsShowTheirNICs(t *testing.T) {
	x := start(t, "")

	for _, h := range post[[]wire.Host](x, "get-hosts", object{}) {
		if h.NicCount != 3 || len(h.Nics) != 3 || h.Nics[0].Name != "ens4f0" {
			t.Errorf("%s has %d NICs: %+v", h.Name, h.NicCount, h.Nics)
		}

		found := post[[]wire.Host](x, "get-hosts", object{"where": object{"nics_some": object{"id": h.Nics[0].ID}}})
		if len(found) != 1 || found[0].ID != h.ID {
			t.Errorf("by its NIC: %+v", found)
		}
	}
}

func TestPCINICsBindTheirVM(t *testing.T) {
	x := start(t, "")
	hosts := post[[]wire.Host](x, "get-hosts", object{"orderBy": "name_ASC"})
	vm := x.newVM(object{"name": "a", "status": "STOPPED"})
	x.mustOperate("add-vm-pci-nic", vm.ID, passThrough(hosts[1].ID))

	got := x.vm(vm.ID)
	if len(got.PCINics) != 1 || got.PCINics[0].ID != hosts[1].Nics[0].ID || got.Host.ID != hosts[1].ID {
		t.Fatalf("the VM has %+v on %s", got.PCINics, got.Host.Name)
	}

	if found := x.vms(object{"pci_nics_some": object{"host": object{"name": hosts[1].Name}}}); len(found) != 1 {
		t.Errorf("%d VMs have a NIC of the host", len(found))
	}

	x.failed(x.operate("start-vm", vm.ID, object{"host_id": hosts[0].ID}).TaskID, "PCI_NIC_ASSIGN_FAILED")
	x.mustOperate("start-vm", vm.ID)

	if got := x.vm(vm.ID).Host.ID; got != hosts[1].ID {
		t.Error("the VM runs on another host")
	}

	// The NIC is in use only while the VM runs.
	other := x.newVM(object{"name": "b", "status": "STOPPED"})
	x.mustOperate("add-vm-pci-nic", other.ID, passThrough(hosts[1].ID))
	x.failed(x.operate("start-vm", other.ID).TaskID, "PCI_NIC_ASSIGN_FAILED")
	x.failed(x.operate("remove-vm-pci-nic", vm.ID, passThrough(hosts[1].ID)).TaskID, "VM_STATUS_NOT_ALLOWED")
	x.mustOperate("poweroff-vm", vm.ID)
	x.mustOperate("start-vm", other.ID)
	x.mustOperate("remove-vm-pci-nic", vm.ID, passThrough(hosts[1].ID))

	if got := x.vm(vm.ID); len(got.PCINics) != 0 {
		t.Errorf("the VM still has %+v", got.PCINics)
	}

	x.failed(x.operate("add-vm-pci-nic", other.ID, passThrough(hosts[1].ID)).TaskID, "VM_STATUS_NOT_ALLOWED")
}

func TestCreationWithPCINICs(t *testing.T) {
	x := start(t, "")
	hosts := post[[]wire.Host](x, "get-hosts", object{"orderBy": "name_ASC"})
	create := "create-vm-from-content-library-template"

	vm := x.newVM(object{"name": "a", "host_id": hosts[2].ID, "pci_nics": object{"id": hosts[2].Nics[0].ID}})
	if vm.Host.ID != hosts[2].ID || len(vm.PCINics) != 1 {
		t.Errorf("the VM has %+v on %s", vm.PCINics, vm.Host.Name)
	}

	x.refused(create, x.params(object{"pci_nics": object{"id": hosts[2].Nics[0].ID}}), 400)
	x.refused(create, x.params(object{"host_id": hosts[2].ID, "pci_nics": object{"id": "none"}}), 404)
	x.refused(create, x.params(object{"host_id": hosts[2].ID, "pci_nics": object{"name": "eth0", "host": object{"id": hosts[2].ID}}}), 400)
	x.refused(create, x.params(object{"host_id": hosts[2].ID, "pci_nics": object{"name": "ens4f0"}}), 400)
	x.refused("add-vm-pci-nic", edit(vm.ID, object{}), 404)

	reply := x.create(object{"name": "b", "host_id": hosts[2].ID, "pci_nics": object{"id": hosts[2].Nics[0].ID}})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "PCI_NIC_ASSIGN_FAILED")
}

func TestVirtualFunctionsNameTheirPort(t *testing.T) {
	x := start(t, "")
	port := post[[]wire.Host](x, "get-hosts", object{})[0].Nics[1]
	nic := object{"connect_vlan_id": x.idOf("get-vlans", "default"), "model": "SRIOV", "nic_id": port.ID}
	vm := x.newVM(object{"name": "a", "vm_nics": []object{nic}})

	if got := x.nics(vm.ID)[0]; got.Nic == nil || got.Nic.ID != port.ID || *got.Model != wire.VMNicModelSriov {
		t.Errorf("got %+v", got)
	}

	nic["nic_id"] = "none"
	x.refused("create-vm-from-content-library-template", x.params(object{"vm_nics": []object{nic}}), 404)
}
