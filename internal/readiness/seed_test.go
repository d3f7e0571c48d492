// SPDX-License-Identifier: MPL-2.0

package readiness_test

import (
	"fmt"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

// look is one observation of a VM and the verdict expected on it.
type look struct {
	at      int              // in seconds after the VM's creation
	reports map[int][]string // by NIC
	node    string
	source  readiness.Source // none means not ready
	shown   map[int]string   // the NIC's addresses, if there are any
	flat    string
	def     string
}

// The cases were measured on real clusters: each look holds what Tower and Kubernetes showed at that time.
func TestEvaluate_measuredCases(t *testing.T) {
	const (
		notReady = readiness.SourceNone
		tower    = readiness.SourceTower
		node     = readiness.SourceKubernetesNode
		second   = "10.255.233.187"
	)
	type reports = map[int][]string
	type shown = map[int]string
	for _, c := range []struct {
		name    string
		nics    []vnic
		decides int // when it must become ready
		looks   []look
	}{
		{
			name: "ecp", nics: []vnic{dhcp(), fixed(uplink)}, decides: 78,
			looks: []look{
				{at: 1, source: notReady},
				{at: 40, reports: reports{0: {"169.254.7.7"}}, source: notReady},
				{at: 50, reports: reports{1: {uplink}}, source: notReady, shown: shown{1: uplink}, flat: uplink, def: uplink},
				{at: 55, reports: reports{0: {uplink}, 1: {uplink}}, source: notReady, shown: shown{0: uplink, 1: uplink}, flat: uplink, def: uplink},
				{at: 60, node: uplink, source: notReady, shown: shown{1: uplink}, flat: uplink, def: uplink},
				{at: 77, reports: reports{1: {uplink}}, node: "", source: notReady, shown: shown{1: uplink}, flat: uplink, def: uplink},
				{at: 78, node: first, source: node, shown: shown{0: first}, flat: first, def: first},
				{at: 79, reports: reports{1: {uplink}}, node: first, source: node, shown: shown{0: first, 1: uplink}, flat: first + " " + uplink, def: first},
				{at: 127, reports: reports{0: {first}, 1: {uplink}}, node: first, source: tower, shown: shown{0: first, 1: uplink}, flat: first + " " + uplink, def: first},
			},
		},
		{
			name: "single-dhcp", nics: []vnic{dhcp()}, decides: 74,
			looks: []look{
				{at: 1, source: notReady},
				{at: 73, reports: reports{0: {"fe80::5054:ff:fe00:1", "127.0.0.1"}}, source: notReady},
				{at: 74, node: first, source: node, shown: shown{0: first}, flat: first, def: first},
				{at: 139, reports: reports{0: {first}}, node: first, source: tower, shown: shown{0: first}, flat: first, def: first},
			},
		},
		{
			name: "double-dhcp", nics: []vnic{dhcp(), dhcp()}, decides: 150,
			looks: []look{
				{at: 1, source: notReady},
				{at: 81, node: first, source: notReady, flat: first, def: first},
				{at: 120, reports: reports{0: {first}}, node: first, source: notReady, shown: shown{0: first}, flat: first, def: first},
				{at: 130, reports: reports{1: {first}}, node: first, source: notReady, shown: shown{1: first}, flat: first, def: first},
				{at: 149, reports: reports{0: {first}, 1: {first}}, node: first, source: notReady, shown: shown{0: first, 1: first}, flat: first, def: first},
				{at: 150, reports: reports{0: {first}, 1: {other}}, node: first, source: tower, shown: shown{0: first, 1: other}, flat: first + " " + other, def: first},
				{at: 157, reports: reports{0: {first}, 1: {other}}, source: tower, shown: shown{0: first, 1: other}, flat: first + " " + other, def: first},
			},
		},
		{
			name: "single-static", nics: []vnic{fixed(static)}, decides: 112,
			looks: []look{
				{at: 1, source: notReady},
				{at: 111, reports: reports{0: {"169.254.1.1"}}, source: notReady},
				{at: 112, node: static, source: node, shown: shown{0: static}, flat: static, def: static},
				{at: 170, reports: reports{0: {static}}, node: static, source: tower, shown: shown{0: static}, flat: static, def: static},
			},
		},
		{
			name: "double-static", nics: []vnic{fixed(static), fixed(second)}, decides: 81,
			looks: []look{
				{at: 1, source: notReady},
				{at: 80, reports: reports{0: {""}, 1: {"0.0.0.0"}}, source: notReady},
				{at: 81, node: second, source: node, shown: shown{1: second}, flat: second, def: second},
				{at: 81, node: first, source: node, flat: first, def: first},
				{at: 140, reports: reports{0: {static}}, node: second, source: tower, shown: shown{0: static}, flat: static, def: static},
				{at: 141, reports: reports{0: {static}, 1: {second}}, source: tower, shown: shown{0: static, 1: second}, flat: static + " " + second, def: static},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, l := range c.looks {
				t.Run(fmt.Sprintf("at %d s", l.at), func(t *testing.T) {
					expect(t, "the look agrees with the measurement", l.source != notReady, l.at >= c.decides)
					l.check(t, c.nics)
				})
			}
		})
	}
}

func (l look) check(t *testing.T, nics []vnic) {
	t.Helper()
	spec, obs := build(nics...)
	for i := range obs.NICs {
		obs.NICs[i].Addresses = l.reports[obs.NICs[i].Order]
	}
	if l.node != "" {
		obs.Node = []string{l.node}
	}
	v := readiness.Evaluate(spec, obs)
	expect(t, "source", v.Source, l.source)
	expect(t, "ready", v.Ready, l.source != readiness.SourceNone)
	for i, n := range v.NICs {
		var got string
		for k, a := range n.Addresses {
			if k > 0 {
				got += " "
			}
			got += a.String()
		}
		expect(t, fmt.Sprintf("addresses of NIC %d", i), got, l.shown[i])
	}
	var flat string
	for k, a := range v.Addresses {
		if k > 0 {
			flat += " "
		}
		flat += a.String()
	}
	expect(t, "flat list", flat, l.flat)
	expect(t, "default address", v.Default, ip(l.def))
}
