// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"testing"
)

// A client that has no address to give sends an empty one.
func TestEmptyMACAddressIsNone(t *testing.T) {
	x := start(t, "")
	vlan := x.idOf("get-vlans", "default")
	vm := x.made(object{"vm_nics": []object{{"connect_vlan_id": vlan, "mac_address": ""}}})
	x.addNIC(vm.ID, object{"mac_address": ""})

	nics := x.nics(vm.ID)
	if len(nics) != 2 || text(nics[0].MACAddress) == "" || text(nics[1].MACAddress) == "" {
		t.Errorf("got %+v", nics)
	}
}
