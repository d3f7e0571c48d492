// SPDX-License-Identifier: MPL-2.0

package validators

import (
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// IPv4Address accepts any IPv4 address in dotted decimal form, even 0.0.0.0.
func IPv4Address() validator.String {
	return stringCheck{
		summary:     "Invalid IPv4 address",
		description: `must be an IPv4 address such as "10.1.2.3"`,
		check: func(value string) string {
			_, problem := parseIPv4(value)
			return problem
		},
	}
}

// IPv4HostAddress accepts an IPv4 address that a NIC can have: not the
// unspecified, a loopback, a multicast or the broadcast address. It accepts
// addresses in 240.0.0.0/4, which some clusters use.
func IPv4HostAddress() validator.String {
	return stringCheck{
		summary:     "Invalid IPv4 address",
		description: `must be an IPv4 address that a NIC can have, such as "10.1.2.3"`,
		check: func(value string) string {
			addr, problem := parseIPv4(value)
			switch {
			case problem != "":
				return problem
			case addr.IsUnspecified():
				return "that is the unspecified address"
			case addr.IsLoopback():
				return "that is a loopback address"
			case addr.IsMulticast():
				return "that is a multicast address"
			case addr == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
				return "that is the broadcast address"
			}
			return ""
		},
	}
}

// parseIPv4 returns the address, or what is wrong with the text.
func parseIPv4(value string) (netip.Addr, string) {
	addr, err := netip.ParseAddr(value)
	switch {
	case err != nil:
		return netip.Addr{}, "that is not an IPv4 address"
	case !addr.Is4():
		return netip.Addr{}, "that is an IPv6 address"
	}
	return addr, ""
}
