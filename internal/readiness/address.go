// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"net/netip"
	"slices"
	"strings"
)

// Reason tells why an address that was seen does not count. The empty Reason means that it counts.
type Reason string

// The reasons why an address does not count.
const (
	ReasonUnparsable       Reason = "unparsable"
	ReasonIPv6             Reason = "ipv6"
	ReasonUnspecified      Reason = "unspecified"
	ReasonLoopback         Reason = "loopback"
	ReasonMulticast        Reason = "multicast"
	ReasonLinkLocal        Reason = "link_local"
	ReasonIgnored          Reason = "ignored"
	ReasonConfiguredStatic Reason = "configured_static" // on a DHCP NIC, or of the node
	ReasonNotConfigured    Reason = "not_configured"    // on a static NIC that must show its own address
	ReasonDuplicate        Reason = "duplicate"         // it already stands for another DHCP NIC
	ReasonReported         Reason = "reported"          // of the node: Tower reports it on a NIC
	ReasonNothingLacks     Reason = "nothing_lacks"     // of the node: each DHCP NIC has an address, if not one of its own
	ReasonSeveralLack      Reason = "several_lack"      // of the node: more than one DHCP NIC has none
	ReasonNotNeeded        Reason = "not_needed"        // of the node: ready without it
)

var explanations = map[Reason]string{
	ReasonUnparsable:       "it is not an IP address",
	ReasonIPv6:             "it is an IPv6 address, and only IPv4 addresses count",
	ReasonUnspecified:      "0.0.0.0 stands for no address",
	ReasonLoopback:         "loopback addresses are the guest's own",
	ReasonMulticast:        "multicast addresses belong to no host",
	ReasonLinkLocal:        "it is link-local: the guest gave it to itself because no DHCP server answered",
	ReasonIgnored:          "it lies in one of network_readiness.ignored_cidrs",
	ReasonConfiguredStatic: "it is configured as a static address of this VM, so DHCP did not assign it",
	ReasonNotConfigured:    "it is not the address that is configured for this NIC",
	ReasonDuplicate:        "another DHCP NIC reports it too, and each needs one of its own",
	ReasonReported:         "Tower reports it on a NIC of this VM, so it can't stand for another one",
	ReasonNothingLacks:     "it can only stand for a DHCP NIC that reports no address of its own, and each does",
	ReasonSeveralLack:      "it can stand for one DHCP NIC only, and more than one lacks an address",
	ReasonNotNeeded:        "the VM is ready without it",
}

// Explain says the reason in words for a person, as a clause without a period. It is empty for an address that counts.
func (r Reason) Explain() string {
	if text, ok := explanations[r]; ok {
		return text
	}
	return string(r)
}

// Usable parses addr and tells whether it may stand for a VM in the network: an IPv4 address that is neither
// loopback, unspecified, multicast nor link-local, nor in one of ignored. White space around it, a prefix length
// behind it and an IPv4-mapped IPv6 address are accepted. The address is valid unless the Reason is
// ReasonUnparsable; it is usable where the Reason is empty.
func Usable(addr string, ignored []netip.Prefix) (netip.Addr, Reason) {
	ip, ok := parse(strings.TrimSpace(addr))
	if !ok {
		return netip.Addr{}, ReasonUnparsable
	}
	switch {
	case !ip.Is4():
		return ip, ReasonIPv6
	case ip.IsUnspecified():
		return ip, ReasonUnspecified
	case ip.IsLoopback():
		return ip, ReasonLoopback
	case ip.IsMulticast():
		return ip, ReasonMulticast
	case ip.IsLinkLocalUnicast():
		return ip, ReasonLinkLocal
	case slices.ContainsFunc(ignored, func(p netip.Prefix) bool { return contains(p, ip) }):
		return ip, ReasonIgnored
	}
	return ip, ""
}

func parse(s string) (netip.Addr, bool) {
	if strings.Contains(s, "/") {
		p, err := netip.ParsePrefix(s)
		return p.Addr().Unmap(), err == nil
	}
	ip, err := netip.ParseAddr(s)
	return ip.Unmap(), err == nil
}

// contains also understands an IPv4-mapped prefix.
func contains(p netip.Prefix, ip netip.Addr) bool {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Contains(ip)
}

// texts takes apart what was reported: an entry may itself be a list. Blank and repeated entries are dropped.
func texts(reported []string) []string {
	var out []string
	for _, entry := range reported {
		for _, text := range strings.FieldsFunc(entry, separates) {
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

func separates(r rune) bool {
	return r == ',' || r == ';' || r == ' ' || r == '\t' || r == '\r' || r == '\n'
}
