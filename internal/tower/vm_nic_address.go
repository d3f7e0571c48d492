// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"strings"
)

// NICsWithAddress reads the NICs on a VM network, by Tower's id, that show an address. The NICs of VMs in the recycle bin
// are left out. Many callers share a request.
func (c *Client) NICsWithAddress(ctx context.Context, vlanID, address string) ([]VMNIC, error) {
	return c.nicsByAddress.get(ctx, addressKey(vlanID, address))
}

// addressKey joins a VM network and an address, of which neither has a blank.
func addressKey(vlanID, address string) string { return vlanID + " " + address }

// newNICsByAddress reads NICs by what addressKey gives.
func newNICsByAddress(nics *objects[VMNIC]) *lists[VMNIC] {
	where := func(keys []string) Where {
		var vlans, addresses []string
		for _, key := range keys {
			vlan, address, _ := strings.Cut(key, " ")
			vlans, addresses = distinct(vlans, []string{vlan}), distinct(addresses, []string{address})
		}
		return Where{"vlan": Where{"id_in": vlans}, "ip_address_in": addresses, "vm": Where{"in_recycle_bin": false}}
	}
	keys := func(v VMNIC) []string {
		out := make([]string, 0, len(v.IPAddresses))
		for _, address := range v.IPAddresses {
			out = append(out, addressKey(v.VLANID, address))
		}
		return out
	}
	return nics.listedBy("VM network", where, keys, func(a, b VMNIC) int { return strings.Compare(a.VMName, b.VMName) })
}
