// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"cmp"
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_disk"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// DiskCDROM is the type of a CD-ROM drive among the disks of a VM.
const DiskCDROM = "CD_ROM"

// VMDisk is a disk or a CD-ROM drive of a VM as Tower shows it. Its id changes whenever the VM is edited: a disk is
// recognised by its volume.
type VMDisk struct {
	ID         string // good for the moment only
	VMID       string
	VMName     string
	Type       string // DISK or CD_ROM
	Bus        string // IDE, SCSI, VIRTIO, USB
	Boot       int    // its place in the boot order, which disks and drives share
	VolumeID   string // "" for a CD-ROM drive
	VolumeName string
	ImageID    string // the ELF image in a CD-ROM drive, "" when there is none
	Tools      bool   // the CD-ROM drive holds the image of the VM tools, which is no ELF image

	cloudInit bool // the CD-ROM drive holds the data of cloud-init
}

// TemplateDisk is a disk or a CD-ROM drive that a template brings along.
type TemplateDisk struct {
	Type      string // DISK or CD_ROM
	Bus       string
	Boot      int
	SizeBytes int64
}

// SystemDiskOf returns the place of the disk that a template boots from in the template's list; -1 where it has none, or
// Tower does not tell.
func SystemDiskOf(disks []TemplateDisk) int {
	system := -1
	for i, d := range disks {
		if d.Type != DiskCDROM && (system < 0 || d.Boot < disks[system].Boot) {
			system = i
		}
	}
	return system
}

// IsCDROM reports whether it is a CD-ROM drive.
func (d VMDisk) IsCDROM() bool { return d.Type == DiskCDROM }

func (d VMDisk) identity() identity { return identity{id: d.ID} }

// VMDisks reads the disks and CD-ROM drives of a VM by Tower's id, in boot order. The drive that holds the data of
// cloud-init is not among them: Tower manages it. A VM that does not exist has none.
func (c *Client) VMDisks(ctx context.Context, vmID string) ([]VMDisk, error) {
	return c.disks.get(ctx, vmID)
}

// VolumeDisks reads where a volume is attached: the disks of all VMs that are the volume with this id.
func (c *Client) VolumeDisks(ctx context.Context, volumeID string) ([]VMDisk, error) {
	return c.volumeDisks.get(ctx, volumeID)
}

// newDisks reads the disks of VMs, and those that are a volume.
func newDisks(c *Client) (byVM, byVolume *lists[VMDisk]) {
	disks := newObjects(c, "get-vm-disks", "disk", diskOf, func(ctx context.Context, body *models.GetVMDisksRequestBody) ([]*models.VMDisk, error) {
		return payload(vm_disk.New(c.sdk()).GetVMDisks(vm_disk.NewGetVMDisksParamsWithContext(ctx).WithRequestBody(body)))
	})
	ofVM := func(v VMDisk) []string {
		if v.cloudInit {
			return nil
		}
		return []string{v.VMID}
	}
	byBoot := func(a, b VMDisk) int { return cmp.Compare(a.Boot, b.Boot) }
	return disks.listedBy("VM", ownedBy("vm"), ofVM, byBoot),
		disks.listedBy("volume", ownedBy("vm_volume"), func(v VMDisk) []string { return []string{v.VolumeID} }, byBoot)
}

func diskOf(m *models.VMDisk) VMDisk {
	vm, volume := deref(m.VM), deref(m.VMVolume)
	return VMDisk{
		ID: deref(m.ID), Type: text(m.Type), Bus: text(m.Bus), Boot: number(m.Boot), VMID: deref(vm.ID), VMName: deref(vm.Name),
		VolumeID: deref(volume.ID), VolumeName: deref(volume.Name), ImageID: deref(deref(m.ElfImage).ID), Tools: m.SvtImage != nil,
		cloudInit: deref(m.CloudInitImageName) != "" || deref(m.CloudInitImagePath) != "",
	}
}
