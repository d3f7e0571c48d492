// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// updateVMVPCNic changes the subnets, addresses and floating IPs of NICs within
// their VPC.
func updateVMVPCNic(c *call, in *wire.VMUpdateVPCNicParams) (any, error) {
	vms, chosen, err := c.matchNICs(in.Where, nil)
	if err != nil {
		return nil, err
	}

	return c.moveInVPC(vms, chosen, &in.Data.VPCNic)
}

func (c *call) moveInVPC(vms []*vm, chosen map[*vm][]*nic, d *wire.UpdateVPCNicPayloads) (any, error) {
	places := map[*nic]nicConfig{}

	var floating *string
	if d.FloatingIPID.Set {
		floating = &d.FloatingIPID.Value
	}

	for _, v := range vms {
		for _, n := range chosen[v] {
			if n.vpc == nil {
				return nil, badRequest("body.where: a NIC of the VM %s is not in a VPC", v.row.Name)
			}

			s := &vpcConfig{subnet: n.vpc.subnet, addresses: slices.Clone(n.vpc.addresses), floating: n.vpc.floating}
			if err := c.changeVPCConfig("body.data", s, n.vpc.subnet.vpc, d.VPCSubnetID, d.IPAddresses, floating); err != nil {
				return nil, err
			}

			places[n] = nicConfig{vpc: s}
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: "updateVmVpcNic", description: describeVM("Edit a VPC NIC of VM", "编辑虚拟机 VPC 网卡"),
		apply: func(v *vm) *taskFailure {
			wanted := mapSlice(chosen[v], func(n *nic) nicConfig { return places[n] })
			if failed := c.claimVPC(wanted, chosen[v]); failed != nil {
				return failed
			}

			for _, n := range chosen[v] {
				n.leaveVPC()
			}

			for i, n := range chosen[v] {
				c.joinVPC(n, wanted[i].vpc)
				n.showRequested()
				n.address = nicAddress{}
				c.hotPlug(n)
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}
