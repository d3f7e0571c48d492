// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// vpcs requests the VPCs over HTTP.
func (x *tower) vpcs() []towersim.VPC {
	x.t.Helper()

	response, err := http.Get(x.Server.URL() + "/_sim/v1/vpcs")
	if err != nil {
		x.t.Fatal(err)
	}
	defer response.Body.Close()

	var all []towersim.VPC
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil {
		x.t.Fatal(err)
	}

	return all
}

// vlanOf returns the id of a VM network of a cluster.
func (x *tower) vlanOf(cluster string) string {
	x.t.Helper()

	where := object{"vds": object{"cluster": object{"name": cluster}}}

	return post[[]wire.Vlan](x, "get-vlans", object{"where": where, "first": 1})[0].ID
}

func inVPC(v towersim.VPC, subnet int, more object) object {
	place := object{"vpc_id": v.ID, "vpc_subnet_id": v.Subnets[subnet].ID}
	for key, value := range more {
		place[key] = value
	}

	return object{"type": "VPC", "vpc_nic": place}
}

func TestVPCNICsGetAddressesOfTheirSubnet(t *testing.T) {
	x := start(t, "")
	v := x.vpcs()[0]
	vm := x.newVM(object{"name": "a", "vm_nics": []object{
		inVPC(v, 0, nil), inVPC(v, 1, object{"ip_addresses": []string{"192.168.11.77"}, "floating_ip_id": v.FloatingIPs[0].ID}),
	}})
	x.Advance(200 * second)
	wantStrings(t, "addresses", x.addresses(vm.ID), []string{"192.168.10.2", "192.168.11.77"})

	nics := x.nics(vm.ID)
	for i, n := range nics {
		if n.Vlan != nil || *n.Type != wire.VMNicTypeVPC || n.VPCNic.VPC.ID != v.ID || n.VPCNic.VPCSubnet.ID != v.Subnets[i].ID ||
			n.VPCNic.IPAddresses[0] != *n.IPAddress || text(n.SubnetMask) != "255.255.255.0" || text(n.Gateway) != v.Subnets[i].Gateway {
			t.Errorf("NIC %d: %+v in %+v", i, n, n.VPCNic)
		}
	}

	if got := nics[1].VPCNic.FloatingIP; nics[0].VPCNic.FloatingIP != nil || got == nil || text(got.ExternalIP) != v.FloatingIPs[0].ExternalIP {
		t.Errorf("the floating IP is %+v", got)
	}

	for _, where := range []object{
		{"type": "VPC"}, {"vpc_nic": object{"vpc": object{"name": v.Name}}}, {"vpc_nic": object{"vpc_subnet": object{"cidr_starts_with": "192.168."}}},
	} {
		if found := post[[]wire.VMNic](x, "get-vm-nics", object{"where": where}); len(found) != 2 {
			t.Errorf("%v finds %d NICs", where, len(found))
		}
	}

	if found := post[[]wire.VMNic](x, "get-vm-nics", object{"where": object{"vpc_nic": object{"floating_ip": object{"id": v.FloatingIPs[0].ID}}}}); len(found) != 1 {
		t.Errorf("by the floating IP: %d", len(found))
	}
}

func TestVPCNICsMove(t *testing.T) {
	x := start(t, "")
	v := x.vpcs()[0]
	vm := x.newVM(object{"name": "a", "vm_nics": []object{inVPC(v, 0, object{"floating_ip_id": v.FloatingIPs[0].ID})}})
	x.Advance(200 * second)

	move := func(place object) wire.VMNic {
		t.Helper()

		replies := post[[]vmReply](x, "update-vm-vpc-nic", object{"where": object{"vm": object{"id": vm.ID}}, "data": object{"vpc_nic": place}})
		x.finishTasks()
		x.succeeded(replies[0].TaskID)

		return x.nics(vm.ID)[0]
	}

	if n := move(object{"vpc_subnet_id": v.Subnets[1].ID}); n.IPAddress != nil || n.VPCNic.VPCSubnet.ID != v.Subnets[1].ID || n.VPCNic.FloatingIP == nil {
		t.Errorf("in the other subnet: %+v", n.VPCNic)
	}

	x.Advance(200 * second)
	wantStrings(t, "in the other subnet", x.addresses(vm.ID), []string{"192.168.11.2"})

	if n := move(object{"ip_addresses": []string{"192.168.11.9"}, "floating_ip_id": nil}); n.VPCNic.IPAddresses[0] != "192.168.11.9" || n.VPCNic.FloatingIP != nil {
		t.Errorf("with another address: %+v", n.VPCNic)
	}

	// Others can use the address that was given up.
	x.newVM(object{"name": "b", "vm_nics": []object{inVPC(v, 1, object{"ip_addresses": []string{"192.168.11.2"}, "floating_ip_id": v.FloatingIPs[0].ID})}})
	x.mustOperate("delete-vm", vm.ID)
	x.newVM(object{"name": "c", "vm_nics": []object{inVPC(v, 1, object{"ip_addresses": []string{"192.168.11.9"}})}})
}

func TestVPCNICsAreRefused(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}]}")
	v, far := x.vpcs()[0], x.vpcs()[1]
	create := "create-vm-from-content-library-template"

	for what, c := range map[string]struct {
		nic    object
		status int
	}{
		"no place":        {object{"type": "VPC"}, 400},
		"no subnet":       {object{"type": "VPC", "vpc_nic": object{"vpc_id": v.ID}}, 400},
		"unknown VPC":     {object{"type": "VPC", "vpc_nic": object{"vpc_id": "x", "vpc_subnet_id": v.Subnets[0].ID}}, 404},
		"other cluster":   {inVPC(far, 0, nil), 400},
		"other's subnet":  {object{"type": "VPC", "vpc_nic": object{"vpc_id": v.ID, "vpc_subnet_id": far.Subnets[0].ID}}, 404},
		"outside":         {inVPC(v, 0, object{"ip_addresses": []string{"192.168.11.4"}}), 400},
		"gateway":         {inVPC(v, 0, object{"ip_addresses": []string{v.Subnets[0].Gateway}}), 400},
		"the network's":   {inVPC(v, 0, object{"ip_addresses": []string{"192.168.10.0"}}), 400},
		"broadcast":       {inVPC(v, 0, object{"ip_addresses": []string{"192.168.10.255"}}), 400},
		"no address":      {inVPC(v, 0, object{"ip_addresses": []string{"here"}}), 400},
		"twice":           {inVPC(v, 0, object{"ip_addresses": []string{"192.168.10.4", "192.168.10.4"}}), 400},
		"unknown floater": {inVPC(v, 0, object{"floating_ip_id": "x"}), 404},
	} {
		if status, raw := x.call(create, x.params(object{"vm_nics": []object{c.nic}})); status != c.status {
			t.Errorf("%s: status %d, want %d: %s", what, status, c.status, raw)
		}
	}

	taken := inVPC(v, 0, object{"ip_addresses": []string{"192.168.10.50"}})
	vm := x.newVM(object{"name": "a", "vm_nics": []object{taken}})
	reply := x.create(object{"name": "b", "vm_nics": []object{taken}})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VPC_IP_CONFLICT")
	x.failed(x.operate("add-vm-nic", vm.ID, object{"vm_nics": []object{taken}}).TaskID, "VPC_IP_CONFLICT")
	x.refused("update-vm-nic", edit(vm.ID, object{"nic_index": 0, "connect_vlan_id": x.vlanOf("cluster-1")}), 400)

	plain := x.newVM(object{"name": "c"})
	x.refused("update-vm-vpc-nic", object{"where": object{"vm": object{"id": plain.ID}}, "data": object{"vpc_nic": object{}}}, 400)

	// Towers before 4.3 have no VPCs: the NIC is left without a network.
	old := start(t, "version: 4.2.0")
	old.refused(create, old.params(object{"vm_nics": []object{inVPC(old.vpcs()[0], 0, nil)}}), 400)
}

// fillSubnet creates a VM whose NICs leave a number of addresses of a subnet
// free.
func (x *tower) fillSubnet(v towersim.VPC, subnet, left int) wire.VM {
	x.t.Helper()

	const addresses = 256 - 3 // without those of the network, the gateway and broadcasts

	nics := make([]object, addresses-left)
	for i := range nics {
		nics[i] = inVPC(v, subnet, nil)
	}

	return x.newVM(object{"name": "many", "status": "STOPPED", "vm_nics": nics})
}

func TestAFullVPCSubnetTakesNoMoreNICs(t *testing.T) {
	const code = "VPC_SUBNET_EXHAUSTED"

	x := start(t, "")
	v := x.vpcs()[0]
	many := x.fillSubnet(v, 0, 1)
	other := x.newVM(object{"name": "other", "status": "STOPPED", "vm_nics": []object{inVPC(v, 1, nil)}})

	reply := x.create(object{"name": "two", "vm_nics": []object{inVPC(v, 0, nil), inVPC(v, 0, nil)}})[0]
	x.finishTasks()
	x.failed(reply.TaskID, code)

	last := x.newVM(object{"name": "last", "vm_nics": []object{inVPC(v, 0, nil)}})
	if n := x.nics(last.ID)[0]; len(n.VPCNic.IPAddresses) != 1 {
		t.Errorf("the last NIC has %q", n.VPCNic.IPAddresses)
	}

	reply = x.create(object{"name": "more", "vm_nics": []object{inVPC(v, 0, nil)}})[0]
	x.finishTasks()
	x.failed(reply.TaskID, code)
	x.failed(x.operate("add-vm-nic", other.ID, object{"vm_nics": []object{inVPC(v, 0, nil)}}).TaskID, code)

	move := post[[]vmReply](x, "update-vm-vpc-nic", object{
		"where": object{"vm": object{"id": other.ID}}, "data": object{"vpc_nic": object{"vpc_subnet_id": v.Subnets[0].ID}},
	})[0]
	x.finishTasks()
	x.failed(move.TaskID, code)

	if n := x.nics(other.ID); len(n) != 1 || n[0].VPCNic.VPCSubnet.ID != v.Subnets[1].ID {
		t.Errorf("the other VM has %+v", n)
	}

	// Deleted VMs release their addresses.
	x.mustOperate("delete-vm", many.ID)
	x.mustOperate("add-vm-nic", other.ID, object{"vm_nics": []object{inVPC(v, 0, nil)}})
}

func TestAVPCAddressIsForTheNICThatNamesIt(t *testing.T) {
	x := start(t, "")
	v := x.vpcs()[0]
	vm := x.newVM(object{"name": "a", "vm_nics": []object{inVPC(v, 0, nil), inVPC(v, 0, object{"ip_addresses": []string{"192.168.10.2"}})}})
	x.Advance(200 * second)
	wantStrings(t, "addresses", x.addresses(vm.ID), []string{"192.168.10.3", "192.168.10.2"})
}

func TestRollbackIntoAFullVPCSubnetChangesNothing(t *testing.T) {
	x := start(t, "")
	v := x.vpcs()[0]
	vm := x.newVM(object{"name": "a", "status": "STOPPED", "vm_nics": []object{inVPC(v, 0, object{"ip_addresses": []string{"192.168.10.9"}})}})

	snapshot := post[[]wire.WithTask[wire.Deleted]](x, "create-vm-snapshot", object{"data": []object{{"vm_id": vm.ID, "name": "s"}}})[0].Data.ID
	x.finishTasks()
	x.mustOperate("remove-vm-nic", vm.ID, object{"nic_index": []int{0}})
	x.fillSubnet(v, 0, 0)
	x.failed(x.operate("rollback-vm", vm.ID, object{"snapshot_id": snapshot}).TaskID, "VPC_SUBNET_EXHAUSTED")

	if nics, disks := x.nics(vm.ID), x.disks(vm.ID); len(nics) != 0 || len(disks) != 1 {
		t.Errorf("the VM has %d NICs and %d disks", len(nics), len(disks))
	}
}

func TestVPCNICsOutliveCopies(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}]}")
	v := x.vpcs()[0]
	vm := x.newVM(object{"name": "a", "status": "STOPPED", "vm_nics": []object{inVPC(v, 0, nil)}})

	snapshot := post[[]wire.WithTask[wire.Deleted]](x, "create-vm-snapshot", object{"data": []object{{"vm_id": vm.ID, "name": "s"}}})[0].Data.ID
	x.finishTasks()
	x.mustOperate("rollback-vm", vm.ID, object{"snapshot_id": snapshot})

	if n := x.nics(vm.ID)[0]; n.VPCNic == nil || n.VPCNic.IPAddresses[0] != "192.168.10.2" {
		t.Errorf("after the rollback: %+v", n.VPCNic)
	}

	clone := post[[]vmReply](x, "clone-vm", []object{{"src_vm_id": vm.ID, "name": "b"}})[0]
	x.finishTasks()

	if n := x.nics(clone.Data.ID)[0]; n.VPCNic == nil || n.VPCNic.IPAddresses[0] != "192.168.10.3" {
		t.Errorf("the clone's: %+v", n.VPCNic)
	}

	// A template shows the VPC, and a VM that is created from it in another
	// cluster is on a VM network.
	library := post[[]wire.WithTask[wire.Deleted]](x, "clone-content-library-vm-template-from-vm", []object{{
		"vm": object{"id": vm.ID}, "name": "t", "clusters": object{"name_in": []string{"cluster-1", "cluster-2"}},
	}})[0].Data.ID
	x.finishTasks()

	local := post[[]wire.VMTemplate](x, "get-vm-templates", object{"where": object{"name": "t", "cluster": object{"name": "cluster-1"}}})[0]
	if got := local.VMNics[0]; *got.Type != wire.VMNicTypeVPC || got.VPCNic == nil || got.VPCNic.VPCSubnetLocalID == "" {
		t.Errorf("the template shows %+v", got)
	}

	far := x.newVM(object{"name": "c", "template_id": library, "cluster_id": x.idOf("get-clusters", "cluster-2")})
	if n := x.nics(far.ID)[0]; n.VPCNic != nil || n.Vlan == nil {
		t.Errorf("in the other cluster: %+v", n)
	}
}
