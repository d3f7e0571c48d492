// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net/netip"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// vpcConfig is the subnet, the addresses and the floating IP of a NIC in a VPC.
// Without addresses, the NIC gets one.
type vpcConfig struct {
	subnet    *vpcSubnet
	addresses []netip.Addr
	floating  *floatingIP
}

// newVPCConfig returns the VPC config that the parameters of a NIC describe.
func (w *world) newVPCConfig(field string, p *wire.VPCNicParams, in *cluster) (*vpcConfig, error) {
	if p == nil {
		return nil, badRequest("%s.vpc_nic: required member is missing", field)
	}

	v, ok := w.vpcs.get(p.VPCID)
	if !ok {
		return nil, notFound("There is no VPC %s", p.VPCID)
	}

	if v.cluster != in {
		return nil, badRequest("The VPC %s is not in the cluster %s", p.VPCID, in.row.ID)
	}

	s := &vpcConfig{}

	return s, w.changeVPCConfig(field, s, v, &p.VPCSubnetID, p.IPAddresses, p.FloatingIPID)
}

// changeVPCConfig applies a request to a VPC config. A parameter that is nil
// changes nothing; an empty floating IP removes it.
func (w *world) changeVPCConfig(field string, s *vpcConfig, in *vpc, subnet *string, addresses []string, floating *string) error {
	if subnet != nil {
		to, ok := w.vpcSubnets.get(*subnet)
		if !ok || to.vpc != in {
			return notFound("There is no subnet %s in the VPC %s", *subnet, in.row.ID)
		}

		if to != s.subnet {
			s.subnet, s.addresses = to, nil
		}
	}

	if addresses != nil {
		s.addresses = nil
	}

	for i, text := range addresses {
		address, err := netip.ParseAddr(text)
		if err != nil || !s.subnet.pool.assignable(address) || slices.Contains(s.addresses, address) {
			return badRequest("%s.vpc_nic.ip_addresses[%d]: %q is not an address for a NIC in %s", field, i, text, s.subnet.row.CIDR)
		}

		s.addresses = append(s.addresses, address)
	}

	switch {
	case floating == nil:
	case *floating == "":
		s.floating = nil
	default:
		f, ok := w.floatingIPs.get(*floating)
		if !ok || f.vpc != in {
			return notFound("There is no floating IP %s in the VPC %s", *floating, in.row.ID)
		}

		s.floating = f
	}

	return nil
}

// claimVPC chooses a free address for each NIC that names none. It refuses
// addresses and floating IPs that other NICs have, or that two of these NICs
// name, and subnets that are full. What the NICs in except have counts as free.
func (w *world) claimVPC(shapes []nicConfig, except []*nic) *taskFailure {
	claimed := map[string]bool{}
	held := func(s *vpcSubnet, address netip.Addr) bool {
		holder := s.pool.holders[address]

		return claimed[s.row.ID+" "+address.String()] ||
			holder != "" && !slices.ContainsFunc(except, func(n *nic) bool { return n.mac == holder })
	}

	for i := range shapes {
		s := shapes[i].vpc
		if s == nil {
			continue
		}

		for _, address := range s.addresses {
			if held(s.subnet, address) {
				return failure("VPC_IP_CONFLICT", "The address %s is in use in the subnet %s.", address, s.subnet.row.Name)
			}

			claimed[s.subnet.row.ID+" "+address.String()] = true
		}

		if f := s.floating; f != nil {
			if claimed[f.row.ID] || f.holder != nil && !slices.Contains(except, f.holder.nic) {
				return failure("VPC_FLOATING_IP_IN_USE", "The floating IP %s is in use.", f.row.ExternalIP)
			}

			claimed[f.row.ID] = true
		}
	}

	for i := range shapes {
		s := shapes[i].vpc
		if s == nil || len(s.addresses) > 0 {
			continue
		}

		address, ok := s.subnet.pool.free(func(a netip.Addr) bool { return held(s.subnet, a) })
		if !ok {
			return failure("VPC_SUBNET_EXHAUSTED", "The subnet %s has no free address in %s.", s.subnet.row.Name, s.subnet.row.CIDR)
		}

		claimed[s.subnet.row.ID+" "+address.String()] = true
		shapes[i].vpc = &vpcConfig{subnet: s.subnet, addresses: []netip.Addr{address}, floating: s.floating}
	}

	return nil
}

// joinVPC connects a NIC to a VPC. [world.claimVPC] has checked the config.
func (w *world) joinVPC(n *nic, s *vpcConfig) {
	if n.vpc == nil {
		n.vpc = &vpcNIC{nic: n, row: vpcNICRow{ID: w.ids.cuid(), LocalID: w.ids.uuid()}}
		w.vpcNICs.add(n.vpc)
	}

	n.vlan, n.row.Vlan = nil, nil
	n.row.Type = wire.Ptr(wire.VMNicTypeVPC)
	n.vpc.subnet = s.subnet
	n.vpc.addresses = slices.Clone(s.addresses)
	pool := s.subnet.pool

	for _, address := range n.vpc.addresses {
		pool.holders[address] = n.mac
	}

	pool.leases[n.mac] = n.vpc.addresses[0]

	if s.floating != nil {
		n.vpc.floating = s.floating
		s.floating.holder = n.vpc
	}

	n.refreshVPC()
}

// leaveVPC releases the addresses and the floating IP of a NIC.
func (n *nic) leaveVPC() {
	if n.vpc == nil {
		return
	}

	for _, address := range n.vpc.addresses {
		delete(n.vpc.subnet.pool.holders, address)
	}

	delete(n.vpc.subnet.pool.leases, n.mac)

	if f := n.vpc.floating; f != nil {
		f.holder, n.vpc.floating = nil, nil
	}
}

// moveVPCToMAC keeps the NIC's addresses in its VPC when its MAC address
// changes.
func (n *nic) moveVPCToMAC(mac string) {
	if n.vpc == nil {
		return
	}

	pool := n.vpc.subnet.pool
	for _, address := range n.vpc.addresses {
		pool.holders[address] = mac
	}

	if lease, ok := pool.leases[n.mac]; ok {
		delete(pool.leases, n.mac)
		pool.leases[mac] = lease
	}
}

func (n *nic) refreshVPC() {
	in := n.vpc.subnet.vpc
	shown := &wire.NestedVirtualPrivateCloudNic{
		ID: n.vpc.row.ID, LocalID: n.vpc.row.LocalID,
		VPC:         wire.NestedVirtualPrivateCloud{ID: in.row.ID, Name: in.row.Name},
		VPCSubnet:   wire.NestedVirtualPrivateCloudSubnet{ID: n.vpc.subnet.row.ID, Name: n.vpc.subnet.row.Name},
		IPAddresses: mapSlice(n.vpc.addresses, netip.Addr.String),
	}

	if f := n.vpc.floating; f != nil {
		shown.FloatingIP = &wire.NestedVirtualPrivateCloudFloatingIP{
			ID: f.row.ID, ExternalIP: wire.Ptr(f.row.ExternalIP), ExternalIPs: []wire.NestedVPCGatewaysCommonExternalIPsType{},
		}
	}

	n.row.VPCNic = shown
}

// frozen returns the VPC config as templates show it.
func (s *vpcConfig) frozen() *wire.NestedTemplateVPCNic {
	if s == nil {
		return nil
	}

	return &wire.NestedTemplateVPCNic{
		VPCLocalID: s.subnet.vpc.row.LocalID, VPCSubnetLocalID: s.subnet.row.LocalID, UseFloatingIP: s.floating != nil,
	}
}
