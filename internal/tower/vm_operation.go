// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// vmOperation is a mutation of one VM.
type vmOperation struct {
	name string // as in the path: "start-vm"
	// submit sends it; the filter names the one VM meant.
	submit func(ctx context.Context, where *models.VMWhereInput) (tasks []string, err error)
	// reached reports whether an idle VM shows the effect; nil for a VM that is gone. It may be missing where the VM
	// does not show it; then an outcome that is not known stays so.
	reached func(v *VM) bool
}

// operate carries an operation out on a VM that nobody else in this process works on, and returns when the VM is idle
// again. It is where the rules for mutations live:
//
//   - Tower says that the VM is locked: nothing was done. Wait until what is locked is idle, then again, until ctx ends.
//   - Tower says that there is nothing to change: success.
//   - An empty reply: there is no such VM, ErrNotFound.
//   - The outcome is not known: the VM tells. It has reached the state: success. It is idle and has not: the operation
//     did not happen and is sent again, MaxRetries times at most.
//   - The task failed: *TaskError.
func (c *Client) operate(ctx context.Context, vmID string, op vmOperation) error {
	if vmID == "" {
		// Tower would act on every VM there is.
		return &Error{Operation: op.name, Class: ClassRefused, Message: "the id of the VM is missing"}
	}
	for unknown := 0; ; {
		a, err := c.submit(ctx, vmID, op)
		switch {
		case err == nil:
			return c.settle(ctx, a, op)
		case errors.Is(err, errNotModified):
			return nil
		case errors.Is(err, ErrLocked):
			current, err := c.awaitUnlocked(ctx, vmID, err)
			if err != nil {
				return err
			}
			// What held the lock may have done the same.
			if op.reached != nil && op.reached(current) {
				return nil
			}
		case effectUnknown(err) && op.reached != nil && ctx.Err() == nil:
			c.log(ctx, LogWarn, "the outcome of an operation is not known, looking at the VM", map[string]any{"operation": op.name, "vm": vmID, "error": err.Error()})
			happened, lookErr := c.happened(ctx, vmID, op)
			if lookErr != nil {
				return fmt.Errorf("%w (after %w)", lookErr, err)
			}
			if happened {
				return nil
			}
			if unknown++; unknown > c.cfg.MaxRetries {
				return err
			}
		default:
			return err
		}
	}
}

// submit sends the operation once.
func (c *Client) submit(ctx context.Context, vmID string, op vmOperation) (accepted, error) {
	a := accepted{operation: op.name, objectID: vmID}
	where := &models.VMWhereInput{ID: ptr(vmID)}
	tasks, err := invoke(ctx, c, operation{op.name, kindMutation}, func(ctx context.Context) ([]string, error) {
		tasks, err := op.submit(ctx, where)
		a.requestID = exchangeOf(ctx).requestID
		return tasks, err
	})
	switch {
	case err != nil:
		return a, err
	case len(tasks) == 0:
		return a, &Error{Operation: op.name, Class: ClassNotFound, RequestID: a.requestID, Message: fmt.Sprintf("Tower has no VM with the id %q", vmID)}
	}
	a.taskID = tasks[0]
	return a, nil
}

// settle waits for the operation's task and then for the VM.
func (c *Client) settle(ctx context.Context, a accepted, op vmOperation) error {
	forgotten, err := c.awaitTask(ctx, a)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s: waiting for VM %s to become idle", op.name, a.objectID)
	_, err = c.awaitVM(ctx, what, a.objectID, func(s sight) (bool, error) {
		reached := op.reached == nil || op.reached(s.vm)
		switch {
		case s.vm == nil && op.reached != nil && reached:
			return true, nil
		case s.vm == nil && s.misses >= missesOfVM:
			return true, notFound(op.name, fmt.Sprintf("Tower no longer shows the VM %s", a.objectID))
		case s.vm == nil || !idle(s.vm):
			return false, nil
		case reached:
			return true, nil
		case s.looks < patience:
			// Tower learns the new state from the cluster, sometimes later than the task's end.
			return false, nil
		case forgotten:
			return true, &Error{
				Operation: op.name, Class: ClassTransient, RequestID: a.requestID,
				Message: fmt.Sprintf("Tower no longer shows task %s, and VM %s (%s) does not show its effect", a.taskID, a.objectID, s.vm.Status),
			}
		}
		c.log(ctx, LogWarn, "the task succeeded, but the VM does not show it", map[string]any{"operation": op.name, "vm": a.objectID, "status": s.vm.Status})
		return true, nil
	})
	return err
}

// happened looks at the VM for some time to find out whether an operation of unknown outcome took place.
func (c *Client) happened(ctx context.Context, vmID string, op vmOperation) (happened bool, err error) {
	quiet := 0
	what := fmt.Sprintf("%s: finding out whether it took place on VM %s", op.name, vmID)
	_, err = c.awaitVM(ctx, what, vmID, func(s sight) (bool, error) {
		if (s.vm == nil || idle(s.vm)) && op.reached(s.vm) {
			happened = true
			return s.vm != nil || s.misses > 1, nil
		}
		happened = false
		if s.vm != nil && !idle(s.vm) {
			quiet = 0
			return false, nil
		}
		quiet++
		return quiet >= 3, nil
	})
	return happened, err
}

// awaitUnlocked waits until what a refused operation found locked is idle, and returns the VM as it is then.
func (c *Client) awaitUnlocked(ctx context.Context, vmID string, refusal error) (*VM, error) {
	// The lock can outlast the status that shows it, and others wait for it as well.
	wait := c.taskInterval/2 + time.Duration(rand.Int64N(int64(c.taskInterval)/2+1)) // Spreads load, protects nothing.
	if err := delay(ctx, wait); err != nil {
		return nil, fmt.Errorf("waiting for another operation on VM %s: %w (after %w)", vmID, err, refusal)
	}
	locked := []string{}
	var call *Error
	if errors.As(refusal, &call) {
		for _, r := range call.Locked {
			// Volumes are locked by operations of their VM.
			if r.Type == "VM" && r.ID != vmID {
				locked = append(locked, r.ID)
			}
		}
	}
	var current *VM
	for _, id := range append(locked, vmID) {
		var err error
		current, err = c.awaitVM(ctx, "waiting for another operation on VM "+id, id, func(s sight) (bool, error) {
			return idle(s.vm) || s.misses >= missesOfVM, nil
		})
		if err != nil {
			return nil, fmt.Errorf("%w (after %w)", err, refusal)
		}
	}
	return current, nil
}

// tasksOf returns the task ids of a reply, "" for what was done at once. The SDK has a type for each kind of reply.
func tasksOf[T any](payload []*T, id func(*T) *string) []string {
	var tasks []string
	for _, p := range payload {
		if p != nil {
			tasks = append(tasks, deref(id(p)))
		}
	}
	return tasks
}

// withVM runs operations on a VM while nobody else in this process does.
func (c *Client) withVM(ctx context.Context, op, vmID string, run func() error) error {
	unlock, err := c.locks.lock(ctx, vmID)
	if err != nil {
		return interrupted(fmt.Sprintf("%s: waiting for another operation on VM %s", op, vmID), err, nil)
	}
	defer unlock()
	return run()
}
