// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// disksInput is the part of updateVm's data that changes a VM's disks.
type disksInput struct {
	_      struct{}          `wire:"closed"`
	Create []diskInput       `json:"create"`
	Update []diskUpdateInput `json:"update"`
	Delete []idInput         `json:"delete"`
}

type diskUpdateInput struct {
	_     struct{}  `wire:"closed"`
	Where idInput   `json:"where" wire:"required"`
	Data  diskInput `json:"data" wire:"required"`
}

// diskInput describes a disk or a CD-ROM drive.
type diskInput struct {
	_        struct{}         `wire:"closed"`
	Boot     *int             `json:"boot"`
	Bus      *wire.Bus        `json:"bus"`
	Key      *int             `json:"key"`
	Type     *wire.VMDiskType `json:"type"`
	Disabled *bool            `json:"disabled"`
	ElfImage *relationInput   `json:"elf_image"`
	VMVolume *diskVolumeInput `json:"vm_volume"`
}

type diskVolumeInput struct {
	_          struct{}     `wire:"closed"`
	Connect    *idInput     `json:"connect"`
	Disconnect *bool        `json:"disconnect"`
	Create     *volumeInput `json:"create"`
}

// volumeInput describes a new volume, or the volume that a disk has. The
// members that Tower sets itself are ignored.
type volumeInput struct {
	_              struct{}                           `wire:"closed"`
	Name           string                             `json:"name"`
	Path           *string                            `json:"path"`
	Size           int64                              `json:"size"`
	Policy         *wire.VMVolumeElfStoragePolicyType `json:"elf_storage_policy"`
	LocalCreatedAt *string                            `json:"local_created_at"`
	LocalID        *string                            `json:"local_id"`
	Mounting       *bool                              `json:"mounting"`
	Sharing        *bool                              `json:"sharing"`
	Cluster        *relationInput                     `json:"cluster"`
}

// diskEdit is the change of a VM's disks: the disks to keep, with their
// changes, and the new ones. All other disks are removed.
type diskEdit struct {
	vm   *vm
	kept []keptDisk
	made []diskConfig
	// sharing are the indexes in made of the disks whose volumes can be shared.
	sharing []int
}

type keptDisk struct {
	disk   *disk
	change *diskInput
	size   int64 // new size of the volume; 0 if it does not change
	image  *image
	volume *volume // new volume; nil if it does not change
}

// newDiskEdit looks up the objects that an edit of disks names. It returns nil
// if there is no edit.
func (c *call) newDiskEdit(v *vm, in *disksInput) (*diskEdit, error) {
	if in == nil {
		return nil, nil
	}

	edit := &diskEdit{vm: v}

	for i := range in.Update {
		kept, err := c.newKeptDisk(v, &in.Update[i])
		if err != nil {
			return nil, err
		}

		edit.kept = append(edit.kept, kept)
	}

	for i := range in.Create {
		made, err := c.newDiskConfig(v, &in.Create[i])
		if err != nil {
			return nil, err
		}

		edit.made = append(edit.made, made)

		if created := in.Create[i].VMVolume; created != nil && created.Create != nil && isTrue(created.Create.Sharing) {
			edit.sharing = append(edit.sharing, i)
		}
	}

	for _, gone := range in.Delete {
		if c.vmDiskByID(v, gone.ID) == nil {
			return nil, notFound("The VM %s has no disk %s", v.row.Name, gone.ID)
		}
	}

	return edit, nil
}

func (c *call) newKeptDisk(v *vm, in *diskUpdateInput) (keptDisk, error) {
	d := c.vmDiskByID(v, in.Where.ID)
	if d == nil {
		return keptDisk{}, notFound("The VM %s has no disk %s", v.row.Name, in.Where.ID)
	}

	var err error

	kept := keptDisk{disk: d, change: &in.Data}
	if kept.image, err = c.imageByID(wire.Ptr(in.Data.ElfImage.id()), nil, v.cluster); err != nil {
		return keptDisk{}, err
	}

	described := in.Data.VMVolume

	switch {
	case described == nil:
	case isTrue(described.Disconnect):
		return keptDisk{}, notSimulated("taking a disk's volume away")
	case described.Connect != nil:
		kept.volume, err = c.volumeByID(described.Connect.ID, v.cluster)
	case described.Create != nil && d.volume != nil:
		kept.size = described.Create.Size
	}

	return kept, err
}

// growth returns the additional space that a disk's volume takes. Only the size
// of a volume can change.
func (k *keptDisk) growth() (int64, *taskFailure) {
	described := k.change.VMVolume
	if described == nil || described.Create == nil || k.disk.volume == nil {
		return 0, nil
	}

	row := &k.disk.volume.row
	if described.Create.Policy != nil && *described.Create.Policy != row.ElfStoragePolicy {
		return 0, failure("VM_VOLUME_POLICY_ERROR", "The storage policy of the volume %s cannot be changed.", row.Name)
	}

	return k.disk.volume.growth(k.size)
}

func (c *call) newDiskConfig(v *vm, in *diskInput) (diskConfig, error) {
	s := diskConfig{kind: wire.VMDiskTypeDisk, bus: wire.BusVirtio, key: in.Key}
	setIfSent(&s.kind, in.Type)
	setIfSent(&s.bus, in.Bus)
	setIfSent(&s.boot, in.Boot)

	var err error

	if s.kind == wire.VMDiskTypeCdRom {
		s.image, err = c.imageByID(wire.Ptr(in.ElfImage.id()), nil, v.cluster)

		return s, err
	}

	described := in.VMVolume

	switch {
	case described != nil && described.Connect != nil:
		s.volume, err = c.volumeByID(described.Connect.ID, v.cluster)
	case described == nil || described.Create == nil:
		err = badRequest("vm_disks.create: a disk needs a volume")
	case described.Create.Size <= 0:
		err = badRequest("vm_disks.create: the size of a volume must be more than 0")
	default:
		s.name, s.size, s.policy = described.Create.Name, described.Create.Size, defaultPolicy
		setIfSent(&s.policy, described.Create.Policy)
	}

	return s, err
}

// checkDiskEdit refuses an edit that cannot be carried out completely.
func (w *world) checkDiskEdit(e *diskEdit) *taskFailure {
	if e == nil {
		return nil
	}

	var space int64

	wanted := mapSlice(e.made, func(s diskConfig) *volume { return s.volume })

	for i := range e.kept {
		k := &e.kept[i]
		wanted = append(wanted, k.volume)

		more, failed := k.growth()
		if failed != nil {
			return failed
		}

		space = addSaturating(space, more)

		to := k.volume
		if to == nil {
			to = k.disk.volume
		}

		if failed := k.disk.checkChange(k.change.Bus, to); failed != nil {
			return failed
		}
	}

	for i := range e.made {
		space = addSaturating(space, e.made[i].space())
	}

	if failed := checkUsedOnce(wanted); failed != nil {
		return failed
	}

	if failed := w.checkSpace(e.vm.cluster, space); failed != nil {
		return failed
	}

	return w.checkNewDisks(e.vm, e.made)
}

func (w *world) editDisks(e *diskEdit) {
	if e == nil {
		return
	}

	for _, d := range slices.Clone(e.vm.disks) {
		if !slices.ContainsFunc(e.kept, func(k keptDisk) bool { return k.disk == d }) {
			w.detach(d)
		}
	}

	for i := range e.kept {
		w.editDisk(&e.kept[i])
	}

	for i := range e.made {
		d := w.attach(e.vm, &e.made[i])
		if d.volume != nil && slices.Contains(e.sharing, i) {
			d.volume.row.Sharing = true
		}
	}
}

func (w *world) editDisk(k *keptDisk) {
	d, change := k.disk, k.change
	setIfSent(&d.row.Boot, change.Boot)
	setIfSent(&d.row.Bus, change.Bus)

	if change.Disabled != nil {
		d.row.Disabled = change.Disabled
	}

	if k.image != nil || change.ElfImage.disconnects() {
		d.image, d.tools = k.image, nil
		d.refreshImage()
	}

	if k.volume != nil && k.volume != d.volume {
		w.replaceVolume(d, k.volume)
	}

	if k.size > 0 {
		d.volume.row.Size = k.size
	}
}

func isTrue(b *bool) bool { return b != nil && *b }
