// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"net/netip"
)

// Tower has operations to create VPCs, which are not simulated. Each cluster
// has one VPC from the start, with two subnets and two floating IPs.
// [Server.VPCs] returns their ids.

// The names of the entities of VPCs in filters.
const (
	entityVPC        = "VirtualPrivateCloud"
	entityVPCSubnet  = "VirtualPrivateCloudSubnet"
	entityVPCNic     = "VirtualPrivateCloudNic"
	entityFloatingIP = "VirtualPrivateCloudFloatingIp"
)

// vpcRow and the rows below are what filters see. No operation lists them.
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

// vpcNIC is the VPC part of a NIC.
type vpcNIC struct {
	row       vpcNICRow
	nic       *nic
	subnet    *vpcSubnet
	addresses []netip.Addr
	floating  *floatingIP
}

func (v *vpc) id() string         { return v.row.ID }
func (v *vpc) rowPtr() any        { return &v.row }
func (s *vpcSubnet) id() string   { return s.row.ID }
func (s *vpcSubnet) rowPtr() any  { return &s.row }
func (f *floatingIP) id() string  { return f.row.ID }
func (f *floatingIP) rowPtr() any { return &f.row }
func (n *vpcNIC) id() string      { return n.row.ID }
func (n *vpcNIC) rowPtr() any     { return &n.row }

// VPC is a VPC of the simulated Tower, with the ids for the parameters of NICs.
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

// FloatingIP is an address by which a NIC in a VPC is reached from outside.
type FloatingIP struct {
	ID         string `json:"id"`
	ExternalIP string `json:"external_ip"`
}

// VPCs returns the VPCs, one in each cluster.
func (s *Server) VPCs() []VPC {
	var all []VPC

	s.withWorld(func(w *world) {
		all = mapSlice(w.vpcs.list, func(v *vpc) VPC {
			return VPC{
				Cluster: v.cluster.row.Name, ID: v.row.ID, Name: v.row.Name,
				Subnets: mapSlice(v.subnets, func(s *vpcSubnet) VPCSubnet {
					return VPCSubnet{ID: s.row.ID, Name: s.row.Name, CIDR: s.row.CIDR, Gateway: s.row.Gateway}
				}),
				FloatingIPs: mapSlice(v.floating, func(f *floatingIP) FloatingIP {
					return FloatingIP{ID: f.row.ID, ExternalIP: f.row.ExternalIP}
				}),
			}
		})
	})

	return all
}

func (w *world) addVPC(c *cluster, index int) {
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
			"subnets": func(v *vpc) []any { return rowPtrs(v.subnets) },
		}),
		entityVPCSubnet: newEntity(&w.vpcSubnets, false, map[string]func(*vpcSubnet) []any{
			"vpc": func(s *vpcSubnet) []any { return toOne(s.vpc) },
		}),
		entityFloatingIP: newEntity(&w.floatingIPs, false, map[string]func(*floatingIP) []any{
			"vpc": func(f *floatingIP) []any { return toOne(f.vpc) },
		}),
		entityVPCNic: newEntity(&w.vpcNICs, false, map[string]func(*vpcNIC) []any{
			"vpc":         func(n *vpcNIC) []any { return toOne(n.subnet.vpc) },
			"vpc_subnet":  func(n *vpcNIC) []any { return toOne(n.subnet) },
			"floating_ip": func(n *vpcNIC) []any { return toOne(n.floating) },
			"vm_nic":      func(n *vpcNIC) []any { return toOne(n.nic) },
		}),
	}
}
