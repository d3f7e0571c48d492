// SPDX-License-Identifier: MPL-2.0

package towersim

import "slices"

// object is what a table holds: something with an id of Tower's and a row that
// the API shows, given as a pointer that stays the same.
type object interface {
	key() string
	record() any
}

// table holds the objects of one kind in the order of their making.
type table[T object] struct {
	list  []T
	byID  map[string]T
	byRow map[any]T

	journal *journal // nil: nobody keeps one
}

func (t *table[T]) add(x T) {
	if t.byID == nil {
		t.byID, t.byRow = map[string]T{}, map[any]T{}
	}

	t.list = append(t.list, x)
	t.byID[x.key()] = x
	t.byRow[x.record()] = x
	t.journal.meets(x, added)
}

func (t *table[T]) get(id string) (T, bool) {
	x, ok := t.byID[id]

	return x, ok
}

// of returns the object that a row belongs to.
func (t *table[T]) of(row any) (T, bool) {
	x, ok := t.byRow[row]

	return x, ok
}

func (t *table[T]) remove(x T) {
	if _, ok := t.byRow[x.record()]; !ok {
		return
	}

	delete(t.byID, x.key())
	delete(t.byRow, x.record())
	t.journal.meets(x, removed)

	if i := slices.IndexFunc(t.list, func(other T) bool { return other.record() == x.record() }); i >= 0 {
		t.list = slices.Delete(t.list, i, i+1)
	}
}

// forget removes up to n of the objects that may go, the oldest first.
func (t *table[T]) forget(n int, mayGo func(T) bool) {
	t.list = slices.DeleteFunc(t.list, func(x T) bool {
		if n == 0 || !mayGo(x) {
			return false
		}

		n--
		delete(t.byID, x.key())
		delete(t.byRow, x.record())
		t.journal.meets(x, removed)

		return true
	})
}

// rekey takes an object to another id; change is what gives it the new one.
func (t *table[T]) rekey(x T, change func()) {
	delete(t.byID, x.key())
	change()
	t.byID[x.key()] = x
	t.journal.touch(x)
}

// clear removes all objects.
func (t *table[T]) clear() {
	for _, x := range t.list {
		t.journal.meets(x, removed)
	}

	t.list, t.byID, t.byRow = nil, nil, nil
}

func (t *table[T]) records() []any { return records(t.list) }

func (t *table[T]) record(id string) (any, bool) {
	x, ok := t.byID[id]
	if !ok {
		return nil, false
	}

	return x.record(), true
}

// way makes a way for filters from the objects of a table to others.
func way[T object](t *table[T], follow func(T) []any) func(row any) []any {
	return func(row any) []any {
		x, ok := t.of(row)
		if !ok {
			return nil
		}

		return follow(x)
	}
}

func records[T object](list []T) []any {
	rows := make([]any, len(list))
	for i, x := range list {
		rows[i] = x.record()
	}

	return rows
}

// mapped applies f to each element. The result of an empty list is an empty one.
func mapped[S, T any](list []S, f func(S) T) []T {
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = f(x)
	}

	return out
}

func filtered[T any](list []T, keep func(T) bool) []T {
	var out []T

	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}

	return out
}
