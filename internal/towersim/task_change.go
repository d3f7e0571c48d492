// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"fmt"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// change is the change that an operation makes to each of its objects.
type change[T asyncObject] struct {
	mutation    string
	resource    string
	description func(x T) localizedText
	status      wire.EntityAsyncStatus // "" means UPDATING
	cluster     func(x T) *cluster
	markLate    bool
	apply       func(x T) *taskFailure
	undo        func(x T)
}

// startChanges starts a task for each object. toReply makes the data of the
// replies.
func startChanges[T interface {
	object
	asyncObject
}, R any](c *call, objects []T, k change[T], shown func(T) R,
) []wire.WithTask[R] {
	if k.status == "" {
		k.status = wire.EntityAsyncStatusUpdating
	}

	replies := make([]wire.WithTask[R], len(objects))
	for i, x := range objects {
		t := c.startTask(taskWork{
			mutation: k.mutation, description: k.description(x), resource: k.resource, id: x.id(), cluster: k.cluster(x),
			status: k.status, objects: []asyncObject{x}, markLate: k.markLate,
			apply: func() *taskFailure { return k.apply(x) },
			undo: func() {
				if k.undo != nil {
					k.undo(x)
				}
			},
		})
		replies[i] = wire.WithTask[R]{TaskID: wire.Ptr(t.row.ID), Data: shown(x)}
	}

	return replies
}

// withAsyncStatus is an object that has another entityAsyncStatus during a task
// than the task's main object.
type withAsyncStatus struct {
	asyncObject

	status wire.EntityAsyncStatus
}

func (m withAsyncStatus) setAsyncStatus(status *wire.EntityAsyncStatus) {
	if status != nil {
		status = wire.Ptr(m.status)
	}

	m.asyncObject.setAsyncStatus(status)
}

// deletedReply returns the data of a reply to a deletion.
func deletedReply[T object](x T) wire.Deleted { return wire.Deleted{ID: x.id()} }

// describe returns a function that describes a task on an object of a kind.
func describe[T any](en, zh string, name func(T) string) func(T) localizedText {
	return func(x T) localizedText { return localizedText{en: en + " " + name(x), zh: zh + " " + name(x)} }
}

// copyByJSON copies the members of from to the members of into that have the
// same JSON names.
func copyByJSON(into, from any) error {
	raw, err := json.Marshal(from)
	if err != nil {
		return fmt.Errorf("cannot write the parameters: %w", err)
	}

	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("cannot read the parameters: %w", err)
	}

	return nil
}

// checkNotEmptyList refuses an empty list.
func checkNotEmptyList[T any](list []T) error {
	if len(list) == 0 {
		return badRequest("body: expected at least 1 element")
	}

	return nil
}

// checkNotEmpty refuses an empty name.
func checkNotEmpty(field string, name *string) error {
	if name != nil && *name == "" {
		return badRequest("%s: must not be empty", field)
	}

	return nil
}
