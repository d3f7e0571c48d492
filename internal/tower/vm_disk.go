// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"cmp"
	"context"
	"slices"

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

// VMDisks reads the disks and CD-ROM drives of a VM by Tower's id, in boot order. The drive that holds the data of
// cloud-init is not among them: Tower manages it. A VM that does not exist has none.
func (c *Client) VMDisks(ctx context.Context, vmID string) ([]VMDisk, error) {
	if vmID == "" {
		return nil, notFound(opGetVMDisks, "disks are looked for without the id of their VM")
	}
	disks, _, err := c.reads.disks.Get(ctx, vmID)
	if err != nil {
		return nil, asError(opGetVMDisks, err)
	}
	return disks, nil
}

// VolumeDisks reads where a volume is attached: the disks of all VMs that are the volume with this id.
func (c *Client) VolumeDisks(ctx context.Context, volumeID string) ([]VMDisk, error) {
	if volumeID == "" {
		return nil, notFound(opGetVMDisks, "disks are looked for without the id of their volume")
	}
	disks, _, err := c.reads.attached.Get(ctx, volumeID)
	if err != nil {
		return nil, asError(opGetVMDisks, err)
	}
	return disks, nil
}

const opGetVMDisks = "get-vm-disks"

// fetchDisks reads the disks of VMs.
func (c *Client) fetchDisks(ctx context.Context, vmIDs []string) (map[string][]VMDisk, error) {
	return c.getDisks(ctx, &models.VMDiskWhereInput{VM: &models.VMWhereInput{IDIn: vmIDs}}, func(d VMDisk) string { return d.VMID })
}

// fetchAttached reads the disks that are volumes.
func (c *Client) fetchAttached(ctx context.Context, volumeIDs []string) (map[string][]VMDisk, error) {
	return c.getDisks(ctx, &models.VMDiskWhereInput{VMVolume: &models.VMVolumeWhereInput{IDIn: volumeIDs}}, func(d VMDisk) string { return d.VolumeID })
}

// getDisks calls get-vm-disks and groups what it gets.
func (c *Client) getDisks(ctx context.Context, where *models.VMDiskWhereInput, key func(VMDisk) string) (map[string][]VMDisk, error) {
	body := &models.GetVMDisksRequestBody{Where: where}
	return invoke(ctx, c, operation{opGetVMDisks, kindRead}, func(ctx context.Context) (map[string][]VMDisk, error) {
		reply, err := c.api.disks.GetVMDisks(vm_disk.NewGetVMDisksParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := map[string][]VMDisk{}
		for _, m := range reply.Payload {
			if m == nil || deref(m.CloudInitImageName) != "" || deref(m.CloudInitImagePath) != "" {
				continue
			}
			d := diskOf(m)
			out[key(d)] = append(out[key(d)], d)
		}
		for _, disks := range out {
			slices.SortStableFunc(disks, func(a, b VMDisk) int { return cmp.Compare(a.Boot, b.Boot) })
		}
		return out, nil
	})
}

// diskOf converts a disk of the SDK.
func diskOf(m *models.VMDisk) VMDisk {
	out := VMDisk{ID: deref(m.ID), Type: text(m.Type), Bus: text(m.Bus), Boot: number(m.Boot)}
	if m.VM != nil {
		out.VMID, out.VMName = deref(m.VM.ID), deref(m.VM.Name)
	}
	if m.VMVolume != nil {
		out.VolumeID, out.VolumeName = deref(m.VMVolume.ID), deref(m.VMVolume.Name)
	}
	if m.ElfImage != nil {
		out.ImageID = deref(m.ElfImage.ID)
	}
	out.Tools = m.SvtImage != nil
	return out
}
