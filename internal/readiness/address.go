// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"net/netip"
	"slices"
	"strings"
)

// Reason says why an address that was seen does not count. The empty Reason means that it counts.
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
	ReasonConfiguredStatic Reason = "configured_static" // on a DHCP NIC, or on the node
	ReasonNotConfigured    Reason = "not_configured"    // on a static NIC that must report its configured address
	ReasonDuplicate        Reason = "duplicate"         // it already stands for another DHCP NIC

	// The reasons for an address of the node alone.
	ReasonReported          Reason = "reported"             // Tower reports it on a NIC
	ReasonNoNICNeedsIt      Reason = "no_nic_needs_it"      // each DHCP NIC reports an address, even if not all differ
	ReasonSeveralNICsNeedIt Reason = "several_nics_need_it" // more than one DHCP NIC reports none
	ReasonNotNeeded         Reason = "not_needed"           // the VM is ready without it
)

var explanations = map[Reason]string{
	ReasonUnparsable:        "it is not an IP address",
	ReasonIPv6:              "it is an IPv6 address, and only IPv4 addresses count",
	ReasonUnspecified:       "0.0.0.0 means that there is no address",
	ReasonLoopback:          "a loopback address can't be reached from outside the guest",
	ReasonMulticast:         "a multicast address belongs to no host",
	ReasonLinkLocal:         "it is link-local: the guest gave it to itself because no DHCP server answered",
	ReasonIgnored:           "it is in one of network_readiness.ignored_cidrs",
	ReasonConfiguredStatic:  "it is configured as a static address of this VM, so DHCP did not assign it",
	ReasonNotConfigured:     "it is not the address that is configured for this NIC",
	ReasonDuplicate:         "another DHCP NIC reports it too, and each needs an address of its own",
	ReasonReported:          "Tower reports it on a NIC of this VM, so it can't stand for another NIC",
	ReasonNoNICNeedsIt:      "it can stand only for a DHCP NIC that reports no address of its own, and every DHCP NIC reports one",
	ReasonSeveralNICsNeedIt: "it can stand for only one DHCP NIC, and more than one has no address",
	ReasonNotNeeded:         "the VM is ready without it",
}

// Explain says the reason in words, as a clause without a period. It returns "" for an address that counts.
func (r Reason) Explain() string {
	if text, ok := explanations[r]; ok {
		return text
	}
	return string(r)
}

// Usable parses addr and decides whether a VM can be reached at it: it must be an IPv4 address that is not loopback,
// unspecified, multicast or link-local, and not in one of ignored. Surrounding white space, a prefix length after the
// address, and IPv4-mapped IPv6 addresses are accepted. The returned address is valid unless the Reason is
// ReasonUnparsable; it is usable if the Reason is empty.
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

// contains reports whether ip is in p, which may be an IPv4-mapped prefix.
func contains(p netip.Prefix, ip netip.Addr) bool {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Contains(ip)
}

// splitReported returns the single addresses of reported, of which each entry may itself be a list. It drops blank
// and repeated ones.
func splitReported(reported []string) []string {
	var out []string
	for _, entry := range reported {
		for _, text := range strings.FieldsFunc(entry, isSeparator) {
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

func isSeparator(r rune) bool {
	return r == ',' || r == ';' || r == ' ' || r == '\t' || r == '\r' || r == '\n'
}
