// SPDX-License-Identifier: MPL-2.0

package validators

import (
	"encoding/binary"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// IPv4Netmask accepts an IPv4 network mask in dotted decimal form: ones
// followed by zeros, 0.0.0.0 and 255.255.255.255 included.
func IPv4Netmask() validator.String {
	return stringCheck{
		summary:     "Invalid IPv4 netmask",
		description: `must be an IPv4 network mask such as "255.255.255.0"`,
		check: func(value string) string {
			addr, problem := parseIPv4(value)
			if problem != "" {
				return "that is no IPv4 network mask"
			}
			octets := addr.As4()
			zeros := ^binary.BigEndian.Uint32(octets[:])
			if zeros&(zeros+1) != 0 {
				return "its ones are not contiguous"
			}
			return ""
		},
	}
}
