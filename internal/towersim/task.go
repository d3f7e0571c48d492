// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// maxIdleDelay is the longest time from the end of a task until the resource is
// idle.
const maxIdleDelay = time.Second

// maxTasks is the number of task records that are kept. The oldest finished
// tasks are dropped first.
const maxTasks = 20_000

type task struct {
	row         wire.Task
	cluster     *cluster
	user        *user
	description localizedText
	startedAt   time.Time
	duration    time.Duration
	failure     *taskFailure // nil unless it failed
	abortion    *taskFailure // not nil if the task was aborted and will fail
}

func (t *task) id() string  { return t.row.ID }
func (t *task) rowPtr() any { return &t.row }

// taskFailure is the reason why a task fails: the inner code and a sentence.
// With bare, the task has no error message.
type taskFailure struct {
	code, message string
	bare          bool
}

func failure(code, format string, args ...any) *taskFailure {
	return &taskFailure{code: code, message: fmt.Sprintf(format, args...)}
}

// asyncObject is an object with the member entityAsyncStatus. The member is set
// from the acceptance of a change until shortly after the end of its task.
type asyncObject interface {
	setAsyncStatus(status *wire.EntityAsyncStatus)
}

// lockable is an object that cannot be changed while it is busy. Tower locks
// only VMs and volumes.
type lockable interface {
	asyncObject
	busy() bool
	lockedResource() lockedResource
}

func (v *vm) setAsyncStatus(status *wire.EntityAsyncStatus) { v.row.EntityAsyncStatus = status }
func (v *vm) busy() bool                                    { return v.row.EntityAsyncStatus != nil }

func (v *vm) lockedResource() lockedResource                    { return lockedResource{ID: v.row.ID, Type: "VM"} }
func (v *volume) setAsyncStatus(status *wire.EntityAsyncStatus) { v.row.EntityAsyncStatus = status }
func (v *volume) busy() bool                                    { return v.row.EntityAsyncStatus != nil }

func (v *volume) lockedResource() lockedResource {
	return lockedResource{ID: v.row.ID, Type: "VM_VOLUME"}
}

// checkUnlocked answers ResourceLocked if an object is busy with another
// change. Towers before 3.3 have no locks.
func (c *call) checkUnlocked(objects ...lockable) error {
	var held []lockedResource

	for _, x := range objects {
		if c.forceLock || x.busy() {
			held = append(held, x.lockedResource())
		}
	}

	if c.forceLock || len(held) > 0 && c.version.atLeast(3, 3) {
		return resourceLocked(held)
	}

	return nil
}

// taskWork is the work of one task.
type taskWork struct {
	mutation    string // resource_mutation in the row
	description localizedText
	resource    string // resource_type in the row
	id          string
	cluster     *cluster
	status      wire.EntityAsyncStatus
	objects     []asyncObject
	// markLate sets entityAsyncStatus when the task starts to run, not when it
	// is accepted.
	markLate bool
	// apply makes the change when the task ends. If it fails, it has changed
	// nothing.
	apply func() *taskFailure
	// undo runs after a failure.
	undo func()
	// onIdle runs when the resource becomes idle.
	onIdle func()
	// leaveBehind creates what the injected failure leaves behind.
	leaveBehind func(e *TaskError)
}

// startTask starts a task. If tasks take no time, it is finished at once.
func (c *call) startTask(k taskWork) *task {
	w := c.world
	t := w.newTask(k, c.user)

	var injected *taskFailure
	if c.fault != nil && c.fault.TaskError != nil {
		e := c.fault.TaskError
		injected = &taskFailure{code: e.Code, message: e.Message, bare: e.Bare}

		if k.leaveBehind != nil {
			undo := k.undo
			k.undo = func() {
				undo()
				k.leaveBehind(e)
			}
		}
	}

	mark := func() {
		for _, x := range k.objects {
			x.setAsyncStatus(wire.Ptr(k.status))
		}

		w.touchTask(t, &k)
	}
	idle := func() {
		for _, x := range k.objects {
			x.setAsyncStatus(nil)
		}

		if k.onIdle != nil {
			k.onIdle()
		}

		w.touchTask(t, &k)
	}
	finish := func() { w.finishTask(t, k, injected) }

	if !k.markLate {
		mark()
	}

	if t.duration == 0 {
		w.startExecuting(t)
		finish()
		idle()

		return t
	}

	w.runAfter(t.duration/10, func() {
		w.startExecuting(t)

		if k.markLate {
			mark()
		}
	})
	w.runAfter(t.duration, func() {
		finish()
		w.runAfter(min(t.duration/4, maxIdleDelay), idle)
	})

	return t
}

func (w *world) newTask(k taskWork, u *user) *task {
	t := &task{cluster: k.cluster, user: u, description: k.description, duration: w.scenario.Timing.Task, startedAt: w.now}
	t.row = wire.Task{
		ID: w.ids.cuid(), Description: k.description.en, Status: wire.TaskStatusPending, LocalCreatedAt: formatTime(w.now),
		ResourceID: wire.Ptr(k.id), ResourceMutation: wire.Ptr(k.mutation), ResourceType: wire.Ptr(k.resource),
		ResourceRollbacked: wire.Ptr(false),
	}

	if k.cluster != nil {
		t.row.Cluster = wire.Ptr(k.cluster.nested())
	}

	if u != nil {
		t.row.User = &wire.NestedUser{ID: u.row.ID, Name: u.row.Name}
	}

	if len(w.tasks.list) >= maxTasks {
		w.tasks.removeOldest(maxTasks/10, func(t *task) bool { return t.row.FinishedAt != nil })
	}

	w.tasks.add(t)

	return t
}

func (w *world) startExecuting(t *task) {
	t.startedAt = w.now
	t.row.Status = wire.TaskStatusExecuting
	w.journal.touch(t)
	t.row.StartedAt = formatTimePtr(w.now)
}

func (w *world) finishTask(t *task, k taskWork, injected *taskFailure) {
	failed := injected
	if failed == nil {
		failed = t.abortion
	}

	if failed == nil {
		failed = k.apply()
	}

	w.dirty = true
	w.touchTask(t, &k)

	t.row.FinishedAt = formatTimePtr(w.now)

	if failed == nil {
		t.row.Status, t.row.Progress = wire.TaskStatusSuccessed, 1

		return
	}

	t.failure = failed
	t.row.Status = wire.TaskStatusFailed
	t.row.ErrorCode = wire.Ptr(outerCode(k.mutation))

	if !failed.bare {
		t.row.ErrorMessage = wire.Ptr(layeredMessage(outerCode(k.mutation), failed))
	}

	if k.undo != nil {
		k.undo()
	}
}

// layeredMessage returns a failure in the layered form in which Tower passes on
// errors of the cluster: its own code, and the cluster's code and message as
// JSON.
func layeredMessage(outer string, f *taskFailure) string {
	inner, err := json.Marshal(map[string]any{
		"data":  map[string]any{},
		"ec":    f.code,
		"error": map[string]string{"msg": "[" + f.code + "]" + f.message},
	})
	if err != nil {
		return f.message
	}

	return "Cannot unwrap Ok value of Result.Err.\r\ncode: " + outer + "\r\nmessage: " + string(inner)
}

// outerCode returns Tower's own code of a failure. The misspelling is Tower's.
func outerCode(mutation string) string {
	switch mutation {
	case "createVmFromContentLibraryTemplate", "createVmFromTemplate":
		return "CREATE_VM_FORM_TEMPLATE_FAILED"
	default:
		return upperSnake(mutation) + "_FAILED"
	}
}

func upperSnake(camel string) string {
	out := make([]rune, 0, len(camel)+8)

	for i, r := range camel {
		switch {
		case r >= 'A' && r <= 'Z':
			if i > 0 {
				out = append(out, '_')
			}

			out = append(out, r)
		case r >= 'a' && r <= 'z':
			out = append(out, r-'a'+'A')
		default:
			out = append(out, r)
		}
	}

	return string(out)
}

// localizedText is a text in Tower's languages.
type localizedText struct{ en, zh string }

// in returns the text for a content-language: one of the two or, for *, both as
// JSON.
func (t localizedText) in(language string) string {
	switch language {
	case "zh-CN":
		return t.zh
	case "*":
		both, err := json.Marshal(map[string]string{"en-US": t.en, "zh-CN": t.zh})
		if err != nil {
			return t.en
		}

		return string(both)
	default:
		return t.en
	}
}
