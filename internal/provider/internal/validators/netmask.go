// SPDX-License-Identifier: MPL-2.0

package validators

import (
	"encoding/binary"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// IPv4Netmask accepts an IPv4 netmask in dotted decimal form: bits that are one,
// followed by bits that are zero. It accepts 0.0.0.0 and 255.255.255.255, too.
func IPv4Netmask() validator.String {
	return stringCheck{
		summary:     "Invalid IPv4 netmask",
		description: `must be an IPv4 netmask such as "255.255.255.0"`,
		check: func(value string) string {
			addr, problem := parseIPv4(value)
			if problem != "" {
				return "that is not an IPv4 netmask"
			}
			octets := addr.As4()
			zeros := ^binary.BigEndian.Uint32(octets[:])
			if zeros&(zeros+1) != 0 {
				return "its one bits are not contiguous"
			}
			return ""
		},
	}
}
