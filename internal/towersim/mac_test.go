// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const codeMAC = "VM_NIC_DUPLICATED_MAC"

// nicWith returns a NIC on the network "default" with a MAC address. If the
// address is "", Tower chooses one.
func (x *tower) nicWith(mac string) object {
	x.t.Helper()

	return object{"connect_vlan_id": x.idOf("get-vlans", "default"), "mac_address": mac}
}

func (x *tower) macs(vmID string) []string {
	x.t.Helper()

	var all []string
	for _, n := range x.nics(vmID) {
		all = append(all, text(n.MACAddress))
	}

	return all
}

func TestNICsOfOneRequestNeedDifferentMACAddresses(t *testing.T) {
	x := start(t, "")
	nics := []object{x.nicWith("52:54:00:aa:bb:cc"), x.nicWith(""), x.nicWith("52:54:00:AA:BB:CC")}

	for operation, body := range map[string]any{
		"create-vm-from-content-library-template": x.params(object{"vm_nics": nics}),
		"add-vm-nic": edit(x.newVM(object{"name": "a"}).ID, object{"vm_nics": nics}),
	} {
		if got := x.refused(operation, body, http.StatusBadRequest); !strings.Contains(got.Message, "vm_nics[2].mac_address") || !strings.Contains(got.Message, "vm_nics[0]") {
			t.Errorf("%s: %s", operation, got.Message)
		}
	}
}

func TestVMsOfOneBatchDoNotGetTheSameMACAddress(t *testing.T) {
	x := start(t, "")
	replies := x.create(
		object{"name": "a", "vm_nics": []object{x.nicWith("52:54:00:aa:bb:cc")}}, object{"name": "b", "vm_nics": []object{x.nicWith("52:54:00:aa:bb:cc")}},
	)
	x.finishTasks()
	x.succeeded(replies[0].TaskID)

	if message := x.failed(replies[1].TaskID, codeMAC); !strings.Contains(message, "used by the VM a") {
		t.Errorf("got %s", message)
	}

	if vms := x.vms(object{}); len(vms) != 1 || vms[0].Name != "a" {
		t.Errorf("got %+v", vms)
	}
}

func TestMACAddressesAreUniqueInACluster(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2, vlans: [{name: far}]}]}")
	const mac = "52:54:00:aa:bb:cc"

	holder := x.newVM(object{"name": "holder", "vm_nics": []object{x.nicWith(mac)}})
	other := x.newVM(object{"name": "other", "vm_nics": []object{x.nicWith(""), x.nicWith("")}})

	reply := x.create(object{"name": "new", "vm_nics": []object{x.nicWith(strings.ToUpper(mac))}})[0]
	x.finishTasks()
	x.failed(reply.TaskID, codeMAC)
	x.failed(x.addNIC(other.ID, object{"mac_address": mac}).TaskID, codeMAC)
	x.failed(x.operate("update-vm-nic", other.ID, object{"nic_index": 0, "mac_address": mac}).TaskID, codeMAC)
	x.failed(x.operate("update-vm-nic", other.ID, object{"nic_index": 0, "mac_address": x.macs(other.ID)[1]}).TaskID, codeMAC)
	x.updateVMFails(other.ID, object{"vm_nics": object{"create": []object{{"mac_address": mac, "vlan": connected(x.idOf("get-vlans", "default"))}}}}, codeMAC)

	// A VM may keep its own address, and the address may be used in another
	// cluster, which is another network.
	x.mustOperate("update-vm-nic", holder.ID, object{"nic_index": 0, "mac_address": mac})
	x.newVM(object{
		"name": "far", "cluster_id": x.idOf("get-clusters", "cluster-2"),
		"vm_nics": []object{{"connect_vlan_id": x.idOf("get-vlans", "far"), "mac_address": mac}},
	})

	x.mustOperate("delete-vm", holder.ID)
	x.newVM(object{"name": "new", "vm_nics": []object{x.nicWith(mac)}})
}

func TestVMIsNotRecoveredIfItsMACAddressIsInUse(t *testing.T) {
	x := start(t, "")
	nics := []object{x.nicWith("52:54:00:aa:bb:cc")}
	vm := x.newVM(object{"name": "a", "status": "STOPPED", "vm_nics": nics})
	x.operate("move-vm-to-recycle", vm.ID)
	x.newVM(object{"name": "b", "status": "STOPPED", "vm_nics": nics})
	x.failed(x.operate("recover-vm-from-recycle", vm.ID).TaskID, codeMAC)
}

func TestVMDoesNotMigrateIfItsMACAddressIsInUse(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2, vlans: [{name: far}]}]}")
	near, far := first[wire.Vlan](x, "get-vlans", object{"name": "default"}), first[wire.Vlan](x, "get-vlans", object{"name": "far"})
	vm := x.newVM(object{"name": "a", "vm_nics": []object{x.nicWith("52:54:00:aa:bb:cc")}})
	x.newVM(object{
		"name": "b", "cluster_id": x.idOf("get-clusters", "cluster-2"),
		"vm_nics": []object{{"connect_vlan_id": far.ID, "mac_address": "52:54:00:aa:bb:cc"}},
	})
	x.failed(x.operate("migrate-vm-across-cluster", vm.ID, object{"cluster_id": x.idOf("get-clusters", "cluster-2"), "vm_config": object{
		"elf_storage_policy": "REPLICA_2_THIN_PROVISION", "migrate_type": "COLD_MIGRATE",
		"network_mapping": []object{{"src_vlan_local_id": near.LocalID, "dest_vlan_local_id": far.LocalID}},
	}}).TaskID, codeMAC)
}

func TestNICsOfOneEditDoNotGetTheSameMACAddress(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a", "vm_nics": []object{x.nicWith(""), x.nicWith("")}})
	x.refused("update-vm-nic-advance-info", object{
		"where": object{"vm": object{"id": vm.ID}}, "data": object{"mac_address": "52:54:00:aa:bb:cc"},
	}, http.StatusBadRequest)

	again := object{"mac_address": x.macs(vm.ID)[0], "vlan": connected(x.idOf("get-vlans", "default"))}
	if status, raw := x.sendUpdate(vm.ID, object{"vm_nics": object{"create": []object{again}}}); status != http.StatusBadRequest || !strings.Contains(raw, "two NICs have the MAC address") {
		t.Errorf("status %d: %s", status, raw)
	}
}

// Tower does not choose addresses that clients have chosen, not even in the
// same request.
func TestChosenMACAddressesAreNotGivenTwice(t *testing.T) {
	x := start(t, "")
	first := x.macs(x.newVM(object{"name": "a"}).ID)[0] // Tower continues from here

	next := func(n byte) string { return first[:len(first)-1] + string(first[len(first)-1]+n) }
	vm := x.newVM(object{"name": "b", "vm_nics": []object{x.nicWith(""), x.nicWith(next(1)), x.nicWith(next(2)), x.nicWith("")}})
	seen := map[string]bool{first: true}

	for _, mac := range x.macs(vm.ID) {
		if seen[mac] {
			t.Errorf("%s is returned twice: %q", mac, x.macs(vm.ID))
		}

		seen[mac] = true
	}
}

func TestRollbackLeavesMACAddressesToOthers(t *testing.T) {
	x := start(t, "")
	const mac = "52:54:00:aa:bb:cc"

	vm := x.newVM(object{"name": "a", "status": "STOPPED", "vm_nics": []object{x.nicWith(mac)}})
	snapshot := post[[]wire.WithTask[wire.Deleted]](x, "create-vm-snapshot", object{"data": []object{{"vm_id": vm.ID, "name": "s"}}})[0].Data.ID
	x.finishTasks()
	x.mustOperate("remove-vm-nic", vm.ID, object{"nic_index": []int{0}})
	x.newVM(object{"name": "b", "vm_nics": []object{x.nicWith(mac)}})
	x.mustOperate("rollback-vm", vm.ID, object{"snapshot_id": snapshot})

	if got := x.macs(vm.ID); len(got) != 1 || got[0] == mac || got[0] == "" {
		t.Errorf("the NICs have %q", got)
	}
}
