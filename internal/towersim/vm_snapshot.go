// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// snapshot is the state of a VM at some moment. It outlives its VM unless it is
// deleted with it.
type snapshot struct {
	row     wire.VMSnapshot
	cluster *cluster
	vm      *vm
	shape   shape
	labelSet
}

func (s *snapshot) key() string                         { return s.row.ID }
func (s *snapshot) record() any                         { return &s.row }
func (s *snapshot) showLabels()                         { s.row.Labels = s.nestedLabels() }
func (s *snapshot) mark(status *wire.EntityAsyncStatus) { s.row.EntityAsyncStatus = status }
func (s *snapshot) marked() bool                        { return s.row.EntityAsyncStatus != nil }
func (s *snapshot) lockName() lockedResource {
	return lockedResource{ID: s.row.ID, Type: "VM_SNAPSHOT"}
}
func (s *snapshot) nested() wire.NestedVMSnapshot {
	return wire.NestedVMSnapshot{ID: s.row.ID, Name: s.row.Name}
}
func (w *world) snapshotWays() map[string]func(*snapshot) []any {
	return map[string]func(*snapshot) []any{
		"cluster": func(s *snapshot) []any { return some(s.cluster) },
		"labels":  func(s *snapshot) []any { return records(s.labels) },
		"vm": func(s *snapshot) []any {
			if s.vm.deleted() {
				return nil
			}

			return some(s.vm)
		},
	}
}

func createVMSnapshot(c *call, in *wire.VMSnapshotCreationParams) (any, error) {
	vms := make([]*vm, len(in.Data))

	for i := range in.Data {
		v, ok := c.vms.get(in.Data[i].VMID)
		if !ok {
			return nil, notFound("There is no VM %s", in.Data[i].VMID)
		}

		if in.Data[i].Name == "" {
			return nil, badRequest("name: must not be empty")
		}

		vms[i] = v
	}

	if err := c.free(mapped(vms, func(v *vm) lockable { return v })...); err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VMSnapshot], len(vms))

	for i, v := range vms {
		s := c.newSnapshot(v, &in.Data[i])
		t := c.begin(work{
			mutation: "createVmSnapshot", resource: "VmSnapshot", id: s.row.ID, cluster: v.cluster, status: wire.EntityAsyncStatusCreating,
			about: text{en: "Create a snapshot " + s.row.Name + " of VM " + v.row.Name, zh: "创建虚拟机 " + v.row.Name + " 快照 " + s.row.Name},
			holds: []lockable{v, s},
			apply: func() *taskFailure {
				if v.deleted() {
					return failure("VM_NOT_FOUND", "The VM %s is gone.", v.row.Name)
				}

				c.freeze(s)

				return nil
			},
			undo: func() { c.removeSnapshot(s) },
		})
		shown := s.row
		replies[i] = wire.WithTask[*wire.VMSnapshot]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
	}

	return replies, nil
}

func (w *world) newSnapshot(v *vm, in *wire.VMSnapshotCreationParamsData) *snapshot {
	s := &snapshot{cluster: v.cluster, vm: v}
	s.row = wire.VMSnapshot{
		ID: w.ids.cuid(), LocalID: w.ids.uuid(), Name: in.Name, Cluster: v.cluster.nested(), VM: wire.Ptr(v.nested()),
		LocalCreatedAt: stampPtr(w.current), ConsistentType: wire.ConsistentTypeCrashConsistent,
	}
	assign(&s.row.ConsistentType, in.ConsistentType)
	s.showLabels()
	w.freeze(s)
	w.snapshots.add(s)
	w.showSnapshots(v)

	return s
}

// freeze takes down what the VM is like now.
func (w *world) freeze(s *snapshot) {
	s.shape = w.shapeOfVM(s.vm)
	h := &s.shape
	s.row.ClockOffset, s.row.CPUModel, s.row.Description = wire.VMClockOffsetUtc, "cluster_default", s.vm.row.Description
	s.row.CPU, s.row.VCPU = wire.NestedCPU{Cores: h.cores, Sockets: h.sockets}, h.vcpu()
	s.row.Memory, s.row.Firmware, s.row.HA = h.memory, h.firmware, h.ha
	s.row.IOPolicy, s.row.MaxIOPS, s.row.MaxIOPSPolicy = h.ioPolicy, h.limits.iops, h.limits.iopsPolicy
	s.row.MaxBandwidth, s.row.MaxBandwidthPolicy = h.limits.bandwidth, h.limits.bandwidthPolicy
	s.row.VMDisks, s.row.VMNics, s.row.Size = []wire.NestedFrozenDisks{}, []wire.NestedFrozenNic{}, 0

	for i := range h.disks {
		s.row.VMDisks = append(s.row.VMDisks, h.disks[i].frozen(i))
		s.row.Size += h.disks[i].size
	}

	for i := range h.nics {
		n := &h.nics[i]
		frozen := wire.NestedFrozenNic{
			Index: i, Enabled: wire.Ptr(n.enabled), Mirror: wire.Ptr(n.mirror), Model: wire.Ptr(n.model), MACAddress: s.vm.nics[i].mac,
		}

		if n.vlan != nil {
			frozen.Vlan = n.vlan.frozen()
		}

		s.row.VMNics = append(s.row.VMNics, frozen)
	}
}

func deleteVMSnapshot(c *call, in *wire.VMSnapshotDeletionParams) (any, error) {
	snapshots, err := match(c.world, &c.snapshots, wire.EntityVMSnapshot, in.Where)
	if err != nil {
		return nil, err
	}

	if err := c.free(mapped(snapshots, func(s *snapshot) lockable { return s })...); err != nil {
		return nil, err
	}

	return mapped(snapshots, func(s *snapshot) wire.WithTask[wire.Deleted] {
		t := c.begin(work{
			mutation: "deleteVmSnapshot", resource: "VmSnapshot", id: s.row.ID, cluster: s.cluster, status: wire.EntityAsyncStatusDeleting,
			about: text{en: "Delete the snapshot " + s.row.Name, zh: "删除快照 " + s.row.Name}, holds: []lockable{s},
			apply: func() *taskFailure {
				c.removeSnapshot(s)

				return nil
			},
		})

		return wire.WithTask[wire.Deleted]{TaskID: wire.Ptr(t.row.ID), Data: wire.Deleted{ID: s.row.ID}}
	}), nil
}

// removeSnapshot forgets a snapshot, and so does its VM.
func (w *world) removeSnapshot(s *snapshot) {
	w.snapshots.remove(s)
	w.showSnapshots(s.vm)
}

// showSnapshots writes a VM's snapshots into its row.
func (w *world) showSnapshots(v *vm) {
	v.row.Snapshots = mapped(filtered(w.snapshots.list, func(s *snapshot) bool { return s.vm == v }), (*snapshot).nested)
}

// deriveSnapshots brings up to date what snapshots show of their VMs.
func (w *world) deriveSnapshots() {
	for _, s := range w.snapshots.list {
		s.row.VM = nil
		if !s.vm.deleted() {
			s.row.VM = wire.Ptr(s.vm.nested())
		}
	}
}
