// SPDX-License-Identifier: MPL-2.0

// Package readiness decides when the network of a VM is ready. It is pure: what is wanted and what was seen go in, a
// verdict comes out.
//
// The NICs that wait are W. A usable address is an IPv4 address that Usable lets through.
//
//  1. Where W has DHCP NICs, each of them must have a usable address of its own that is no configured static address
//     of the VM, all different. One that has none may take the address of the VM's Kubernetes node, if that is
//     usable, no configured static address, and reported on no NIC. At most one NIC is filled so.
//  2. Where W has none, any usable address of any NIC of the VM will do, or the node's.
//  3. Where W is empty or the VM is not meant to run, it is ready at once.
//
// On top of the first two, each static NIC of W may be required to report its own configured address.
package readiness

import "net/netip"

// NetworkType says where a NIC's address comes from.
type NetworkType string

// The network types of a NIC.
const (
	DHCP   NetworkType = "IPV4_DHCP"
	Static NetworkType = "IPV4"
	None   NetworkType = "NONE"
)

// NIC is one NIC as it is configured.
type NIC struct {
	// MAC pairs the NIC with a reported one, in either case. A NIC without is paired, by Order, with the reported
	// NICs that no MAC claims.
	MAC string
	// Type is the NIC's network type.
	Type NetworkType
	// Address is the configured static address, the zero Addr if there is none.
	Address netip.Addr
	// Enabled is false for a NIC that is unplugged by configuration. The rule itself looks at Waits alone.
	Enabled bool
	// Waits tells whether the NIC is a member of W.
	Waits bool
	// DefaultRoute marks the NIC that gives the VM its default address.
	DefaultRoute bool
}

// Spec is what is wanted of a VM.
type Spec struct {
	// NICs are the configured NICs in their order. They are not looked at where Implicit is set.
	NICs []NIC
	// Implicit means that no NICs are configured: W is then the enabled reported NICs, judged by the second rule.
	Implicit bool
	// Runs tells whether the VM is meant to run.
	Runs bool
	// RequireStatic demands of each static NIC of W that Tower reports its configured address on it.
	RequireStatic bool
	// Ignored are networks whose addresses never count.
	Ignored []netip.Prefix
}

// ReportedNIC is one NIC of the VM as Tower reports it since the last power-on.
type ReportedNIC struct {
	MAC     string
	Order   int
	Enabled bool
	// Addresses may hold blanks, lists and garbage; what does not count is told in the verdict.
	Addresses []string
}

// Observation is what was seen of a VM at one time. It must be of a VM that exists: a VM without NICs has nothing to
// wait for.
type Observation struct {
	// NICs are the VM's own NICs, in any order.
	NICs []ReportedNIC
	// Node holds the InternalIPs of the VM's Kubernetes node. They count, and are shown, only where Tower's report
	// alone does not satisfy the rule.
	Node []string
}

// Source tells whose addresses made a VM ready.
type Source string

// The sources of a verdict.
const (
	SourceTower          Source = "tower"           // Tower's report alone
	SourceKubernetesNode Source = "kubernetes_node" // the node's address was needed
	SourceNone           Source = "none"            // nothing to wait for, or not ready
)

// Seen is an address as it was reported.
type Seen struct {
	// Address is the text of the report.
	Address string
	// Reason is why it does not count, empty if it does.
	Reason Reason
}

// String returns the address, followed by why it does not count.
func (s Seen) String() string {
	if s.Reason == "" {
		return s.Address
	}
	return s.Address + " (" + s.Reason.Explain() + ")"
}

// NICVerdict is the verdict on one NIC.
type NICVerdict struct {
	// MAC is the configured one, else the reported one.
	MAC string
	// Reported tells whether Tower shows the NIC.
	Reported bool
	// Waits tells whether the NIC is a member of W.
	Waits bool
	// Satisfied tells that nothing is missing on this NIC. The VM is ready when all of its NICs are satisfied.
	Satisfied bool
	// Addresses are the NIC's usable addresses as reported, then the node's where that is shown on this NIC.
	Addresses []netip.Addr
	// FromNode tells that the last of Addresses is known from the Kubernetes node alone.
	FromNode bool
	// Seen is everything reported on the NIC.
	Seen []Seen
}

// Verdict is what the rule makes of an observation.
type Verdict struct {
	// Ready tells whether the rule is satisfied.
	Ready bool
	// Source tells whose addresses satisfied it.
	Source Source
	// NeedsNode tells that Tower's report alone does not satisfy the rule, so asking Kubernetes may help. It is false
	// where only a static address is missing that Tower itself must report.
	NeedsNode bool
	// NICs are in the order of Spec.NICs; where that is Implicit, the reported NICs by Order.
	NICs []NICVerdict
	// Others are the reported NICs that no configured NIC claims, by Order.
	Others []NICVerdict
	// Addresses are those of NICs, then of Others, then the node's that are shown on none; no duplicates.
	Addresses []netip.Addr
	// Default is the address to reach the VM at, the zero Addr if there is none: of the default route's NIC, else of
	// the first DHCP NIC that has one, else of the first such static NIC, else the first of Addresses.
	Default netip.Addr
	// Node is everything the node shows.
	Node []Seen
	// Missing says what the VM is not ready for, one sentence each. It is empty when Ready.
	Missing []string
}
