// SPDX-License-Identifier: MPL-2.0

package validators

import (
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// IPv4CIDR accepts an IPv4 network in CIDR notation. Bits after the prefix may be
// set; they are ignored.
func IPv4CIDR() validator.String {
	return stringCheck{
		summary:     "Invalid IPv4 CIDR",
		description: `must be an IPv4 network in CIDR notation such as "10.1.0.0/16"`,
		check: func(value string) string {
			prefix, err := netip.ParsePrefix(value)
			switch {
			case err != nil:
				return "that is not a network in CIDR notation"
			case !prefix.Addr().Is4():
				return "that is an IPv6 network"
			}
			return ""
		},
	}
}
