// SPDX-License-Identifier: MPL-2.0

package validators_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

func TestIPv4Address(t *testing.T) {
	t.Parallel()
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value:   types.StringValue(s),
			summary: "Invalid IPv4 address",
			detail:  `attribute is "` + s + `": ` + problem + `. It must be an IPv4 address such as "10.1.2.3".`,
		}
	}
	runStringCases(t, validators.IPv4Address(), map[string]stringCase{
		"address":       valid("10.1.2.3"),
		"unspecified":   valid("0.0.0.0"),
		"class e":       valid("240.255.0.1"),
		"empty":         invalid("", "that is not an IPv4 address"),
		"word":          invalid("gateway", "that is not an IPv4 address"),
		"octet too big": invalid("10.0.0.256", "that is not an IPv4 address"),
		"too short":     invalid("10.0.1", "that is not an IPv4 address"),
		"leading zero":  invalid("10.0.0.01", "that is not an IPv4 address"),
		"blank":         invalid(" 10.0.0.1", "that is not an IPv4 address"),
		"with prefix":   invalid("10.0.0.1/24", "that is not an IPv4 address"),
		"ipv6":          invalid("fd00::1", "that is an IPv6 address"),
		"mapped":        invalid("::ffff:10.0.0.1", "that is an IPv6 address"),
	})
}

func TestIPv4HostAddress(t *testing.T) {
	t.Parallel()
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value:   types.StringValue(s),
			summary: "Invalid IPv4 address",
			detail: `attribute is "` + s + `": ` + problem +
				`. It must be an IPv4 address that a NIC can have, such as "10.1.2.3".`,
		}
	}
	runStringCases(t, validators.IPv4HostAddress(), map[string]stringCase{
		"address":     valid("10.1.2.3"),
		"class e":     valid("240.255.0.1"),
		"link local":  valid("169.254.10.1"),
		"word":        invalid("gateway", "that is not an IPv4 address"),
		"ipv6":        invalid("fd00::1", "that is an IPv6 address"),
		"unspecified": invalid("0.0.0.0", "that is the unspecified address"),
		"loopback":    invalid("127.0.0.1", "that is a loopback address"),
		"multicast":   invalid("224.0.0.1", "that is a multicast address"),
		"broadcast":   invalid("255.255.255.255", "that is the broadcast address"),
	})
}

func TestIPv4Netmask(t *testing.T) {
	t.Parallel()
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value:   types.StringValue(s),
			summary: "Invalid IPv4 netmask",
			detail:  `attribute is "` + s + `": ` + problem + `. It must be an IPv4 netmask such as "255.255.255.0".`,
		}
	}
	runStringCases(t, validators.IPv4Netmask(), map[string]stringCase{
		"24 bits":        valid("255.255.255.0"),
		"17 bits":        valid("255.255.128.0"),
		"host":           valid("255.255.255.255"),
		"default route":  valid("0.0.0.0"),
		"hole":           invalid("255.0.255.0", "its one bits are not contiguous"),
		"inverted":       invalid("0.0.0.255", "its one bits are not contiguous"),
		"address":        invalid("10.0.0.1", "its one bits are not contiguous"),
		"prefix length":  invalid("/24", "that is not an IPv4 netmask"),
		"empty":          invalid("", "that is not an IPv4 netmask"),
		"ipv6":           invalid("ffff::", "that is not an IPv4 netmask"),
		"trailing blank": invalid("255.255.255.0 ", "that is not an IPv4 netmask"),
	})
}

func TestIPv4CIDR(t *testing.T) {
	t.Parallel()
	invalid := func(s, problem string) stringCase {
		return stringCase{
			value:   types.StringValue(s),
			summary: "Invalid IPv4 CIDR",
			detail:  `attribute is "` + s + `": ` + problem + `. It must be an IPv4 network in CIDR notation such as "10.1.0.0/16".`,
		}
	}
	runStringCases(t, validators.IPv4CIDR(), map[string]stringCase{
		"network":       valid("10.1.0.0/16"),
		"everything":    valid("0.0.0.0/0"),
		"one address":   valid("10.1.2.3/32"),
		"host bits set": valid("10.1.2.3/16"),
		"address":       invalid("10.1.2.3", "that is not a network in CIDR notation"),
		"prefix 33":     invalid("10.1.2.3/33", "that is not a network in CIDR notation"),
		"netmask":       invalid("10.0.0.0/255.0.0.0", "that is not a network in CIDR notation"),
		"empty":         invalid("", "that is not a network in CIDR notation"),
		"ipv6":          invalid("fd00::/8", "that is an IPv6 network"),
	})
}
