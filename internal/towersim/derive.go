// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"math"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// derive updates the members of rows that count or sum up other rows. It is
// called before such rows are read, and does nothing unless something has
// changed.
func (w *world) derive() {
	w.updateProgress()

	if !w.dirty {
		return
	}

	w.dirty = false

	for _, h := range w.hosts.list {
		w.deriveHost(h)
	}

	for _, c := range w.clusters.list {
		w.deriveCluster(c)
	}

	for _, d := range w.datacenters.list {
		w.deriveDatacenter(d)
	}

	for _, o := range w.organizations.list {
		o.row.Datacenters = []wire.NestedDatacenter{}

		for _, d := range w.datacenters.list {
			if d.organization == o {
				o.row.Datacenters = append(o.row.Datacenters, wire.NestedDatacenter{ID: d.row.ID, Name: d.row.Name})
			}
		}
	}

	w.deriveNetworks()
	w.deriveVolumes()
	w.deriveFolders()
	w.deriveGPUs()
	w.deriveImages()
	w.deriveIscsi()
	w.deriveLabels()
}

// power counts VMs by their status.
type power struct{ total, running, stopped, suspended int }

func (p *power) count(v *vm) {
	p.total++

	switch v.row.Status {
	case wire.VMStatusRunning:
		p.running++
	case wire.VMStatusSuspended:
		p.suspended++
	case wire.VMStatusStopped:
		p.stopped++
	}
}

func (w *world) deriveHost(h *host) {
	var (
		counts power
		memory int64
		cores  int
	)

	h.row.VMs = []wire.NestedVM{}

	for _, v := range w.visible() {
		if v.host != h {
			continue
		}

		counts.count(v)
		h.row.VMs = append(h.row.VMs, v.nested())
		memory = addSaturating(memory, v.row.Memory)
		cores += v.row.VCPU
	}

	inUse := w.memoryInUse(h)
	h.row.VMNum, h.row.RunningVMNum = wire.Ptr(counts.total), wire.Ptr(counts.running)
	h.row.StoppedVMNum, h.row.SuspendedVMNum = wire.Ptr(counts.stopped), wire.Ptr(counts.suspended)
	h.row.ProvisionedMemoryBytes, h.row.ProvisionedCPUCores = memory, cores
	h.row.RunningPauseVMMemoryBytes = inUse
	h.row.AllocatableMemoryBytes = max(h.row.TotalMemoryBytes-h.row.OSMemoryBytes-inUse, 0)
	h.row.UsedMemoryBytes = wire.Ptr(float64(inUse))
}

func (w *world) deriveCluster(c *cluster) {
	var (
		counts        power
		memory, inUse int64
		cores, active int
	)

	c.row.VMs = []wire.NestedVM{}

	for _, v := range w.visible() {
		if v.cluster != c {
			continue
		}

		counts.count(v)
		c.row.VMs = append(c.row.VMs, v.nested())
		memory = addSaturating(memory, v.row.Memory)
		cores += v.row.VCPU

		if v.row.Status == wire.VMStatusRunning {
			inUse += v.row.Memory
			active += v.row.VCPU
		}
	}

	c.row.VMNum, c.row.RunningVMNum = wire.Ptr(counts.total), wire.Ptr(counts.running)
	c.row.StoppedVMNum, c.row.SuspendedVMNum = wire.Ptr(counts.stopped), wire.Ptr(counts.suspended)
	c.row.ProvisionedMemoryBytes, c.row.UsedMemoryBytes = wire.Ptr(memory), wire.Ptr(float64(inUse))
	c.row.ProvisionedCPUCores, c.row.ProvisionedCPUCoresForActiveVM = wire.Ptr(cores), wire.Ptr(active)

	used := w.storageInUse(c)
	c.row.UsedDataSpace, c.row.ValidDataSpace = wire.Ptr(used), wire.Ptr(c.capacity)

	w.deriveClusterLists(c)
}

func (w *world) deriveClusterLists(c *cluster) {
	var memory int64

	hosts := w.clusterHosts(c)
	c.row.Hosts = mapSlice(hosts, (*host).nested)
	c.row.HostNum = wire.Ptr(len(hosts))

	cores := 0
	for _, h := range hosts {
		memory += h.row.TotalMemoryBytes
		cores += h.row.TotalCPUCores
	}

	c.row.TotalMemoryBytes, c.row.TotalCPUCores = wire.Ptr(memory), wire.Ptr(cores)
	c.row.Vdses, c.row.VMFolders = []wire.NestedVds{}, []wire.NestedVMFolder{}
	c.row.VMTemplates, c.row.Datacenters = []wire.NestedVMTemplate{}, []wire.NestedDatacenter{}

	for _, v := range w.vdses.list {
		if v.cluster == c {
			c.row.Vdses = append(c.row.Vdses, wire.NestedVds{ID: v.row.ID, Name: v.row.Name})
		}
	}

	for _, f := range w.folders.list {
		if f.cluster == c {
			c.row.VMFolders = append(c.row.VMFolders, wire.NestedVMFolder{ID: f.row.ID, Name: f.row.Name})
		}
	}

	for _, t := range w.templates.list {
		if t.cluster == c {
			c.row.VMTemplates = append(c.row.VMTemplates, wire.NestedVMTemplate{ID: t.row.ID, Name: t.row.Name})
		}
	}

	for _, d := range w.datacenters.list {
		if slices.Contains(d.clusters, c) {
			c.row.Datacenters = append(c.row.Datacenters, wire.NestedDatacenter{ID: d.row.ID, Name: d.row.Name})
		}
	}
}

func (w *world) deriveDatacenter(d *datacenter) {
	var (
		memory, capacity, used int64
		hosts, vms             int
	)

	for _, c := range d.clusters {
		memory += *c.row.TotalMemoryBytes
		used += *c.row.UsedDataSpace
		capacity += c.capacity
		hosts += *c.row.HostNum
		vms += *c.row.VMNum
	}

	d.row.Clusters = mapSlice(d.clusters, (*cluster).nested)
	d.row.ClusterNum, d.row.HostNum, d.row.VMNum = wire.Ptr(len(d.clusters)), wire.Ptr(hosts), wire.Ptr(vms)
	d.row.TotalMemoryBytes, d.row.TotalDataCapacity = wire.Ptr(memory), wire.Ptr(capacity)
	d.row.UsedDataSpace = wire.Ptr(used)
}

func (w *world) deriveNetworks() {
	for _, v := range w.vdses.list {
		v.row.Vlans = []wire.NestedVlan{}
	}

	for _, l := range w.vlans.list {
		l.row.VMNics = []wire.NestedVMNic{}
		l.vds.row.Vlans = append(l.vds.row.Vlans, l.nested())
		l.vds.row.VlansNum = len(l.vds.row.Vlans)
	}

	for _, n := range w.nics.list {
		if n.vlan != nil && n.vm.visibleAt(w.now) {
			n.vlan.row.VMNics = append(n.vlan.row.VMNics, wire.NestedVMNic{ID: n.row.ID})
		}
	}
}

func (w *world) deriveVolumes() {
	for _, v := range w.volumes.list {
		v.derive()
	}
}

func (v *volume) derive() {
	v.row.Mounting = len(v.disks) > 0
	v.row.VMDisks = mapSlice(v.disks, func(d *disk) wire.NestedVMDisk { return wire.NestedVMDisk{ID: d.row.ID} })
}

func (w *world) deriveFolders() {
	for _, f := range w.folders.list {
		f.row.VMs = []wire.NestedVM{}

		for _, v := range w.visible() {
			if v.folder == f {
				f.row.VMs = append(f.row.VMs, v.nested())
			}
		}

		f.row.VMNum = wire.Ptr(len(f.row.VMs))
	}
}

// updateProgress updates the progress of all tasks that are executing.
func (w *world) updateProgress() {
	for _, t := range w.tasks.list {
		if t.row.Status != wire.TaskStatusExecuting || t.duration <= 0 {
			continue
		}

		done := float64(w.now.Sub(t.startedAt)) / float64(t.duration)
		t.row.Progress = min(math.Floor(done*100)/100, 0.99)
	}
}
