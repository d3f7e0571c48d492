// SPDX-License-Identifier: MPL-2.0

package towersim

import "slices"

// object is an element of a table. It has an id of Tower's and a row that the
// API shows. The pointer to the row never changes.
type object interface {
	id() string
	rowPtr() any
}

// table holds the objects of one kind in the order of their creation.
type table[T object] struct {
	list  []T
	byID  map[string]T
	byRow map[any]T

	journal *journal // nil if there is none
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

// objectOf returns the object that a row belongs to.
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

// removeOldest removes up to n of the objects that may be removed, the oldest
// first.
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

// changeID changes the id of an object; change sets the new id.
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

// relation returns a function that follows a relation from the row of an
// object.
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

// mapSlice returns the results of f for each element. The result of an empty
// list is an empty list, not nil.
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
