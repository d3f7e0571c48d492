// SPDX-License-Identifier: MPL-2.0

package readiness_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

// outcome is the content of a cell of the table.
type outcome int

const (
	no outcome = iota
	yes
	never // the cell can't occur
)

// row is one line of the rule's table. For each of its VMs it has the outcome without a node, with a node that shows a
// configured static address, with one that shows a reported address, and with one that shows a new address.
type row struct {
	name                                      string
	vms                                       [][]vnic
	stopped                                   bool
	static                                    string // the configured static address that the node shows, if the row's VMs have one
	reported                                  string // the reported address that the node shows
	absent, nodeStatic, nodeReported, nodeNew outcome
	byTower                                   bool // the ready cells are ready by Tower's report alone
}

func table() []row {
	return []row{
		{
			name: "no NIC: there is none",
			vms:  [][]vnic{{}}, static: static, reported: first,
			absent: yes, nodeStatic: never, nodeReported: never, nodeNew: yes,
		},
		{
			name: "no NIC: NONE, disabled, not waiting",
			vms: [][]vnic{
				{{kind: readiness.None, reports: []string{first}}},
				{{kind: readiness.DHCP, off: true}},
				{{kind: readiness.DHCP, idle: true}, {kind: readiness.Static, address: static, idle: true, reports: []string{first}}},
				{{kind: readiness.None}, {kind: readiness.DHCP, off: true}, {kind: readiness.Static, address: static, idle: true}},
			},
			static: static, reported: first,
			absent: yes, nodeStatic: yes, nodeReported: yes, nodeNew: yes,
		},
		{
			name: "no NIC: STOPPED", stopped: true,
			vms:    [][]vnic{{dhcp()}, {fixed(static)}, {dhcp(first), dhcp(first)}, {dhcp(), fixed(static)}},
			static: static, reported: first,
			absent: yes, nodeStatic: yes, nodeReported: yes, nodeNew: yes,
		},
		{
			name: "static only, nothing reported",
			vms: [][]vnic{
				{fixed(static)},
				{fixed(static), fixed(uplink)},
				{fixed(static), {kind: readiness.DHCP, idle: true}, {kind: readiness.None}},
				{fixed(static, "169.254.3.4"), fixed(uplink, "fe80::1", "")},
			},
			static: static,
			absent: no, nodeStatic: yes, nodeReported: never, nodeNew: yes,
		},
		{
			name: "static only, one reports anything usable", byTower: true,
			vms: [][]vnic{
				{fixed(static, first)},
				{fixed(uplink, uplink, first), fixed(static)},
				{fixed(static), fixed(uplink, first)},
				{fixed(static), {kind: readiness.None, reports: []string{first}}},
				{fixed(static), {kind: readiness.DHCP, idle: true, reports: []string{first}}},
			},
			static: static, reported: first,
			absent: yes, nodeStatic: yes, nodeReported: yes, nodeNew: yes,
		},
		{
			name: "one DHCP, it reports nothing",
			vms: [][]vnic{
				{dhcp(), fixed(static)},
				{dhcp(), fixed(static, static, first)},
				{dhcp("169.254.9.9", "fe80::2"), fixed(static, first), fixed(uplink, uplink)},
				{dhcp(), {kind: readiness.DHCP, idle: true, reports: []string{first}}, {kind: readiness.Static, address: static, idle: true}},
			},
			static: static, reported: first,
			absent: no, nodeStatic: no, nodeReported: no, nodeNew: yes,
		},
		{
			name: "one DHCP, it reports a configured static",
			vms: [][]vnic{
				{dhcp(static), fixed(static)},
				{dhcp(uplink), fixed(uplink, uplink), fixed(static)},
				{dhcp(static), {kind: readiness.Static, address: static, idle: true}},
				{dhcp(static, uplink), fixed(static), fixed(uplink)},
			},
			static: static, reported: static,
			absent: no, nodeStatic: no, nodeReported: no, nodeNew: yes,
		},
		{
			name: "one DHCP, it reports its own", byTower: true,
			vms: [][]vnic{
				{dhcp(first)},
				{dhcp(first), fixed(static)},
				{dhcp(static, first), fixed(static, static), fixed(uplink)},
				{dhcp(first), {kind: readiness.DHCP, idle: true, reports: []string{first}}, fixed(uplink, uplink)},
			},
			static: static, reported: first,
			absent: yes, nodeStatic: yes, nodeReported: yes, nodeNew: yes,
		},
		{
			name: "two DHCP, none reports",
			vms: [][]vnic{
				{dhcp(), dhcp()},
				{dhcp(), dhcp(), fixed(static)},
				{dhcp(static), dhcp("127.0.0.1"), fixed(static, static)},
			},
			static: static,
			absent: no, nodeStatic: no, nodeReported: never, nodeNew: no,
		},
		{
			name: "two DHCP, one reports",
			vms: [][]vnic{
				{dhcp(first), dhcp()},
				{dhcp(first), dhcp(static), fixed(static)},
				{dhcp(first), dhcp("0.0.0.0"), fixed(static, static, first)},
			},
			static: static, reported: first,
			absent: no, nodeStatic: no, nodeReported: no, nodeNew: yes,
		},
		{
			name: "two DHCP, both report the same",
			vms: [][]vnic{
				{dhcp(first), dhcp(first)},
				{dhcp(first, static), dhcp(first), fixed(static)},
				{dhcp(first, "::ffff:"+first), dhcp(first + "/16"), fixed(static, static)},
			},
			static: static, reported: first,
			absent: no, nodeStatic: no, nodeReported: no, nodeNew: no,
		},
		{
			name: "two DHCP, both report different ones", byTower: true,
			vms: [][]vnic{
				{dhcp(first), dhcp(other)},
				{dhcp(first), dhcp(other), fixed(static)},
				{dhcp(first, other), dhcp(first), fixed(static, first)},
				{dhcp(first), dhcp(first, other)},
			},
			static: static, reported: first,
			absent: yes, nodeStatic: yes, nodeReported: yes, nodeNew: yes,
		},
	}
}

func TestEvaluate_table(t *testing.T) {
	for _, r := range table() {
		t.Run(r.name, func(t *testing.T) {
			checked := map[string]int{}
			for _, vm := range r.vms {
				permutations(vm, func(nics []vnic) { r.check(t, nics, checked) })
			}
			cells := 0
			for _, want := range []outcome{r.absent, r.nodeStatic, r.nodeReported, r.nodeNew} {
				if want != never {
					cells++
				}
			}
			expect(t, "cells checked", len(checked), cells)
		})
	}
}

func (r row) check(t *testing.T, nics []vnic, checked map[string]int) {
	t.Helper()
	spec, obs := build(nics...)
	spec.Runs = !r.stopped
	waits, hasStatic, isReported := false, false, false
	for i, n := range nics {
		waits = waits || spec.NICs[i].Waits
		hasStatic = hasStatic || n.address == r.static
		isReported = isReported || slices.Contains(n.reports, r.reported)
	}
	for _, c := range []struct {
		column string
		node   string
		want   outcome
		occurs bool
	}{
		{"node absent", "", r.absent, true},
		{"node = a configured static", r.static, r.nodeStatic, hasStatic},
		{"node = an address reported", r.reported, r.nodeReported, isReported},
		{"node new", third, r.nodeNew, true},
	} {
		if c.want == never || !c.occurs {
			continue
		}
		checked[c.column]++
		obs.Node = nil
		if c.node != "" {
			obs.Node = []string{c.node}
		}
		// Pairing by MAC and pairing by order must agree: the report has the order of the configuration.
		for _, known := range []bool{true, false} {
			judged := spec
			if !known {
				judged.NICs = nil
				for _, n := range spec.NICs {
					n.MAC = ""
					judged.NICs = append(judged.NICs, n)
				}
			}
			v := readiness.Evaluate(judged, obs)
			if v.Ready != (c.want == yes) {
				t.Errorf("%s, MACs known %v: got ready %v: %+v", c.column, known, v.Ready, nics)
			}
			if want := r.source(c.want, waits); v.Source != want {
				t.Errorf("%s: got source %q, want %q: %+v", c.column, v.Source, want, nics)
			}
			if v.Ready == (len(v.Missing) > 0) {
				t.Errorf("%s: ready %v with missing %q", c.column, v.Ready, v.Missing)
			}
			if want := waits && !r.stopped && !r.byTower; v.NeedsNode != want {
				t.Errorf("%s: got needs node %v, want %v: %+v", c.column, v.NeedsNode, want, nics)
			}
		}
	}
}

func (r row) source(want outcome, waits bool) readiness.Source {
	switch {
	case want == no || !waits || r.stopped:
		return readiness.SourceNone
	case r.byTower:
		return readiness.SourceTower
	}
	return readiness.SourceKubernetesNode
}

// If no NICs are configured, any address of any NIC will do, whatever its type.
func TestEvaluate_implicit(t *testing.T) {
	nic := func(order int, enabled bool, addresses ...string) readiness.ReportedNIC {
		return readiness.ReportedNIC{MAC: mac(order), Order: order, Enabled: enabled, Addresses: addresses}
	}
	for _, c := range []struct {
		name   string
		nics   []readiness.ReportedNIC
		node   []string
		ready  bool
		source readiness.Source
		waits  []bool
		flat   []string
	}{
		{name: "no NIC", ready: true, source: readiness.SourceNone},
		{name: "disabled ones only", nics: []readiness.ReportedNIC{nic(0, false)}, ready: true, source: readiness.SourceNone, waits: []bool{false}},
		{name: "nothing reported", nics: []readiness.ReportedNIC{nic(0, true), nic(1, false)}, source: readiness.SourceNone, waits: []bool{true, false}},
		{name: "link-local", nics: []readiness.ReportedNIC{nic(0, true, "169.254.1.1")}, source: readiness.SourceNone, waits: []bool{true}},
		{name: "the node", nics: []readiness.ReportedNIC{nic(0, true)}, node: []string{first}, ready: true, source: readiness.SourceKubernetesNode, waits: []bool{true}, flat: []string{first}},
		{name: "one of two", nics: []readiness.ReportedNIC{nic(1, true, first), nic(0, true)}, ready: true, source: readiness.SourceTower, waits: []bool{true, true}, flat: []string{first}},
		{name: "the same on both", nics: []readiness.ReportedNIC{nic(1, true, first), nic(0, true, first, other)}, ready: true, source: readiness.SourceTower, waits: []bool{true, true}, flat: []string{first, other}},
		{name: "a disabled one", nics: []readiness.ReportedNIC{nic(0, true), nic(1, false, first)}, ready: true, source: readiness.SourceTower, waits: []bool{true, false}, flat: []string{first}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := readiness.Evaluate(readiness.Spec{Implicit: true, Runs: true}, readiness.Observation{NICs: c.nics, Node: c.node})
			expect(t, "ready", v.Ready, c.ready)
			expect(t, "source", v.Source, c.source)
			expectAddresses(t, "addresses", v.Addresses, c.flat...)
			var waits []bool
			for i, n := range v.NICs {
				waits = append(waits, n.Waits)
				expect(t, "MAC", n.MAC, mac(i))
			}
			expect(t, "waits", fmt.Sprint(waits), fmt.Sprint(c.waits))
			expect(t, "a stopped VM is ready", readiness.Evaluate(readiness.Spec{Implicit: true}, readiness.Observation{NICs: c.nics}).Ready, true)
		})
	}
}
