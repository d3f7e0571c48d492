// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"
	"slices"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opAddCDROM    = "add-vm-cd-rom"
	opRemoveCDROM = "remove-vm-cd-rom"
	opEjectISO    = "eject-iso-from-vm-cd-rom"
)

// CDROMCreate describes a CD-ROM drive that a VM is to get.
type CDROMCreate struct {
	ISO  *ISO // nil = an empty drive
	Boot int  // place in the boot order, which disks and CD-ROM drives share
}

func (d CDROMCreate) params() *models.VMCdRomParams {
	out := &models.VMCdRomParams{Boot: int32s(&d.Boot)}
	out.ElfImageID, out.ContentLibraryImageID = d.ISO.ids()
	return out
}

// ids names an image as Tower's parameters do: by one id or the other.
func (i *ISO) ids() (elf, library *string) {
	switch {
	case i == nil:
		return nil, nil
	case i.Library:
		return nil, ptr(i.ID)
	}
	return ptr(i.ID), nil
}

// AddVMCDROMs gives a VM CD-ROM drives, all in one call, and waits until it is idle. They come last in the boot order,
// whatever their places say. Nothing to add is nothing to do.
func (c *Client) AddVMCDROMs(ctx context.Context, vmID string, drives []CDROMCreate) error {
	if len(drives) == 0 {
		return nil
	}
	return c.vms.withLock(ctx, opAddCDROM, vmID, func() error {
		disks, err := c.VMDisks(ctx, vmID)
		if err != nil {
			return err
		}
		boot := 1
		for _, d := range disks {
			boot = max(boot, d.Boot+1)
		}
		data := &models.VMAddCdRomParamsData{}
		for i, drive := range drives {
			drive.Boot = boot + i
			data.VMCdRoms = append(data.VMCdRoms, drive.params())
		}
		return c.vms.carryOut(ctx, vmID, change[VM]{name: opAddCDROM, submit: func(ctx context.Context, id string) ([]receipt, error) {
			return receipts(vm.New(c.sdk()).AddVMCdRom(vm.NewAddVMCdRomParamsWithContext(ctx).WithRequestBody(&models.VMAddCdRomParams{Where: whereVM(id), Data: data})))
		}})
	})
}

// RemoveVMCDROMs takes the CD-ROM drives at these places in the boot order from a VM, all in one call. Places where the
// VM has no drive are passed over.
func (c *Client) RemoveVMCDROMs(ctx context.Context, vmID string, boots []int) error {
	return c.vms.withLock(ctx, opRemoveCDROM, vmID, func() error {
		// The rows of drives get new ids at every edit, so they are looked up while nobody else edits.
		disks, err := c.VMDisks(ctx, vmID)
		if err != nil {
			return err
		}
		var ids []string
		for _, d := range disks {
			if d.IsCDROM() && slices.Contains(boots, d.Boot) {
				ids = append(ids, d.ID)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		return c.vms.carryOut(ctx, vmID, change[VM]{name: opRemoveCDROM, submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMRemoveCdRomParams{Where: whereVM(id), Data: &models.VMRemoveCdRomParamsData{CdRomIds: ids}}
			return receipts(vm.New(c.sdk()).RemoveVMCdRom(vm.NewRemoveVMCdRomParamsWithContext(ctx).WithRequestBody(body)))
		}})
	})
}

// SetVMCDROM changes what the CD-ROM drive at a place in the boot order holds: an image in place of what is in it, or
// nothing where iso is nil. It works while the VM runs. ErrNotFound: the VM has no drive there.
func (c *Client) SetVMCDROM(ctx context.Context, vmID string, boot int, iso *ISO) error {
	name := opUpdateDisk
	if iso == nil {
		name = opEjectISO
	}
	return c.vms.withLock(ctx, name, vmID, func() error {
		disks, err := c.VMDisks(ctx, vmID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(disks, func(d VMDisk) bool { return d.IsCDROM() && d.Boot == boot })
		switch {
		case at < 0 || disks[at].ID == "":
			return notFound(name, fmt.Sprintf("VM %s has no CD-ROM drive at place %d of its boot order", vmID, boot))
		case iso == nil:
			return c.vms.carryOut(ctx, vmID, c.ejecting(disks[at].ID))
		}
		data := &models.VMUpdateDiskParamsData{VMDiskID: ptr(disks[at].ID)}
		data.ElfImageID, data.ContentLibraryImageID = iso.ids()
		return c.vms.carryOut(ctx, vmID, c.updatingDisk(data))
	})
}

func (c *Client) ejecting(diskID string) change[VM] {
	return change[VM]{name: opEjectISO, submit: func(ctx context.Context, id string) ([]receipt, error) {
		// The VM is named as well, so that a row of another VM can't be meant.
		body := &models.VMEjectCdRomParams{Where: &models.VMDiskWhereInput{ID: ptr(diskID), VM: whereVM(id)}}
		return receipts(vm.New(c.sdk()).EjectIsoFromVMCdRom(vm.NewEjectIsoFromVMCdRomParamsWithContext(ctx).WithRequestBody(body)))
	}}
}
