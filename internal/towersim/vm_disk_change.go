// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// editDisk names the task of a change to a VM's disks.
func editDisk(v *vm) text {
	return text{en: "Edit VM " + v.row.Name + " disk", zh: "编辑虚拟机 " + v.row.Name + " 磁盘"}
}

func addVMDisk(c *call, in *wire.VMAddDiskParams) (any, error) {
	d := &in.Data.VMDisks

	return c.addDisks(in.Where, &wire.VMDiskParams{MountDisks: d.MountDisks, MountNewCreateDisks: d.MountNewCreateDisks})
}

// addDisks gives disks or drives to the VMs that a filter finds.
func (c *call) addDisks(where json.RawMessage, params *wire.VMDiskParams) (any, error) {
	vms, err := match(c.world, &c.vms, wire.EntityVM, where)
	if err != nil {
		return nil, err
	}

	shapes := map[*vm][]diskShape{}
	for _, v := range vms {
		if shapes[v], err = c.diskShapes(params, v.cluster); err != nil {
			return nil, err
		}
	}

	return c.changeVMs(vms, vmWork{
		mutation: "updateVm", about: editDisk,
		apply: func(v *vm) *taskFailure {
			if failed := c.attachable(v, shapes[v]); failed != nil {
				return failed
			}

			for i := range shapes[v] {
				c.attach(v, &shapes[v][i])
			}

			c.renew(v)

			return nil
		},
	})
}

// attachable refuses volumes that another disk is already, and what does not fit
// into the storage any more.
func (w *world) attachable(v *vm, shapes []diskShape) *taskFailure {
	var space int64

	for i := range shapes {
		s := &shapes[i]
		space += s.space()

		if s.volume != nil && len(s.volume.disks) > 0 && !s.volume.row.Sharing {
			return failure("VM_VOLUME_IN_USE", "The volume %s is attached to the VM %s.", s.volume.row.Name, s.volume.disks[0].vm.row.Name)
		}
	}

	return w.hasSpace(v.cluster, space)
}

func removeVMDisk(c *call, in *wire.VMRemoveDiskParams) (any, error) {
	return c.removeDisks(in.Where, "body.data.disk_ids", in.Data.DiskIDs, wire.VMDiskTypeDisk)
}

// removeDisks takes disks or drives, by their ids, from the VMs that a filter
// finds. The volumes stay.
func (c *call) removeDisks(where json.RawMessage, field string, ids []string, kind wire.VMDiskType) (any, error) {
	vms, err := match(c.world, &c.vms, wire.EntityVM, where)
	if err != nil {
		return nil, err
	}

	chosen := map[*vm][]*disk{}

	for _, v := range vms {
		for _, id := range ids {
			d, err := c.diskOf(v, field, id, kind)
			if err != nil {
				return nil, err
			}

			chosen[v] = append(chosen[v], d)
		}
	}

	return c.changeVMs(vms, vmWork{
		mutation: "updateVm", about: editDisk,
		apply: func(v *vm) *taskFailure {
			for _, d := range chosen[v] {
				c.detach(d)
			}

			c.renew(v)

			return nil
		},
	})
}

// diskOf returns the disk or drive of a VM by the id that it has at the moment.
func (w *world) diskOf(v *vm, field, id string, kind wire.VMDiskType) (*disk, error) {
	d, ok := w.disks.get(id)
	if !ok || d.vm != v || d.row.Type != kind {
		return nil, badRequest("%s: the VM %s has no %s %s", field, v.row.Name, kind, id)
	}

	return d, nil
}

func updateVMDisk(c *call, in *wire.VMUpdateDiskParams) (any, error) {
	vms, err := match(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	edits := map[*vm]*diskEdit{}

	for _, v := range vms {
		if edits[v], err = c.diskEditOf(v, &in.Data); err != nil {
			return nil, err
		}
	}

	return c.changeVMs(vms, vmWork{
		mutation: "updateVm", about: editDisk,
		apply: func(v *vm) *taskFailure { return c.editDisk(edits[v]) },
	})
}

// diskEdit is what is to become of a disk or a drive.
type diskEdit struct {
	disk   *disk
	bus    wire.Bus
	volume *volume
	image  *image
}

// diskEditOf resolves what a change of a VM's disk or drive names.
func (c *call) diskEditOf(v *vm, in *wire.VMUpdateDiskParamsData) (*diskEdit, error) {
	d, ok := c.disks.get(in.VMDiskID)
	if !ok || d.vm != v {
		return nil, badRequest("body.data.vm_disk_id: the VM %s has no disk %s", v.row.Name, in.VMDiskID)
	}

	e := &diskEdit{disk: d, bus: d.row.Bus, volume: d.volume, image: d.image}
	assign(&e.bus, in.Bus)

	if id := valueOf(in.VMVolumeID); id != "" {
		if e.volume, ok = c.volumes.get(id); !ok {
			return nil, notFound("There is no VM volume %s", id)
		}
	}

	if !in.ElfImageID.Set && !in.ContentLibraryImageID.Set {
		return e, nil
	}

	if d.row.Type != wire.VMDiskTypeCdRom {
		return nil, badRequest("body.data: the disk %s is no CD-ROM drive", in.VMDiskID)
	}

	var err error
	e.image, err = c.imageNamed(&in.ElfImageID.Value, &in.ContentLibraryImageID.Value, v.cluster)

	return e, err
}

func (c *call) editDisk(e *diskEdit) *taskFailure {
	d := e.disk
	if e.bus != d.row.Bus && d.vm.holdsMemory() {
		return failure("VM_STATUS_NOT_ALLOWED", "The bus of a disk of the VM %s can be changed only while it is stopped.", d.vm.row.Name)
	}

	if e.volume != d.volume {
		if failed := c.attachable(d.vm, []diskShape{{volume: e.volume}}); failed != nil {
			return failed
		}

		c.swap(d, e.volume)
	}

	d.row.Bus, d.image = e.bus, e.image
	d.showImage()
	c.renew(d.vm)

	return nil
}

// swap makes a disk another volume.
func (w *world) swap(d *disk, to *volume) {
	v := d.vm
	s := diskShape{
		kind: d.row.Type, bus: d.row.Bus, boot: d.row.Boot, index: d.index, key: d.row.Key, volume: to,
		limits: ioLimits{
			iops: d.row.MaxIOPS, iopsPolicy: d.row.MaxIOPSPolicy, bandwidth: d.row.MaxBandwidth, bandwidthPolicy: d.row.MaxBandwidthPolicy,
		},
	}
	w.detach(d)
	w.attach(v, &s)
}
