// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// snapshot is the state of a VM's hardware and disks at one time.
type snapshot struct {
	row      wire.VMSnapshot
	cluster  *cluster
	vm       *vm // nil if the VM was deleted
	hardware hardware
	volumes  []*volume // the volumes of the disks; nil for CD-ROM drives
	nics     []*nic    // copies, with the configuration in the guest
	labelSet
}

func (s *snapshot) id() string     { return s.row.ID }
func (s *snapshot) rowPtr() any    { return &s.row }
func (s *snapshot) refreshLabels() { s.row.Labels = s.nestedLabels() }

func (s *snapshot) setAsyncStatus(status *wire.EntityAsyncStatus) { s.row.EntityAsyncStatus = status }

func (s *snapshot) nested() wire.NestedVMSnapshot {
	return wire.NestedVMSnapshot{ID: s.row.ID, Name: s.row.Name}
}

func (w *world) snapshotRelations() map[string]func(*snapshot) []any {
	return map[string]func(*snapshot) []any{
		"cluster": func(s *snapshot) []any { return toOne(s.cluster) },
		"vm":      func(s *snapshot) []any { return toOne(s.vm) },
		"labels":  func(s *snapshot) []any { return rowPtrs(s.labels) },
	}
}

func (w *world) snapshotsOf(v *vm) []*snapshot {
	return filterSlice(w.snapshots.list, func(s *snapshot) bool { return s.vm == v })
}

func createVMSnapshot(c *call, in *wire.VMSnapshotCreationParams) (any, error) {
	if err := checkNotEmptyList(in.Data); err != nil {
		return nil, err
	}

	vms := make([]*vm, len(in.Data))

	for i := range in.Data {
		v, ok := c.vms.get(in.Data[i].VMID)
		if !ok {
			return nil, notFound("There is no VM %s", in.Data[i].VMID)
		}

		if err := checkNotEmpty("body.data.name", &in.Data[i].Name); err != nil {
			return nil, err
		}

		vms[i] = v
	}

	if err := c.checkUnlocked(mapSlice(vms, func(v *vm) lockable { return v })...); err != nil {
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
		LocalCreatedAt: formatTimePtr(c.now), ConsistentType: wire.ConsistentTypeCrashConsistent, VM: wire.Ptr(v.nested()),
	}
	setIfSent(&s.row.ConsistentType, p.ConsistentType)
	s.freeze(v)
	s.refreshLabels()
	c.snapshots.add(s)
	c.refreshVM(v)

	t := c.startTask(taskWork{
		mutation: "createVmSnapshot", resource: "VmSnapshot", id: s.row.ID, cluster: v.cluster,
		description: localizedText{en: "Create a snapshot " + p.Name + " of VM " + v.row.Name, zh: "创建虚拟机 " + v.row.Name + " 快照 " + p.Name},
		status:      wire.EntityAsyncStatusCreating, objects: []asyncObject{s, withAsyncStatus{v, wire.EntityAsyncStatusUpdating}},
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
			c.refreshVM(v)
		},
	})
	shown := s.row

	return wire.WithTask[*wire.VMSnapshot]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
}

// freeze writes the current state of a VM into the snapshot.
func (s *snapshot) freeze(v *vm) {
	s.hardware, s.volumes, s.nics = v.hardware(), nil, nil
	s.row.CPU, s.row.VCPU, s.row.CPUModel, s.row.Memory = v.row.CPU, v.row.VCPU, v.row.CPUModel, v.row.Memory
	s.row.Description = v.row.Description
	s.row.ClockOffset, s.row.Firmware, s.row.HA, s.row.WinOpt = v.row.ClockOffset, v.row.Firmware, v.row.HA, v.row.WinOpt
	s.row.VMDisks, s.row.VMNics, s.row.Size = []wire.NestedFrozenDisks{}, []wire.NestedFrozenNic{}, 0

	for _, d := range v.disks {
		if d.isCloudInitDrive() {
			continue
		}

		i := len(s.volumes)
		s.volumes = append(s.volumes, d.volume)
		frozen := s.hardware.disks[i].frozen(i)

		if d.volume != nil {
			s.hardware.disks[i].name = d.volume.row.Name
			frozen.VMVolumeLocalID, frozen.DiskName = d.volume.row.LocalID, wire.Ptr(d.volume.row.Name)
			frozen.Path, frozen.SnapshotLocalID = d.volume.row.Path, wire.Ptr(s.row.LocalID)
			s.row.Size += d.volume.row.Size
		}

		s.row.VMDisks = append(s.row.VMDisks, frozen)
	}

	for i, n := range v.nics {
		s.hardware.nics[i].mac = n.mac
		if n.vpc != nil {
			s.hardware.nics[i].vpc.addresses = slices.Clone(n.vpc.addresses)
		}

		s.nics = append(s.nics, wire.Ptr(*n))

		frozen := wire.NestedFrozenNic{
			Index: i, Enabled: n.row.Enabled, Mirror: n.row.Mirror, Model: n.row.Model, MACAddress: n.mac,
			IPAddress: deref(n.row.IPAddress), SubnetMask: deref(n.row.SubnetMask), Gateway: deref(n.row.Gateway),
		}
		if n.vlan != nil {
			frozen.Vlan = n.vlan.frozen()
		}

		s.row.VMNics = append(s.row.VMNics, frozen)
	}
}

func deleteVMSnapshot(c *call, in *wire.VMSnapshotDeletionParams) (any, error) {
	return deleteMatching(c, &c.snapshots, wire.EntityVMSnapshot, in.Where, change[*snapshot]{
		mutation: "deleteVmSnapshot", resource: "VmSnapshot",
		description: describe("Delete VM snapshot", "删除虚拟机快照", func(s *snapshot) string { return s.row.Name }),
		cluster:     func(s *snapshot) *cluster { return s.cluster },
		apply: func(s *snapshot) *taskFailure {
			c.dropSnapshot(s)

			return nil
		},
	})
}

func (w *world) dropSnapshot(s *snapshot) {
	w.snapshots.remove(s)

	if s.vm != nil {
		w.refreshVM(s.vm)
	}
}

func rollbackVM(c *call, in *wire.VMRollbackParams) (any, error) {
	s, ok := c.snapshots.get(in.Data.SnapshotID)
	if !ok {
		return nil, notFound("There is no VM snapshot %s", in.Data.SnapshotID)
	}

	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	for _, v := range vms {
		if s.vm != v {
			return nil, badRequest("body.data.snapshot_id: the snapshot does not belong to the VM %s", v.row.Name)
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: "rollbackVm", description: describeVM("Roll back VM", "回滚虚拟机"), allowedFrom: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure { return c.rollBack(v, s) },
	})
}

// rollBack gives a VM the hardware of a snapshot. The snapshot's volumes come
// back with their old sizes, if they still exist. Volumes that were attached
// later are detached.
func (w *world) rollBack(v *vm, s *snapshot) *taskFailure {
	nics := slices.Clone(s.hardware.nics)

	// Other VMs may have the addresses now.
	for i := range nics {
		if w.checkMACFree(nics[i].mac, v.cluster, v.nics) != nil {
			nics[i].mac = ""
		}

		if w.claimVPC(nics[i:i+1], v.nics) != nil {
			nics[i].vpc = &vpcConfig{subnet: nics[i].vpc.subnet}
		}
	}

	nics, failed := w.prepareNICs(nics, v.cluster, v.nics)
	if failed != nil {
		return failed
	}

	for _, n := range slices.Clone(v.nics) {
		w.removeNIC(n)
	}

	for _, d := range slices.Clone(v.disks) {
		if !d.isCloudInitDrive() {
			w.detach(d)
		}
	}

	for i := range nics {
		n := w.addNIC(v, &nics[i])
		n.static, n.toolsConfigured, n.unconfigured = s.nics[i].static, s.nics[i].toolsConfigured, s.nics[i].unconfigured
	}

	for i, old := range s.volumes {
		frozen := s.hardware.disks[i]

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
	w.refreshVM(v)

	return nil
}
