// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// codeShutdownTimeout is the failure of a shutdown that the guest ignored.
const codeShutdownTimeout = "JOB_VM_SHUTDOWN_TIMEOUT"

// StopOptions says how to stop or restart a VM.
type StopOptions struct {
	Graceful time.Duration // how long the guest may take; 0 with Force = power off (or reset) at once, 0 without = as long as ctx
	Force    bool          // power off (or reset) a guest that does not do it
	// Forced is told that the guest has not done it, and why, before the VM is powered off or reset. May be nil.
	Forced func(reason error)
}

// StartVM powers a VM on, and resumes a suspended one; hostID "" lets Tower choose the host, or names the host of the GPUs
// for a VM that has some. A VM that runs is left alone.
func (c *Client) StartVM(ctx context.Context, vmID, hostID string) error {
	return c.vms.withLock(ctx, opStart, vmID, func() error {
		current, err := c.VM(ctx, vmID)
		switch {
		case err != nil:
			return err
		case current.InRecycleBin:
			return notFound(opStart, fmt.Sprintf("VM %s is in the recycle bin", vmID))
		case current.Status == StatusRunning && idle(current):
			return nil
		case current.Status == StatusSuspended:
			return c.vms.carryOut(ctx, current.ID, c.resuming())
		}
		if hostID == "" {
			// A VM with GPUs starts only where Tower is told the host.
			if hostID, err = c.gpuHost(ctx, current); err != nil {
				return fmt.Errorf("finding the host of the VM's GPU: %w", err)
			}
		}
		return c.vms.carryOut(ctx, current.ID, c.starting(hostID))
	})
}

// StopVM stops a VM: the guest is asked to shut down, and if it does not, the VM is powered off where opts allow it; where
// they do not, the error says so and wraps the failed task. A suspended VM is powered off. A stopped VM is left alone.
func (c *Client) StopVM(ctx context.Context, vmID string, opts StopOptions) error {
	return c.vms.withLock(ctx, opShutdown, vmID, func() error {
		current, err := c.VM(ctx, vmID)
		switch {
		case err != nil:
			return err
		case current.Status == StatusStopped && idle(current):
			return nil
		case current.Status == StatusSuspended || opts.atOnce():
			return c.powerOff(ctx, current.ID)
		}
		err = c.asked(ctx, current.ID, c.shuttingDown(), opts.Graceful)
		switch {
		case err == nil, ctx.Err() != nil, errors.Is(err, ErrNotFound), errors.Is(err, ErrUnauthorized):
			return err
		case !opts.Force:
			return fmt.Errorf("the guest of VM %s did not shut down, and powering it off is not allowed: %w", vmID, err)
		}
		c.forced(ctx, current.ID, "the guest did not shut down, powering off", opts, err)
		return c.powerOff(ctx, current.ID)
	})
}

// atOnce reports whether the guest is not asked at all.
func (o StopOptions) atOnce() bool { return o.Force && o.Graceful <= 0 }

// forced logs that a guest has not done what it was asked for, and tells the caller of it, before force is used.
func (c *Client) forced(ctx context.Context, vmID, what string, opts StopOptions, reason error) {
	c.log(ctx, LogWarn, what, map[string]any{"vm": vmID, "error": reason.Error()})
	if opts.Forced != nil {
		opts.Forced(reason)
	}
}

// asked carries out a change that the guest takes part in, and gives the guest that time; none means as long as ctx.
func (c *Client) asked(ctx context.Context, vmID string, op change[VM], graceful time.Duration) error {
	if graceful <= 0 {
		return c.vms.carryOut(ctx, vmID, op)
	}
	limited, cancel := context.WithTimeout(ctx, graceful)
	defer cancel()
	err := c.vms.carryOut(limited, vmID, op)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return fmt.Errorf("it had %s: %w", graceful, err)
	}
	return err
}

// powerOff powers a VM off unless it has stopped meanwhile.
func (c *Client) powerOff(ctx context.Context, vmID string) error {
	current, err := c.VM(ctx, vmID)
	switch {
	case err != nil:
		return err
	case current.Status == StatusStopped && idle(current):
		return nil
	}
	return c.vms.carryOut(ctx, vmID, c.poweringOff())
}

// SuspendVM suspends a VM. A VM that is suspended is left alone.
func (c *Client) SuspendVM(ctx context.Context, vmID string) error {
	return c.vms.ensure(ctx, vmID, c.suspending())
}

// ResumeVM resumes a suspended VM. A VM that runs is left alone.
func (c *Client) ResumeVM(ctx context.Context, vmID string) error {
	return c.vms.ensure(ctx, vmID, c.resuming())
}

const (
	opStart    = "start-vm"
	opShutdown = "shutdown-vm"
	opPowerOff = "poweroff-vm"
	opSuspend  = "suspend-vm"
	opResume   = "resume-vm"
)

// hasStatus is the effect of a power operation.
func hasStatus(status string) func(v *VM) bool {
	return func(v *VM) bool { return v != nil && v.Status == status }
}

// whereVM names one VM. Tower acts on every VM that a filter matches, and an empty one matches all.
func whereVM(id string) *models.VMWhereInput { return &models.VMWhereInput{ID: ptr(id)} }

func (c *Client) starting(hostID string) change[VM] {
	return change[VM]{name: opStart, reached: hasStatus(StatusRunning), submit: func(ctx context.Context, id string) ([]receipt, error) {
		body := &models.VMStartParams{Where: whereVM(id)}
		if hostID != "" {
			body.Data = &models.VMStartParamsData{HostID: ptr(hostID)}
		}
		return receipts(vm.New(c.sdk()).StartVM(vm.NewStartVMParamsWithContext(ctx).WithRequestBody(body)))
	}}
}

func (c *Client) shuttingDown() change[VM] {
	return change[VM]{name: opShutdown, reached: hasStatus(StatusStopped), submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).ShutDownVM(vm.NewShutDownVMParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: whereVM(id)})))
	}}
}

func (c *Client) poweringOff() change[VM] {
	return change[VM]{name: opPowerOff, reached: hasStatus(StatusStopped), submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).PoweroffVM(vm.NewPoweroffVMParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: whereVM(id)})))
	}}
}

func (c *Client) suspending() change[VM] {
	return change[VM]{name: opSuspend, reached: hasStatus(StatusSuspended), submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).SuspendVM(vm.NewSuspendVMParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: whereVM(id)})))
	}}
}

func (c *Client) resuming() change[VM] {
	return change[VM]{name: opResume, reached: hasStatus(StatusRunning), submit: func(ctx context.Context, id string) ([]receipt, error) {
		return receipts(vm.New(c.sdk()).ResumeVM(vm.NewResumeVMParamsWithContext(ctx).WithRequestBody(&models.VMOperateParams{Where: whereVM(id)})))
	}}
}
