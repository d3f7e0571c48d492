// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// newEvaluation pairs the configured NICs with the reported ones and parses the reports.
func newEvaluation(spec Spec, obs Observation) *evaluation {
	e := &evaluation{spec: spec}
	reported := sorted(obs.NICs)
	if spec.Implicit {
		for i := range reported {
			r := &reported[i]
			e.nics = append(e.nics, &nic{NIC: NIC{MAC: r.MAC, Enabled: r.Enabled, Waits: r.Enabled}, index: i, reported: r})
		}
	} else {
		e.pairNICs(reported)
	}
	for _, n := range e.nics {
		n.Address = n.Address.Unmap()
		if n.Address.IsValid() {
			e.statics = append(e.statics, n.Address)
		}
		e.waiting = e.waiting || spec.Runs && n.Waits
	}
	for _, n := range e.all() {
		n.dhcp = e.waiting && n.Waits && n.Type == DHCP
		e.dhcp = e.dhcp || n.dhcp
		e.readReport(n)
	}
	return e
}

// pairNICs gives each configured NIC its reported one: by MAC if that is known, the rest by Order.
func (e *evaluation) pairNICs(reported []ReportedNIC) {
	claimed := make([]bool, len(reported))
	for i := range e.spec.NICs {
		n := &nic{NIC: e.spec.NICs[i], index: i}
		n.MAC = strings.TrimSpace(n.MAC)
		e.nics = append(e.nics, n)
		if n.MAC == "" {
			continue
		}
		for k := range reported {
			if !claimed[k] && sameMAC(reported[k].MAC, n.MAC) {
				claimed[k], n.reported = true, &reported[k]
				break
			}
		}
	}
	next := 0
	for _, n := range e.nics {
		if n.MAC != "" {
			continue
		}
		for next < len(reported) && claimed[next] {
			next++
		}
		if next == len(reported) {
			break
		}
		claimed[next], n.reported = true, &reported[next]
		n.MAC = reported[next].MAC
	}
	for k := range reported {
		if !claimed[k] {
			r := &reported[k]
			e.others = append(e.others, &nic{NIC: NIC{MAC: r.MAC, Enabled: r.Enabled}, index: k, reported: r, satisfied: true})
		}
	}
}

// sorted returns the reported NICs by Order. Ties are broken by the content of the NICs, so that the order of Tower's
// reply never matters.
func sorted(reported []ReportedNIC) []ReportedNIC {
	out := slices.Clone(reported)
	for i := range out {
		out[i].MAC = strings.TrimSpace(out[i].MAC)
	}
	slices.SortStableFunc(out, func(a, b ReportedNIC) int {
		return cmp.Or(
			cmp.Compare(a.Order, b.Order),
			cmp.Compare(canonicalMAC(a.MAC), canonicalMAC(b.MAC)),
			slices.Compare(a.Addresses, b.Addresses),
		)
	})
	return out
}

func sameMAC(a, b string) bool {
	return canonicalMAC(a) == canonicalMAC(b)
}

func canonicalMAC(mac string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(mac)), "-", ":")
}

// readReport parses the addresses that Tower reports on n.
func (e *evaluation) readReport(n *nic) {
	if n.reported == nil {
		return
	}
	for _, text := range splitReported(n.reported.Addresses) {
		address, reason := Usable(text, e.spec.Ignored)
		n.seen = append(n.seen, Seen{Address: text, Reason: reason})
		if reason != "" {
			address = netip.Addr{}
		}
		n.parsed = append(n.parsed, address)
		if reason != "" || slices.Contains(n.usable, address) {
			continue
		}
		n.usable = append(n.usable, address)
		if !slices.Contains(e.statics, address) {
			n.own = append(n.own, address)
		}
	}
	n.shown = slices.Clone(n.usable)
}
