// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"cmp"
	"context"
	"fmt"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/task"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"

	"github.com/smartxworks/terraform-provider-elf/internal/poll"
)

const (
	// The states of a task that end it; PENDING, EXECUTING, PAUSED and whatever else comes do not.
	taskSucceeded = "SUCCESSED" // Tower's spelling
	taskFailed    = "FAILED"

	// missesOfTask is after how many looks without the task its object decides: Tower does not show a task at once, and
	// forgets it some day.
	missesOfTask = 5
	// missesOfVM is after how many looks in a row without a VM that should be there it counts as gone: a VM can vanish
	// for a moment.
	missesOfVM = 5
	// patience is for how many looks an object that a task has finished may still show its old self.
	patience = 15
)

// taskState is what get-tasks tells of a task.
type taskState struct {
	id, status, progress, code, message string
}

func (t taskState) identity() identity { return identity{id: t.id} }

// accepted is a mutation that Tower took on.
type accepted struct {
	operation string
	objectID  string
	taskID    string // "" = done at once
	requestID string
}

func newTasks(c *Client) *objects[taskState] {
	return newObjects(c, "get-tasks", "task", taskOf, func(ctx context.Context, body *models.GetTasksRequestBody) ([]*models.Task, error) {
		return payload(task.New(c.sdk()).GetTasks(task.NewGetTasksParamsWithContext(ctx).WithRequestBody(body)))
	})
}

func taskOf(m *models.Task) taskState {
	return taskState{
		id: deref(m.ID), status: text(m.Status), progress: fmt.Sprintf("%.0f%%", 100*deref(m.Progress)),
		code: deref(m.ErrorCode), message: deref(m.ErrorMessage),
	}
}

// lastFailure returns the error of the newest task of an object, nil if that did not fail.
func (c *Client) lastFailure(ctx context.Context, a accepted) (*TaskError, error) {
	list, err := c.tasks.read(ctx, kindRead, query{Where: Where{"resource_id": a.objectID}, OrderBy: "local_created_at_DESC", First: 1})
	if err != nil || len(list) == 0 || list[0].status != taskFailed {
		return nil, err
	}
	return newTaskError(a, list[0]), nil
}

// awaitTask waits until the task ends: nil when it succeeded, a *TaskError when it failed. forgotten means that Tower does
// not show the task, so that its object has to tell.
func (c *Client) awaitTask(ctx context.Context, a accepted) (forgotten bool, err error) {
	if a.taskID == "" {
		return false, nil
	}
	var (
		result error
		last   error // of a look that failed
		seen   taskState
		misses int
	)
	err = c.tasks.polled.Wait(ctx, a.taskID, func(o poll.Observation[taskState]) bool {
		switch {
		case o.Err != nil:
			last = o.Err
			if final(o.Err) {
				result = o.Err
				return true
			}
			return false
		case !o.Found:
			misses++
			forgotten = misses >= missesOfTask
			return forgotten
		}
		misses, last = 0, nil
		if o.Value.status != seen.status || o.Value.progress != seen.progress {
			seen = o.Value
			c.log(ctx, LogDebug, "task of Tower", map[string]any{
				"operation": a.operation, "task": a.taskID, "object": a.objectID, "status": seen.status, "progress": seen.progress,
			})
		}
		switch o.Value.status {
		case taskSucceeded:
			return true
		case taskFailed:
			result = newTaskError(a, o.Value)
			return true
		}
		return false
	})
	if err != nil {
		return false, interrupted(fmt.Sprintf("%s: waiting for task %s (%s)", a.operation, a.taskID, cmp.Or(seen.status, "not seen yet")), err, last)
	}
	return forgotten, result
}

// sight is one look at a VM that is to reach a state.
type sight struct {
	vm     *VM // nil: not found
	misses int // looks in a row without it, this one included
	looks  int // looks that were answered, this one included
}

// awaitVM looks at the VM until decide is done, and returns what it saw last. The first look comes at once, the others
// when the poller has its turn.
func (c *Client) awaitVM(ctx context.Context, what, vmID string, decide func(s sight) (done bool, err error)) (*VM, error) {
	var (
		s      sight
		result error
		last   error
	)
	look := func(o poll.Observation[VM]) (done bool) {
		if o.Err != nil {
			last = o.Err
			if final(o.Err) {
				result = o.Err
				return true
			}
			return false
		}
		last = nil
		s.looks++
		s.vm = nil
		s.misses++
		if o.Found {
			s.vm = &o.Value
			s.misses = 0
		}
		done, result = decide(s)
		return done || result != nil
	}
	first, found, err := c.vms.byID.Get(ctx, vmID)
	if ctx.Err() == nil && look(poll.Observation[VM]{Value: first, Found: found, Err: err}) {
		return s.vm, result
	}
	if err := c.vms.polled.Wait(ctx, vmID, look); err != nil {
		return s.vm, interrupted(what, err, last)
	}
	return s.vm, result
}

// idle reports whether no operation is under way on a VM.
func idle(v *VM) bool { return v != nil && v.EntityAsyncStatus == "" }

// interrupted says what a context that ended has interrupted, and what went wrong before, if anything did.
func interrupted(what string, err, last error) error {
	if last != nil {
		return fmt.Errorf("%s: %w (Tower's last answer: %w)", what, err, last)
	}
	return fmt.Errorf("%s: %w", what, err)
}
