// SPDX-License-Identifier: MPL-2.0

package readiness_test

import (
	"fmt"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

func TestEvaluate_whatIsShown(t *testing.T) {
	idle := func(n vnic) vnic { n.idle = true; return n }
	route := func(n vnic) vnic { n.route = true; return n }
	for _, c := range []struct {
		name     string
		nics     []vnic
		node     []string
		shown    [][]string
		fromNode int // the NIC that shows the node's, -1 for none
		flat     []string
		def      string
	}{
		{"nothing", []vnic{dhcp(), fixed(static)}, nil, [][]string{nil, nil}, -1, nil, ""},
		{
			"usable ones only, in NIC order, no duplicates",
			[]vnic{fixed(static, "fe80::1", static, "127.0.0.1"), dhcp(other, first, other), {kind: readiness.None, reports: []string{first, third}}},
			nil,
			[][]string{{static}, {other, first}, {first, third}},
			-1,
			[]string{static, other, first, third},
			other,
		},
		{"the node on the NIC it is configured for", []vnic{dhcp(), fixed(static), fixed(uplink)}, []string{uplink}, [][]string{nil, nil, {uplink}}, 2, []string{uplink}, uplink},
		{"the node on an idle NIC it is configured for", []vnic{dhcp(), idle(fixed(static))}, []string{static}, [][]string{nil, {static}}, 1, []string{static}, static},
		{"the node on the only DHCP NIC that has none", []vnic{dhcp(first), fixed(static, static), dhcp()}, []string{third}, [][]string{{first}, {static}, {third}}, 2, []string{first, static, third}, first},
		{"the node behind what does not count", []vnic{dhcp(static), fixed(static)}, []string{third}, [][]string{{static, third}, nil}, 0, []string{static, third}, third},
		{"the node nowhere: two lack one", []vnic{dhcp(), fixed(static, static), dhcp()}, []string{third}, [][]string{nil, {static}, nil}, -1, []string{static, third}, static},
		{"the node nowhere: none lacks one", []vnic{dhcp(first), dhcp(first)}, []string{third}, [][]string{{first}, {first}}, -1, []string{first, third}, first},
		{"the node nowhere: static only", []vnic{fixed(static), fixed(uplink)}, []string{third}, [][]string{nil, nil}, -1, []string{third}, third},
		{"the node nowhere: the DHCP NIC is idle", []vnic{fixed(static), idle(dhcp())}, []string{third}, [][]string{nil, nil}, -1, []string{third}, third},
		{"the node's unusable ones nowhere", []vnic{dhcp()}, []string{"fe80::1", "127.0.0.1", "x"}, [][]string{nil}, -1, nil, ""},
		{"the node's second one", []vnic{dhcp()}, []string{third, other}, [][]string{{third}}, 0, []string{third, other}, third},
		{"the node's reported one", []vnic{dhcp(), fixed(static, third)}, []string{third}, [][]string{nil, {third}}, -1, []string{third}, third},
		{"the node's on the NIC that reports it", []vnic{dhcp(), fixed(static, static)}, []string{static}, [][]string{nil, {static}}, -1, []string{static}, static},
		{"the node's where Tower says enough", []vnic{dhcp(first)}, []string{third}, [][]string{{first}}, -1, []string{first}, first},
		{"the node's where nothing waits", []vnic{idle(dhcp())}, []string{third}, [][]string{nil}, -1, nil, ""},

		{"default: the default route's NIC", []vnic{dhcp(first), route(dhcp(other))}, nil, [][]string{{first}, {other}}, -1, []string{first, other}, other},
		{"default: the default route's NIC, static", []vnic{dhcp(first), route(fixed(static, static))}, nil, [][]string{{first}, {static}}, -1, []string{first, static}, static},
		{"default: the default route's NIC has none", []vnic{fixed(static, static), dhcp(first), route(dhcp())}, nil, [][]string{{static}, {first}, nil}, -1, []string{static, first}, first},
		{"default: DHCP before static", []vnic{fixed(static, static), dhcp(first)}, nil, [][]string{{static}, {first}}, -1, []string{static, first}, first},
		{"default: the first DHCP NIC that has one", []vnic{fixed(static, static), dhcp(), dhcp(first)}, nil, [][]string{{static}, nil, {first}}, -1, []string{static, first}, first},
		{"default: no static address of a DHCP NIC", []vnic{fixed(static), dhcp(static, first)}, nil, [][]string{nil, {static, first}}, -1, []string{static, first}, first},
		{"default: the address that the NIC has alone", []vnic{dhcp(first, other), dhcp(first)}, nil, [][]string{{first, other}, {first}}, -1, []string{first, other}, other},
		{"default: a static NIC's own before others", []vnic{fixed(static, third, static)}, nil, [][]string{{third, static}}, -1, []string{third, static}, static},
		{"default: static before none", []vnic{{kind: readiness.None, reports: []string{first}}, fixed(static, other)}, nil, [][]string{{first}, {other}}, -1, []string{first, other}, other},
		{"default: the first there is", []vnic{{kind: readiness.None, reports: []string{first}}, {kind: readiness.None, reports: []string{other}}}, nil, [][]string{{first}, {other}}, -1, []string{first, other}, first},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, obs := build(c.nics...)
			obs.Node = c.node
			v := readiness.Evaluate(spec, obs)
			for i, n := range v.NICs {
				expectAddresses(t, fmt.Sprintf("NIC %d", i), n.Addresses, c.shown[i]...)
				expect(t, fmt.Sprintf("NIC %d from the node", i), n.FromNode, i == c.fromNode)
				expect(t, fmt.Sprintf("NIC %d reported", i), n.Reported, true)
				expect(t, fmt.Sprintf("NIC %d waits", i), n.Waits, spec.NICs[i].Waits)
			}
			expectAddresses(t, "flat list", v.Addresses, c.flat...)
			expect(t, "default address", v.Default, ip(c.def))
		})
	}
}

func TestEvaluate_pairing(t *testing.T) {
	nic := func(mac string) readiness.NIC {
		return readiness.NIC{MAC: mac, Type: readiness.DHCP, Enabled: true, Waits: true}
	}
	reported := func(mac string, order int, addresses ...string) readiness.ReportedNIC {
		return readiness.ReportedNIC{MAC: mac, Order: order, Enabled: true, Addresses: addresses}
	}
	for _, c := range []struct {
		name     string
		nics     []readiness.NIC
		reported []readiness.ReportedNIC
		macs     []string
		shown    []string
		unseen   []int
		others   []string
		flat     []string
	}{
		{
			name: "by MAC, whatever its spelling and the order",
			nics: []readiness.NIC{nic("52:54:00:AA:00:01"), nic("52-54-00-aa-00-02")},
			reported: []readiness.ReportedNIC{
				reported("52:54:00:aa:00:02", 0, other), reported(" 52:54:00:aa:00:01 ", 1, first),
			},
			macs: []string{"52:54:00:AA:00:01", "52-54-00-aa-00-02"}, shown: []string{first, other}, flat: []string{first, other},
		},
		{
			name:     "by order where no MAC is known",
			nics:     []readiness.NIC{nic(""), nic("")},
			reported: []readiness.ReportedNIC{reported("b", 7, other), reported("a", 3, first)},
			macs:     []string{"a", "b"}, shown: []string{first, other}, flat: []string{first, other},
		},
		{
			name:     "known MACs first, the rest by order",
			nics:     []readiness.NIC{nic(""), nic("a"), nic("")},
			reported: []readiness.ReportedNIC{reported("a", 0, first), reported("b", 1, other), reported("c", 2, third)},
			macs:     []string{"b", "a", "c"}, shown: []string{other, first, third}, flat: []string{other, first, third},
		},
		{
			name:     "a known MAC that Tower does not show takes no other NIC",
			nics:     []readiness.NIC{nic("a")},
			reported: []readiness.ReportedNIC{reported("b", 0, first)},
			macs:     []string{"a"}, shown: []string{""}, unseen: []int{0}, others: []string{"b"}, flat: []string{first},
		},
		{
			name:     "more NICs than are reported",
			nics:     []readiness.NIC{nic(""), nic("")},
			reported: []readiness.ReportedNIC{reported("a", 1, first)},
			macs:     []string{"a", ""}, shown: []string{first, ""}, unseen: []int{1}, flat: []string{first},
		},
		{
			name:     "unclaimed ones come last, by order",
			nics:     []readiness.NIC{nic("b")},
			reported: []readiness.ReportedNIC{reported("c", 2, third, other), reported("b", 1, other), reported("a", 0, first)},
			macs:     []string{"b"}, shown: []string{other}, others: []string{"a", "c"}, flat: []string{other, first, third},
		},
		{
			name:     "one MAC twice is claimed once",
			nics:     []readiness.NIC{nic("a"), nic("a")},
			reported: []readiness.ReportedNIC{reported("a", 0, first)},
			macs:     []string{"a", "a"}, shown: []string{first, ""}, unseen: []int{1}, flat: []string{first},
		},
		{
			name:     "without a MAC in the report",
			nics:     []readiness.NIC{nic("a"), nic("")},
			reported: []readiness.ReportedNIC{reported("", 1, first), reported("A", 0, other)},
			macs:     []string{"a", ""}, shown: []string{other, first}, flat: []string{other, first},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			permutations(c.reported, func(order []readiness.ReportedNIC) {
				v := readiness.Evaluate(readiness.Spec{NICs: c.nics, Runs: true}, readiness.Observation{NICs: order})
				for i, n := range v.NICs {
					expect(t, "MAC", n.MAC, c.macs[i])
					unseen := false
					for _, k := range c.unseen {
						unseen = unseen || k == i
					}
					expect(t, "reported", n.Reported, !unseen)
					if c.shown[i] == "" {
						expectAddresses(t, "shown", n.Addresses)
					} else {
						expectAddresses(t, "shown", n.Addresses, c.shown[i])
					}
				}
				var others []string
				for _, n := range v.Others {
					others = append(others, n.MAC)
				}
				expect(t, "others", fmt.Sprint(others), fmt.Sprint(c.others))
				expectAddresses(t, "flat list", v.Addresses, c.flat...)
			})
		})
	}
}

// A NIC that the configuration does not have is still the VM's own: its address counts if any address will do, but
// not for a DHCP NIC.
func TestEvaluate_unclaimedNICs(t *testing.T) {
	extra := readiness.ReportedNIC{MAC: "ff", Order: 9, Enabled: true, Addresses: []string{first}}
	spec, obs := build(fixed(static))
	obs.NICs = append(obs.NICs, extra)
	expect(t, "static only", readiness.Evaluate(spec, obs).Source, readiness.SourceTower)
	spec, obs = build(dhcp())
	obs.NICs = append(obs.NICs, extra)
	expect(t, "one DHCP", readiness.Evaluate(spec, obs).Ready, false)
	obs.Node = []string{first}
	expect(t, "one DHCP, the node reported there", readiness.Evaluate(spec, obs).Ready, false)
	obs.Node = []string{other}
	expect(t, "one DHCP, the node new", readiness.Evaluate(spec, obs).Ready, true)
}

// Evaluate changes neither the spec nor the observation.
func TestEvaluate_leavesItsInputAlone(t *testing.T) {
	spec, obs := build(dhcp(" "+first+" ", static), fixed(static, static))
	obs.Node = []string{third}
	before := fmt.Sprintf("%+v %+v", spec, obs)
	v := readiness.Evaluate(spec, obs)
	v.NICs[0].Addresses[0] = ip(other)
	v.NICs[0].Seen[0].Address = "changed"
	expect(t, "input", fmt.Sprintf("%+v %+v", spec, obs), before)
}
