// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net"
	"slices"
	"strings"
)

// prepareNICs completes the NICs that are to be added to a VM: each gets a MAC
// address and, in a VPC, an IP address. It refuses addresses that other NICs
// have. The addresses of the NICs in except count as free.
func (w *world) prepareNICs(shapes []nicConfig, in *cluster, except []*nic) ([]nicConfig, *taskFailure) {
	nics := slices.Clone(shapes)

	for i := range nics {
		if failed := w.checkMACFree(nics[i].mac, in, except); failed != nil {
			return nil, failed
		}
	}

	for i := range nics {
		if nics[i].mac == "" {
			nics[i].mac = w.newMAC(nics)
		}
	}

	return nics, w.claimVPC(nics, except)
}

// checkMAC refuses text that is not a MAC address. An empty one means that
// Tower chooses the address.
func checkMAC(field string, mac *string) error {
	if deref(mac) == "" {
		return nil
	}

	if parsed, err := net.ParseMAC(*mac); err != nil || len(parsed) != 6 {
		return badRequest("%s.mac_address: %q is not a MAC address", field, *mac)
	}

	return nil
}

// checkDistinctMACs refuses two NICs of one request with the same MAC address.
func checkDistinctMACs(shapes []nicConfig) error {
	first := map[string]int{}

	for i := range shapes {
		mac := strings.ToLower(shapes[i].mac)
		if mac == "" {
			continue
		}

		if before, given := first[mac]; given {
			return badRequest("vm_nics[%d].mac_address: %s is also the address of vm_nics[%d]", i, shapes[i].mac, before)
		}

		first[mac] = i
	}

	return nil
}

// checkMACFree refuses a MAC address that another NIC of the cluster has. VMs
// in the recycle bin do not count, as for names.
func (w *world) checkMACFree(mac string, in *cluster, except []*nic) *taskFailure {
	if mac == "" {
		return nil
	}

	for _, n := range w.nics.list {
		if n.vm.cluster == in && !n.vm.row.InRecycleBin && strings.EqualFold(n.mac, mac) && !slices.Contains(except, n) {
			return failure("VM_NIC_DUPLICATED_MAC", "The MAC address %s is used by the VM %s.", mac, n.vm.row.Name)
		}
	}

	return nil
}

// checkMACsFree refuses to put a VM into a cluster if other VMs there have its
// MAC addresses.
func (w *world) checkMACsFree(v *vm, in *cluster) *taskFailure {
	for _, n := range v.nics {
		if failed := w.checkMACFree(n.mac, in, v.nics); failed != nil {
			return failed
		}
	}

	return nil
}

// newMAC returns a MAC address that no NIC has, and none of the new NICs.
func (w *world) newMAC(toCome []nicConfig) string {
	for {
		mac := w.ids.mac()
		asked := slices.ContainsFunc(toCome, func(s nicConfig) bool { return strings.EqualFold(s.mac, mac) })

		if !asked && !slices.ContainsFunc(w.nics.list, func(n *nic) bool { return strings.EqualFold(n.mac, mac) }) {
			return mac
		}
	}
}
