// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// maxTail is the longest time that a resource stays marked after its task.
const maxTail = time.Second

// maxTasks is how many records of tasks are kept; the oldest that are over go
// first.
const maxTasks = 20_000

type task struct {
	row     wire.Task
	cluster *cluster
	user    *user
	text    text
	begun   time.Time
	span    time.Duration
	failed  *taskFailure // nil unless it failed
	aborted *taskFailure // why it fails when it ends, if somebody aborted it
}

func (t *task) key() string { return t.row.ID }
func (t *task) record() any { return &t.row }

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
type markable interface {
	mark(status *wire.EntityAsyncStatus)
}

// lockable is an object that refuses a change while it is marked. Of all kinds
// Tower locks VMs and volumes alone.
type lockable interface {
	markable
	marked() bool
	lockName() lockedResource
}

func (v *vm) mark(status *wire.EntityAsyncStatus)     { v.row.EntityAsyncStatus = status }
func (v *vm) marked() bool                            { return v.row.EntityAsyncStatus != nil }
func (v *vm) lockName() lockedResource                { return lockedResource{ID: v.row.ID, Type: "VM"} }
func (v *volume) mark(status *wire.EntityAsyncStatus) { v.row.EntityAsyncStatus = status }
func (v *volume) marked() bool                        { return v.row.EntityAsyncStatus != nil }
func (v *volume) lockName() lockedResource {
	return lockedResource{ID: v.row.ID, Type: "VM_VOLUME"}
}

// free refuses a change of any object that another change holds. Towers before
// 3.3 know no lock.
func (c *call) free(objects ...lockable) error {
	var held []lockedResource

	for _, x := range objects {
		if c.forceLock || x.marked() {
			held = append(held, x.lockName())
		}
	}

	if c.forceLock || len(held) > 0 && c.version.atLeast(3, 3) {
		return resourceLocked(held)
	}

	return nil
}

// work is one change that a task carries out.
type work struct {
	mutation string // the name that resource_mutation shows
	about    text
	resource string // the type that resource_type shows
	id       string
	cluster  *cluster
	status   wire.EntityAsyncStatus
	holds    []markable
	// lateMark marks the objects only when the task runs, not when it is accepted.
	lateMark bool
	// apply makes the change when the task ends; a failure leaves everything as it
	// was.
	apply func() *taskFailure
	// undo runs after a failure.
	undo func()
	// settle runs when the resource becomes idle.
	settle func()
	// leave leaves behind what a failure says that it leaves.
	leave func(e *TaskError)
}

// begin starts a change. With a task time of zero it is over at once.
func (c *call) begin(k work) *task {
	w := c.world
	t := w.newTask(k, c.user)

	var injected *taskFailure
	if c.fault != nil && c.fault.TaskError != nil {
		e := c.fault.TaskError
		injected = &taskFailure{code: e.Code, message: e.Message, bare: e.Bare}

		if k.leave != nil {
			undo := k.undo
			k.undo = func() {
				undo()
				k.leave(e)
			}
		}
	}

	mark := func() {
		for _, x := range k.holds {
			x.mark(wire.Ptr(k.status))
		}

		w.touchWork(t, &k)
	}
	idle := func() {
		for _, x := range k.holds {
			x.mark(nil)
		}

		if k.settle != nil {
			k.settle()
		}

		w.touchWork(t, &k)
	}
	finish := func() { w.finish(t, k, injected) }

	if !k.lateMark {
		mark()
	}

	if t.span == 0 {
		w.execute(t)
		finish()
		idle()

		return t
	}

	w.after(t.span/10, func() {
		w.execute(t)

		if k.lateMark {
			mark()
		}
	})
	w.after(t.span, func() {
		finish()
		w.after(min(t.span/4, maxTail), idle)
	})

	return t
}

func (w *world) newTask(k work, u *user) *task {
	t := &task{cluster: k.cluster, user: u, text: k.about, span: w.scenario.Timing.Task, begun: w.current}
	t.row = wire.Task{
		ID: w.ids.cuid(), Description: k.about.en, Status: wire.TaskStatusPending, LocalCreatedAt: stamp(w.current),
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
		w.tasks.forget(maxTasks/10, func(t *task) bool { return t.row.FinishedAt != nil })
	}

	w.tasks.add(t)

	return t
}

func (w *world) execute(t *task) {
	t.begun = w.current
	t.row.Status = wire.TaskStatusExecuting
	w.journal.touch(t)
	t.row.StartedAt = stampPtr(w.current)
}

func (w *world) finish(t *task, k work, injected *taskFailure) {
	failed := injected
	if failed == nil {
		failed = t.aborted
	}

	if failed == nil {
		failed = k.apply()
	}

	w.dirty = true
	w.touchWork(t, &k)

	t.row.FinishedAt = stampPtr(w.current)

	if failed == nil {
		t.row.Status, t.row.Progress = wire.TaskStatusSuccessed, 1

		return
	}

	t.failed = failed
	t.row.Status = wire.TaskStatusFailed
	t.row.ErrorCode = wire.Ptr(outerCode(k.mutation))

	if !failed.bare {
		t.row.ErrorMessage = wire.Ptr(layered(outerCode(k.mutation), failed))
	}

	if k.undo != nil {
		k.undo()
	}
}

// layered writes a failure as Tower passes it on from the layers below it: its
// own code, and inside, as JSON, theirs.
func layered(outer string, f *taskFailure) string {
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
type text struct{ en, zh string }

// in returns the text for a content-language: one of the two, or with * both as
// a JSON object inside the string.
func (t text) in(language string) string {
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
