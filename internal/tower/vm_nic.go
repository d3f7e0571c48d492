// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_nic"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// VMNIC is a network card of a VM as Tower shows it. Tower rebuilds these records: ID changes at every edit of
// the VM, so a NIC is recognised by its MAC.
type VMNIC struct {
	ID          string
	VMID        string
	MAC         string // "" for a short while after a NIC was added
	VLANID      string
	VLANName    string
	Model       string // VIRTIO, E1000, SRIOV
	Type        string // VLAN or VPC
	Order       int    // position in the guest, from 0
	Enabled     bool   // true where Tower does not tell
	Mirror      bool
	IPAddresses []string // as reported by the guest's tools, in Tower's order; empty when unknown
	Gateway     string
	SubnetMask  string
}

// VMNICs reads the network cards of a VM by Tower's id, by Order. A VM that does not exist has none.
func (c *Client) VMNICs(ctx context.Context, vmID string) ([]VMNIC, error) {
	if vmID == "" {
		return nil, notFound(opGetVMNICs, "network cards are looked for without the id of their VM")
	}
	nics, _, err := c.reads.nics.Get(ctx, vmID)
	if err != nil {
		return nil, asError(opGetVMNICs, err)
	}
	return nics, nil
}

const opGetVMNICs = "get-vm-nics"

// fetchNICs reads the network cards of VMs.
func (c *Client) fetchNICs(ctx context.Context, vmIDs []string) (map[string][]VMNIC, error) {
	return c.getNICs(ctx, kindRead, vmIDs)
}

// getNICs calls get-vm-nics for VMs by Tower's id.
func (c *Client) getNICs(ctx context.Context, k kind, vmIDs []string) (map[string][]VMNIC, error) {
	body := &models.GetVMNicsRequestBody{Where: &models.VMNicWhereInput{VM: &models.VMWhereInput{IDIn: vmIDs}}}
	return invoke(ctx, c, operation{opGetVMNICs, k}, func(ctx context.Context) (map[string][]VMNIC, error) {
		reply, err := c.api.nics.GetVMNics(vm_nic.NewGetVMNicsParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		lists := guestLists(exchangeOf(ctx).body)
		out := make(map[string][]VMNIC, len(vmIDs))
		for _, m := range reply.Payload {
			if m != nil {
				nic := nicOf(m)
				nic.IPAddresses = distinct(nic.IPAddresses, lists[nic.ID])
				out[nic.VMID] = append(out[nic.VMID], nic)
			}
		}
		for _, nics := range out {
			slices.SortStableFunc(nics, func(a, b VMNIC) int { return a.Order - b.Order })
		}
		return out, nil
	})
}

// nicOf converts a network card of the SDK.
func nicOf(m *models.VMNic) VMNIC {
	out := VMNIC{
		ID: deref(m.ID), MAC: strings.ToLower(deref(m.MacAddress)), Model: text(m.Model), Type: text(m.Type), Order: number(m.Order),
		Enabled: m.Enabled == nil || *m.Enabled, Mirror: deref(m.Mirror), Gateway: deref(m.Gateway), SubnetMask: deref(m.SubnetMask),
		IPAddresses: distinct([]string{deref(m.IPAddress)}, nil),
	}
	if m.VM != nil {
		out.VMID = deref(m.VM.ID)
	}
	if m.Vlan != nil {
		out.VLANID, out.VLANName = deref(m.Vlan.ID), deref(m.Vlan.Name)
	}
	return out
}

// guestLists reads the lists of addresses that Tower has from 4.8 on, by the ids of the network cards; the generated
// client does not know them yet.
func guestLists(body []byte) map[string][]string {
	var nics []struct {
		ID string   `json:"id"`
		V4 []string `json:"guest_info_ip_addresses"`
		V6 []string `json:"guest_info_ip_addresses_v6"`
	}
	if err := json.Unmarshal(body, &nics); err != nil {
		return nil // Older Towers have none, and what cannot be read is not reported.
	}
	out := make(map[string][]string, len(nics))
	for _, n := range nics {
		out[n.ID] = slices.Concat(n.V4, n.V6)
	}
	return out
}

// distinct returns the addresses of both lists in their order, each once, without empty ones.
func distinct(a, b []string) []string {
	var out []string
	for _, address := range slices.Concat(a, b) {
		if address = strings.TrimSpace(address); address != "" && !slices.Contains(out, address) {
			out = append(out, address)
		}
	}
	return out
}
