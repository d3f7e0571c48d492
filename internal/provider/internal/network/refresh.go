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

// nodeLook bounds how long a refresh asks Kubernetes: a refresh never waits.
const nodeLook = 3 * time.Second

// Refreshed is what a refresh has read, and what the state holds.
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

// Refresh finds the addresses that a VM has now. Where the network became ready
// by the address of the Kubernetes node and Tower still does not know enough,
// the node is asked once more; if it can't be asked, the addresses of the state
// that Tower does not contradict stay. Tower's later report corrects them.
func Refresh(ctx context.Context, data *providerdata.Data, in Refreshed) readiness.Verdict {
	if in.VM.Status == tower.StatusStopped {
		// An address from before the power-off is no address of the VM now.
		return readiness.Evaluate(in.Rule, netwait.Observe(netwait.WithoutAddresses(in.NICs)))
	}
	obs := netwait.Observe(in.NICs)
	verdict := readiness.Evaluate(in.Rule, obs)
	if !verdict.NeedsNode || !byNode(in.Report) {
		return verdict
	}
	obs.Node = in.unreported()
	if directory := data.Directory(in.Settings.Kubernetes); directory != nil {
		ctx, cancel := context.WithTimeout(ctx, nodeLook)
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

// unreported are the addresses of the state that Tower shows on no NIC.
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

// byNode tells whether a report says that the node's address was needed.
func byNode(report types.Object) bool {
	source, ok := report.Attributes()["source"].(types.String)
	return ok && source.ValueString() == string(readiness.SourceKubernetesNode)
}

// NewlyWaiting tells whether a NIC is planned that waits for an address and did
// not before.
func NewlyWaiting(planned, current []NIC) bool {
	for i, nic := range planned {
		if nic.Waits() && !slices.ContainsFunc(current, func(c NIC) bool { return c.Waits() && sameNIC(nic, i, c, current) }) {
			return true
		}
	}
	return false
}

// sameNIC pairs a planned NIC with one of the state: by MAC where both are
// known, else by place, network, type and static address.
func sameNIC(planned NIC, place int, c NIC, current []NIC) bool {
	if mac := planned.MACAddress.ValueString(); mac != "" && c.MACAddress.ValueString() != "" {
		return strings.EqualFold(mac, c.MACAddress.ValueString())
	}
	return place < len(current) && planned.VLANID.Equal(c.VLANID) && planned.Type() == c.Type() && planned.IPAddress.Equal(c.IPAddress)
}
