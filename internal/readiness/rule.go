// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"net/netip"
	"slices"
)

// Evaluate applies the rule of this package to what was seen.
func Evaluate(spec Spec, obs Observation) Verdict {
	e := newEvaluation(spec, obs)
	addressed := e.judgeTower()
	v := Verdict{Source: SourceNone, NeedsNode: !addressed}
	switch {
	case !addressed:
		if addressed = e.judgeNode(obs.Node); addressed {
			v.Source = SourceKubernetesNode
		}
	case e.waiting:
		v.Source = SourceTower
	}
	if !v.NeedsNode {
		e.recordUnneededNode(obs.Node)
	}
	v.Ready = e.markSatisfied(addressed)
	if !v.Ready {
		v.Source = SourceNone
		v.Missing = e.missing()
	}
	e.placeNodeAddresses()
	v.NICs, v.Others, v.Node = verdicts(e.nics), verdicts(e.others), e.node
	v.Addresses = e.allAddresses()
	v.Default = e.defaultAddress(v.Addresses)
	return v
}

// nic is a configured NIC together with what Tower reports about it.
type nic struct {
	NIC
	index    int
	dhcp     bool // needs an address of its own by the first rule
	reported *ReportedNIC
	seen     []Seen       // in the order of the report
	parsed   []netip.Addr // one for each of seen; the zero Addr if it is unusable
	usable   []netip.Addr // the valid ones of parsed, without duplicates
	own      []netip.Addr // those of usable that no NIC of the VM has configured
	match    netip.Addr   // the one of own that stands for this NIC alone

	satisfied bool
	shown     []netip.Addr
	fromNode  bool
}

// evaluation carries one run of the rule.
type evaluation struct {
	spec    Spec
	nics    []*nic
	others  []*nic // the reported NICs that match no configured one
	statics []netip.Addr
	waiting bool // W is not empty and the VM is meant to run
	dhcp    bool // W has DHCP NICs

	node     []Seen
	nodeIPs  []netip.Addr // the usable ones
	filled   *nic         // the NIC that takes the node's address
	nodeOnly []netip.Addr // those of nodeIPs that no NIC shows
}

// judgeTower reports whether Tower's report alone satisfies the rule, RequireStatic apart.
func (e *evaluation) judgeTower() bool {
	if !e.waiting {
		return true
	}
	if !e.dhcp {
		return slices.ContainsFunc(e.all(), func(n *nic) bool { return len(n.usable) > 0 })
	}
	return e.matchAddresses()
}

// matchAddresses gives as many DHCP NICs as possible an address that no other DHCP NIC has, and reports whether each
// has one.
func (e *evaluation) matchAddresses() bool {
	holder := map[netip.Addr]*nic{}
	complete := true
	for _, n := range e.nics {
		if n.dhcp && !augment(n, holder, map[netip.Addr]bool{}) {
			complete = false
		}
	}
	for address, n := range holder {
		n.match = address
	}
	return complete
}

// augment finds an address for n, moving other NICs to another one of their own addresses if necessary. It reports
// whether it found one.
func augment(n *nic, holder map[netip.Addr]*nic, tried map[netip.Addr]bool) bool {
	for _, address := range n.own {
		if tried[address] {
			continue
		}
		tried[address] = true
		if held := holder[address]; held == nil || augment(held, holder, tried) {
			holder[address] = n
			return true
		}
	}
	return false
}

// judgeNode reports whether Tower's report together with the node's addresses satisfies the rule, RequireStatic apart.
func (e *evaluation) judgeNode(node []string) bool {
	var lacking []*nic
	for _, n := range e.nics {
		if n.dhcp && len(n.own) == 0 {
			lacking = append(lacking, n)
		}
	}
	for _, text := range splitReported(node) {
		address, reason := Usable(text, e.spec.Ignored)
		if reason == "" {
			e.nodeIPs = append(e.nodeIPs, address)
			if reason = e.nodeReason(address, len(lacking)); reason == "" && len(lacking) == 1 {
				e.filled = lacking[0]
				e.filled.match = address
			}
		}
		e.node = append(e.node, Seen{Address: text, Reason: reason})
	}
	if !e.dhcp {
		return len(e.nodeIPs) > 0
	}
	return !slices.ContainsFunc(e.nics, func(n *nic) bool { return n.dhcp && !n.match.IsValid() })
}

// nodeReason returns why a usable address of the node does not help, given how many DHCP NICs lack an address. It
// returns "" if the address helps.
func (e *evaluation) nodeReason(address netip.Addr, lacking int) Reason {
	switch {
	case !e.dhcp:
		return ""
	case slices.Contains(e.statics, address):
		return ReasonConfiguredStatic
	case slices.ContainsFunc(e.all(), func(n *nic) bool { return slices.Contains(n.usable, address) }):
		return ReasonReported
	case lacking == 0:
		return ReasonNoNICNeedsIt
	case lacking > 1:
		return ReasonSeveralNICsNeedIt
	case e.filled != nil:
		return ReasonNotNeeded
	}
	return ""
}

// recordUnneededNode records the node's addresses if the rule is satisfied without them.
func (e *evaluation) recordUnneededNode(node []string) {
	for _, text := range splitReported(node) {
		_, reason := Usable(text, e.spec.Ignored)
		if reason == "" {
			reason = ReasonNotNeeded
		}
		e.node = append(e.node, Seen{Address: text, Reason: reason})
	}
}

// markSatisfied marks each NIC that is satisfied and reports whether all are. Addressed says whether the VM has the
// addresses that the rule asks for, RequireStatic apart.
func (e *evaluation) markSatisfied(addressed bool) bool {
	ready := true
	for _, n := range e.nics {
		switch {
		case !e.waiting || !n.Waits:
			n.satisfied = true
		case n.dhcp:
			n.satisfied = n.match.IsValid()
		default:
			n.satisfied = (addressed || e.dhcp) && !e.lacksStatic(n)
		}
		ready = ready && n.satisfied
		e.explainUnused(n)
	}
	return ready
}

// lacksStatic reports whether n must report its configured address and does not.
func (e *evaluation) lacksStatic(n *nic) bool {
	return e.spec.RequireStatic && n.Waits && n.Type == Static && !slices.Contains(n.usable, n.Address)
}

// explainUnused records why usable addresses of n do not count for it.
func (e *evaluation) explainUnused(n *nic) {
	if !e.waiting || !n.Waits {
		return
	}
	for i, address := range n.parsed {
		switch {
		case !address.IsValid():
		case n.dhcp && !slices.Contains(n.own, address):
			n.seen[i].Reason = ReasonConfiguredStatic
		case n.dhcp && e.takenByAnother(n, address):
			n.seen[i].Reason = ReasonDuplicate
		case e.lacksStatic(n):
			n.seen[i].Reason = ReasonNotConfigured
		}
	}
}

// takenByAnother reports whether address stands for a NIC other than n.
func (e *evaluation) takenByAnother(n *nic, address netip.Addr) bool {
	return slices.ContainsFunc(e.nics, func(o *nic) bool { return o != n && o.match == address })
}

// all returns every NIC of the VM, configured or not.
func (e *evaluation) all() []*nic {
	return slices.Concat(e.nics, e.others)
}
