// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// matchDisks returns the disks that a filter finds, by their VMs.
func (c *call) matchDisks(where json.RawMessage) ([]*vm, map[*vm][]*disk, error) {
	disks, err := match(c.world, &c.disks, wire.EntityVMDisk, where)
	if err != nil {
		return nil, nil, err
	}

	var vms []*vm

	chosen := map[*vm][]*disk{}

	for _, d := range disks {
		if chosen[d.vm] == nil {
			vms = append(vms, d.vm)
		}

		chosen[d.vm] = append(chosen[d.vm], d)
	}

	return vms, chosen, nil
}

func expandVMDisk(c *call, in *wire.VMExpandVMDiskParams) (any, error) {
	vms, chosen, err := c.matchDisks(in.Where)
	if err != nil {
		return nil, err
	}

	size := bytesOf(in.Size, in.SizeUnit)

	for _, disks := range chosen {
		for _, d := range disks {
			if d.volume == nil {
				return nil, badRequest("body.where: a CD-ROM drive cannot be expanded")
			}

			if size < d.volume.row.Size {
				return nil, badRequest("body.size: %d is less than the disk has, %d", size, d.volume.row.Size)
			}
		}
	}

	return c.changeVMs(vms, vmWork{
		mutation: "updateVm",
		about: func(v *vm) text {
			return text{en: "Edit VM " + v.row.Name + " disk", zh: "编辑虚拟机 " + v.row.Name + " 磁盘"}
		},
		apply: func(v *vm) *taskFailure {
			for _, d := range chosen[v] {
				if failed := c.grow(d.volume, size); failed != nil {
					return failed
				}
			}

			c.renew(v)

			return nil
		},
	})
}

// grow gives a volume its new size.
func (w *world) grow(v *volume, size int64) *taskFailure {
	if size < v.row.Size {
		return failure("VM_VOLUME_SIZE_ERROR", "The volume %s cannot be reduced.", v.row.Name)
	}

	if failed := w.hasSpace(v.cluster, (size-v.row.Size)*replicas(v.row.ElfStoragePolicy)); failed != nil {
		return failed
	}

	v.row.Size = size

	for _, d := range v.disks {
		w.show(d.vm)
	}

	return nil
}

func updateVMVolume(c *call, in *wire.UpdateVMVolumeParams) (any, error) {
	volumes, err := match(c.world, &c.volumes, wire.EntityVMVolume, in.Where)
	if err != nil {
		return nil, err
	}

	if err := c.free(mapped(volumes, func(v *volume) lockable { return v })...); err != nil {
		return nil, err
	}

	d := &in.Data

	for _, v := range volumes {
		if d.Size != nil && bytesOf(*d.Size, d.SizeUnit) < v.row.Size {
			return nil, badRequest("body.data.size: is less than the volume has, %d", v.row.Size)
		}
	}

	replies := make([]wire.WithTask[*wire.VMVolume], len(volumes))
	for i, v := range volumes {
		t := c.begin(work{
			mutation: "updateVmVolume", about: text{en: "Update virtual volume", zh: "编辑虚拟卷"},
			resource: "VmVolume", id: v.row.ID, cluster: v.cluster,
			status: wire.EntityAsyncStatusUpdating, holds: []lockable{v},
			apply: func() *taskFailure { return c.editVolume(v, d) },
		})
		shown := v.row
		replies[i] = wire.WithTask[*wire.VMVolume]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
	}

	return replies, nil
}

func (w *world) editVolume(v *volume, d *wire.UpdateVMVolumeParamsData) *taskFailure {
	if d.Size != nil {
		if failed := w.grow(v, bytesOf(*d.Size, d.SizeUnit)); failed != nil {
			return failed
		}
	}

	assign(&v.row.Name, d.Name)

	if d.Description != nil {
		v.row.Description = d.Description
	}

	for _, attached := range v.disks {
		attached.row.VMVolume = &wire.NestedVMVolume{ID: v.row.ID, Name: v.row.Name}
	}

	return nil
}
