// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"net/netip"
	"slices"
)

// placeNode decides where the node's usable addresses are shown: on the NIC whose configured address it is, else on
// the NIC that it fills, else, unless a NIC reports it, in the flat list only.
func (e *evaluation) placeNode() {
	for _, address := range e.nodeIPs {
		home := e.filled
		if i := slices.IndexFunc(e.nics, func(n *nic) bool { return n.Address == address }); i >= 0 {
			home = e.nics[i]
		} else if home != nil && home.match != address {
			home = nil
		}
		switch {
		case home == nil:
			e.nodeOnly = append(e.nodeOnly, address)
		case !slices.Contains(home.shown, address):
			home.shown = append(home.shown, address)
			home.fromNode = true
		}
	}
}

// flat lists the addresses of all NICs, then those of the node that none of them shows.
func (e *evaluation) flat() []netip.Addr {
	var out []netip.Addr
	add := func(addresses []netip.Addr) {
		for _, a := range addresses {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	for _, n := range e.all() {
		add(n.shown)
	}
	add(e.nodeOnly)
	return out
}

// defaultAddress chooses the address to reach the VM at.
func (e *evaluation) defaultAddress(flat []netip.Addr) netip.Addr {
	for _, wanted := range []func(*nic) bool{
		func(n *nic) bool { return n.DefaultRoute },
		func(n *nic) bool { return n.Type == DHCP },
		func(n *nic) bool { return n.Type == Static },
	} {
		for _, n := range e.nics {
			if !wanted(n) {
				continue
			}
			if address := n.main(e.statics); address.IsValid() {
				return address
			}
		}
	}
	if len(flat) > 0 {
		return flat[0]
	}
	return netip.Addr{}
}

// main is the address that stands for n: the one that satisfied the rule, else the configured one, else the first,
// as far as they are shown. A DHCP NIC never stands for a static address of the VM.
func (n *nic) main(statics []netip.Addr) netip.Addr {
	if n.match.IsValid() {
		return n.match
	}
	if slices.Contains(n.shown, n.Address) {
		return n.Address
	}
	for _, address := range n.shown {
		if n.Type != DHCP || !slices.Contains(statics, address) {
			return address
		}
	}
	return netip.Addr{}
}

func verdicts(nics []*nic) []NICVerdict {
	var out []NICVerdict
	for _, n := range nics {
		out = append(out, NICVerdict{
			MAC: n.MAC, Reported: n.reported != nil, Waits: n.Waits, Satisfied: n.satisfied,
			Addresses: n.shown, FromNode: n.fromNode, Seen: n.seen,
		})
	}
	return out
}
