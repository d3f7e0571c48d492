// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (x *tower) addNIC(vmID string, nic object) vmReply {
	x.t.Helper()

	if nic["connect_vlan_id"] == nil {
		nic["connect_vlan_id"] = x.idOf("get-vlans", "default")
	}

	return x.operate("add-vm-nic", vmID, object{"vm_nics": []object{nic}})
}

func TestAddedNICIsLast(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED"})
	x.addNIC(vm.ID, object{"mac_address": "52:54:00:aa:bb:cc", "model": "E1000", "mirror": true, "enabled": false})

	nics := x.nics(vm.ID)
	if len(nics) != 2 || *nics[1].Order != 1 || text(nics[1].MACAddress) != "52:54:00:aa:bb:cc" {
		t.Fatalf("got %+v", nics)
	}

	if *nics[1].Model != wire.VMNicModelE1000 || !*nics[1].Mirror || *nics[1].Enabled {
		t.Errorf("got %+v", nics[1])
	}
}

func TestHotAddedNICShowsItsMACLate(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	post[[]vmReply](x, "add-vm-nic", object{
		"where": object{"id": vm.ID}, "data": object{"vm_nics": []object{{"connect_vlan_id": x.idOf("get-vlans", "default")}}},
	})
	x.Advance(2 * second)

	if nics := x.nics(vm.ID); len(nics) != 2 || nics[1].MACAddress != nil {
		t.Errorf("after the task: %+v", nics)
	}

	x.Advance(second)

	if nics := x.nics(vm.ID); nics[1].MACAddress == nil {
		t.Error("later: no MAC address")
	}
}

func TestHotAddedNICGetsAnAddress(t *testing.T) {
	x := start(t, "timing: {dhcp: 2s, vmtools_sync: 60s}")
	vm, on := x.newRunningVM(object{})
	x.advanceTo(on, 100*second)
	x.addNIC(vm.ID, object{}) // plugged in at 102s
	x.advanceTo(on, 164*second-1)
	wantStrings(t, "just before", x.addresses(vm.ID), []string{"10.255.0.2", ""})
	x.advanceTo(on, 164*second)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.255.0.2", "10.255.0.3"})
}

func TestAddNICRefuses(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2, vlans: [{name: far}]}]}")
	vm := x.newVM(object{})

	for name, test := range map[string]struct {
		nics   []object
		status int
	}{
		"none":            {[]object{}, http.StatusBadRequest},
		"no network":      {[]object{{}}, http.StatusBadRequest},
		"missing network": {[]object{{"connect_vlan_id": "x"}}, http.StatusNotFound},
		"other cluster":   {[]object{{"connect_vlan_id": x.idOf("get-vlans", "far")}}, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			x.t = t
			x.refused("add-vm-nic", object{"where": object{"id": vm.ID}, "data": object{"vm_nics": test.nics}}, test.status)
		})
	}
}

func TestRemoveNICByIndex(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.addNIC(vm.ID, object{"mac_address": "52:54:00:aa:bb:cc"})
	x.mustOperate("remove-vm-nic", vm.ID, object{"nic_index": []int{0}})

	nics := x.nics(vm.ID)
	if len(nics) != 1 || text(nics[0].MACAddress) != "52:54:00:aa:bb:cc" || *nics[0].Order != 0 {
		t.Errorf("got %+v", nics)
	}

	x.refused("remove-vm-nic", object{"where": object{"id": vm.ID}, "data": object{"nic_index": []int{1}}}, http.StatusBadRequest)
}

func TestRemoveNICByWhere(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})
	other := x.newVM(object{"name": "b"})

	x.refused("remove-vm-nic-by-where", object{"where": object{}, "effect": object{}}, http.StatusBadRequest)

	replies := post[[]vmReply](x, "remove-vm-nic-by-where", object{"where": object{}, "effect": object{"vm_ids": []string{vm.ID}}})
	x.finishTasks()

	if len(replies) != 1 || len(x.nics(vm.ID)) != 0 || len(x.nics(other.ID)) != 1 {
		t.Errorf("%d replies, %d and %d NICs", len(replies), len(x.nics(vm.ID)), len(x.nics(other.ID)))
	}
}

func TestRemovedNICReleasesItsLease(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, vlans: [{name: default, dhcp: 10.0.0.0/30}]}]}")
	vm := x.newVM(object{})
	x.Advance(100 * second)
	x.mustOperate("remove-vm-nic", vm.ID, object{"nic_index": []int{0}})

	if got := x.vm(vm.ID).IPs; got != "127.0.0.1" {
		t.Errorf("ips: %q", got)
	}

	x.addNIC(vm.ID, object{})
	x.Advance(100 * second)
	wantStrings(t, "addresses", x.addresses(vm.ID), []string{"10.0.0.2"})
}

func TestUpdateNICByIndex(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.mustOperate("update-vm-nic", vm.ID, object{"nic_index": 0, "enabled": false, "model": "E1000"})

	if nic := x.nics(vm.ID)[0]; *nic.Enabled || *nic.Model != wire.VMNicModelE1000 {
		t.Errorf("got %+v", nic)
	}

	x.refused("update-vm-nic", object{"where": object{"id": vm.ID}, "data": object{"nic_index": 1}}, http.StatusBadRequest)
}

func TestDisablingANICTakesItsAddress(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.Advance(100 * second)

	edit := func(enabled bool) {
		post[[]vmReply](x, "update-vm-nic-advance-info", object{
			"where": object{"vm": object{"id": vm.ID}}, "data": object{"enabled": enabled},
		})
		x.finishTasks()
	}

	edit(false)
	wantStrings(t, "disabled", x.addresses(vm.ID), []string{""})
	x.Advance(600 * second)
	wantStrings(t, "disabled for long", x.addresses(vm.ID), []string{""})
	edit(true)
	x.Advance(62 * second)
	wantStrings(t, "enabled", x.addresses(vm.ID), []string{"10.255.0.2"})
}

func TestAnotherNetworkMeansAnotherLease(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, vlans: [{name: default, dhcp: 10.0.0.0/24}, {name: other, dhcp: 10.0.1.0/24}]}]}")
	vm := x.newVM(object{})
	x.Advance(100 * second)
	post[[]vmReply](x, "update-vm-nic-advance-info", object{
		"where": object{"vm": object{"id": vm.ID}}, "data": object{"connect_vlan_id": x.idOf("get-vlans", "other")},
	})
	x.Advance(100 * second)
	wantStrings(t, "addresses", x.addresses(vm.ID), []string{"10.0.1.2"})

	if nic := x.nics(vm.ID)[0]; nic.Vlan.Name != "other" {
		t.Errorf("got %+v", nic)
	}
}

func TestAddressOfANICIsSetByTheTools(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	body := object{
		"where": object{"vm": object{"id": vm.ID}},
		"data":  object{"ip_address": "10.9.0.5", "subnet_mask": "255.255.255.0", "gateway": "10.9.0.1"},
	}

	reply := post[[]vmReply](x, "update-vm-nic-basic-info", body)[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VM_TOOLS_NOT_RUNNING")

	x.Advance(100 * second)

	reply = post[[]vmReply](x, "update-vm-nic-basic-info", body)[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)
	wantStrings(t, "before the next report", x.addresses(vm.ID), []string{"10.255.0.2"})
	x.Advance(60 * second)
	wantStrings(t, "then", x.addresses(vm.ID), []string{"10.9.0.5"})
}

func TestNICEditRefusesInvalidValues(t *testing.T) {
	x := start(t, "")
	x.newVM(object{})

	for name, data := range map[string]object{
		"mac": {"mac_address": "x"}, "address": {"ip_address": "x"},
	} {
		t.Run(name, func(t *testing.T) {
			x.t = t
			data["nic_index"] = 0
			x.refused("update-vm-nic", object{"where": object{}, "data": data}, http.StatusBadRequest)
		})
	}

	x.t = t
	x.refused("update-vm-nic-advance-info", object{"where": object{}, "data": object{"connect_vlan_id": "x"}}, http.StatusNotFound)
}
