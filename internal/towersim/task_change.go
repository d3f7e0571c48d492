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
}, R any](c *call, objects []T, k change[T], toReply func(T) R,
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
		replies[i] = wire.WithTask[R]{TaskID: wire.Ptr(t.row.ID), Data: toReply(x)}
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

// checkName returns taken if the name of x clashes with that of another object
// in a list. If objects with the same name are being created, the one that was
// requested first gets it.
func checkName[T comparable](list []T, x T, creating bool, clashes func(other T) bool, taken *taskFailure) *taskFailure {
	for _, other := range list {
		switch {
		case other == x && creating:
			return nil // the others were requested later
		case other != x && clashes(other):
			return taken
		}
	}

	return nil
}

// planEach returns what plan makes of each set of parameters, or the first
// error. The list must not be empty.
func planEach[P, X any](params []P, plan func(i int, p *P) (X, error)) ([]X, error) {
	if err := checkNotEmptyList(params); err != nil {
		return nil, err
	}

	planned := make([]X, len(params))

	for i := range params {
		x, err := plan(i, &params[i])
		if err != nil {
			return nil, err
		}

		planned[i] = x
	}

	return planned, nil
}

// deleteMatching starts the deletion of the objects that a filter selects. k.apply
// deletes one of them.
func deleteMatching[T interface {
	object
	asyncObject
}](c *call, t *table[T], entity string, where json.RawMessage, k change[T],
) (any, error) {
	found, err := matching(c.world, t, entity, where)
	if err != nil {
		return nil, err
	}

	k.status = wire.EntityAsyncStatusDeleting

	return startChanges(c, found, k, deletedReply), nil
}
