// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net/netip"
)

// dhcpPool is the DHCP server of one VM network. A client that comes back gets
// its address again; addresses that were given up are used again only after all
// others.
type dhcpPool struct {
	prefix  netip.Prefix
	gateway netip.Addr
	next    netip.Addr
	holders map[netip.Addr]string // addresses to MAC addresses
	leases  map[string]netip.Addr // MAC addresses to addresses
}

// reserved is who holds the addresses that the server never gives away.
const reserved = "reserved"

// newDHCPPool makes the pool of a range. The first address is the gateway's; the
// ones in fixed belong to guests that the scenario gives them to.
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

// lease returns the address of a client. A fresh lease is another one than the
// client had. It returns false if the range is exhausted.
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

// free finds an address that is not taken, after the last one that was given. It
// returns false if there is none.
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

// usable tells whether an address is one of a host in the range: the last one is
// for broadcasts.
func (p *dhcpPool) usable(address netip.Addr) bool {
	return p.prefix.Contains(address) && p.prefix.Contains(address.Next())
}

// assignable tells whether a client may have an address: it is a host's, and not
// that of the gateway.
func (p *dhcpPool) assignable(address netip.Addr) bool {
	return p.usable(address) && address != p.prefix.Addr() && address != p.gateway
}

func (p *dhcpPool) release(mac string) {
	if address, ok := p.leases[mac]; ok {
		delete(p.holders, address)
		delete(p.leases, mac)
	}
}

// maskOf writes the length of a prefix as an IPv4 mask.
func netmask(bits int) string {
	var b [4]byte

	for i := range bits {
		b[i/8] |= 1 << (7 - i%8)
	}

	return netip.AddrFrom4(b).String()
}
