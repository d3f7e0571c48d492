// SPDX-License-Identifier: MPL-2.0

package network

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// nodeLookTimeout is how long a refresh may ask Kubernetes. It is short, because a
// refresh does not wait for addresses.
const nodeLookTimeout = 3 * time.Second

// Refreshed is what a refresh has read from Tower, and what is in the state.
type Refreshed struct {
	VM       *tower.VM
	NICs     []tower.VMNIC
	Rule     readiness.Spec
	Settings Settings
	// Addresses and Report are ip_addresses and network_readiness_report of the
	// state.
	Addresses []string
	Report    types.Object
}

// Refresh finds the addresses that a VM has now. If the network became ready by the
// address of the Kubernetes node, and Tower's report alone is still not enough, it
// looks up the node again. If that fails, it keeps the addresses in the state that
// Tower reports on no NIC, until Tower reports the real ones.
func Refresh(ctx context.Context, data *providerdata.Data, in Refreshed) readiness.Verdict {
	if in.VM.Status == tower.StatusStopped {
		// The VM no longer has the addresses that it had before the power-off.
		return readiness.Evaluate(in.Rule, netwait.Observe(netwait.WithoutAddresses(in.NICs)))
	}
	obs := netwait.Observe(in.NICs)
	verdict := readiness.Evaluate(in.Rule, obs)
	if !verdict.NeedsNode || !readyByNode(in.Report) {
		return verdict
	}
	obs.Node = in.unreported()
	if directory := data.Directory(in.Settings.Kubernetes); directory != nil {
		ctx, cancel := context.WithTimeout(ctx, nodeLookTimeout)
		defer cancel()
		status := directory.Look(ctx, kubenode.Query{
			ProviderID: netwait.ProviderID(in.VM), NodeName: in.Settings.NodeName, VMName: in.VM.Name, VMCreatedAt: in.VM.CreatedAt,
		})
		if status.Problem == "" {
			obs.Node = status.InternalIPs
		}
	}
	return readiness.Evaluate(in.Rule, obs)
}

// unreported returns the addresses in the state that Tower reports on no NIC.
func (in Refreshed) unreported() []string {
	var out []string
	for _, address := range in.Addresses {
		shown := slices.ContainsFunc(in.NICs, func(nic tower.VMNIC) bool { return slices.Contains(nic.IPAddresses, address) })
		if _, err := netip.ParseAddr(address); err == nil && !shown {
			out = append(out, address)
		}
	}
	return out
}

// readyByNode reports whether the report in the state says that the node's address
// was needed.
func readyByNode(report types.Object) bool {
	source, ok := report.Attributes()["source"].(types.String)
	return ok && source.ValueString() == string(readiness.SourceKubernetesNode)
}

// NewlyWaiting reports whether there is a planned NIC that is waited for and was
// not before.
func NewlyWaiting(planned, current []NIC) bool {
	for i, nic := range planned {
		if nic.Waits() && !slices.ContainsFunc(current, func(c NIC) bool { return c.Waits() && sameNIC(nic, i, c, current) }) {
			return true
		}
	}
	return false
}

// sameNIC reports whether the planned NIC at index is the NIC c in the state. It
// compares MAC addresses if both are known. Otherwise it compares VM network, type
// and static address, provided that the state has a NIC at that index.
func sameNIC(planned NIC, index int, c NIC, current []NIC) bool {
	if mac := planned.MACAddress.ValueString(); mac != "" && c.MACAddress.ValueString() != "" {
		return strings.EqualFold(mac, c.MACAddress.ValueString())
	}
	return index < len(current) && planned.VLANID.Equal(c.VLANID) && planned.Type() == c.Type() && planned.IPAddress.Equal(c.IPAddress)
}
