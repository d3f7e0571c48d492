// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"net/netip"
	"slices"
)

// placeNodeAddresses decides where each usable address of the node is shown: on the NIC that has it configured, else
// on the NIC that takes it, else only in the list of all addresses.
func (e *evaluation) placeNodeAddresses() {
	for _, address := range e.nodeIPs {
		owner := e.filled
		if i := slices.IndexFunc(e.nics, func(n *nic) bool { return n.Address == address }); i >= 0 {
			owner = e.nics[i]
		} else if owner != nil && owner.match != address {
			owner = nil
		}
		switch {
		case owner == nil:
			e.nodeOnly = append(e.nodeOnly, address)
		case !slices.Contains(owner.shown, address):
			owner.shown = append(owner.shown, address)
			owner.fromNode = true
		}
	}
}

// allAddresses lists the addresses of all NICs, then those of the node that none of them shows, without duplicates.
func (e *evaluation) allAddresses() []netip.Addr {
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

// defaultAddress chooses the address to reach the VM at; all is what allAddresses returned.
func (e *evaluation) defaultAddress(all []netip.Addr) netip.Addr {
	for _, wanted := range []func(*nic) bool{
		func(n *nic) bool { return n.DefaultRoute },
		func(n *nic) bool { return n.Type == DHCP },
		func(n *nic) bool { return n.Type == Static },
	} {
		for _, n := range e.nics {
			if !wanted(n) {
				continue
			}
			if address := n.mainAddress(e.statics); address.IsValid() {
				return address
			}
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return netip.Addr{}
}

// mainAddress returns the address that stands for n: the one that satisfied the rule, else the configured one, else
// the first, each only if it is shown. It never returns a static address of the VM for a DHCP NIC. It returns the
// zero Addr if n has none.
func (n *nic) mainAddress(statics []netip.Addr) netip.Addr {
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
