// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"fmt"
	"strings"
)

// missing says what keeps the VM from being ready, in one sentence each.
func (e *evaluation) missing() []string {
	var out []string
	if !e.dhcp && !e.anyAddress() {
		out = append(out, e.explainNoAddress())
	}
	for _, n := range e.nics {
		switch {
		case n.satisfied:
		case n.dhcp:
			out = append(out, n.explainNoLease())
		case e.lacksStatic(n):
			out = append(out, n.explainNoStatic())
		}
	}
	if e.dhcp {
		for _, s := range e.node {
			if s.Reason != "" && s.Reason != ReasonNotNeeded {
				out = append(out, fmt.Sprintf("The Kubernetes node's address %s does not help: %s.", s.Address, s.Reason.Explain()))
			}
		}
	}
	return out
}

func (e *evaluation) anyAddress() bool {
	if len(e.nodeIPs) > 0 {
		return true
	}
	for _, n := range e.all() {
		if len(n.usable) > 0 {
			return true
		}
	}
	return false
}

// explainNoAddress is for a VM that any usable address would make ready.
func (e *evaluation) explainNoAddress() string {
	var seen []string
	for _, n := range e.all() {
		for _, s := range n.seen {
			seen = append(seen, s.String())
		}
	}
	for _, s := range e.node {
		seen = append(seen, s.String()+" from the Kubernetes node")
	}
	if len(seen) == 0 {
		return "No NIC reports an address yet."
	}
	return "None of the reported addresses counts: " + strings.Join(seen, ", ") + "."
}

// explainNoLease is for a DHCP NIC without an address of its own.
func (n *nic) explainNoLease() string {
	switch {
	case n.reported == nil:
		return fmt.Sprintf("%s waits for an address from DHCP, but Tower does not show this NIC yet.", n)
	case len(n.seen) == 0 && !n.reported.Enabled:
		return fmt.Sprintf("%s waits for an address from DHCP, but Tower shows it as disabled.", n)
	case len(n.seen) == 0:
		return fmt.Sprintf("%s reports no address from DHCP yet.", n)
	}
	return fmt.Sprintf("%s reports no address of its own, only %s.", n, join(n.seen))
}

// explainNoStatic is for a static NIC that must report its configured address.
func (n *nic) explainNoStatic() string {
	switch {
	case !n.Address.IsValid():
		return fmt.Sprintf("%s must report its static address, but none is configured.", n)
	case n.reported == nil:
		return fmt.Sprintf("%s must report its static address %s, but Tower does not show this NIC yet.", n, n.Address)
	case len(n.seen) == 0:
		return fmt.Sprintf("%s does not report its static address %s yet.", n, n.Address)
	}
	return fmt.Sprintf("%s does not report its static address %s, only %s.", n, n.Address, join(n.seen))
}

// String names the NIC in messages.
func (n *nic) String() string {
	if n.MAC == "" {
		return fmt.Sprintf("NIC %d", n.index)
	}
	return fmt.Sprintf("NIC %d (%s)", n.index, n.MAC)
}

func join(seen []Seen) string {
	parts := make([]string, 0, len(seen))
	for _, s := range seen {
		parts = append(parts, s.String())
	}
	return strings.Join(parts, ", ")
}
