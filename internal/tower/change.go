// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// change is a mutation of one object.
type change[T Object] struct {
	name string // the operation, as in its path: "start-vm"
	// submit sends it for the one object with the id.
	submit func(ctx context.Context, id string) ([]receipt, error)
	// reached reports whether an idle object shows the effect; it gets nil for an object that is gone. It may be missing where
	// objects do not show it; then an outcome that is not known stays so.
	reached func(v *T) bool
	// taskSuffices says that the change is over when its task has succeeded. Else the object has to become idle, too.
	taskSuffices bool
	others       []string // objects that the same request changes
	missing      string   // what an empty reply means, "" = there is no such object
}

// isGone is the effect of a deletion.
func isGone[T Object](v *T) bool { return v == nil }

// receipt is Tower's answer about one object of a mutation.
type receipt struct {
	id   string // of the object
	task string // "" = done at once
}

// receipts reads the reply to a mutation. The generated client has a type for each kind of object, all alike.
func receipts[M any, R interface{ GetPayload() []*M }](reply R, err error) ([]receipt, error) {
	list, err := payload(reply, err)
	var out []receipt
	for _, m := range list {
		if m != nil {
			v := reflect.ValueOf(m).Elem()
			out = append(out, receipt{id: stringIn(v, "Data", "ID"), task: stringIn(v, "TaskID")})
		}
	}
	return out, err
}

// stringIn returns the string that the fields lead to, "" where one of them is nil or missing.
func stringIn(v reflect.Value, fields ...string) string {
	for _, field := range fields {
		if v = v.FieldByName(field); v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if !v.IsValid() {
			return ""
		}
	}
	return v.String()
}

// withLock runs what works on an object while nobody else in this process does.
func (o *objects[T]) withLock(ctx context.Context, op, id string, run func() error) error {
	unlock, err := o.c.locks.lock(ctx, id)
	if err != nil {
		return interrupted(fmt.Sprintf("%s: waiting for another operation on the %s %s", op, o.what, id), err, nil)
	}
	defer unlock()
	return run()
}

// apply carries a change out while nobody else in this process works on the object.
func (o *objects[T]) apply(ctx context.Context, id string, ch change[T]) error {
	return o.withLock(ctx, ch.name, id, func() error { return o.carryOut(ctx, id, ch) })
}

// ensure applies a change to an object that does not show its effect yet.
func (o *objects[T]) ensure(ctx context.Context, id string, ch change[T]) error {
	return o.withLock(ctx, ch.name, id, func() error {
		current, err := o.get(ctx, id)
		if err != nil || idle(current) && ch.reached(current) {
			return err
		}
		return o.carryOut(ctx, (*current).identity().id, ch)
	})
}

// remove applies a change after which the object is no longer there. One that is gone already is success, and so is one that
// spare wants to be left alone; where that is nil, all are removed.
func (o *objects[T]) remove(ctx context.Context, id string, ch change[T], spare func(*T) bool) error {
	missing := func() (gone bool, err error) {
		// An object can vanish for a moment.
		_, err = o.await(ctx, fmt.Sprintf("%s: looking for the %s %s", ch.name, o.what, id), id, func(l look[T]) (bool, error) {
			gone = l.object == nil || spare != nil && spare(l.object)
			return l.object != nil || l.misses > 1, nil
		})
		return gone && err == nil, err
	}
	return o.withLock(ctx, ch.name, id, func() error {
		if spare != nil && id != "" {
			if gone, err := missing(); gone || err != nil {
				return err
			}
		}
		err := o.carryOut(ctx, id, ch)
		var failed *TaskError
		if !errors.Is(err, ErrNotFound) && !errors.As(err, &failed) {
			return err
		}
		// Someone else may have been faster.
		gone, lookErr := missing()
		if gone {
			return nil
		}
		if lookErr != nil {
			return fmt.Errorf("%w (after %w)", lookErr, err)
		}
		return err
	})
}

// carryOut carries a change out on an object that nobody else in this process works on, and returns when it is over. It is
// where the rules for mutations live:
//
//   - Tower says that something is locked: nothing was done. Wait until that is idle, then again, until ctx ends.
//   - Tower says that there is nothing to change: success.
//   - An empty reply: there is no such object, ErrNotFound.
//   - The outcome is not known: the object tells. It shows the effect: success. It is idle and does not: the change did not
//     happen and is sent again, MaxRetries times at most.
//   - The task failed: *TaskError. Tower has forgotten the task: the object tells.
func (o *objects[T]) carryOut(ctx context.Context, id string, ch change[T]) error {
	ids := append([]string{id}, ch.others...)
	if slices.Contains(ids, "") {
		// Tower would act on every object there is.
		return &Error{Operation: ch.name, Class: ClassRefused, Message: fmt.Sprintf("the id of the %s is missing", o.what)}
	}
	for unknown := 0; ; {
		a, err := o.submit(ctx, id, ch)
		switch {
		case err == nil:
			return o.awaitEffect(ctx, ids, a, ch)
		case errors.Is(err, errNotModified):
			return nil
		case errors.Is(err, ErrLocked):
			// What held the lock may have done the same.
			if reached, err := o.awaitUnlocked(ctx, ids, ch, err); reached || err != nil {
				return err
			}
		case effectUnknown(err) && ch.reached != nil && ctx.Err() == nil:
			o.c.log(ctx, LogWarn, "the outcome of a change is not known, looking at the object", map[string]any{"operation": ch.name, "object": id, "error": err.Error()})
			happened, lookErr := each(ids, func(id string) (bool, error) { return o.happened(ctx, id, ch) })
			if lookErr != nil {
				return fmt.Errorf("%w (after %w)", lookErr, err)
			}
			if happened {
				return nil
			}
			if unknown++; unknown > o.c.cfg.MaxRetries {
				return err
			}
		default:
			return err
		}
	}
}

// each calls do for all the ids at once and reports whether all of them returned true.
func each(ids []string, do func(id string) (bool, error)) (all bool, err error) {
	yes := make([]bool, len(ids))
	var group errgroup.Group
	for i, id := range ids {
		group.Go(func() (err error) {
			yes[i], err = do(id)
			return err
		})
	}
	err = group.Wait()
	return err == nil && !slices.Contains(yes, false), err
}

// submit sends the change once.
func (o *objects[T]) submit(ctx context.Context, id string, ch change[T]) (accepted, error) {
	a := accepted{operation: ch.name, objectID: id}
	answers, err := invoke(ctx, o.c, operation{ch.name, kindMutation}, func(ctx context.Context) ([]receipt, error) {
		answers, err := ch.submit(ctx, id)
		a.requestID = exchangeOf(ctx).requestID
		return answers, err
	})
	switch {
	case err != nil:
		return a, err
	case len(answers) == 0 && ch.missing != "":
		return a, &Error{Operation: ch.name, Class: ClassNotFound, RequestID: a.requestID, Message: ch.missing}
	case len(answers) == 0:
		return a, &Error{Operation: ch.name, Class: ClassNotFound, RequestID: a.requestID, Message: fmt.Sprintf("Tower has no %s with the id %q", o.what, id)}
	}
	a.took(answers)
	return a, nil
}

// awaitEffect waits for the tasks of a change and then for its objects.
func (o *objects[T]) awaitEffect(ctx context.Context, ids []string, a accepted, ch change[T]) error {
	forgotten, err := o.c.awaitTasks(ctx, a)
	if err != nil || ch.taskSuffices && !forgotten {
		return err
	}
	_, err = each(ids, func(id string) (bool, error) {
		what := fmt.Sprintf("%s: waiting for the %s %s to become idle", ch.name, o.what, id)
		_, err := o.await(ctx, what, id, func(l look[T]) (bool, error) {
			reached := ch.reached == nil || ch.reached(l.object)
			switch {
			case l.object == nil && ch.reached != nil && reached:
				return true, nil
			case l.object == nil && l.misses >= missesOfObject:
				return true, notFound(ch.name, fmt.Sprintf("Tower no longer shows the %s %s", o.what, id))
			case l.object == nil || !idle(l.object):
				return false, nil
			case reached:
				return true, nil
			case l.looks < looksForEffect:
				// Tower learns the new state from the cluster, sometimes later than the task's end.
				return false, nil
			case forgotten:
				return true, &Error{
					Operation: ch.name, Class: ClassTransient, RequestID: a.requestID,
					Message: fmt.Sprintf("Tower no longer shows the task of the change, and the %s %s does not show its effect", o.what, id),
				}
			}
			o.c.log(ctx, LogWarn, "the task succeeded, but the object does not show it", map[string]any{"operation": ch.name, "object": id})
			return true, nil
		})
		return true, err
	})
	return err
}

// happened looks at an object for some time to find out whether a change of unknown outcome took place.
func (o *objects[T]) happened(ctx context.Context, id string, ch change[T]) (happened bool, err error) {
	quiet := 0
	what := fmt.Sprintf("%s: finding out whether it took place on the %s %s", ch.name, o.what, id)
	_, err = o.await(ctx, what, id, func(l look[T]) (bool, error) {
		if (l.object == nil || idle(l.object)) && ch.reached(l.object) {
			happened = true
			return l.object != nil || l.misses > 1, nil
		}
		happened = false
		if l.object != nil && !idle(l.object) {
			quiet = 0
			return false, nil
		}
		quiet++
		return quiet >= 3, nil
	})
	return happened, err
}

// awaitUnlocked waits until what a refused change found locked is idle, and its own objects, too. It reports whether these
// show the effect then.
func (o *objects[T]) awaitUnlocked(ctx context.Context, ids []string, ch change[T], refusal error) (reached bool, err error) {
	// The lock can outlast the status that shows it, and others wait for it as well.
	wait := o.c.taskInterval/2 + time.Duration(rand.Int64N(int64(o.c.taskInterval)/2+1)) // Spreads load, protects nothing.
	if err := delay(ctx, wait); err != nil {
		return false, fmt.Errorf("waiting for another operation on the %s %s: %w (after %w)", o.what, ids[0], err, refusal)
	}
	var call *Error
	if errors.As(refusal, &call) {
		for _, r := range call.Locked {
			switch {
			case slices.Contains(ids, r.ID):
			case r.Type == "VM":
				_, err = o.c.vms.awaitIdle(ctx, r.ID)
			case r.Type == "VM_VOLUME":
				_, err = o.c.volumes.awaitIdle(ctx, r.ID)
			}
			// One that cannot be read is not waited for.
			if err != nil && ctx.Err() != nil {
				return false, fmt.Errorf("%w (after %w)", err, refusal)
			}
		}
	}
	reached, err = each(ids, func(id string) (bool, error) {
		current, err := o.awaitIdle(ctx, id)
		return ch.reached != nil && ch.reached(current), err
	})
	if err != nil {
		return false, fmt.Errorf("%w (after %w)", err, refusal)
	}
	return reached, nil
}

// awaitIdle waits until no operation is under way on an object, and returns it as it is then; nil when it is gone.
func (o *objects[T]) awaitIdle(ctx context.Context, id string) (*T, error) {
	return o.await(ctx, fmt.Sprintf("waiting for another operation on the %s %s", o.what, id), id, func(l look[T]) (bool, error) {
		return idle(l.object) || l.misses >= missesOfObject, nil
	})
}
