// SPDX-License-Identifier: MPL-2.0

package wire

import "encoding/json"

// WithTask is the reply of a mutation: the data and the task that carries the
// change out. TaskID is nil when the change is already done.
type WithTask[T any] struct {
	TaskID *string `json:"task_id"`
	Data   T       `json:"data"`
}

// Deleted is the data of a reply that only tells which object is concerned:
// the deletions and the moves to and from the recycle bin.
type Deleted struct {
	ID string `json:"id"`
}

// Connection is the reply of the counting operations.
type Connection struct {
	Aggregate Aggregate `json:"aggregate"`
}

// Aggregate holds the number of matching rows.
type Aggregate struct {
	Count int `json:"count"`
}

// NewConnection wraps a number of rows in the reply of a counting operation.
func NewConnection(count int) Connection {
	return Connection{Aggregate: Aggregate{Count: count}}
}

// ListRequest is the body of every list and counting operation. Null and
// absent mean the same for all of its members.
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

// List is a list that a reply must have: nil marshals as an empty list.
type List[T any] []T

// MarshalJSON implements [json.Marshaler].
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Object is a free-form JSON object: nil marshals as an empty object.
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
	// Set tells that the member was present, be it null.
	Set bool
	// Null tells that the member was null.
	Null bool
	// Value is the member's value if it was present and not null.
	Value T
}

// Ptr returns the member's value, or nil if it was absent or null.
func (o Opt[T]) Ptr() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// IsZero tells that the member is absent.
func (o Opt[T]) IsZero() bool {
	return !o.Set
}

// MarshalJSON implements [json.Marshaler]; an absent member marshals as null
// unless the member's tag says omitzero.
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
