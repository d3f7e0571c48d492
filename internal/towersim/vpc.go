// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// Tower has operations of its own to make VPCs, which are not simulated. Each
// cluster has one VPC from the start, with two subnets and two floating IPs, for
// the NICs that want to be in one; [Server.VPCs] tells their ids.

// The names of the entities around VPCs, by which filters go through them.
const (
	entityVPC        = "VirtualPrivateCloud"
	entityVPCSubnet  = "VirtualPrivateCloudSubnet"
	entityVPCNic     = "VirtualPrivateCloudNic"
	entityFloatingIP = "VirtualPrivateCloudFloatingIp"
)

// vpcRow and the rows below are what filters see: no operation lists them.
type vpcRow struct {
	ID      string `json:"id"`
	LocalID string `json:"local_id"`
	Name    string `json:"name"`
	MTU     int    `json:"mtu"`
}

type vpcSubnetRow struct {
	ID      string `json:"id"`
	LocalID string `json:"local_id"`
	Name    string `json:"name"`
	CIDR    string `json:"cidr"`
	Gateway string `json:"gateway"`
}

type floatingIPRow struct {
	ID         string `json:"id"`
	LocalID    string `json:"local_id"`
	ExternalIP string `json:"external_ip"`
}

type vpcNICRow struct {
	ID      string `json:"id"`
	LocalID string `json:"local_id"`
}

type vpc struct {
	row      vpcRow
	cluster  *cluster
	subnets  []*vpcSubnet
	floating []*floatingIP
}

type vpcSubnet struct {
	row  vpcSubnetRow
	vpc  *vpc
	pool *dhcpPool
}

type floatingIP struct {
	row    floatingIPRow
	vpc    *vpc
	holder *vpcNIC
}

// vpcNIC is the part of a NIC that is in a VPC.
type vpcNIC struct {
	row       vpcNICRow
	nic       *nic
	subnet    *vpcSubnet
	addresses []netip.Addr
	floating  *floatingIP
}

func (v *vpc) key() string        { return v.row.ID }
func (v *vpc) record() any        { return &v.row }
func (s *vpcSubnet) key() string  { return s.row.ID }
func (s *vpcSubnet) record() any  { return &s.row }
func (f *floatingIP) key() string { return f.row.ID }
func (f *floatingIP) record() any { return &f.row }
func (n *vpcNIC) key() string     { return n.row.ID }
func (n *vpcNIC) record() any     { return &n.row }

// VPC is a VPC of the simulated Tower, with the ids that the parameters of NICs
// name it by.
type VPC struct {
	Cluster     string       `json:"cluster"`
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Subnets     []VPCSubnet  `json:"subnets"`
	FloatingIPs []FloatingIP `json:"floating_ips"`
}

// VPCSubnet is a subnet of a VPC.
type VPCSubnet struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	CIDR    string `json:"cidr"`
	Gateway string `json:"gateway"`
}

// FloatingIP is an address that the world outside reaches a NIC of a VPC by.
type FloatingIP struct {
	ID         string `json:"id"`
	ExternalIP string `json:"external_ip"`
}

// VPCs returns the VPCs, one for each cluster.
func (s *Server) VPCs() []VPC {
	var all []VPC

	s.locked(func(w *world) {
		all = mapped(w.vpcs.list, func(v *vpc) VPC {
			return VPC{
				Cluster: v.cluster.row.Name, ID: v.row.ID, Name: v.row.Name,
				Subnets: mapped(v.subnets, func(s *vpcSubnet) VPCSubnet {
					return VPCSubnet{ID: s.row.ID, Name: s.row.Name, CIDR: s.row.CIDR, Gateway: s.row.Gateway}
				}),
				FloatingIPs: mapped(v.floating, func(f *floatingIP) FloatingIP {
					return FloatingIP{ID: f.row.ID, ExternalIP: f.row.ExternalIP}
				}),
			}
		})
	})

	return all
}

func (w *world) stockVPC(c *cluster, index int) {
	const subnets, floating = 2, 2

	id := namedIDSource("vpc", c.row.Name)
	v := &vpc{cluster: c, row: vpcRow{ID: id.cuid(), LocalID: id.uuid(), Name: "vpc-" + c.row.Name, MTU: 1450}}
	w.vpcs.add(v)

	for i := range subnets {
		prefix := netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, byte(10 + i), 0}), 24)
		s := &vpcSubnet{vpc: v, pool: newDHCPPool(prefix, nil)}
		s.row = vpcSubnetRow{
			ID: id.cuid(), LocalID: id.uuid(), Name: fmt.Sprintf("subnet-%d", i+1), CIDR: prefix.String(), Gateway: s.pool.gateway.String(),
		}
		v.subnets = append(v.subnets, s)
		w.vpcSubnets.add(s)
	}

	for i := range floating {
		f := &floatingIP{vpc: v}
		f.row = floatingIPRow{
			ID: id.cuid(), LocalID: id.uuid(), ExternalIP: fmt.Sprintf("198.19.%d.%d", index%256, 10+i),
		}
		v.floating = append(v.floating, f)
		w.floatingIPs.add(f)
	}
}

func (w *world) vpcEntities() map[string]*entity {
	return map[string]*entity{
		entityVPC: newEntity(&w.vpcs, false, map[string]func(*vpc) []any{
			"subnets": func(v *vpc) []any { return records(v.subnets) },
		}),
		entityVPCSubnet: newEntity(&w.vpcSubnets, false, map[string]func(*vpcSubnet) []any{
			"vpc": func(s *vpcSubnet) []any { return some(s.vpc) },
		}),
		entityFloatingIP: newEntity(&w.floatingIPs, false, map[string]func(*floatingIP) []any{
			"vpc": func(f *floatingIP) []any { return some(f.vpc) },
		}),
		entityVPCNic: newEntity(&w.vpcNICs, false, map[string]func(*vpcNIC) []any{
			"vpc":         func(n *vpcNIC) []any { return some(n.subnet.vpc) },
			"vpc_subnet":  func(n *vpcNIC) []any { return some(n.subnet) },
			"floating_ip": func(n *vpcNIC) []any { return some(n.floating) },
			"vm_nic":      func(n *vpcNIC) []any { return some(n.nic) },
		}),
	}
}

// vpcShape is the place of a NIC in a VPC. Without addresses it gets one.
type vpcShape struct {
	subnet    *vpcSubnet
	addresses []netip.Addr
	floating  *floatingIP
}

// vpcPlace reads the place that a NIC of a VM of a cluster shall have.
func (w *world) vpcPlace(field string, p *wire.VPCNicParams, in *cluster) (*vpcShape, error) {
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

	s := &vpcShape{}

	return s, w.vpcMove(field, s, v, &p.VPCSubnetID, p.IPAddresses, p.FloatingIPID)
}

// vpcMove changes a place as far as the caller says: nil leaves it, an empty
// floating IP takes that away.
func (w *world) vpcMove(field string, s *vpcShape, in *vpc, subnet *string, addresses []string, floating *string) error {
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
			return badRequest("%s.vpc_nic.ip_addresses[%d]: %q is no address for a NIC in %s", field, i, text, s.subnet.row.CIDR)
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

// vpcFree refuses places that others have, or that two of the NICs want. The
// NICs of except give up theirs.
func (w *world) vpcFree(shapes []nicShape, except []*nic) *taskFailure {
	macs := mapped(except, func(n *nic) string { return n.mac })
	seen := map[string]bool{}

	for i := range shapes {
		s := shapes[i].vpc
		if s == nil {
			continue
		}

		for _, address := range s.addresses {
			key := s.subnet.row.ID + " " + address.String()
			if holder := s.subnet.pool.holders[address]; seen[key] || holder != "" && !slices.Contains(macs, holder) {
				return failure("VPC_IP_CONFLICT", "The address %s is in use in the subnet %s.", address, s.subnet.row.Name)
			}

			seen[key] = true
		}

		if f := s.floating; f != nil {
			if seen[f.row.ID] || f.holder != nil && !slices.Contains(except, f.holder.nic) {
				return failure("VPC_FLOATING_IP_IN_USE", "The floating IP %s is in use.", f.row.ExternalIP)
			}

			seen[f.row.ID] = true
		}
	}

	return nil
}

// enterVPC puts a NIC into a VPC.
func (w *world) enterVPC(n *nic, s *vpcShape) {
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

	if len(n.vpc.addresses) > 0 {
		pool.leases[n.mac] = n.vpc.addresses[0]
	} else if address, ok := pool.lease(n.mac, false); ok {
		n.vpc.addresses = []netip.Addr{address}
	}

	if s.floating != nil {
		n.vpc.floating = s.floating
		s.floating.holder = n.vpc
	}

	n.showVPC()
}

// giveUpVPC gives back what a NIC has of its VPC.
func (n *nic) giveUpVPC() {
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

// rename keeps what a NIC has of its VPC under another MAC address.
func (n *nic) rename(mac string) {
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

func (n *nic) showVPC() {
	in := n.vpc.subnet.vpc
	shown := &wire.NestedVirtualPrivateCloudNic{
		ID: n.vpc.row.ID, LocalID: n.vpc.row.LocalID,
		VPC:         wire.NestedVirtualPrivateCloud{ID: in.row.ID, Name: in.row.Name},
		VPCSubnet:   wire.NestedVirtualPrivateCloudSubnet{ID: n.vpc.subnet.row.ID, Name: n.vpc.subnet.row.Name},
		IPAddresses: mapped(n.vpc.addresses, netip.Addr.String),
	}

	if f := n.vpc.floating; f != nil {
		shown.FloatingIP = &wire.NestedVirtualPrivateCloudFloatingIP{
			ID: f.row.ID, ExternalIP: wire.Ptr(f.row.ExternalIP), ExternalIPs: []wire.NestedVPCGatewaysCommonExternalIPsType{},
		}
	}

	n.row.VPCNic = shown
}

// frozen is how templates show the place.
func (s *vpcShape) frozen() *wire.NestedTemplateVPCNic {
	if s == nil {
		return nil
	}

	return &wire.NestedTemplateVPCNic{
		VPCLocalID: s.subnet.vpc.row.LocalID, VPCSubnetLocalID: s.subnet.row.LocalID, UseFloatingIP: s.floating != nil,
	}
}
