// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opAddDisk    = "add-vm-disk"
	opRemoveDisk = "remove-vm-disk"
	opExpandDisk = "expand-vm-disk"
	opUpdateDisk = "update-vm-disk"
)

// DiskCreate describes a disk that a VM is to get: an existing volume, or a new one.
type DiskCreate struct {
	VolumeID      string // of an existing volume; then the next three are not used
	Name          string
	SizeBytes     int64
	StoragePolicy string
	Bus           string
	Boot          int // place in the boot order, which disks and CD-ROM drives share
}

// mounted splits disks into those that exist and those that are to be made, as Tower's parameters do.
func mounted(disks []DiskCreate) (existing []*models.MountDisksParams, fresh []*models.MountNewCreateDisksParams) {
	for _, d := range disks {
		if d.VolumeID != "" {
			existing = append(existing, &models.MountDisksParams{Boot: int32s(&d.Boot), Bus: enum[models.Bus](&d.Bus), VMVolumeID: ptr(d.VolumeID)})
			continue
		}
		fresh = append(fresh, &models.MountNewCreateDisksParams{
			Boot: int32s(&d.Boot), Bus: enum[models.Bus](&d.Bus),
			VMVolume: &models.MountNewCreateDisksParamsVMVolume{
				Name: ptr(d.Name), Size: ptr(d.SizeBytes), ElfStoragePolicy: enum[models.VMVolumeElfStoragePolicyType](&d.StoragePolicy),
			},
		})
	}
	return existing, fresh
}

// AddVMDisks gives a VM disks, all in one call, and waits until it is idle. Nothing to add is nothing to do.
func (c *Client) AddVMDisks(ctx context.Context, vmID string, disks []DiskCreate) error {
	if len(disks) == 0 {
		return nil
	}
	existing, fresh := mounted(disks)
	data := &models.VMAddDiskParamsData{VMDisks: &models.VMAddDiskParamsDataVMDisks{MountDisks: existing, MountNewCreateDisks: fresh}}
	return c.vms.apply(ctx, vmID, change[VM]{name: opAddDisk, submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).AddVMDisk(vm.NewAddVMDiskParamsWithContext(ctx).WithRequestBody(&models.VMAddDiskParams{Where: whereVM(id), Data: data})))
	}})
}

// DetachVMDisks takes the disks that are these volumes from a VM, all in one call. The volumes stay. Volumes that the VM
// does not have are passed over.
func (c *Client) DetachVMDisks(ctx context.Context, vmID string, volumeIDs []string) error {
	return c.vms.withLock(ctx, opRemoveDisk, vmID, func() error {
		// The rows of disks get new ids at every edit, so they are looked up while nobody else edits.
		rows, err := c.diskRows(ctx, vmID, volumeIDs)
		if err != nil || len(rows) == 0 {
			return err
		}
		ids := make([]string, 0, len(rows))
		for _, d := range rows {
			ids = append(ids, d.ID)
		}
		return c.vms.carryOut(ctx, vmID, change[VM]{name: opRemoveDisk, submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMRemoveDiskParams{Where: whereVM(id), Data: &models.VMRemoveDiskParamsData{DiskIds: ids}}
			return receipts(vm.New(c.sdk()).RemoveVMDisk(vm.NewRemoveVMDiskParamsWithContext(ctx).WithRequestBody(body)))
		}})
	})
}

// ExpandVMDisk gives the disk that is this volume a new size, which must be larger.
func (c *Client) ExpandVMDisk(ctx context.Context, vmID, volumeID string, bytes int64) error {
	if volumeID == "" {
		// Tower would expand every disk of the VM.
		return &Error{Operation: opExpandDisk, Class: ClassRefused, Message: "the id of the volume is missing"}
	}
	return c.vms.apply(ctx, vmID, change[VM]{name: opExpandDisk, submit: func(ctx context.Context, id string) ([]receipt, error) {
		disks := &models.VMDiskWhereInput{VM: whereVM(id), VMVolume: &models.VMVolumeWhereInput{ID: ptr(volumeID)}}
		return receipts(vm.New(c.sdk()).ExpandVMDisk(vm.NewExpandVMDiskParamsWithContext(ctx).WithRequestBody(&models.VMExpandVMDiskParams{Where: disks, Size: ptr(bytes)})))
	}})
}

// SetVMDiskBus attaches the disk that is this volume to another bus. The VM must be stopped.
func (c *Client) SetVMDiskBus(ctx context.Context, vmID, volumeID, bus string) error {
	return c.vms.withLock(ctx, opUpdateDisk, vmID, func() error {
		rows, err := c.diskRows(ctx, vmID, []string{volumeID})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return notFound(opUpdateDisk, fmt.Sprintf("VM %s has no disk that is the volume %s", vmID, volumeID))
		}
		data := &models.VMUpdateDiskParamsData{VMDiskID: ptr(rows[0].ID), Bus: enum[models.Bus](&bus)}
		return c.vms.carryOut(ctx, vmID, c.updatingDisk(data))
	})
}

func (c *Client) updatingDisk(data *models.VMUpdateDiskParamsData) change[VM] {
	return change[VM]{name: opUpdateDisk, submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).UpdateVMDisk(vm.NewUpdateVMDiskParamsWithContext(ctx).WithRequestBody(&models.VMUpdateDiskParams{Where: whereVM(id), Data: data})))
	}}
}

// diskRows returns the disks of a VM that are these volumes, as they are now.
func (c *Client) diskRows(ctx context.Context, vmID string, volumeIDs []string) ([]VMDisk, error) {
	wanted := map[string]bool{}
	for _, id := range volumeIDs {
		wanted[id] = id != ""
	}
	disks, err := c.VMDisks(ctx, vmID)
	if err != nil {
		return nil, err
	}
	var rows []VMDisk
	for _, d := range disks {
		if wanted[d.VolumeID] {
			rows = append(rows, d)
		}
	}
	return rows, nil
}
