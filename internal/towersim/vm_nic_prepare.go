// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net"
	"slices"
	"strings"
)

// prepareNICs completes the NICs that a VM of a cluster is to get: each has a
// MAC address and, in a VPC, an IP address. It refuses addresses that other NICs
// have. The NICs of except give up theirs.
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

// checkMAC refuses what is no MAC address. An empty one means that none is
// given.
func checkMAC(field string, mac *string) error {
	if deref(mac) == "" {
		return nil
	}

	if parsed, err := net.ParseMAC(*mac); err != nil || len(parsed) != 6 {
		return badRequest("%s.mac_address: %q is not a MAC address", field, *mac)
	}

	return nil
}

// distinctMACs refuses a MAC address that two NICs of one request shall have.
func checkDistinctMACs(shapes []nicConfig) error {
	first := map[string]int{}

	for i := range shapes {
		mac := strings.ToLower(shapes[i].mac)
		if mac == "" {
			continue
		}

		if before, given := first[mac]; given {
			return badRequest("vm_nics[%d].mac_address: %s is the address of vm_nics[%d] too", i, shapes[i].mac, before)
		}

		first[mac] = i
	}

	return nil
}

// macTaken refuses a MAC address that another NIC of a cluster has. VMs in the
// recycle bin do not count, as with names.
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

// macsTaken refuses a cluster to a VM if other VMs there have its MAC addresses.
func (w *world) checkMACsFree(v *vm, in *cluster) *taskFailure {
	for _, n := range v.nics {
		if failed := w.checkMACFree(n.mac, in, v.nics); failed != nil {
			return failed
		}
	}

	return nil
}

// newMAC returns a MAC address that no NIC has and that none of the NICs to come
// asks for.
func (w *world) newMAC(toCome []nicConfig) string {
	for {
		mac := w.ids.mac()
		asked := slices.ContainsFunc(toCome, func(s nicConfig) bool { return strings.EqualFold(s.mac, mac) })

		if !asked && !slices.ContainsFunc(w.nics.list, func(n *nic) bool { return strings.EqualFold(n.mac, mac) }) {
			return mac
		}
	}
}
