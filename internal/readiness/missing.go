// SPDX-License-Identifier: MPL-2.0

package readiness

import (
	"fmt"
	"strings"
)

// missing says what keeps the VM from being ready.
func (e *evaluation) missing() []string {
	var out []string
	if !e.dhcp && !e.anyAddress() {
		out = append(out, e.noAddress())
	}
	for _, n := range e.nics {
		switch {
		case n.satisfied:
		case n.dhcp:
			out = append(out, n.noLease())
		case e.lacksStatic(n):
			out = append(out, n.noStatic())
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

// noAddress is said of a VM that any address would make ready.
func (e *evaluation) noAddress() string {
	var seen []string
	for _, n := range e.all() {
		for _, s := range n.seen {
			seen = append(seen, s.String())
		}
	}
	for _, s := range e.node {
		seen = append(seen, s.String()+" of the Kubernetes node")
	}
	if len(seen) == 0 {
		return "No NIC reports an address yet."
	}
	return "No address counts of those seen: " + strings.Join(seen, ", ") + "."
}

// noLease is said of a DHCP NIC without an address of its own.
func (n *nic) noLease() string {
	switch {
	case n.reported == nil:
		return fmt.Sprintf("Tower does not show %s yet, which waits for an address from DHCP.", n)
	case len(n.seen) == 0 && !n.reported.Enabled:
		return fmt.Sprintf("Tower shows %s as disabled; it waits for an address from DHCP.", n)
	case len(n.seen) == 0:
		return fmt.Sprintf("No address from DHCP is reported on %s yet.", n)
	}
	return fmt.Sprintf("No address of its own is reported on %s: %s.", n, join(n.seen))
}

// noStatic is said of a static NIC that must report its configured address.
func (n *nic) noStatic() string {
	switch {
	case !n.Address.IsValid():
		return fmt.Sprintf("No static address is configured on %s, which is required to report one.", n)
	case n.reported == nil:
		return fmt.Sprintf("Tower does not show %s yet, which is required to report %s.", n, n.Address)
	case len(n.seen) == 0:
		return fmt.Sprintf("The required static address %s is not reported on %s yet.", n.Address, n)
	}
	return fmt.Sprintf("The required static address %s is not reported on %s, only %s.", n.Address, n, join(n.seen))
}

// String names the NIC for a person.
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
