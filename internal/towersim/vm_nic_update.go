// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// nicEdit is a change of a NIC. Members that are nil do not change.
type nicEdit struct {
	vlanID            *string
	enabled, mirror   *bool
	mac               *string
	model             *wire.VMNicModel
	ip, mask, gateway *string
}

func (e *nicEdit) setsAddress() bool { return e.ip != nil || e.mask != nil || e.gateway != nil }

func updateVMNic(c *call, in *wire.VMUpdateNicParams) (any, error) {
	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	d := &in.Data
	chosen := map[*vm][]*nic{}

	for _, v := range vms {
		if d.NicIndex < 0 || d.NicIndex >= len(v.nics) {
			return nil, badRequest("body.data.nic_index: the VM %s has no NIC %d", v.row.Name, d.NicIndex)
		}

		chosen[v] = []*nic{v.nics[d.NicIndex]}
	}

	if d.VPCNic != nil && c.version.atLeast(4, 3) {
		return c.moveInVPC(vms, chosen, d.VPCNic)
	}

	return c.editNICs(vms, chosen, &nicEdit{
		vlanID: d.ConnectVlanID, enabled: d.Enabled, mirror: d.Mirror, mac: d.MACAddress, model: d.Model,
		ip: d.IPAddress, mask: d.SubnetMask, gateway: d.Gateway,
	})
}

func updateVMNicAdvanceInfo(c *call, in *wire.VMUpdateNicAdvanceInfoParams) (any, error) {
	vms, chosen, err := c.matchNICs(in.Where, nil)
	if err != nil {
		return nil, err
	}

	d := &in.Data

	return c.editNICs(vms, chosen, &nicEdit{
		vlanID: d.ConnectVlanID, enabled: d.Enabled, mirror: d.Mirror, mac: d.MACAddress,
	})
}

func updateVMNicBasicInfo(c *call, in *wire.VMUpdateNicBasicInfoParams) (any, error) {
	vms, chosen, err := c.matchNICs(in.Where, nil)
	if err != nil {
		return nil, err
	}

	return c.editNICs(vms, chosen, &nicEdit{ip: in.Data.IPAddress, mask: in.Data.SubnetMask, gateway: in.Data.Gateway})
}

func (c *call) editNICs(vms []*vm, chosen map[*vm][]*nic, edit *nicEdit) (any, error) {
	if err := checkMAC("body.data", edit.mac); err != nil {
		return nil, err
	}

	var probe nicAddress
	if err := probe.assign("body.data", edit.ip, edit.mask, edit.gateway); err != nil {
		return nil, err
	}

	total := 0
	for _, v := range vms {
		total += len(chosen[v])
	}

	if deref(edit.mac) != "" && total > 1 {
		return nil, badRequest("body.data.mac_address: %d NICs cannot have one MAC address", total)
	}

	if edit.vlanID != nil {
		if _, err := c.vlanByID(*edit.vlanID, nil); err != nil {
			return nil, err
		}
	}

	for _, v := range vms {
		if edit.vlanID == nil {
			break
		}

		if _, err := c.vlanByID(*edit.vlanID, v.cluster); err != nil {
			return nil, err
		}

		for _, n := range chosen[v] {
			if n.vpc != nil {
				return nil, badRequest("body.data.connect_vlan_id: a NIC of the VM %s is in a VPC", v.row.Name)
			}
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: "updateVmNic", description: describeVM("Edit a NIC of VM", "编辑虚拟网卡"),
		apply: func(v *vm) *taskFailure {
			if edit.setsAddress() && v.row.VMToolsStatus != wire.VMToolsStatusRunning {
				return failure("VM_TOOLS_NOT_RUNNING", "The VM tools of the VM %s are not running.", v.row.Name)
			}

			if failed := c.checkMACFree(deref(edit.mac), v.cluster, chosen[v]); failed != nil {
				return failed
			}

			for _, n := range chosen[v] {
				c.editNIC(n, edit)
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

// editNIC changes a NIC. A change that interrupts the link also ends the lease,
// and the guest gets a new address.
func (w *world) editNIC(n *nic, edit *nicEdit) {
	relink := false

	if v, ok := w.vlans.get(deref(edit.vlanID)); ok && v != n.vlan {
		w.releaseLease(n)
		n.vlan, n.row.Vlan = v, wire.Ptr(v.nested())
		relink = true
	}

	if deref(edit.mac) != "" && *edit.mac != n.mac {
		w.releaseLease(n)
		n.moveVPCToMAC(*edit.mac)
		n.mac, n.row.MACAddress = *edit.mac, wire.Ptr(*edit.mac)
		relink = true
	}

	if edit.enabled != nil && *edit.enabled != *n.row.Enabled {
		n.row.Enabled = wire.Ptr(*edit.enabled)
		relink = true
	}

	if edit.mirror != nil {
		n.row.Mirror = wire.Ptr(*edit.mirror)
	}

	if edit.model != nil {
		n.row.Model = wire.Ptr(*edit.model)
	}

	if relink {
		n.showRequested()
		n.address = nicAddress{}
	}

	if edit.setsAddress() {
		address := n.address
		setIfSent(&address.ip, edit.ip)
		setIfSent(&address.mask, edit.mask)
		setIfSent(&address.gateway, edit.gateway)
		n.static, n.toolsConfigured, n.unconfigured = (*staticAddress)(&address), true, false
		relink = true
	}

	if relink {
		w.hotPlug(n)
	}
}

func (w *world) releaseLease(n *nic) {
	if n.vlan != nil && n.vlan.pool != nil {
		n.vlan.pool.release(n.mac)
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}

	return *s
}
