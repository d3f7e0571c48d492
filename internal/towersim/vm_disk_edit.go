// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// vmDiskByID returns the disk of a VM that has, or had before an edit, an id.
func (w *world) vmDiskByID(v *vm, id string) *disk {
	d, ok := w.disks.get(id)
	if !ok {
		d = w.formerDisks[id]
	}

	if d == nil || d.vm != v {
		return nil
	}

	return d
}

// vmDisksByID returns the disks with a list of ids in each of the VMs that a
// filter selects. Each VM must have all of them, and they must have one type.
func (c *call) vmDisksByID(where json.RawMessage, ids []string, kind wire.VMDiskType) ([]*vm, map[*vm][]*disk, error) {
	vms, err := matching(c.world, &c.vms, wire.EntityVM, where)
	if err != nil {
		return nil, nil, err
	}

	chosen := map[*vm][]*disk{}

	for _, v := range vms {
		for _, id := range ids {
			d := c.vmDiskByID(v, id)
			if d == nil || kind != "" && d.row.Type != kind {
				return nil, nil, badRequest("body.data: the VM %s has no disk %s", v.row.Name, id)
			}

			chosen[v] = append(chosen[v], d)
		}
	}

	return vms, chosen, nil
}

func addVMDisk(c *call, in *wire.VMAddDiskParams) (any, error) {
	params := &wire.VMDiskParams{MountDisks: in.Data.VMDisks.MountDisks, MountNewCreateDisks: in.Data.VMDisks.MountNewCreateDisks}
	if len(params.MountDisks)+len(params.MountNewCreateDisks) == 0 {
		return nil, badRequest("body.data.vm_disks: expected at least 1 disk")
	}

	return c.addDisks(in.Where, params, "addVmDisk", describeVM("Add a disk to VM", "添加虚拟盘"))
}

func addVMCdRom(c *call, in *wire.VMAddCdRomParams) (any, error) {
	if err := checkNotEmptyList(in.Data.VMCdRoms); err != nil {
		return nil, err
	}

	params := &wire.VMDiskParams{MountCdRoms: in.Data.VMCdRoms}

	return c.addDisks(in.Where, params, "addVmCdRom", describeVM("Add a CD-ROM to VM", "添加 CD-ROM"))
}

func (c *call) addDisks(where json.RawMessage, params *wire.VMDiskParams, mutation string, about func(*vm) localizedText) (any, error) {
	vms, err := matching(c.world, &c.vms, wire.EntityVM, where)
	if err != nil {
		return nil, err
	}

	shapes := map[*vm][]diskConfig{}
	for _, v := range vms {
		if shapes[v], err = c.diskConfigs(params, v.cluster); err != nil {
			return nil, err
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: mutation, description: about,
		apply: func(v *vm) *taskFailure {
			if failed := c.checkNewDisks(v, shapes[v]); failed != nil {
				return failed
			}

			for i := range shapes[v] {
				c.attach(v, &shapes[v][i])
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

// checkNewDisks refuses volumes that cannot be attached, and new volumes for
// which there is no space.
func (w *world) checkNewDisks(v *vm, shapes []diskConfig) *taskFailure {
	var space int64

	for i := range shapes {
		space = addSaturating(space, shapes[i].space())

		if failed := shapes[i].volume.checkFree(); failed != nil {
			return failed
		}
	}

	if failed := checkUsedOnce(mapSlice(shapes, func(s diskConfig) *volume { return s.volume })); failed != nil {
		return failed
	}

	return w.checkSpace(v.cluster, space)
}

// checkUsedOnce refuses a volume that is wanted for two disks, unless it can be
// shared. Nil stands for a new volume.
func checkUsedOnce(wanted []*volume) *taskFailure {
	seen := map[*volume]bool{}

	for _, v := range wanted {
		if v == nil || v.row.Sharing {
			continue
		}

		if seen[v] {
			return failure("VM_VOLUME_IN_USE", "The volume %s cannot be used for two disks.", v.row.Name)
		}

		seen[v] = true
	}

	return nil
}

// checkFree refuses a volume that is attached, unless it can be shared. Nil is
// always accepted.
func (v *volume) checkFree() *taskFailure {
	if v == nil || len(v.disks) == 0 || v.row.Sharing {
		return nil
	}

	return failure("VM_VOLUME_IN_USE", "The volume %s is attached to the VM %s.", v.row.Name, v.disks[0].vm.row.Name)
}

func removeVMDisk(c *call, in *wire.VMRemoveDiskParams) (any, error) {
	return c.removeDisks(in.Where, in.Data.DiskIDs, "", "removeVmDisk", describeVM("Remove a disk from VM", "卸载虚拟盘"))
}

func removeVMCdRom(c *call, in *wire.VMRemoveCdRomParams) (any, error) {
	return c.removeDisks(in.Where, in.Data.CdRomIDs, wire.VMDiskTypeCdRom, "removeVmCdRom", describeVM("Remove a CD-ROM from VM", "删除 CD-ROM"))
}

// removeDisks removes disks from their VMs. The volumes stay.
func (c *call) removeDisks(where json.RawMessage, ids []string, kind wire.VMDiskType, mutation string, about func(*vm) localizedText) (any, error) {
	vms, chosen, err := c.vmDisksByID(where, ids, kind)
	if err != nil {
		return nil, err
	}

	return c.changeVMs(vms, vmChange{
		mutation: mutation, description: about,
		apply: func(v *vm) *taskFailure {
			for _, d := range chosen[v] {
				c.detach(d)
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

func updateVMDisk(c *call, in *wire.VMUpdateDiskParams) (any, error) {
	vms, chosen, err := c.vmDisksByID(in.Where, []string{in.Data.VMDiskID}, "")
	if err != nil {
		return nil, err
	}

	if in.Data.Bus != nil {
		if err := c.checkKnownValue("body.data.bus", string(*in.Data.Bus)); err != nil {
			return nil, err
		}
	}

	mounted := map[*vm]*image{}
	volumes := map[*vm]*volume{}

	for _, v := range vms {
		mounted[v], err = c.imageByID(in.Data.ElfImageID.Ptr(), in.Data.ContentLibraryImageID.Ptr(), v.cluster)
		if err != nil {
			return nil, err
		}

		if in.Data.VMVolumeID == nil {
			continue
		}

		if volumes[v], err = c.volumeByID(*in.Data.VMVolumeID, v.cluster); err != nil {
			return nil, err
		}
	}

	remounts := in.Data.ElfImageID.Set || in.Data.ContentLibraryImageID.Set

	return c.changeVMs(vms, vmChange{
		mutation: "updateVmDisk", description: describeVM("Edit a disk of VM", "编辑虚拟盘"),
		apply: func(v *vm) *taskFailure {
			for _, d := range chosen[v] {
				if failed := d.checkChange(in.Data.Bus, volumes[v]); failed != nil {
					return failed
				}

				setIfSent(&d.row.Bus, in.Data.Bus)

				if remounts {
					d.image, d.tools = mounted[v], nil
					d.refreshImage()
				}

				if volumes[v] != nil && volumes[v] != d.volume {
					c.replaceVolume(d, volumes[v])
				}
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

// checkChange refuses to change the bus of a disk while the VM is not stopped,
// and to use a volume that is attached.
func (d *disk) checkChange(bus *wire.Bus, to *volume) *taskFailure {
	if bus != nil && *bus != d.row.Bus && d.vm.holdsMemory() {
		return failure("VM_STATUS_NOT_ALLOWED", "The bus of a disk of the VM %s can be changed only while it is stopped.", d.vm.row.Name)
	}

	if to == d.volume {
		return nil
	}

	return to.checkFree()
}

// replaceVolume gives a disk another volume.
func (w *world) replaceVolume(d *disk, to *volume) {
	if d.volume != nil {
		d.volume.disks = slices.DeleteFunc(d.volume.disks, func(x *disk) bool { return x == d })
	}

	d.volume = to
	to.disks = append(to.disks, d)
	d.row.VMVolume = &wire.NestedVMVolume{ID: to.row.ID, Name: to.row.Name}
}

func ejectISOFromVMCdRom(c *call, in *wire.VMEjectCdRomParams) (any, error) {
	return c.editDrives(in.Where, "ejectIsoFromVmCdRom", describeVM("Eject the ISO from VM", "弹出 ISO"), func(d *disk) {
		d.image, d.tools = nil, nil
		d.refreshImage()
	})
}

func toggleVMCdRomDisable(c *call, in *wire.VMToggleCdRomDisableParams) (any, error) {
	return c.editDrives(in.Where, "toggleVmCdRomDisable", describeVM("Edit the CD-ROM of VM", "编辑 CD-ROM"), func(d *disk) {
		d.row.Disabled = wire.Ptr(in.Disabled)
	})
}

// editDrives changes the CD-ROM drives that a filter selects.
func (c *call) editDrives(where json.RawMessage, mutation string, about func(*vm) localizedText, edit func(*disk)) (any, error) {
	vms, chosen, err := c.matchDisks(where)
	if err != nil {
		return nil, err
	}

	for _, disks := range chosen {
		for _, d := range disks {
			if d.row.Type != wire.VMDiskTypeCdRom {
				return nil, badRequest("body.where: the disk %s is not a CD-ROM drive", d.row.ID)
			}
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: mutation, description: about,
		apply: func(v *vm) *taskFailure {
			for _, d := range chosen[v] {
				edit(d)
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

func installVMTools(c *call, in *wire.InstallVmtoolsParams) (any, error) {
	if in.Data == nil && !c.version.atLeast(4, 4) {
		return nil, badRequest("body.data: required member is missing")
	}

	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	drives, images := map[*vm]*disk{}, map[*vm]*toolsImage{}

	for _, v := range vms {
		if drives[v], images[v], err = c.toolsDrive(v, in.Data); err != nil {
			return nil, err
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: "installVmtools", description: describeVM("Install VM tools in VM", "安装虚拟机工具"),
		apply: func(v *vm) *taskFailure {
			d := drives[v]
			if d == nil {
				d = c.attach(v, &diskConfig{kind: wire.VMDiskTypeCdRom, bus: wire.BusIde, boot: v.nextBoot()})
			}

			d.image, d.tools = nil, images[v]
			d.refreshImage()
			c.renewPartIDs(v)

			return nil
		},
	})
}

// toolsDrive returns the drive and the image for the VM tools: the requested
// ones, or the first of each. A nil drive means that a new one is added.
func (c *call) toolsDrive(v *vm, data *wire.InstallVmtoolsParamsData) (*disk, *toolsImage, error) {
	if data != nil {
		d := c.vmDiskByID(v, data.CdRomID)
		if d == nil || d.row.Type != wire.VMDiskTypeCdRom {
			return nil, nil, notFound("The VM %s has no CD-ROM drive %s", v.row.Name, data.CdRomID)
		}

		i, ok := c.toolsImages.get(data.SvtImageID)
		if !ok || i.cluster != v.cluster {
			return nil, nil, notFound("There is no SVT image %s in the VM's cluster", data.SvtImageID)
		}

		return d, i, nil
	}

	images := filterSlice(c.toolsImages.list, func(i *toolsImage) bool { return i.cluster == v.cluster })
	if len(images) == 0 {
		return nil, nil, notFound("There is no SVT image in the VM's cluster")
	}

	for _, d := range v.disks {
		if d.row.Type == wire.VMDiskTypeCdRom && !d.isCloudInitDrive() {
			return d, images[0], nil
		}
	}

	return nil, images[0], nil
}

func (v *vm) nextBoot() int {
	boot := 0
	for _, d := range v.disks {
		boot = max(boot, d.row.Boot+1)
	}

	return boot
}
