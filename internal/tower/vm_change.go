// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"

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
	op := vmOperation{
		name:    opUpdate,
		reached: in.shownBy,
		submit: func(ctx context.Context, where *models.VMWhereInput) ([]string, error) {
			reply, err := vm.New(c.sdk()).UpdateVM(vm.NewUpdateVMParamsWithContext(ctx).WithRequestBody(&models.VMUpdateParams{Where: where, Data: data}))
			if err != nil {
				return nil, err
			}
			return tasksOf(reply.Payload, taskOfVM), nil
		},
	}
	return c.withVM(ctx, opUpdate, vmID, func() error { return c.operate(ctx, vmID, op) })
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
func (c *Client) DeleteVM(ctx context.Context, vmID string) error {
	op := vmOperation{
		name:    opDelete,
		reached: func(v *VM) bool { return v == nil },
		submit: func(ctx context.Context, where *models.VMWhereInput) ([]string, error) {
			reply, err := vm.New(c.sdk()).DeleteVM(vm.NewDeleteVMParamsWithContext(ctx).WithRequestBody(&models.VMDeleteParams{Where: where}))
			if err != nil {
				return nil, err
			}
			return tasksOf(reply.Payload, taskOfDeleted), nil
		},
	}
	return c.remove(ctx, vmID, op)
}

// MoveVMToRecycleBin moves a VM to the recycle bin. A VM that is there, or gone, is success.
func (c *Client) MoveVMToRecycleBin(ctx context.Context, vmID string) error {
	op := vmOperation{
		name:    opRecycle,
		reached: func(v *VM) bool { return v == nil || v.InRecycleBin },
		submit: func(ctx context.Context, where *models.VMWhereInput) ([]string, error) {
			reply, err := vm.New(c.sdk()).MoveVMToRecycleBin(vm.NewMoveVMToRecycleBinParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: where}))
			if err != nil {
				return nil, err
			}
			return tasksOf(reply.Payload, taskOfDeleted), nil
		},
	}
	return c.remove(ctx, vmID, op)
}

// taskOfDeleted is where the SDK's replies about deleted VMs keep the task.
func taskOfDeleted(t *models.WithTaskDeleteVM) *string { return t.TaskID }

// remove carries out an operation after which the VM is no longer there.
func (c *Client) remove(ctx context.Context, vmID string, op vmOperation) error {
	return c.withVM(ctx, op.name, vmID, func() error {
		if gone, err := c.gone(ctx, op.name, vmID); gone || err != nil {
			return err
		}
		err := c.operate(ctx, vmID, op)
		var failed *TaskError
		if !errors.Is(err, ErrNotFound) && !errors.As(err, &failed) {
			return err
		}
		// Someone else may have been faster.
		gone, lookErr := c.gone(ctx, op.name, vmID)
		if gone {
			return nil
		}
		if lookErr != nil {
			return fmt.Errorf("%w (after %w)", lookErr, err)
		}
		return err
	})
}

// gone reports whether a VM is in the recycle bin, or missing on two looks: it can vanish for a moment.
func (c *Client) gone(ctx context.Context, op, vmID string) (gone bool, err error) {
	if vmID == "" {
		return false, &Error{Operation: op, Class: ClassRefused, Message: "the id of the VM is missing"}
	}
	_, err = c.awaitVM(ctx, op+": looking for VM "+vmID, vmID, func(s sight) (bool, error) {
		gone = s.vm == nil || s.vm.InRecycleBin
		return s.vm != nil || s.misses > 1, nil
	})
	return gone && err == nil, err
}
