// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// snapshot is a VM's hardware and disks at one time.
type snapshot struct {
	row     wire.VMSnapshot
	cluster *cluster
	vm      *vm // nil once the VM is gone
	shape   shape
	volumes []*volume // those that the disks of the shape were, nil for drives
	nics    []*nic    // as they were; the guest's configuration of them is on its disk
	labelSet
}

func (s *snapshot) key() string                         { return s.row.ID }
func (s *snapshot) record() any                         { return &s.row }
func (s *snapshot) showLabels()                         { s.row.Labels = s.nestedLabels() }
func (s *snapshot) mark(status *wire.EntityAsyncStatus) { s.row.EntityAsyncStatus = status }

func (s *snapshot) nested() wire.NestedVMSnapshot {
	return wire.NestedVMSnapshot{ID: s.row.ID, Name: s.row.Name}
}

func (w *world) snapshotWays() map[string]func(*snapshot) []any {
	return map[string]func(*snapshot) []any{
		"cluster": func(s *snapshot) []any { return some(s.cluster) },
		"vm":      func(s *snapshot) []any { return some(s.vm) },
		"labels":  func(s *snapshot) []any { return records(s.labels) },
	}
}

func (w *world) snapshotsOf(v *vm) []*snapshot {
	return filtered(w.snapshots.list, func(s *snapshot) bool { return s.vm == v })
}

func createVMSnapshot(c *call, in *wire.VMSnapshotCreationParams) (any, error) {
	if err := atLeastOne(in.Data); err != nil {
		return nil, err
	}

	vms := make([]*vm, len(in.Data))

	for i := range in.Data {
		v, ok := c.vms.get(in.Data[i].VMID)
		if !ok {
			return nil, notFound("There is no VM %s", in.Data[i].VMID)
		}

		if err := nonEmpty("body.data.name", &in.Data[i].Name); err != nil {
			return nil, err
		}

		vms[i] = v
	}

	if err := c.free(mapped(vms, func(v *vm) lockable { return v })...); err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VMSnapshot], len(in.Data))
	for i := range in.Data {
		replies[i] = c.takeSnapshot(vms[i], &in.Data[i])
	}

	return replies, nil
}

func (c *call) takeSnapshot(v *vm, p *wire.VMSnapshotCreationParamsData) wire.WithTask[*wire.VMSnapshot] {
	s := &snapshot{cluster: v.cluster, vm: v}
	s.row = wire.VMSnapshot{
		ID: c.ids.cuid(), LocalID: placeholderPrefix + c.ids.uuid(), Name: p.Name, Cluster: v.cluster.nested(),
		LocalCreatedAt: stampPtr(c.current), ConsistentType: wire.ConsistentTypeCrashConsistent, VM: wire.Ptr(v.nested()),
	}
	assign(&s.row.ConsistentType, p.ConsistentType)
	s.freeze(v)
	s.showLabels()
	c.snapshots.add(s)
	c.show(v)

	t := c.begin(work{
		mutation: "createVmSnapshot", resource: "VmSnapshot", id: s.row.ID, cluster: v.cluster,
		about:  text{en: "Create a snapshot " + p.Name + " of VM " + v.row.Name, zh: "创建虚拟机 " + v.row.Name + " 快照 " + p.Name},
		status: wire.EntityAsyncStatusCreating, holds: []markable{s, markedAs{v, wire.EntityAsyncStatusUpdating}},
		apply: func() *taskFailure {
			if v.deleted() {
				return failure("VM_NOT_FOUND", "The VM %s is gone.", v.row.Name)
			}

			s.freeze(v)
			s.row.LocalID = c.ids.uuid()

			return nil
		},
		undo: func() {
			c.snapshots.remove(s)
			c.show(v)
		},
	})
	shown := s.row

	return wire.WithTask[*wire.VMSnapshot]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
}

// freeze writes the present state of a VM into the snapshot.
func (s *snapshot) freeze(v *vm) {
	s.shape, s.volumes, s.nics = v.shape(), nil, nil
	s.row.CPU, s.row.VCPU, s.row.CPUModel, s.row.Memory = v.row.CPU, v.row.VCPU, v.row.CPUModel, v.row.Memory
	s.row.Description = v.row.Description
	s.row.ClockOffset, s.row.Firmware, s.row.HA, s.row.WinOpt = v.row.ClockOffset, v.row.Firmware, v.row.HA, v.row.WinOpt
	s.row.VMDisks, s.row.VMNics, s.row.Size = []wire.NestedFrozenDisks{}, []wire.NestedFrozenNic{}, 0

	for _, d := range v.disks {
		if d.hidden() {
			continue
		}

		i := len(s.volumes)
		s.volumes = append(s.volumes, d.volume)
		frozen := s.shape.disks[i].frozen(i)

		if d.volume != nil {
			s.shape.disks[i].name = d.volume.row.Name
			frozen.VMVolumeLocalID, frozen.DiskName = d.volume.row.LocalID, wire.Ptr(d.volume.row.Name)
			frozen.Path, frozen.SnapshotLocalID = d.volume.row.Path, wire.Ptr(s.row.LocalID)
			s.row.Size += d.volume.row.Size
		}

		s.row.VMDisks = append(s.row.VMDisks, frozen)
	}

	for i, n := range v.nics {
		s.shape.nics[i].mac = n.mac
		if n.vpc != nil {
			s.shape.nics[i].vpc.addresses = slices.Clone(n.vpc.addresses)
		}

		s.nics = append(s.nics, wire.Ptr(*n))

		frozen := wire.NestedFrozenNic{
			Index: i, Enabled: n.row.Enabled, Mirror: n.row.Mirror, Model: n.row.Model, MACAddress: n.mac,
			IPAddress: valueOf(n.row.IPAddress), SubnetMask: valueOf(n.row.SubnetMask), Gateway: valueOf(n.row.Gateway),
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

	return changed(c, snapshots, change[*snapshot]{
		mutation: "deleteVmSnapshot", resource: "VmSnapshot", status: wire.EntityAsyncStatusDeleting,
		about:   plainly("Delete VM snapshot", "删除虚拟机快照", func(s *snapshot) string { return s.row.Name }),
		cluster: func(s *snapshot) *cluster { return s.cluster },
		apply: func(s *snapshot) *taskFailure {
			c.dropSnapshot(s)

			return nil
		},
	}, deleted), nil
}

func (w *world) dropSnapshot(s *snapshot) {
	w.snapshots.remove(s)

	if s.vm != nil {
		w.show(s.vm)
	}
}

func rollbackVM(c *call, in *wire.VMRollbackParams) (any, error) {
	s, ok := c.snapshots.get(in.Data.SnapshotID)
	if !ok {
		return nil, notFound("There is no VM snapshot %s", in.Data.SnapshotID)
	}

	vms, err := match(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	for _, v := range vms {
		if s.vm != v {
			return nil, badRequest("body.data.snapshot_id: the snapshot is not one of the VM %s", v.row.Name)
		}
	}

	return c.changeVMs(vms, vmWork{
		mutation: "rollbackVm", about: named("Roll back VM", "回滚虚拟机"), from: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure { return c.rollBack(v, s) },
	})
}

// rollBack gives a VM the hardware of a snapshot. Volumes that the snapshot
// knows and that still exist come back with their size of then; those that were
// attached since are detached and stay.
func (w *world) rollBack(v *vm, s *snapshot) *taskFailure {
	nics := slices.Clone(s.shape.nics)

	// Other VMs may have got the addresses by now.
	for i := range nics {
		if w.macTaken(nics[i].mac, v.cluster, v.nics) != nil {
			nics[i].mac = ""
		}

		if w.claimVPC(nics[i:i+1], v.nics) != nil {
			nics[i].vpc = &vpcShape{subnet: nics[i].vpc.subnet}
		}
	}

	nics, failed := w.prepareNICs(nics, v.cluster, v.nics)
	if failed != nil {
		return failed
	}

	for _, n := range slices.Clone(v.nics) {
		w.unplug(n)
	}

	for _, d := range slices.Clone(v.disks) {
		if !d.hidden() {
			w.detach(d)
		}
	}

	for i := range nics {
		n := w.plugIn(v, &nics[i])
		n.static, n.tools, n.silent = s.nics[i].static, s.nics[i].tools, s.nics[i].silent
	}

	for i, old := range s.volumes {
		frozen := s.shape.disks[i]

		if old != nil {
			if _, exists := w.volumes.get(old.row.ID); exists {
				old.row.Size = frozen.size
				frozen.volume = old
			}
		}

		w.attach(v, &frozen)
	}

	v.row.CPU, v.row.VCPU, v.row.Memory = s.row.CPU, s.row.VCPU, s.row.Memory
	v.row.HA, v.row.Firmware = s.row.HA, s.row.Firmware
	w.show(v)

	return nil
}
