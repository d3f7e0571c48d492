// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// maxTail is the longest time that a resource stays marked after its task.
const maxIdleDelay = time.Second

// maxTasks is how many records of tasks are kept; the oldest that are over go
// first.
const maxTasks = 20_000

type task struct {
	row         wire.Task
	cluster     *cluster
	user        *user
	description localizedText
	startedAt   time.Time
	duration    time.Duration
	failure     *taskFailure // nil unless it failed
	abortion    *taskFailure // why it fails when it ends, if somebody aborted it
}

func (t *task) id() string  { return t.row.ID }
func (t *task) rowPtr() any { return &t.row }

// taskFailure is why a task fails: the inner code and the sentence that a person
// reads. Bare leaves both out of the message.
type taskFailure struct {
	code, message string
	bare          bool
}

func failure(code, format string, args ...any) *taskFailure {
	return &taskFailure{code: code, message: fmt.Sprintf(format, args...)}
}

// markable is an object that carries entityAsyncStatus from the acceptance of a
// change until some time after its task.
type asyncObject interface {
	setAsyncStatus(status *wire.EntityAsyncStatus)
}

// lockable is an object that refuses a change while it is marked. Of all kinds
// Tower locks VMs and volumes alone.
type lockable interface {
	asyncObject
	busy() bool
	lockedResource() lockedResource
}

func (v *vm) setAsyncStatus(status *wire.EntityAsyncStatus)     { v.row.EntityAsyncStatus = status }
func (v *vm) busy() bool                                        { return v.row.EntityAsyncStatus != nil }
func (v *vm) lockedResource() lockedResource                    { return lockedResource{ID: v.row.ID, Type: "VM"} }
func (v *volume) setAsyncStatus(status *wire.EntityAsyncStatus) { v.row.EntityAsyncStatus = status }
func (v *volume) busy() bool                                    { return v.row.EntityAsyncStatus != nil }
func (v *volume) lockedResource() lockedResource {
	return lockedResource{ID: v.row.ID, Type: "VM_VOLUME"}
}

// free refuses a change of any object that another change holds. Towers before
// 3.3 know no lock.
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

// work is one change that a task carries out.
type taskWork struct {
	mutation    string // the name that resource_mutation shows
	description localizedText
	resource    string // the type that resource_type shows
	id          string
	cluster     *cluster
	status      wire.EntityAsyncStatus
	objects     []asyncObject
	// lateMark marks the objects only when the task runs, not when it is accepted.
	markLate bool
	// apply makes the change when the task ends; a failure leaves everything as it
	// was.
	apply func() *taskFailure
	// undo runs after a failure.
	undo func()
	// settle runs when the resource becomes idle.
	onIdle func()
	// leave leaves behind what a failure says that it leaves.
	leaveBehind func(e *TaskError)
}

// begin starts a change. With a task time of zero it is over at once.
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

// layered writes a failure as Tower passes it on from the layers below it: its
// own code, and inside, as JSON, theirs.
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

// outerCode is the code that Tower puts around a failure. The first is spelt as
// Tower spells it.
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

// text is a sentence in the languages that Tower speaks.
type localizedText struct{ en, zh string }

// in returns the text for a content-language: one of the two, or with * both as
// a JSON object inside the string.
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
