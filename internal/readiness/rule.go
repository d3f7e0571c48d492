// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"net/netip"
	"slices"
)

// Evaluate applies the rule of this package to what was seen.
func Evaluate(spec Spec, obs Observation) Verdict {
	e := pair(spec, obs)
	ruled := e.judgeTower()
	v := Verdict{Source: SourceNone, NeedsNode: !ruled}
	switch {
	case !ruled:
		if ruled = e.judgeNode(obs.Node); ruled {
			v.Source = SourceKubernetesNode
		}
	case e.waiting:
		v.Source = SourceTower
	}
	if !v.NeedsNode {
		e.dismissNode(obs.Node)
	}
	v.Ready = e.settle(ruled)
	if !v.Ready {
		v.Source = SourceNone
		v.Missing = e.missing()
	}
	e.placeNode()
	v.NICs, v.Others, v.Node = verdicts(e.nics), verdicts(e.others), e.node
	v.Addresses = e.flat()
	v.Default = e.defaultAddress(v.Addresses)
	return v
}

// nic is a configured NIC together with what Tower reports of it.
type nic struct {
	NIC
	index    int
	dhcp     bool // needs an address of its own by the first rule
	reported *ReportedNIC
	seen     []Seen       // in the order of the report
	parsed   []netip.Addr // of seen, zero where unusable
	usable   []netip.Addr // of parsed, without duplicates
	own      []netip.Addr // of usable, those that are configured on no NIC of the VM
	match    netip.Addr   // the one of own that stands for this NIC alone

	satisfied bool
	shown     []netip.Addr
	fromNode  bool
}

// evaluation carries one run of the rule.
type evaluation struct {
	spec    Spec
	nics    []*nic
	others  []*nic // reported, but claimed by no configured NIC
	statics []netip.Addr
	waiting bool // W is not empty and the VM is meant to run
	dhcp    bool // W has DHCP NICs

	node     []Seen
	nodeIPs  []netip.Addr // the usable ones
	filled   *nic         // the NIC that takes the node's address
	nodeOnly []netip.Addr // those shown on no NIC
}

// judgeTower applies the rule to Tower's report alone.
func (e *evaluation) judgeTower() bool {
	if !e.waiting {
		return true
	}
	if !e.dhcp {
		return slices.ContainsFunc(e.all(), func(n *nic) bool { return len(n.usable) > 0 })
	}
	return e.matchAll()
}

// matchAll gives as many DHCP NICs as possible an address that no other one has, and tells whether each has one.
func (e *evaluation) matchAll() bool {
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

// augment finds n an address, making others move to another one of theirs where they can.
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

// judgeNode applies the rule again with the node's addresses.
func (e *evaluation) judgeNode(node []string) bool {
	var lacking []*nic
	for _, n := range e.nics {
		if n.dhcp && len(n.own) == 0 {
			lacking = append(lacking, n)
		}
	}
	for _, text := range texts(node) {
		address, reason := Usable(text, e.spec.Ignored)
		if reason == "" {
			e.nodeIPs = append(e.nodeIPs, address)
			if reason = e.unfit(address, len(lacking)); reason == "" && len(lacking) == 1 {
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

// unfit tells why a usable address of the node does not help.
func (e *evaluation) unfit(address netip.Addr, lacking int) Reason {
	switch {
	case !e.dhcp:
		return ""
	case slices.Contains(e.statics, address):
		return ReasonConfiguredStatic
	case slices.ContainsFunc(e.all(), func(n *nic) bool { return slices.Contains(n.usable, address) }):
		return ReasonReported
	case lacking == 0:
		return ReasonNothingLacks
	case lacking > 1:
		return ReasonSeveralLack
	case e.filled != nil:
		return ReasonNotNeeded
	}
	return ""
}

// dismissNode records the node's addresses where the rule is satisfied without them.
func (e *evaluation) dismissNode(node []string) {
	for _, text := range texts(node) {
		_, reason := Usable(text, e.spec.Ignored)
		if reason == "" {
			reason = ReasonNotNeeded
		}
		e.node = append(e.node, Seen{Address: text, Reason: reason})
	}
}

// settle marks each NIC that is satisfied, and tells whether all are.
func (e *evaluation) settle(ruled bool) bool {
	ready := true
	for _, n := range e.nics {
		switch {
		case !e.waiting || !n.Waits:
			n.satisfied = true
		case n.dhcp:
			n.satisfied = n.match.IsValid()
		default:
			n.satisfied = (ruled || e.dhcp) && !e.lacksStatic(n)
		}
		ready = ready && n.satisfied
		e.refuse(n)
	}
	return ready
}

// lacksStatic tells whether n must report its configured address and does not.
func (e *evaluation) lacksStatic(n *nic) bool {
	return e.spec.RequireStatic && n.Waits && n.Type == Static && !slices.Contains(n.usable, n.Address)
}

// refuse records why usable addresses of n do not count for it.
func (e *evaluation) refuse(n *nic) {
	if !e.waiting || !n.Waits {
		return
	}
	for i, address := range n.parsed {
		switch {
		case !address.IsValid():
		case n.dhcp && !slices.Contains(n.own, address):
			n.seen[i].Reason = ReasonConfiguredStatic
		case n.dhcp && e.takenFrom(n, address):
			n.seen[i].Reason = ReasonDuplicate
		case e.lacksStatic(n):
			n.seen[i].Reason = ReasonNotConfigured
		}
	}
}

// takenFrom tells whether address stands for another NIC than n.
func (e *evaluation) takenFrom(n *nic, address netip.Addr) bool {
	return slices.ContainsFunc(e.nics, func(o *nic) bool { return o != n && o.match == address })
}

// all returns every NIC of the VM, configured or not.
func (e *evaluation) all() []*nic {
	return slices.Concat(e.nics, e.others)
}
