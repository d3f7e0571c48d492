// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net/netip"
)

// dhcpPool is the DHCP server of one VM network. A client that comes back gets
// its old address. A released address is given to another client only after all
// other addresses have been used.
type dhcpPool struct {
	prefix  netip.Prefix
	gateway netip.Addr
	next    netip.Addr
	holders map[netip.Addr]string // MAC addresses by address
	leases  map[string]netip.Addr // addresses by MAC address
}

// reserved is the holder of the addresses that the server never leases.
const reserved = "reserved"

// newDHCPPool makes the pool of an address range. The first address is the
// gateway's. The addresses in fixed are those that the scenario gives to
// guests.
func newDHCPPool(prefix netip.Prefix, fixed []netip.Addr) *dhcpPool {
	prefix = prefix.Masked()
	p := &dhcpPool{
		prefix:  prefix,
		gateway: prefix.Addr().Next(),
		holders: map[netip.Addr]string{},
		leases:  map[string]netip.Addr{},
	}

	p.next = p.gateway.Next()

	for _, address := range fixed {
		if prefix.Contains(address) {
			p.holders[address] = reserved
		}
	}

	return p
}

// lease returns the address of a client. With fresh, the client gets another
// address than it had. It returns false if no address is free.
func (p *dhcpPool) lease(mac string, fresh bool) (netip.Addr, bool) {
	held, known := p.leases[mac]
	if known && !fresh {
		return held, true
	}

	address, ok := p.free(func(a netip.Addr) bool { return p.holders[a] != "" })
	if !ok {
		return held, known
	}

	if known {
		delete(p.holders, held)
	}

	p.holders[address], p.leases[mac] = mac, address

	return address, true
}

// free returns an address that is not taken, searching from the last one that
// was leased. It returns false if all are taken.
func (p *dhcpPool) free(taken func(netip.Addr) bool) (netip.Addr, bool) {
	for last := p.next; ; {
		candidate := p.next

		p.next = p.next.Next()
		if !p.usable(p.next) {
			p.next = p.gateway.Next()
		}

		if !taken(candidate) {
			return candidate, true
		}

		if p.next == last {
			return netip.Addr{}, false
		}
	}
}

// usable reports whether an address can be a host's. The last address of the
// range is the broadcast address.
func (p *dhcpPool) usable(address netip.Addr) bool {
	return p.prefix.Contains(address) && p.prefix.Contains(address.Next())
}

// assignable reports whether a client may have an address: it must be a host's,
// and not the gateway's.
func (p *dhcpPool) assignable(address netip.Addr) bool {
	return p.usable(address) && address != p.prefix.Addr() && address != p.gateway
}

func (p *dhcpPool) release(mac string) {
	if address, ok := p.leases[mac]; ok {
		delete(p.holders, address)
		delete(p.leases, mac)
	}
}

// netmask converts the length of a prefix into an IPv4 mask.
func netmask(bits int) string {
	var b [4]byte

	for i := range bits {
		b[i/8] |= 1 << (7 - i%8)
	}

	return netip.AddrFrom4(b).String()
}
