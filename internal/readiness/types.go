// SPDX-License-Identifier: MPL-2.0

// Package readiness decides when the network of a VM is ready. It is pure: it takes what is wanted and what was seen,
// and returns a verdict.
//
// The NICs that wait are W. A usable address is an IPv4 address that Usable lets through.
//
//  1. If W has DHCP NICs, each of them must have a usable address of its own that is not a configured static address
//     of the VM, and all of these must differ. A NIC that has none may take the address of the VM's Kubernetes node,
//     if that address is usable, is not a configured static address and is reported on no NIC. At most one NIC takes
//     it.
//  2. If W has none, any usable address of any NIC of the VM will do, or the node's.
//  3. If W is empty or the VM is not meant to run, the VM is ready at once.
//
// In addition to the first two, each static NIC of W may be required to report its own configured address.
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
	// MAC pairs the NIC with a reported one, in upper or lower case. NICs without a MAC are paired, by Order, with
	// the reported NICs that no MAC has claimed.
	MAC string
	// Type is the NIC's network type.
	Type NetworkType
	// Address is the configured static address, or the zero Addr if there is none.
	Address netip.Addr
	// Enabled is false for a NIC that the configuration disconnects. The rule itself looks at Waits alone.
	Enabled bool
	// Waits is true for a member of W.
	Waits bool
	// DefaultRoute marks the NIC that gives the VM its default address.
	DefaultRoute bool
}

// Spec is what is wanted of a VM.
type Spec struct {
	// NICs are the configured NICs in their order. They are ignored if Implicit is set.
	NICs []NIC
	// Implicit means that no NICs are configured: W is then the enabled reported NICs, judged by the second rule.
	Implicit bool
	// Runs is true for a VM that is meant to run.
	Runs bool
	// RequireStatic demands that Tower reports the configured address of each static NIC of W on that NIC.
	RequireStatic bool
	// Ignored are networks whose addresses never count.
	Ignored []netip.Prefix
}

// ReportedNIC is one NIC of the VM as Tower reports it since the last power-on.
type ReportedNIC struct {
	MAC     string
	Order   int
	Enabled bool
	// Addresses may hold blanks, lists and garbage; the verdict says which of them do not count.
	Addresses []string
}

// Observation is what was seen of a VM at one time. The VM must exist: an observation without NICs is taken for a VM
// without NICs, which has nothing to wait for.
type Observation struct {
	// NICs are the VM's own NICs, in any order.
	NICs []ReportedNIC
	// Node holds the InternalIPs of the VM's Kubernetes node. They count, and are shown, only while Tower's report
	// alone does not satisfy the rule.
	Node []string
}

// Source says whose addresses made a VM ready.
type Source string

// The sources of a verdict.
const (
	SourceTower          Source = "tower"           // Tower's report alone
	SourceKubernetesNode Source = "kubernetes_node" // the node's address was needed
	SourceNone           Source = "none"            // nothing to wait for, or not ready
)

// Seen is an address as it was reported.
type Seen struct {
	// Address is the reported text.
	Address string
	// Reason says why the address does not count; it is empty if it does.
	Reason Reason
}

// String returns the address, followed by the reason if it does not count.
func (s Seen) String() string {
	if s.Reason == "" {
		return s.Address
	}
	return s.Address + " (" + s.Reason.Explain() + ")"
}

// NICVerdict is the verdict on one NIC.
type NICVerdict struct {
	// MAC is the configured MAC address, or the reported one if none is configured.
	MAC string
	// Reported is true if Tower shows the NIC.
	Reported bool
	// Waits is true for a member of W.
	Waits bool
	// Satisfied is true if nothing is missing on this NIC. The VM is ready when all of its NICs are satisfied.
	Satisfied bool
	// Addresses are the NIC's usable addresses as reported, then the node's if that is shown on this NIC.
	Addresses []netip.Addr
	// FromNode is true if the last of Addresses is known from the Kubernetes node alone.
	FromNode bool
	// Seen is everything reported on the NIC.
	Seen []Seen
}

// Verdict is the result of applying the rule to an observation.
type Verdict struct {
	// Ready is true if the rule is satisfied.
	Ready bool
	// Source says whose addresses satisfied it.
	Source Source
	// NeedsNode is true if Tower's report alone does not satisfy the rule, so that asking Kubernetes may help. It is
	// false if all that is missing is a static address that Tower itself must report.
	NeedsNode bool
	// NICs are in the order of Spec.NICs; with Spec.Implicit they are the reported NICs by Order.
	NICs []NICVerdict
	// Others are the reported NICs that match no configured NIC, by Order.
	Others []NICVerdict
	// Addresses are the addresses of NICs, then of Others, then those of the node that no NIC shows, without
	// duplicates.
	Addresses []netip.Addr
	// Default is the address to reach the VM at: that of the default route's NIC, else of the first DHCP NIC that has
	// one, else of the first static NIC that has one, else the first of Addresses. It is the zero Addr if there is
	// none.
	Default netip.Addr
	// Node is everything that the node shows.
	Node []Seen
	// Missing says what keeps the VM from being ready, in one sentence each. It is empty if Ready is true.
	Missing []string
}
