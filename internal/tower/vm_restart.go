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
	opRestart      = "restart-vm"
	opForceRestart = "force-restart-vm"
)

// RestartVM makes a VM boot again: the guest is asked to restart, and if it does not, the VM is reset where opts allow it;
// where they do not, the error says so and wraps the failed task. A suspended VM is resumed for it, or powered off where the
// guest gets no time. A stopped VM is started. A restart whose outcome is not known is not repeated, since the VM does not
// show whether it took place; the error says so.
func (c *Client) RestartVM(ctx context.Context, vmID string, opts StopOptions) error {
	return c.vms.withLock(ctx, opRestart, vmID, func() error {
		current, err := c.VM(ctx, vmID)
		switch {
		case err != nil:
			return err
		case current.InRecycleBin:
			return notFound(opRestart, fmt.Sprintf("VM %s is in the recycle bin", vmID))
		case current.Status == StatusStopped:
			return c.vms.carryOut(ctx, current.ID, c.starting(""))
		case current.Status != StatusSuspended:
		case opts.atOnce():
			if err := c.powerOff(ctx, current.ID); err != nil {
				return err
			}
			return c.vms.carryOut(ctx, current.ID, c.starting(""))
		default:
			if err := c.vms.carryOut(ctx, current.ID, c.resuming()); err != nil {
				return err
			}
		}
		if opts.atOnce() {
			return c.reset(ctx, current.ID)
		}
		err = c.asked(ctx, current.ID, c.restarting(), opts.Graceful)
		switch {
		case err == nil, ctx.Err() != nil, errors.Is(err, ErrNotFound), errors.Is(err, ErrUnauthorized):
			return err
		case effectUnknown(err) && !cancelled(err):
			return restartUnknown(current.ID, err)
		case !opts.Force:
			return fmt.Errorf("the guest of VM %s did not restart, and resetting it is not allowed: %w", vmID, err)
		}
		c.forced(ctx, current.ID, "the guest did not restart, resetting the VM", opts, err)
		return c.reset(ctx, current.ID)
	})
}

// reset restarts a VM whatever its guest does.
func (c *Client) reset(ctx context.Context, vmID string) error {
	err := c.vms.carryOut(ctx, vmID, c.forceRestarting())
	if effectUnknown(err) && !cancelled(err) {
		return restartUnknown(vmID, err)
	}
	return err
}

func restartUnknown(vmID string, err error) error {
	return fmt.Errorf("it is not known whether VM %s has restarted: %w", vmID, err)
}

// cancelled reports whether a call failed because its context ended, which a guest's time being over does, too.
func cancelled(err error) bool {
	var call *Error
	return errors.As(err, &call) && call.Class == ClassCancelled
}

func (c *Client) restarting() change[VM] {
	return change[VM]{name: opRestart, submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).RestartVM(vm.NewRestartVMParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: whereVM(id)})))
	}}
}

func (c *Client) forceRestarting() change[VM] {
	return change[VM]{name: opForceRestart, submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).ForceRestartVM(vm.NewForceRestartVMParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: whereVM(id)})))
	}}
}
