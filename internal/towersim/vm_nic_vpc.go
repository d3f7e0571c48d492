// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// updateVMVPCNic moves NICs within their VPC.
func updateVMVPCNic(c *call, in *wire.VMUpdateVPCNicParams) (any, error) {
	vms, chosen, err := c.matchNICs(in.Where, nil)
	if err != nil {
		return nil, err
	}

	return c.moveInVPC(vms, chosen, &in.Data.VPCNic)
}

func (c *call) moveInVPC(vms []*vm, chosen map[*vm][]*nic, d *wire.UpdateVPCNicPayloads) (any, error) {
	places := map[*nic]nicShape{}

	var floating *string
	if d.FloatingIPID.Set {
		floating = &d.FloatingIPID.Value
	}

	for _, v := range vms {
		for _, n := range chosen[v] {
			if n.vpc == nil {
				return nil, badRequest("body.where: a NIC of the VM %s is in no VPC", v.row.Name)
			}

			s := &vpcShape{subnet: n.vpc.subnet, addresses: slices.Clone(n.vpc.addresses), floating: n.vpc.floating}
			if err := c.vpcMove("body.data", s, n.vpc.subnet.vpc, d.VPCSubnetID, d.IPAddresses, floating); err != nil {
				return nil, err
			}

			places[n] = nicShape{vpc: s}
		}
	}

	return c.changeVMs(vms, vmWork{
		mutation: "updateVmVpcNic", about: named("Edit a VPC NIC of VM", "编辑虚拟机 VPC 网卡"),
		apply: func(v *vm) *taskFailure {
			wanted := mapped(chosen[v], func(n *nic) nicShape { return places[n] })
			if failed := c.claimVPC(wanted, chosen[v]); failed != nil {
				return failed
			}

			for _, n := range chosen[v] {
				n.giveUpVPC()
			}

			for i, n := range chosen[v] {
				c.enterVPC(n, wanted[i].vpc)
				n.untell()
				n.address = nicAddress{}
				c.hotPlug(n)
			}

			c.renew(v)

			return nil
		},
	})
}
