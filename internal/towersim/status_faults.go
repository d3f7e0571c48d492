// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// taskStatus is a failed task.
type taskStatus struct{ When, What, Code, Message string }

// faultStatus is a fault with its progress.
type faultStatus struct{ Operation, Effect, Progress string }

// taskStatus returns the number of tasks that are not finished, and the last
// failed ones.
func (w *world) taskStatus() (underWay int, failed []taskStatus) {
	for _, t := range slices.Backward(w.tasks.list) {
		switch t.row.Status {
		case wire.TaskStatusPending, wire.TaskStatusExecuting, wire.TaskStatusPaused:
			underWay++
		case wire.TaskStatusFailed:
			if len(failed) < maxShownTasks {
				failed = append(failed, w.failedTaskStatus(t))
			}
		}
	}

	return underWay, failed
}

func (w *world) failedTaskStatus(t *task) taskStatus {
	return taskStatus{
		When: w.clockTime(t.startedAt.Add(t.duration)), What: t.row.Description, Code: t.failure.code, Message: t.failure.message,
	}
}

// status describes a fault and its progress.
func (r *faultRule) status() faultStatus {
	out := faultStatus{Operation: cmp.Or(r.Operation, "(no request)"), Effect: r.effect()}

	switch {
	case r.skipped < r.Skip:
		out.Progress = fmt.Sprintf("let %d of %d requests pass", r.skipped, r.Skip)
	case r.Times == 0 && r.LockedFor == 0 && r.Happens == "":
		out.Progress = fmt.Sprintf("hit %d requests, no limit", r.applied)
	default:
		out.Progress = fmt.Sprintf("hit %d of %d", r.applied, max(r.Times, 1))
	}

	return out
}

// effect describes what a fault does, in the words of a scenario.
func (f *Fault) effect() string {
	var parts []string

	add := func(given bool, format string, args ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(f.Status != 0, "status %d", f.Status)
	add(f.Body != "", "body %s", f.Body)
	add(f.Reset != "", "reset %s", f.Reset)
	add(f.Hang, "hang")
	add(f.LockedFor != 0, "locked for %s", f.LockedFor)
	add(f.Slow != 0, "slow by %s", f.Slow)
	add(f.Happens != "", "%s", strings.ReplaceAll(string(f.Happens), "_", " "))

	members := f.eventMembers()
	for _, key := range sortedKeys(members) {
		add(members[key] != "", "%s %s", key, members[key])
	}

	if f.TaskError != nil {
		parts = append(parts, "task error "+f.TaskError.Code)
	}

	return strings.Join(parts, ", ")
}
