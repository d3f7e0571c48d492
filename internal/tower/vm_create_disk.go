// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// diskParams are the disks and drives that a VM is to get; nil for none.
func (in VMCreate) diskParams() *models.VMDiskParams {
	if len(in.Disks)+len(in.CDROMs) == 0 {
		return nil
	}
	out := &models.VMDiskParams{}
	out.MountDisks, out.MountNewCreateDisks = mounted(in.Disks)
	for _, drive := range in.CDROMs {
		out.MountCdRoms = append(out.MountCdRoms, drive.params())
	}
	return out
}

// diskOperate is what differs from the disks of the template; nil for nothing.
func (in VMCreate) diskOperate() *models.VMDiskOperate {
	out := &models.VMDiskOperate{NewDisks: in.diskParams()}
	if in.SystemDisk != nil {
		out.ModifyDisks = []*models.DiskOperateModifyDisk{{DiskIndex: int32s(&in.SystemDisk.Index), Bus: enum[models.Bus](&in.SystemDisk.Bus)}}
	}
	if len(in.RemoveDisks) > 0 {
		out.RemoveDisks = &models.VMDiskOperateRemoveDisks{}
		for _, index := range in.RemoveDisks {
			out.RemoveDisks.DiskIndex = append(out.RemoveDisks.DiskIndex, *int32s(&index))
		}
	}
	if out.NewDisks == nil && out.ModifyDisks == nil && out.RemoveDisks == nil {
		return nil
	}
	return out
}

// blank makes a VM that has no source.
func (in VMCreate) blank(ctx context.Context, vms vm.ClientService) ([]receipt, error) {
	params, err := like[models.VMCreationParams](in.library())
	if err != nil {
		return nil, err
	}
	params.VMDisks = in.diskParams()
	// Both members are required, be they empty.
	if params.VMNics == nil {
		params.VMNics = []*models.VMNicParams{}
	}
	if params.VMDisks == nil {
		params.VMDisks = &models.VMDiskParams{}
	}
	return receipts(vms.CreateVM(vm.NewCreateVMParamsWithContext(ctx).WithRequestBody([]*models.VMCreationParams{params})))
}
