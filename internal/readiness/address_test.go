// SPDX-License-Identifier: MPL-2.0

package readiness_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

func TestUsable(t *testing.T) {
	ignored := []netip.Prefix{
		netip.MustParsePrefix("172.17.0.0/16"),
		netip.MustParsePrefix("192.168.5.9/24"), // not masked
		netip.MustParsePrefix("::ffff:10.9.0.0/112"),
		netip.MustParsePrefix("::/0"),
		{},
	}
	for _, c := range []struct {
		text, want string
		reason     readiness.Reason
	}{
		{"10.255.1.7", "10.255.1.7", ""},
		{" 10.255.1.7\t", "10.255.1.7", ""},
		{"10.255.1.7/16", "10.255.1.7", ""},
		{"::ffff:10.255.1.7", "10.255.1.7", ""},
		{"::ffff:10.255.1.7/112", "10.255.1.7", ""},
		{"::FFFF:0aff:0107", "10.255.1.7", ""},
		{"240.255.0.1", "240.255.0.1", ""},
		{"240.0.0.0", "240.0.0.0", ""},
		{"255.255.255.254", "255.255.255.254", ""},
		{"172.16.255.255", "172.16.255.255", ""},
		{"169.253.255.255", "169.253.255.255", ""},
		{"169.255.0.0", "169.255.0.0", ""},
		{"126.255.255.255", "126.255.255.255", ""},
		{"223.255.255.255", "223.255.255.255", ""},
		{"0.0.0.0", "0.0.0.0", readiness.ReasonUnspecified},
		{"::ffff:0.0.0.0", "0.0.0.0", readiness.ReasonUnspecified},
		{"127.0.0.1", "127.0.0.1", readiness.ReasonLoopback},
		{"127.255.255.254", "127.255.255.254", readiness.ReasonLoopback},
		{"224.0.0.1", "224.0.0.1", readiness.ReasonMulticast},
		{"239.255.255.250", "239.255.255.250", readiness.ReasonMulticast},
		{"169.254.0.0", "169.254.0.0", readiness.ReasonLinkLocal},
		{"169.254.255.255", "169.254.255.255", readiness.ReasonLinkLocal},
		{"::ffff:169.254.3.4", "169.254.3.4", readiness.ReasonLinkLocal},
		{"::1", "::1", readiness.ReasonIPv6},
		{"::", "::", readiness.ReasonIPv6},
		{"fe80::1%eth0", "fe80::1%eth0", readiness.ReasonIPv6},
		{"2001:db8::1/64", "2001:db8::1", readiness.ReasonIPv6},
		{"ff02::1", "ff02::1", readiness.ReasonIPv6},
		{"172.17.0.2", "172.17.0.2", readiness.ReasonIgnored},
		{"192.168.5.77", "192.168.5.77", readiness.ReasonIgnored},
		{"10.9.3.4", "10.9.3.4", readiness.ReasonIgnored},
		{"", "", readiness.ReasonUnparsable},
		{" ", "", readiness.ReasonUnparsable},
		{"null", "", readiness.ReasonUnparsable},
		{"10.255.1", "", readiness.ReasonUnparsable},
		{"10.255.1.256", "", readiness.ReasonUnparsable},
		{"010.255.1.7", "", readiness.ReasonUnparsable},
		{"10.255.1.7/33", "", readiness.ReasonUnparsable},
		{"10.255.1.7,10.255.1.8", "", readiness.ReasonUnparsable},
		{"10.255.1.7:22", "", readiness.ReasonUnparsable},
	} {
		got, reason := readiness.Usable(c.text, ignored)
		if reason != c.reason || got != ip(c.want) {
			t.Errorf("%q: got %v, %q, want %v, %q", c.text, got, reason, c.want, c.reason)
		}
	}
}

// Every reason has an explanation of its own, a clause that can follow an address.
func TestReason_explain(t *testing.T) {
	seen := map[string]readiness.Reason{}
	for _, r := range []readiness.Reason{
		readiness.ReasonUnparsable, readiness.ReasonIPv6, readiness.ReasonUnspecified, readiness.ReasonLoopback,
		readiness.ReasonMulticast, readiness.ReasonLinkLocal, readiness.ReasonIgnored, readiness.ReasonConfiguredStatic,
		readiness.ReasonNotConfigured, readiness.ReasonDuplicate, readiness.ReasonReported, readiness.ReasonNoNICNeedsIt,
		readiness.ReasonSeveralNICsNeedIt, readiness.ReasonNotNeeded,
	} {
		text := r.Explain()
		if len(strings.Fields(text)) < 4 || strings.HasSuffix(text, ".") || strings.Contains(text, "_") && r != readiness.ReasonIgnored {
			t.Errorf("%s: %q is no clause for a person", r, text)
		}
		if twin, ok := seen[text]; ok {
			t.Errorf("%s and %s are explained alike", r, twin)
		}
		seen[text] = r
	}
	expect(t, "an address that counts", readiness.Reason("").Explain(), "")
	expect(t, "an unknown reason", readiness.Reason("odd").Explain(), "odd")
	expect(t, "a seen address", readiness.Seen{Address: first}.String(), first)
	got := readiness.Seen{Address: "127.0.0.1", Reason: readiness.ReasonLoopback}.String()
	expect(t, "a refused address", got, "127.0.0.1 (a loopback address can't be reached from outside the guest)")
}
