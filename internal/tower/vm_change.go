// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opUpdate  = "update-vm-basic-info"
	opDelete  = "delete-vm"
	opRecycle = "move-vm-to-recycle"
)

// VMUpdate says what to change of a VM; what is nil stays.
type VMUpdate struct {
	Name        *string
	Description *string
	HA          *bool
	CPUSockets  *int
	CPUCores    *int // in each socket
	MemoryBytes *int64
}

// UpdateVM changes name, description, HA, CPUs or memory in one call. An update without anything to change does nothing.
func (c *Client) UpdateVM(ctx context.Context, vmID string, in VMUpdate) error {
	if in == (VMUpdate{}) {
		return nil
	}
	data := &models.VMUpdateParamsData{
		Name: in.Name, Description: in.Description, Ha: in.HA, CPUCores: int32s(in.CPUCores), CPUSockets: int32s(in.CPUSockets), Memory: in.MemoryBytes,
	}
	if in.CPUCores != nil && in.CPUSockets != nil {
		data.Vcpu = ptr(*data.CPUCores * *data.CPUSockets)
	}
	op := change[VM]{
		name:    opUpdate,
		reached: in.shownBy,
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			return receipts(vm.New(c.sdk()).UpdateVM(vm.NewUpdateVMParamsWithContext(ctx).WithRequestBody(&models.VMUpdateParams{Where: whereVM(id), Data: data})))
		},
	}
	return c.vms.apply(ctx, vmID, op)
}

// shownBy reports whether a VM shows the update.
func (in VMUpdate) shownBy(v *VM) bool {
	return v != nil && same(in.Name, v.Name) && same(in.Description, v.Description) && same(in.HA, v.HA) &&
		same(in.CPUSockets, v.CPUSockets) && same(in.CPUCores, v.CPUCores) && same(in.MemoryBytes, v.MemoryBytes)
}

// same reports whether have is what was wanted, if anything was.
func same[T comparable](want *T, have T) bool { return want == nil || *want == have }

// DeleteVM deletes a VM for good and waits until it is gone. A VM that is gone already is success, and so is one in the
// recycle bin: someone put it there, and it is theirs to keep. A running VM should be stopped first.
// Its snapshots stay.
func (c *Client) DeleteVM(ctx context.Context, vmID string) error { return c.deleteVM(ctx, vmID, nil) }

// DeleteVMAndSnapshots is DeleteVM that deletes the snapshots of the VM, too.
func (c *Client) DeleteVMAndSnapshots(ctx context.Context, vmID string) error {
	return c.deleteVM(ctx, vmID, &models.VMDeleteParamsEffect{IncludeSnapshots: ptr(true)})
}

func (c *Client) deleteVM(ctx context.Context, vmID string, effect *models.VMDeleteParamsEffect) error {
	op := change[VM]{
		name:    opDelete,
		reached: isGone[VM],
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMDeleteParams{Where: whereVM(id), Effect: effect}
			return receipts(vm.New(c.sdk()).DeleteVM(vm.NewDeleteVMParamsWithContext(ctx).WithRequestBody(body)))
		},
	}
	return c.vms.remove(ctx, vmID, op, isInRecycleBin)
}

// MoveVMToRecycleBin moves a VM to the recycle bin. A VM that is there, or gone, is success.
func (c *Client) MoveVMToRecycleBin(ctx context.Context, vmID string) error {
	op := change[VM]{
		name:    opRecycle,
		reached: func(v *VM) bool { return v == nil || v.InRecycleBin },
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			return receipts(vm.New(c.sdk()).MoveVMToRecycleBin(vm.NewMoveVMToRecycleBinParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: whereVM(id)})))
		},
	}
	return c.vms.remove(ctx, vmID, op, isInRecycleBin)
}

func isInRecycleBin(v *VM) bool { return v.InRecycleBin }
