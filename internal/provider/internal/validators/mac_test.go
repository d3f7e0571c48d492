// SPDX-License-Identifier: MPL-2.0

package validators_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

func TestMACAddress(t *testing.T) {
	t.Parallel()
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value:   types.StringValue(s),
			summary: "Invalid MAC address",
			detail: `attribute is "` + s + `": ` + problem +
				`. It must be a unicast MAC address of six octets such as "52:54:00:12:34:56".`,
		}
	}
	const noMAC = "that is not six octets separated by colons"
	runStringCases(t, validators.MACAddress(), map[string]stringCase{
		"lower case":   valid("52:54:00:ab:cd:ef"),
		"upper case":   valid("52:54:00:AB:CD:EF"),
		"hyphens":      invalid("52-54-00-ab-cd-ef", noMAC),
		"dots":         invalid("5254.00ab.cdef", noMAC),
		"eight octets": invalid("52:54:00:ab:cd:ef:00:01", noMAC),
		"five octets":  invalid("52:54:00:ab:cd", noMAC),
		"no hex":       invalid("52:54:00:ab:cd:eg", noMAC),
		"short octet":  invalid("52:54:0:ab:cd:ef", noMAC),
		"trailing":     invalid("52:54:00:ab:cd:ef ", noMAC),
		"empty":        invalid("", noMAC),
		"multicast":    invalid("01:00:5e:00:00:01", "that is a multicast address (the first octet is odd)"),
		"broadcast":    invalid("ff:ff:ff:ff:ff:ff", "that is a multicast address (the first octet is odd)"),
		"null address": invalid("00:00:00:00:00:00", "all its octets are zero"),
	})
}
