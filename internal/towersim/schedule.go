// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (w *world) clusterHosts(c *cluster) []*host {
	return filtered(w.hosts.list, func(h *host) bool { return h.cluster == c })
}

// memoryInUse is what the VMs that run or are suspended on a host hold.
func (w *world) memoryInUse(h *host) int64 {
	var sum int64

	for _, v := range w.vms.list {
		if v.host == h && v.holdsMemory() {
			sum += v.row.Memory
		}
	}

	return sum
}

func (v *vm) holdsMemory() bool {
	return v.row.Status == wire.VMStatusRunning || v.row.Status == wire.VMStatusSuspended
}

// storageInUse is what the volumes of a cluster take, with their copies.
func (w *world) storageInUse(c *cluster) int64 {
	var sum int64

	for _, v := range w.volumes.list {
		if v.cluster == c && !v.linked {
			sum += v.row.Size * replicas(v.row.ElfStoragePolicy)
		}
	}

	return sum
}

// usable tells whether VMs may be placed on the host.
func (h *host) usable() bool {
	connected := h.row.Status == wire.HostStatusConnectedHealthy || h.row.Status == wire.HostStatusConnectedWarning

	return connected && h.row.HostState != nil && h.row.HostState.State == wire.MaintenanceModeEnumInUse
}

// The filters that Tower's scheduler names when no host is left.
const (
	filterMemory = "HostAvailableMemoryFilter"
	filterState  = "HostStateFilter"
)

func scheduleFailure(filter string) *taskFailure {
	return failure("VM_SCHEDULE_FAILED", "EmptyCandidateHostsException::%s", filter)
}

// place finds a host on which a VM can run: the wanted one, or of all the one
// with the most free memory.
func (w *world) place(v *vm, wanted *host) (*host, *taskFailure) {
	candidates := w.clusterHosts(v.cluster)
	if wanted != nil {
		candidates = []*host{wanted}
	}

	candidates = slices.DeleteFunc(candidates, func(h *host) bool { return !h.usable() })
	if len(candidates) == 0 {
		return nil, scheduleFailure(filterState)
	}

	var (
		best     *host
		bestFree int64
	)

	for _, h := range candidates {
		free := h.row.TotalMemoryBytes - h.row.OSMemoryBytes - w.memoryInUse(h)
		if v.host == h && v.holdsMemory() {
			free += v.row.Memory
		}

		if free >= v.row.Memory && (best == nil || free > bestFree) {
			best, bestFree = h, free
		}
	}

	if best == nil {
		return nil, scheduleFailure(filterMemory)
	}

	return best, nil
}

// home is the host that a VM which does not run belongs to.
func (w *world) home(c *cluster, wanted *host) *host {
	if wanted != nil {
		return wanted
	}

	hosts := w.clusterHosts(c)

	for _, h := range hosts {
		if h.usable() {
			return h
		}
	}

	if len(hosts) > 0 {
		return hosts[0]
	}

	return nil
}
