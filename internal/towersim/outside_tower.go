// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// hideVM hides a VM and its parts from the API for a span of time.
func (w *world) hideVM(v *vm, span time.Duration) {
	v.hiddenUntil = w.now.Add(span)
	w.dirty = true
	w.runAt(v.hiddenUntil, func() { w.dirty = true })
}

// changeVMID gives a VM another id.
func (w *world) changeVMID(v *vm) {
	w.vms.changeID(v, func() { v.row.ID = w.ids.cuid() })
	w.refreshVM(v)
}

// duplicateVM creates a second, stopped VM with the name and the hardware of a
// VM.
func (w *world) duplicateVM(v *vm) (*vm, *taskFailure) {
	return w.createOutsideTower(&blueprint{hardware: v.hardware(), name: v.row.Name, cluster: v.cluster, description: v.row.Description})
}

// createOutsideTower creates a VM as the cluster does by itself: without a
// task, and even if another VM has the name. Clusters allow equal names, Tower
// does not.
func (w *world) createOutsideTower(b *blueprint) (*vm, *taskFailure) {
	b.outsideTower = true
	v := w.addPlaceholder(b, w.ids)

	if failed := w.buildVM(v, b); failed != nil {
		w.vms.remove(v)

		return nil, failed
	}

	w.dirty = true

	return v, nil
}

// moveVM moves a VM to a host of its cluster, to any other host if none is
// named, or to another cluster. It returns false if there is no such host or
// cluster.
func (w *world) moveVM(v *vm, host, cluster string) bool {
	if cluster != "" {
		return w.moveVMAcrossClusters(v, cluster)
	}

	for _, h := range w.clusterHosts(v.cluster) {
		if host == "" && h != v.host && h.usable() || host != "" && h.row.Name == host {
			v.host = h
			w.refreshVM(v)
			w.dirty = true

			return true
		}
	}

	return false
}

// moveVMAcrossClusters moves a VM to another cluster. Its NICs are connected to
// the networks with the same names there.
func (w *world) moveVMAcrossClusters(v *vm, name string) bool {
	for _, to := range w.clusters.list {
		if to.row.Name != name || to == v.cluster {
			continue
		}

		mapping := map[string]*vlan{}

		for _, n := range v.nics {
			if n.vlan == nil {
				continue
			}

			network := w.networkFor(to, n.vlan.row.Name)
			if network == nil {
				return false
			}

			mapping[n.vlan.row.LocalID] = network
		}

		return w.migrateAcross(v, to, nil, mapping, &wire.MigrateVMConfig{
			ElfStoragePolicy: cmp.Or(v.storagePolicy(), "REPLICA_2_THIN_PROVISION"), RemoveUnmovableDevices: wire.Ptr(true),
		}) == nil
	}

	return false
}

// storagePolicy returns the storage policy of a VM's first volume, "" if it has
// no volume.
func (v *vm) storagePolicy() wire.VMVolumeElfStoragePolicyType {
	for _, d := range v.disks {
		if d.volume != nil {
			return d.volume.row.ElfStoragePolicy
		}
	}

	return ""
}

// setHostState puts all hosts with a name into a state that a scenario may give
// a host, and moves VMs that cannot stay. It returns false if there is no such
// host.
func (w *world) setHostState(name, to string) bool {
	found := false
	state := hostStates[to]

	for _, h := range w.hosts.list {
		if h.row.Name != name {
			continue
		}

		found = true
		h.row.Status = wire.HostStatus(state.status)
		h.row.HostState = &wire.NestedMaintenanceHostState{State: wire.MaintenanceModeEnum(state.maintenance)}

		if state.maintenance != "IN_USE" {
			h.row.HostState.EnterMaintenanceTime = formatTime(w.now)
		}

		w.evacuate(h)
	}

	w.dirty = true
	w.touchOthers()

	return found
}

// evacuate moves the running VMs off a host in maintenance. If the host is
// lost, it starts the VMs with HA on other hosts. VMs for which no host has
// room stay.
func (w *world) evacuate(h *host) {
	maintained := h.row.HostState.State != wire.MaintenanceModeEnumInUse
	lost := h.row.Status == wire.HostStatusConnectedError

	for _, v := range w.vms.list {
		if v.host != h || !v.holdsMemory() || !maintained && (!lost || !v.row.HA) {
			continue
		}

		to, failed := w.pickHost(v, nil)
		if failed != nil || to == h {
			continue
		}

		v.host = to
		w.refreshVM(v)

		if lost {
			w.powerOn(v)
		}
	}
}

// leaveLeftovers creates what a failed creation of a VM leaves behind.
func (w *world) leaveLeftovers(b *blueprint, e *TaskError) {
	if e.LeaksVolumes {
		for i := range b.disks {
			if d := &b.disks[i]; d.kind == wire.VMDiskTypeDisk && d.volume == nil {
				leaked := w.newVolume(b.cluster, cmp.Or(d.name, fmt.Sprintf("%s-%d", b.name, i+1)), d.size, d.policy)
				leaked.linked = d.linked
			}
		}
	}

	if e.Orphan > 0 {
		orphan := *b
		orphan.removeSource = nil
		w.runAfter(time.Duration(e.Orphan), func() { _, _ = w.createOutsideTower(&orphan) })
	}
}
