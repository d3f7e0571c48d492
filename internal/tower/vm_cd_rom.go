// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opAddCDROM    = "add-vm-cd-rom"
	opRemoveCDROM = "remove-vm-cd-rom"
	opEjectISO    = "eject-iso-from-vm-cd-rom"
)

// CDROMCreate describes a CD-ROM drive that a VM is to get. Without an image it is empty.
type CDROMCreate struct {
	ImageID        string // of an ELF image
	LibraryImageID string // of an image of the content library
	Boot           int    // place in the boot order, which disks and CD-ROM drives share
}

// drives converts drives for the SDK.
func drives(in []CDROMCreate) []*models.VMCdRomParams {
	var out []*models.VMCdRomParams
	for _, d := range in {
		out = append(out, &models.VMCdRomParams{
			Boot: int32s(&d.Boot), ElfImageID: optional(d.ImageID), ContentLibraryImageID: optional(d.LibraryImageID),
		})
	}
	return out
}

// AddVMCDROMs gives a VM CD-ROM drives, all in one call. Nothing to add is nothing to do.
func (c *Client) AddVMCDROMs(ctx context.Context, vmID string, in []CDROMCreate) error {
	if len(in) == 0 {
		return nil
	}
	data := &models.VMAddCdRomParamsData{VMCdRoms: drives(in)}
	return c.edit(ctx, vmID, vmOperation{name: opAddCDROM, submit: func(ctx context.Context, where *models.VMWhereInput) ([]string, error) {
		reply, err := c.api.vms.AddVMCdRom(vm.NewAddVMCdRomParamsWithContext(ctx).WithRequestBody(&models.VMAddCdRomParams{Where: where, Data: data}))
		if err != nil {
			return nil, err
		}
		return tasksOf(reply.Payload, taskOfVM), nil
	}})
}

// RemoveVMCDROMs takes CD-ROM drives from a VM, all in one call. A drive has nothing lasting but its place in the boot
// order, so that is how they are named.
func (c *Client) RemoveVMCDROMs(ctx context.Context, vmID string, boots []int) error {
	return c.withVM(ctx, opRemoveCDROM, vmID, func() error {
		var ids []string
		for _, boot := range boots {
			drive, err := c.drive(ctx, opRemoveCDROM, vmID, boot)
			if err != nil {
				return err
			}
			ids = append(ids, drive.ID)
		}
		if len(ids) == 0 {
			return nil
		}
		return c.operate(ctx, vmID, vmOperation{name: opRemoveCDROM, submit: func(ctx context.Context, where *models.VMWhereInput) ([]string, error) {
			body := &models.VMRemoveCdRomParams{Where: where, Data: &models.VMRemoveCdRomParamsData{CdRomIds: ids}}
			reply, err := c.api.vms.RemoveVMCdRom(vm.NewRemoveVMCdRomParamsWithContext(ctx).WithRequestBody(body))
			if err != nil {
				return nil, err
			}
			return tasksOf(reply.Payload, taskOfVM), nil
		}})
	})
}

// InsertISO puts an image into the CD-ROM drive at a place of the boot order, in place of the one that is there.
func (c *Client) InsertISO(ctx context.Context, vmID string, in CDROMCreate) error {
	return c.withVM(ctx, opUpdateDisk, vmID, func() error {
		drive, err := c.drive(ctx, opUpdateDisk, vmID, in.Boot)
		if err != nil {
			return err
		}
		return c.operate(ctx, vmID, c.updatingDisk(&models.VMUpdateDiskParamsData{
			VMDiskID: ptr(drive.ID), ElfImageID: optional(in.ImageID), ContentLibraryImageID: optional(in.LibraryImageID),
		}))
	})
}

// EjectISO empties the CD-ROM drive at a place of the boot order.
func (c *Client) EjectISO(ctx context.Context, vmID string, boot int) error {
	return c.withVM(ctx, opEjectISO, vmID, func() error {
		drive, err := c.drive(ctx, opEjectISO, vmID, boot)
		if err != nil {
			return err
		}
		return c.operate(ctx, vmID, vmOperation{name: opEjectISO, submit: func(ctx context.Context, where *models.VMWhereInput) ([]string, error) {
			disks := &models.VMDiskWhereInput{ID: ptr(drive.ID), VM: where}
			reply, err := c.api.vms.EjectIsoFromVMCdRom(vm.NewEjectIsoFromVMCdRomParamsWithContext(ctx).WithRequestBody(&models.VMEjectCdRomParams{Where: disks}))
			if err != nil {
				return nil, err
			}
			return tasksOf(reply.Payload, taskOfVM), nil
		}})
	})
}

// drive finds the CD-ROM drive at a place of the boot order as it is now.
func (c *Client) drive(ctx context.Context, op, vmID string, boot int) (*VMDisk, error) {
	disks, err := c.VMDisks(ctx, vmID)
	if err != nil {
		return nil, err
	}
	for i := range disks {
		if disks[i].IsCDROM() && disks[i].Boot == boot {
			return &disks[i], nil
		}
	}
	return nil, notFound(op, fmt.Sprintf("VM %s has no CD-ROM drive at place %d of the boot order", vmID, boot))
}
