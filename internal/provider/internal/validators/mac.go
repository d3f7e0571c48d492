// SPDX-License-Identifier: MPL-2.0

package validators

import (
	"net"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

var macPattern = regexp.MustCompile(`^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$`)

// MACAddress accepts a unicast Ethernet address: six octets in hexadecimal
// digits of either case, separated by colons.
func MACAddress() validator.String {
	return stringCheck{
		summary:     "Invalid MAC address",
		description: `must be a unicast MAC address of six octets such as "52:54:00:12:34:56"`,
		check: func(value string) string {
			if !macPattern.MatchString(value) {
				return "that is not six octets separated by colons"
			}
			mac, err := net.ParseMAC(value)
			switch {
			case err != nil:
				return "that is not a MAC address"
			case mac[0]&1 != 0:
				return "that is a multicast address (the first octet is odd)"
			case mac.String() == "00:00:00:00:00:00":
				return "all its octets are zero"
			}
			return ""
		},
	}
}
