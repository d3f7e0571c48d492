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

// VMNIC is a NIC of a VM as Tower shows it. Tower rebuilds these records: ID changes at every edit of
// the VM, so a NIC is recognised by its MAC.
type VMNIC struct {
	ID          string
	VMID        string
	VMName      string
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

func (v VMNIC) identity() identity { return identity{id: v.ID} }

// VMNICs reads the NICs of a VM by Tower's id, by Order. A VM that does not exist has none.
func (c *Client) VMNICs(ctx context.Context, vmID string) ([]VMNIC, error) {
	return c.nics.get(ctx, vmID)
}

// nicRow is a NIC of the SDK, with what Tower tells besides.
type nicRow struct {
	*models.VMNic
	addresses []string
}

func newNICs(c *Client) (ofVM, withAddress *lists[VMNIC]) {
	nics := newObjects(c, "get-vm-nics", "NIC", nicOf, func(ctx context.Context, body *models.GetVMNicsRequestBody) ([]*nicRow, error) {
		list, err := payload(vm_nic.New(c.sdk()).GetVMNics(vm_nic.NewGetVMNicsParamsWithContext(ctx).WithRequestBody(body)))
		more := guestLists(exchangeOf(ctx).body)
		rows := make([]*nicRow, 0, len(list))
		for _, m := range list {
			if m != nil {
				rows = append(rows, &nicRow{m, more[deref(m.ID)]})
			}
		}
		return rows, err
	})
	return nics.listedBy("VM", ownedBy("vm"), func(v VMNIC) []string { return []string{v.VMID} }, func(a, b VMNIC) int { return a.Order - b.Order }),
		newNICsByAddress(nics)
}

func nicOf(m *nicRow) VMNIC {
	vlan, owner := deref(m.Vlan), deref(m.VM)
	return VMNIC{
		ID: deref(m.ID), MAC: strings.ToLower(deref(m.MacAddress)), Model: text(m.Model), Type: text(m.Type), Order: number(m.Order),
		VMID: deref(owner.ID), VMName: deref(owner.Name), VLANID: deref(vlan.ID), VLANName: deref(vlan.Name),
		Enabled: m.Enabled == nil || *m.Enabled, Mirror: deref(m.Mirror), Gateway: deref(m.Gateway), SubnetMask: deref(m.SubnetMask),
		IPAddresses: distinct([]string{deref(m.IPAddress)}, m.addresses),
	}
}

// guestLists reads the lists of addresses that Tower has from 4.8 on, by the ids of the NICs; the generated
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
