// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opMigrate     = "migrate-vm"
	opUpdateOwner = "update-vm-owner"
	opAddToFolder = "add-vm-to-folder"
	opLeaveFolder = "remove-vm-from-folder"
	opUpdateIO    = "update-vm-io-policy"
)

// MigrateVM moves a VM to a host of its cluster, live while it runs. A VM that is there is left alone.
func (c *Client) MigrateVM(ctx context.Context, vmID, hostID string) error {
	op := change[VM]{
		name:    opMigrate,
		reached: func(v *VM) bool { return v != nil && v.HostID == hostID },
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMMigrateParams{Where: whereVM(id), Data: &models.VMMigrateParamsData{HostID: ptr(hostID)}}
			return receipts(vm.New(c.sdk()).MigrateVM(vm.NewMigrateVMParamsWithContext(ctx).WithRequestBody(body)))
		},
	}
	return c.vms.ensure(ctx, vmID, op)
}

// SetVMFolder moves a VM into a folder; "" takes it out of the one that it is in. A VM that is there is left alone.
func (c *Client) SetVMFolder(ctx context.Context, vmID, folderID string) error {
	op := change[VM]{
		name:    opAddToFolder,
		reached: func(v *VM) bool { return v != nil && v.FolderID == folderID },
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMAddFolderParams{Where: whereVM(id), Data: &models.VMAddFolderParamsData{FolderID: ptr(folderID)}}
			return receipts(vm.New(c.sdk()).AddVMToFolder(vm.NewAddVMToFolderParamsWithContext(ctx).WithRequestBody(body)))
		},
	}
	if folderID == "" {
		op.name = opLeaveFolder
		op.submit = func(ctx context.Context, id string) ([]receipt, error) {
			return receipts(vm.New(c.sdk()).RemoveVMToFolder(vm.NewRemoveVMToFolderParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: whereVM(id)})))
		}
	}
	return c.vms.ensure(ctx, vmID, op)
}

// SetVMOwner gives a VM to a user. Tower does not show who owns a VM.
func (c *Client) SetVMOwner(ctx context.Context, vmID string, owner Owner) error {
	op := change[VM]{
		name: opUpdateOwner,
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMUpdateOwnerParams{Where: whereVM(id), Data: &models.VMUpdateOwnerParamsData{SearchFor: owner.SearchFor, Value: ptr(owner.Value)}}
			return receipts(vm.New(c.sdk()).UpdateVMOwner(vm.NewUpdateVMOwnerParamsWithContext(ctx).WithRequestBody(body)))
		},
	}
	return c.vms.apply(ctx, vmID, op)
}

// The kinds of limits on the I/O of a VM, and how strictly they hold.
const (
	IOEachDisk = "RESTRICT_EACH_DISK"
	IOWholeVM  = "RESTRICT_WHOLE_VM"
	IODynamic  = "DYNAMIC"
	IOForced   = "FORCED"
)

// IOLimits are the limits on the I/O of a VM. Zero and "" are none.
type IOLimits struct {
	Policy             string // RESTRICT_EACH_DISK: each disk has its own; RESTRICT_WHOLE_VM: those below hold for all disks together
	MaxIOPS            int64
	MaxIOPSPolicy      string // DYNAMIC or FORCED
	MaxBandwidth       int64  // bytes a second
	MaxBandwidthPolicy string // DYNAMIC or FORCED
}

// SetVMIOLimits gives a VM these limits in place of those that it has. Limits of the whole VM are sent for the policy
// RESTRICT_WHOLE_VM alone. A VM that has the limits is left alone.
func (c *Client) SetVMIOLimits(ctx context.Context, vmID string, limits IOLimits) error {
	data := &models.VMUpdateIoPolicyParamsData{IoPolicy: enum[models.VMDiskIoPolicy](&limits.Policy)}
	if limits.Policy == IOWholeVM {
		data.WholeVM = &models.VMRestrictIoParamsData{
			MaxIops: positive(limits.MaxIOPS), MaxIopsPolicy: enum[models.VMDiskIoRestrictType](&limits.MaxIOPSPolicy),
			MaxBandwidth: positive(limits.MaxBandwidth), MaxBandwidthPolicy: enum[models.VMDiskIoRestrictType](&limits.MaxBandwidthPolicy),
		}
	}
	op := change[VM]{
		name:    opUpdateIO,
		reached: func(v *VM) bool { return v != nil && limits.shownBy(v.IO) },
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMUpdateIoPolicyParams{Where: whereVM(id), Data: data}
			return receipts(vm.New(c.sdk()).UpdateVMIoPolicy(vm.NewUpdateVMIoPolicyParamsWithContext(ctx).WithRequestBody(body)))
		},
	}
	return c.vms.ensure(ctx, vmID, op)
}

// shownBy reports whether a VM has the limits. Tower decides how strictly they hold where nothing was asked.
func (limits IOLimits) shownBy(have IOLimits) bool {
	if limits.Policy != have.Policy {
		return false
	}
	if limits.Policy != IOWholeVM {
		return true
	}
	asked := func(want, have string) bool { return want == "" || want == have }
	return limits.MaxIOPS == have.MaxIOPS && limits.MaxBandwidth == have.MaxBandwidth &&
		asked(limits.MaxIOPSPolicy, have.MaxIOPSPolicy) && asked(limits.MaxBandwidthPolicy, have.MaxBandwidthPolicy)
}

// positive returns nil for no limit.
func positive(n int64) *int64 {
	if n <= 0 {
		return nil
	}
	return &n
}
