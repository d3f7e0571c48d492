// SPDX-License-Identifier: MPL-2.0

package towersim

import "slices"

// object is what a table holds: something with an id of Tower's and a row that
// the API shows, given as a pointer that stays the same.
type object interface {
	id() string
	rowPtr() any
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
	t.byID[x.id()] = x
	t.byRow[x.rowPtr()] = x
	t.journal.note(x, rowAdded)
}

func (t *table[T]) get(id string) (T, bool) {
	x, ok := t.byID[id]

	return x, ok
}

// of returns the object that a row belongs to.
func (t *table[T]) objectOf(row any) (T, bool) {
	x, ok := t.byRow[row]

	return x, ok
}

func (t *table[T]) remove(x T) {
	if _, ok := t.byRow[x.rowPtr()]; !ok {
		return
	}

	delete(t.byID, x.id())
	delete(t.byRow, x.rowPtr())
	t.journal.note(x, rowRemoved)

	if i := slices.IndexFunc(t.list, func(other T) bool { return other.rowPtr() == x.rowPtr() }); i >= 0 {
		t.list = slices.Delete(t.list, i, i+1)
	}
}

// forget removes up to n of the objects that may go, the oldest first.
func (t *table[T]) removeOldest(n int, mayGo func(T) bool) {
	t.list = slices.DeleteFunc(t.list, func(x T) bool {
		if n == 0 || !mayGo(x) {
			return false
		}

		n--
		delete(t.byID, x.id())
		delete(t.byRow, x.rowPtr())
		t.journal.note(x, rowRemoved)

		return true
	})
}

// rekey takes an object to another id; change is what gives it the new one.
func (t *table[T]) changeID(x T, change func()) {
	delete(t.byID, x.id())
	change()
	t.byID[x.id()] = x
	t.journal.touch(x)
}

// clear removes all objects.
func (t *table[T]) clear() {
	for _, x := range t.list {
		t.journal.note(x, rowRemoved)
	}

	t.list, t.byID, t.byRow = nil, nil, nil
}

func (t *table[T]) rows() []any { return rowPtrs(t.list) }

func (t *table[T]) rowByID(id string) (any, bool) {
	x, ok := t.byID[id]
	if !ok {
		return nil, false
	}

	return x.rowPtr(), true
}

// way makes a way for filters from the objects of a table to others.
func relation[T object](t *table[T], follow func(T) []any) func(row any) []any {
	return func(row any) []any {
		x, ok := t.objectOf(row)
		if !ok {
			return nil
		}

		return follow(x)
	}
}

func rowPtrs[T object](list []T) []any {
	rows := make([]any, len(list))
	for i, x := range list {
		rows[i] = x.rowPtr()
	}

	return rows
}

// mapped applies f to each element. The result of an empty list is an empty one.
func mapSlice[S, T any](list []S, f func(S) T) []T {
	out := make([]T, len(list))
	for i, x := range list {
		out[i] = f(x)
	}

	return out
}

func filterSlice[T any](list []T, keep func(T) bool) []T {
	var out []T

	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}

	return out
}
