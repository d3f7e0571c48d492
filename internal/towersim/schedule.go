// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"cmp"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (w *world) clusterHosts(c *cluster) []*host {
	return filterSlice(w.hosts.list, func(h *host) bool { return h.cluster == c })
}

// memoryInUse returns the memory of the VMs that are running or suspended on a
// host.
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

// storageInUse returns the space that the volumes and the iSCSI LUNs of a
// cluster take, with all copies.
func (w *world) storageInUse(c *cluster) int64 {
	var sum int64

	for _, v := range w.volumes.list {
		if v.cluster == c && !v.linked {
			sum += v.row.Size * replicas(v.row.ElfStoragePolicy)
		}
	}

	for _, l := range w.iscsiLuns.list {
		if l.target.cluster == c && l.made {
			sum += l.space()
		}
	}

	return sum
}

// usable reports whether VMs can be started on the host.
func (h *host) usable() bool {
	switch h.row.Status {
	case wire.HostStatusConnectedError, wire.HostStatusSessionExpired, wire.HostStatusInitializing:
		return false
	}

	return h.row.HostState != nil && h.row.HostState.State == wire.MaintenanceModeEnumInUse
}

// The names of filters that Tower's scheduler reports if a filter leaves no
// host.
const (
	filterMemory = "HostAvailableMemoryFilter"
	filterState  = "HostStateFilter"
)

func scheduleFailure(filter string) *taskFailure {
	return failure("VM_SCHEDULE_FAILED", "EmptyCandidateHostsException::%s", filter)
}

// pickHost returns a host on which a VM can run: the wanted one, or one of its
// cluster. It prefers the hosts that the VM's placement groups prefer, and of
// these the one with the most free memory.
func (w *world) pickHost(v *vm, wanted *host) (*host, *taskFailure) {
	candidates := w.clusterHosts(v.cluster)
	if wanted != nil {
		candidates = []*host{wanted}
	}

	if failed := w.checkGPUs(v, wanted); failed != nil {
		return nil, failed
	}

	if failed := w.checkHostNICs(v, wanted); failed != nil {
		return nil, failed
	}

	groups := w.groupsOf(v)
	steps := []struct {
		filter string
		keep   func(*host) bool
	}{
		{filterState, (*host).usable},
		{filterMemory, func(h *host) bool { return w.freeMemoryFor(v, h) >= v.row.Memory }},
		{w.groupFilter(), func(h *host) bool {
			return !slices.ContainsFunc(groups, func(g *group) bool { return !g.allows(v, h) })
		}},
		{"GpuFilter", func(h *host) bool {
			return !slices.ContainsFunc(v.gpus, func(claim gpuClaim) bool { return claim.gpu.host != h })
		}},
		{"PciNicFilter", func(h *host) bool {
			return !slices.ContainsFunc(v.hostNICs, func(n *hostNIC) bool { return n.host != h })
		}},
	}

	for _, step := range steps {
		if candidates = filterSlice(candidates, step.keep); len(candidates) == 0 {
			return nil, scheduleFailure(step.filter)
		}
	}

	return slices.MaxFunc(candidates, func(a, b *host) int {
		return cmp.Or(cmp.Compare(preference(groups, v, a), preference(groups, v, b)), cmp.Compare(w.freeMemoryFor(v, a), w.freeMemoryFor(v, b)))
	}), nil
}

// freeMemoryFor returns the memory of a host that a VM could use, with the
// memory that the VM uses there already.
func (w *world) freeMemoryFor(v *vm, h *host) int64 {
	free := h.row.TotalMemoryBytes - h.row.OSMemoryBytes - w.memoryInUse(h)
	if v.host == h && v.holdsMemory() {
		free += v.row.Memory
	}

	return free
}

// groupFilter returns the name of the scheduler's filter for placement groups.
// Later releases have two filters.
func (w *world) groupFilter() string {
	if w.version.atLeast(4, 0) {
		return "PlacementGroupMustFilter"
	}

	return "PlacementGroupFilter"
}

func preference(groups []*group, v *vm, h *host) int {
	sum := 0
	for _, g := range groups {
		sum += g.preference(v, h)
	}

	return sum
}

// defaultHost returns the host of a VM that is not running.
func (w *world) defaultHost(c *cluster, wanted *host) *host {
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
