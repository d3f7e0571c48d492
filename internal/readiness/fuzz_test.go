// SPDX-License-Identifier: MPL-2.0

package readiness_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

func FuzzUsable(f *testing.F) {
	for _, text := range []string{
		"10.255.1.7", " 240.255.0.1 ", "::ffff:10.0.0.1", "10.0.0.1/24", "fe80::1%eth0", "127.1", "169.254.0.1", "", "\x00",
	} {
		f.Add(text, "172.17.0.0/16")
	}
	f.Add("172.17.0.1", "172.17.0.0/16")
	f.Fuzz(func(t *testing.T, text, cidr string) {
		prefix, _ := netip.ParsePrefix(cidr)
		address, reason := readiness.Usable(text, []netip.Prefix{prefix})
		if (reason == readiness.ReasonUnparsable) == address.IsValid() {
			t.Fatalf("%q: %v, %q", text, address, reason)
		}
		if reason != "" {
			if reason.Explain() == "" {
				t.Fatalf("%q: %q explains nothing", text, reason)
			}
			return
		}
		if !address.Is4() || address.IsUnspecified() || address.IsLoopback() || address.IsMulticast() ||
			address.IsLinkLocalUnicast() || prefix.Contains(address) {
			t.Fatalf("%q: %v counts", text, address)
		}
		if again, r := readiness.Usable(address.String(), nil); again != address || r != "" {
			t.Fatalf("%q: %v, then %v, %q", text, address, again, r)
		}
	})
}

func FuzzEvaluate(f *testing.F) {
	f.Add("10.255.1.7", "240.255.0.1", "10.255.1.7", "240.255.0.1", "172.17.0.0/16", byte(0))
	f.Add("", "169.254.1.1,fe80::1", "10.255.1.7", "10.0.0.1", "", byte(7))
	f.Add("10.0.0.1|10.0.0.2", "10.0.0.2", "::ffff:10.0.0.3", "10.0.0.2", "10.0.0.0/31", byte(42))
	f.Fuzz(func(t *testing.T, one, two, node, static, cidr string, flags byte) {
		flag := func(i int) bool { return flags&(1<<i) != 0 }
		spec := readiness.Spec{Runs: !flag(0), RequireStatic: flag(1), Implicit: flag(2)}
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			spec.Ignored = []netip.Prefix{prefix}
		}
		address, _ := netip.ParseAddr(static)
		spec.NICs = []readiness.NIC{
			{MAC: mac(0), Type: readiness.DHCP, Enabled: true, Waits: !flag(3)},
			{Type: readiness.Static, Address: address, Enabled: true, Waits: !flag(4), DefaultRoute: flag(5)},
			{Type: readiness.DHCP, Enabled: true, Waits: flag(6)},
		}
		consistent(t, spec, readiness.Observation{
			NICs: []readiness.ReportedNIC{
				{MAC: mac(1), Order: 1, Enabled: true, Addresses: strings.Split(two, "|")},
				{MAC: strings.ToUpper(mac(0)), Enabled: !flag(7), Addresses: strings.Split(one, "|")},
				{MAC: two, Order: 1, Enabled: true, Addresses: []string{node}},
			},
			Node: strings.Split(node, "|"),
		})
	})
}
