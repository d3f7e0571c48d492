// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// looksForCreated is how often an object whose create call got no reply is looked for.
const looksForCreated = 5

// creation says how one object is created.
type creation[T Object] struct {
	operation       string // as in its path: "create-vm-folder"
	name, clusterID string // of the object
	// send makes the call.
	send func(ctx context.Context) ([]receipt, error)
	// namesakes reads the objects that have the name there; nil asks for name and cluster. If the reply is lost, the one that
	// appears is the result.
	namesakes  func(ctx context.Context) ([]T, error)
	nameIsFree bool            // the caller has looked: there is no namesake
	ready      func(v *T) bool // whether an idle object has really been made; nil for kinds whose objects are then
	limited    bool            // it takes one of the places for creates that Tower carries out at a time
}

// Creation is an object that Tower is creating.
type Creation[T Object] struct {
	ID      string // Tower's id of the object, good from now on
	Adopted bool   // the reply was lost, and this object of the wanted name has appeared since

	of      *objects[T]
	spec    creation[T]
	call    accepted
	release func()
}

// create has an object created.
//
// One create call takes effect at most: it is repeated only when no connection could be made, or after a refusal that
// says that nothing was done (401, 429, ResourceLocked). Once it is on its way it outlives ctx, so that the id of what was
// created is not lost. If its outcome is not known, the name is looked up several times: a single object that was not there
// before is adopted, otherwise the error is an *AmbiguousError.
func (o *objects[T]) create(ctx context.Context, spec creation[T]) (*Creation[T], error) {
	if spec.namesakes == nil {
		spec.namesakes = func(ctx context.Context) ([]T, error) {
			return o.list(ctx, Where{"name": spec.name, "cluster": Where{"id": spec.clusterID}})
		}
	}
	cr := &Creation[T]{of: o, spec: spec, release: func() {}}
	if spec.limited {
		select {
		case o.c.creates <- struct{}{}:
		case <-ctx.Done():
			return nil, interrupted(fmt.Sprintf("%s: waiting until one of %d other creates has ended", spec.operation, maxCreates), ctx.Err(), nil)
		}
		cr.release = sync.OnceFunc(func() { <-o.c.creates })
	}
	err := cr.start(ctx)
	if err != nil {
		cr.Release()
		return nil, err
	}
	return cr, nil
}

// start makes the call, and adopts its result when the reply is lost.
func (cr *Creation[T]) start(ctx context.Context) error {
	var before []T
	if !cr.spec.nameIsFree {
		var err error
		if before, err = cr.spec.namesakes(ctx); err != nil {
			return err
		}
	}
	for {
		made, call, err := cr.of.sendCreate(ctx, cr.spec.operation, 1, cr.spec.send)
		switch {
		case err == nil:
			cr.ID, cr.call = made[0].id, call
			return nil
		case errors.Is(err, ErrLocked) && delay(ctx, cr.of.c.taskInterval) == nil:
		case effectUnknown(err):
			return cr.adopt(ctx, before, err)
		default:
			return err
		}
	}
}

// sendCreate sends a create of n objects once. The reply has to name each of them.
func (o *objects[T]) sendCreate(ctx context.Context, op string, n int, send func(context.Context) ([]receipt, error)) ([]receipt, accepted, error) {
	call := accepted{operation: op}
	made, err := invoke(ctx, o.c, operation{op, kindCreate}, func(ctx context.Context) ([]receipt, error) {
		made, err := send(ctx)
		call.requestID = exchangeOf(ctx).requestID
		return made, err
	})
	if err != nil {
		return nil, call, err
	}
	made = slices.DeleteFunc(made, func(r receipt) bool { return r.id == "" })
	if len(made) != n {
		return nil, call, &Error{
			Operation: op, HTTPStatus: 200, RequestID: call.requestID, Class: ClassTransient, unknownEffect: true,
			Message: fmt.Sprintf("Tower's reply does not name each %s", o.what),
		}
	}
	call.objectID = made[0].id
	call.took(made)
	return made, call, nil
}

// adopt looks for the object of a create call whose outcome is not known. The looks outlive ctx, because an object that
// nobody knows of costs more than a few seconds.
func (cr *Creation[T]) adopt(ctx context.Context, before []T, cause error) error {
	c, name := cr.of.c, cr.spec.name
	c.log(ctx, LogWarn, "the outcome of the create call is not known, looking for the object", map[string]any{"operation": cr.spec.operation, "name": name, "error": cause.Error()})
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), looksForCreated*(c.taskInterval+c.cfg.RequestTimeout))
	defer cancel()
	unknown := &AmbiguousError{Kind: cr.of.what, Name: name, ClusterID: cr.spec.clusterID, Err: cause}
	for n := range looksForCreated {
		if n > 0 && delay(limited, c.taskInterval) != nil {
			break
		}
		list, err := cr.spec.namesakes(limited)
		if err != nil {
			c.log(ctx, LogWarn, "looking for the object failed", map[string]any{"name": name, "error": err.Error()})
			continue
		}
		unknown.IDs = nil
		for _, v := range list {
			id := v.identity().id
			if !slices.ContainsFunc(before, func(old T) bool { return old.identity().id == id }) {
				unknown.IDs = append(unknown.IDs, id)
			}
		}
		if len(unknown.IDs) == 1 {
			cr.ID, cr.Adopted, cr.call = unknown.IDs[0], true, accepted{operation: cr.spec.operation, objectID: unknown.IDs[0]}
			c.log(ctx, LogWarn, "adopted the object that appeared", map[string]any{"name": name, "object": cr.ID})
			return nil
		}
	}
	return unknown
}

// Release gives the create's place back without waiting for it. It may be called any number of times.
func (cr *Creation[T]) Release() { cr.release() }

// Wait waits until the object has really been made: its task has ended, no operation is under way on it, and it has all that
// its kind has. The error is a *TaskError when the create failed; Tower has then deleted the record. When ctx ends, the
// object goes on being made.
func (cr *Creation[T]) Wait(ctx context.Context) (*T, error) {
	defer cr.Release()
	forgotten, err := cr.of.c.awaitTasks(ctx, cr.call)
	if err != nil {
		return nil, err
	}
	misses, objectDecides := looksForEffect, forgotten || cr.Adopted
	if objectDecides {
		// Tower deletes the record when the create fails.
		misses = missesOfObject
	}
	what := fmt.Sprintf("%s: waiting for the %s %s to become idle", cr.spec.operation, cr.of.what, cr.ID)
	made, err := cr.of.await(ctx, what, cr.ID, func(l look[T]) (bool, error) {
		if l.object == nil && l.misses >= misses {
			return true, notFound(cr.spec.operation, fmt.Sprintf("Tower no longer shows the %s %s that it was creating", cr.of.what, cr.ID))
		}
		return idle(l.object) && (cr.spec.ready == nil || cr.spec.ready(l.object)), nil
	})
	switch {
	case err == nil:
		return made, nil
	case errors.Is(err, ErrNotFound) && objectDecides:
		return nil, cr.failure(ctx, err)
	}
	return nil, err
}

// failure finds the reason why an object that was being made is gone.
func (cr *Creation[T]) failure(ctx context.Context, cause error) error {
	failure, err := cr.of.c.lastFailure(ctx, cr.call)
	if err != nil {
		cr.of.c.log(ctx, LogWarn, "the reason of a failed create cannot be read", map[string]any{"object": cr.ID, "error": err.Error()})
	}
	if failure != nil {
		return failure
	}
	return &TaskError{Operation: cr.spec.operation, TaskID: strings.Join(cr.call.tasks, ", "), RequestID: cr.call.requestID, Message: cause.Error()}
}
