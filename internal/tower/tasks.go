// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
	// missesOfObject is after how many looks in a row without an object that should be there it counts as gone: an object
	// can vanish for a moment.
	missesOfObject = 5
	// looksForEffect is for how many looks an object that a task has finished may still show its old self.
	looksForEffect = 15
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
	requestID string
	tasks     []string // none = done at once
}

// took notes the tasks of Tower's answers.
func (a *accepted) took(answers []receipt) {
	for _, r := range answers {
		if r.task != "" && !slices.Contains(a.tasks, r.task) {
			a.tasks = append(a.tasks, r.task)
		}
	}
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

// awaitTasks waits until the tasks of a mutation end: nil when they succeeded, a *TaskError when one failed. forgotten means
// that Tower does not show one, so that its object has to tell.
func (c *Client) awaitTasks(ctx context.Context, a accepted) (forgotten bool, err error) {
	for _, id := range a.tasks {
		lost, err := c.awaitTask(ctx, a, id)
		if err != nil {
			return false, err
		}
		forgotten = forgotten || lost
	}
	return forgotten, nil
}

// awaitTask waits until one task ends.
func (c *Client) awaitTask(ctx context.Context, a accepted, taskID string) (forgotten bool, err error) {
	var (
		result error
		last   error // of a look that failed
		seen   taskState
		misses int
	)
	err = c.tasks.polled.Wait(ctx, taskID, func(o poll.Observation[taskState]) bool {
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
				"operation": a.operation, "task": taskID, "object": a.objectID, "status": seen.status, "progress": seen.progress,
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
		return false, interrupted(fmt.Sprintf("%s: waiting for task %s (%s)", a.operation, taskID, cmp.Or(seen.status, "not seen yet")), err, last)
	}
	return forgotten, result
}

// look is one look at an object that is to reach a state.
type look[T Object] struct {
	object *T  // nil: not found
	misses int // looks in a row without it, this one included
	looks  int // looks that were answered, this one included
}

// await looks at the object until decide is done, and returns what it saw last. The first look comes at once, the others
// when the poller has its turn.
func (o *objects[T]) await(ctx context.Context, what, id string, decide func(l look[T]) (done bool, err error)) (*T, error) {
	var (
		l      look[T]
		result error
		last   error
	)
	see := func(seen poll.Observation[T]) (done bool) {
		if seen.Err != nil {
			last = seen.Err
			if final(seen.Err) {
				result = seen.Err
				return true
			}
			return false
		}
		last = nil
		l.looks++
		l.object = nil
		l.misses++
		if seen.Found {
			l.object = &seen.Value
			l.misses = 0
		}
		done, result = decide(l)
		return done || result != nil
	}
	first, found, err := o.byID.Get(ctx, id)
	if ctx.Err() == nil && see(poll.Observation[T]{Value: first, Found: found, Err: err}) {
		return l.object, result
	}
	if err := o.polled.Wait(ctx, id, see); err != nil {
		return l.object, interrupted(what, err, last)
	}
	return l.object, result
}

// idle reports whether an object is there and no operation is under way on it.
func idle[T Object](v *T) bool { return v != nil && (*v).identity().async == "" }

// interrupted says what a context that ended has interrupted, and what went wrong before, if anything did.
func interrupted(what string, err, last error) error {
	if last != nil {
		return fmt.Errorf("%s: %w (Tower's last answer: %w)", what, err, last)
	}
	return fmt.Errorf("%s: %w", what, err)
}
