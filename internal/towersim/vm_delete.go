// SPDX-License-Identifier: MPL-2.0

package towersim

import "slices"

// maxDeletedVMs is the number of deleted VMs that the control API lists, the
// newest ones.
const maxDeletedVMs = 10_000

// removeNIC removes a NIC from its VM and releases its addresses.
func (w *world) removeNIC(n *nic) {
	n.plugCount++
	w.nics.remove(n)

	for _, id := range n.formerIDs {
		delete(w.formerNICs, id)
	}

	n.vm.nics = slices.DeleteFunc(n.vm.nics, func(x *nic) bool { return x == n })

	if n.vlan != nil && n.vlan.pool != nil {
		n.vlan.pool.release(n.mac)
	}

	if n.vpc != nil {
		n.leaveVPC()
		w.vpcNICs.remove(n.vpc)
	}
}

// removeVM deletes a VM for good, with its NICs and with the volumes that no
// other VM has.
func (w *world) removeVM(v *vm) {
	v.guestRun = nil
	v.deletedAt = w.now
	w.nodes.markNotReady(v, w.now)

	final := slices.Clone(v.nics)
	for _, n := range final {
		w.removeNIC(n)
	}

	for _, d := range slices.Clone(v.disks) {
		w.detach(d)

		if d.volume != nil && len(d.volume.disks) == 0 {
			w.removeVolume(d.volume)
		}
	}

	for _, s := range w.snapshotsOf(v) {
		s.vm, s.row.VM = nil, nil
		w.journal.touch(s)
	}

	w.leaveGroups(v)

	// The control API still shows the NICs.
	v.nics = final
	w.vms.remove(v)
	w.keepDeleted(v)
	w.dirty = true
}

// keepDeleted keeps the history of a deleted VM. If there are too many, it
// drops the oldest one, with its Kubernetes node.
func (w *world) keepDeleted(v *vm) {
	for _, rule := range w.faults {
		delete(rule.hitVMs, v)
	}

	w.deletedVMs = append(w.deletedVMs, v)

	if len(w.deletedVMs) > maxDeletedVMs {
		w.nodes.removeNodeOf(w.deletedVMs[0])
		w.deletedVMs[0] = nil // the underlying array still exists
		w.deletedVMs = w.deletedVMs[1:]
	}
}

// removeVolume deletes a volume that no VM has.
func (w *world) removeVolume(v *volume) {
	w.volumes.remove(v)
	delete(w.lastUsers, v.row.ID)
}
