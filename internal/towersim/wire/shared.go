// SPDX-License-Identifier: MPL-2.0

package wire

import "encoding/json"

// WithTask is the reply of a mutation: the data and the task that makes the
// change. TaskID is nil if the change is already made.
type WithTask[T any] struct {
	TaskID *string `json:"task_id"`
	Data   T       `json:"data"`
}

// Deleted is the data of a reply that only names the object, such as that of a
// deletion.
type Deleted struct {
	ID string `json:"id"`
}

// Connection is the reply of a counting operation.
type Connection struct {
	Aggregate Aggregate `json:"aggregate"`
}

// Aggregate holds the number of matching rows.
type Aggregate struct {
	Count int `json:"count"`
}

// NewConnection returns the reply of a counting operation.
func NewConnection(count int) Connection {
	return Connection{Aggregate: Aggregate{Count: count}}
}

// ListRequest is the body of the list and counting operations. For all its
// members, null means absent.
type ListRequest struct {
	_       struct{}        `wire:"closed"`
	After   *string         `json:"after,omitempty" wire:"nullable"`
	Before  *string         `json:"before,omitempty" wire:"nullable"`
	First   *int            `json:"first,omitempty" wire:"nullable,int32"`
	Last    *int            `json:"last,omitempty" wire:"nullable,int32"`
	OrderBy *string         `json:"orderBy,omitempty" wire:"nullable"`
	Skip    *int            `json:"skip,omitempty" wire:"nullable,int32"`
	Where   json.RawMessage `json:"where,omitzero" wire:"nullable"`
}

// List is a list that a reply must have: nil is marshalled as an empty list.
type List[T any] []T

// MarshalJSON implements [json.Marshaler].
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Object is a free-form JSON object: nil is marshalled as an empty object.
type Object map[string]any

// MarshalJSON implements [json.Marshaler].
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]any(o))
}

// Opt is a member of a request that can be absent, null or a value.
type Opt[T any] struct {
	// Set is true if the member was present, even if it was null.
	Set bool
	// Null is true if the member was null.
	Null bool
	// Value is the member's value, if it was present and not null.
	Value T
}

// Ptr returns the member's value, or nil if it was absent or null.
func (o Opt[T]) Ptr() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// IsZero reports whether the member is absent.
func (o Opt[T]) IsZero() bool {
	return !o.Set
}

// MarshalJSON implements [json.Marshaler]. An absent member is marshalled as
// null unless its tag has omitzero.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	return json.Marshal(o.Ptr())
}

// UnmarshalJSON implements [json.Unmarshaler].
func (o *Opt[T]) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		o.setNull()
		return nil
	}
	return json.Unmarshal(raw, o.setValue())
}

func (o *Opt[T]) setNull() {
	*o = Opt[T]{Set: true, Null: true}
}

func (o *Opt[T]) setValue() any {
	*o = Opt[T]{Set: true}
	return &o.Value
}

// Ptr returns a pointer to value, for the nullable and optional members of replies.
func Ptr[T any](value T) *T {
	return &value
}
