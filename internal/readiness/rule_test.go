// SPDX-License-Identifier: MPL-2.0

package readiness_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

func TestEvaluate_matching(t *testing.T) {
	for _, c := range []struct {
		name      string
		nics      []vnic
		node      []string
		ready     bool
		satisfied []bool
	}{
		{"a chain that only one assignment solves", []vnic{dhcp(first, other), dhcp(first, third), dhcp(first)}, nil, true, []bool{true, true, true}},
		{"three NICs, two addresses", []vnic{dhcp(first, other), dhcp(other, first), dhcp(first, other)}, nil, false, []bool{true, true, false}},
		{"the node fills no NIC that shares its address", []vnic{dhcp(first), dhcp(first)}, []string{third}, false, []bool{true, false}},
		{"the node fills the empty one, two others share", []vnic{dhcp(), dhcp(first), dhcp(first)}, []string{third}, false, []bool{true, true, false}},
		{"the node fills one of two others that differ", []vnic{dhcp(), dhcp(first), dhcp(first, other)}, []string{third}, true, []bool{true, true, true}},
		{"the node fills one NIC only", []vnic{dhcp(), dhcp(), dhcp(first)}, []string{third, other}, false, []bool{false, false, true}},
		{"the first address of the node that fits", []vnic{dhcp(), fixed(static, first)}, []string{"", "fe80::1", static, first, third, other}, true, []bool{true, true}},
		{"a list in one text", []vnic{dhcp(first + ", " + other + ";;"), dhcp(" " + first + " ")}, nil, true, []bool{true, true}},
		{"spellings of one address are no two", []vnic{dhcp(first, "::ffff:"+first, first+"/16"), dhcp(first)}, nil, false, []bool{true, false}},
		{"what an idle NIC reports may be shared", []vnic{dhcp(first), {kind: readiness.DHCP, idle: true, reports: []string{first}}}, nil, true, []bool{true, true}},
		{"a node's address on an idle NIC is reported", []vnic{dhcp(), {kind: readiness.None, reports: []string{first}}}, []string{first}, false, []bool{false, true}},
		{"a static address of an idle NIC is configured", []vnic{dhcp(static), {kind: readiness.Static, address: static, idle: true}}, []string{static}, false, []bool{false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, obs := build(c.nics...)
			obs.Node = c.node
			v := readiness.Evaluate(spec, obs)
			expect(t, "ready", v.Ready, c.ready)
			var satisfied []bool
			for _, n := range v.NICs {
				satisfied = append(satisfied, n.Satisfied)
			}
			if !slices.Equal(satisfied, c.satisfied) {
				t.Errorf("satisfied: got %v, want %v", satisfied, c.satisfied)
			}
		})
	}
}

func TestEvaluate_requireStatic(t *testing.T) {
	for _, c := range []struct {
		name      string
		nics      []vnic
		node      string
		ready     bool
		source    readiness.Source
		needsNode bool
		missing   string
	}{
		{"not reported", []vnic{dhcp(first), fixed(static)}, "", false, readiness.SourceNone, false, "NIC 1 (" + mac(1) + ") does not report its static address " + static},
		{"another is reported", []vnic{dhcp(first), fixed(static, other)}, "", false, readiness.SourceNone, false, "only " + other},
		{"reported on another NIC", []vnic{dhcp(first, static), fixed(static)}, "", false, readiness.SourceNone, false, "NIC 1 (" + mac(1) + ") does not report its static address"},
		{"reported", []vnic{dhcp(first), fixed(static, other, static)}, "", true, readiness.SourceTower, false, ""},
		{"static only, one of two", []vnic{fixed(static, static), fixed(uplink)}, "", false, readiness.SourceNone, false, uplink},
		{"static only, both", []vnic{fixed(static, static), fixed(uplink, uplink)}, "", true, readiness.SourceTower, false, ""},
		{"one that does not wait", []vnic{fixed(static, static), {kind: readiness.Static, address: uplink, idle: true}}, "", true, readiness.SourceTower, false, ""},
		{"the node does not report to Tower", []vnic{fixed(static)}, static, false, readiness.SourceNone, true, static},
		{"the node stands for the DHCP NIC", []vnic{dhcp(), fixed(static, static)}, first, true, readiness.SourceKubernetesNode, true, ""},
		{"the node stands for the DHCP NIC alone", []vnic{dhcp(), fixed(static)}, first, false, readiness.SourceNone, true, static},
		{"static without an address", []vnic{dhcp(first), fixed("", other)}, "", false, readiness.SourceNone, false, "must report its static address, but none is configured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, obs := build(c.nics...)
			spec.RequireStatic = true
			if c.node != "" {
				obs.Node = []string{c.node}
			}
			v := readiness.Evaluate(spec, obs)
			expect(t, "ready", v.Ready, c.ready)
			expect(t, "source", v.Source, c.source)
			expect(t, "needs node", v.NeedsNode, c.needsNode)
			if text := strings.Join(v.Missing, "\n"); !strings.Contains(text, c.missing) || (text == "") != (c.missing == "") {
				t.Errorf("missing: got %q, want %q", text, c.missing)
			}
			spec.Runs = false
			expect(t, "ready when stopped", readiness.Evaluate(spec, obs).Ready, true)
		})
	}
}

func TestEvaluate_ignoredNetworks(t *testing.T) {
	spec, obs := build(dhcp("172.17.0.1", first), fixed(static, static))
	spec.Ignored = []netip.Prefix{netip.MustParsePrefix("172.17.0.0/16")}
	v := readiness.Evaluate(spec, obs)
	expect(t, "ready by the other address", v.Ready, true)
	expectAddresses(t, "addresses", v.Addresses, first, static)

	spec.Ignored = append(spec.Ignored, netip.MustParsePrefix("10.255.0.0/16"))
	obs.Node = []string{other}
	v = readiness.Evaluate(spec, obs)
	expect(t, "ready with all ignored", v.Ready, false)
	expectAddresses(t, "addresses", v.Addresses)
	expect(t, "reason", v.NICs[0].Seen[1].Reason, readiness.ReasonIgnored)
	expect(t, "reason of the node's", v.Node[0].Reason, readiness.ReasonIgnored)

	// 240.0.0.0/4 counts, unless it is ignored on purpose.
	spec, obs = build(fixed(uplink, uplink))
	expect(t, "ready by the uplink", readiness.Evaluate(spec, obs).Ready, true)
	spec.Ignored = []netip.Prefix{netip.MustParsePrefix("240.0.0.0/4")}
	expect(t, "ready by the ignored uplink", readiness.Evaluate(spec, obs).Ready, false)
}

func TestEvaluate_reasons(t *testing.T) {
	seen := func(v readiness.Verdict, i int) []readiness.Seen { return v.NICs[i].Seen }
	check := func(what string, got []readiness.Seen, want ...readiness.Seen) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	spec, obs := build(
		dhcp("", "fe80::1", "junk", static, static, first, "127.0.0.1"), dhcp(first, "169.254.1.1"),
		fixed(static, other, static), vnic{kind: readiness.DHCP, idle: true, reports: []string{static}})
	obs.Node = []string{static + ",::1", first, third}
	v := readiness.Evaluate(spec, obs)
	check("DHCP", seen(v, 0),
		readiness.Seen{Address: "fe80::1", Reason: readiness.ReasonIPv6}, readiness.Seen{Address: "junk", Reason: readiness.ReasonUnparsable},
		readiness.Seen{Address: static, Reason: readiness.ReasonConfiguredStatic}, readiness.Seen{Address: first},
		readiness.Seen{Address: "127.0.0.1", Reason: readiness.ReasonLoopback})
	check("DHCP with another's", seen(v, 1),
		readiness.Seen{Address: first, Reason: readiness.ReasonDuplicate}, readiness.Seen{Address: "169.254.1.1", Reason: readiness.ReasonLinkLocal})
	check("static", seen(v, 2), readiness.Seen{Address: other}, readiness.Seen{Address: static})
	check("idle", seen(v, 3), readiness.Seen{Address: static})
	check("node", v.Node,
		readiness.Seen{Address: static, Reason: readiness.ReasonConfiguredStatic}, readiness.Seen{Address: "::1", Reason: readiness.ReasonIPv6},
		readiness.Seen{Address: first, Reason: readiness.ReasonReported}, readiness.Seen{Address: third, Reason: readiness.ReasonNoNICNeedsIt})

	spec.RequireStatic = true
	obs.NICs = slices.DeleteFunc(obs.NICs, func(n readiness.ReportedNIC) bool { return n.MAC == mac(0) || n.MAC == mac(1) })
	obs.NICs[slices.IndexFunc(obs.NICs, func(n readiness.ReportedNIC) bool { return n.MAC == mac(2) })].Addresses = []string{other}
	v = readiness.Evaluate(spec, obs)
	check("static that must show its own", seen(v, 2), readiness.Seen{Address: other, Reason: readiness.ReasonNotConfigured})
	check("node where several NICs have no address", v.Node[3:], readiness.Seen{Address: third, Reason: readiness.ReasonSeveralNICsNeedIt})

	spec, obs = build(dhcp(first))
	obs.Node = []string{third, "::1"}
	check("node that is not needed", readiness.Evaluate(spec, obs).Node,
		readiness.Seen{Address: third, Reason: readiness.ReasonNotNeeded}, readiness.Seen{Address: "::1", Reason: readiness.ReasonIPv6})
	spec, obs = build(dhcp())
	obs.Node = []string{third, other}
	check("second address of the node", readiness.Evaluate(spec, obs).Node,
		readiness.Seen{Address: third}, readiness.Seen{Address: other, Reason: readiness.ReasonNotNeeded})
}

func TestEvaluate_missing(t *testing.T) {
	nic0, nic1 := "NIC 0 ("+mac(0)+")", "NIC 1 ("+mac(1)+")"
	drop := func(obs *readiness.Observation) { obs.NICs = nil }
	for _, c := range []struct {
		name   string
		nics   []vnic
		node   []string
		change func(*readiness.Observation)
		want   []string
	}{
		{"nothing on a DHCP NIC", []vnic{dhcp(""), fixed(static)}, nil, nil, []string{nic0 + " reports no address from DHCP yet."}},
		{
			"only what does not count",
			[]vnic{dhcp("169.254.1.1", static), fixed(static)},
			[]string{static},
			nil,
			[]string{
				nic0 + " reports no address of its own, only 169.254.1.1 (" + readiness.ReasonLinkLocal.Explain() + "), " +
					static + " (" + readiness.ReasonConfiguredStatic.Explain() + ").",
				"The Kubernetes node's address " + static + " does not help: " + readiness.ReasonConfiguredStatic.Explain() + ".",
			},
		},
		{"the same twice", []vnic{dhcp(first), dhcp(first)}, nil, nil, []string{nic1 + " reports no address of its own, only " + first + " (" + readiness.ReasonDuplicate.Explain() + ")."}},
		{"not shown by Tower", []vnic{dhcp()}, nil, drop, []string{nic0 + " waits for an address from DHCP, but Tower does not show this NIC yet."}},
		{
			"disabled in Tower",
			[]vnic{dhcp()},
			nil,
			func(obs *readiness.Observation) { obs.NICs[0].Enabled = false },
			[]string{nic0 + " waits for an address from DHCP, but Tower shows it as disabled."},
		},
		{
			"more than the node can stand for",
			[]vnic{dhcp(), dhcp()},
			[]string{first},
			nil,
			[]string{
				nic0 + " reports no address from DHCP yet.", nic1 + " reports no address from DHCP yet.",
				"The Kubernetes node's address " + first + " does not help: " + readiness.ReasonSeveralNICsNeedIt.Explain() + ".",
			},
		},
		{"no static reported", []vnic{fixed(static), fixed(uplink)}, nil, nil, []string{"No NIC reports an address yet."}},
		{
			"no static that counts",
			[]vnic{fixed(static, "0.0.0.0")},
			[]string{"::1"},
			nil,
			[]string{"None of the reported addresses counts: 0.0.0.0 (" + readiness.ReasonUnspecified.Explain() + "), ::1 (" + readiness.ReasonIPv6.Explain() + ") from the Kubernetes node."},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, obs := build(c.nics...)
			obs.Node = c.node
			if c.change != nil {
				c.change(&obs)
			}
			v := readiness.Evaluate(spec, obs)
			if !slices.Equal(v.Missing, c.want) {
				t.Errorf("got %q,\nwant %q", v.Missing, c.want)
			}
		})
	}
	spec, obs := build(fixed(static))
	spec.RequireStatic = true
	drop(&obs)
	want := nic0 + " must report its static address " + static + ", but Tower does not show this NIC yet."
	if v := readiness.Evaluate(spec, obs); !slices.Contains(v.Missing, want) {
		t.Errorf("got %q, want %q among them", v.Missing, want)
	}
	obs.NICs = []readiness.ReportedNIC{{Enabled: true}}
	spec.NICs[0].MAC = ""
	want = "NIC 0 does not report its static address " + static + " yet."
	if v := readiness.Evaluate(spec, obs); !slices.Contains(v.Missing, want) {
		t.Errorf("got %q, want %q among them", v.Missing, want)
	}
}
