// SPDX-License-Identifier: MPL-2.0

package query

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// Request is the body of a list operation.
type Request = wire.ListRequest

// Source gives the engine its rows. Rows are pointers to structs whose json
// tags name the fields; scalars that a struct lacks read as null.
type Source interface {
	// Rows returns all rows of an entity. The engine does not change the slice.
	Rows(entity string) []any
	// Related returns the rows that a relation field of row refers to: at most
	// one for a to-one relation, none for a relation that is not modelled.
	Related(entity string, row any, field string) []any
}

// IDIndex is implemented by a Source that finds a row by its id without a scan.
type IDIndex interface {
	// ByID returns the row whose field id has the given value.
	ByID(entity, id string) (row any, found bool)
}

// LocalIDIndex is implemented by a Source that finds rows by their local_id
// without a scan.
type LocalIDIndex interface {
	// ByLocalID returns all rows whose field local_id has the given value. The
	// answer ok = false means that the entity has no such index.
	ByLocalID(entity, localID string) (rows []any, ok bool)
}

// RelationIndex is implemented by a Source that follows a to-one relation
// backwards without a scan.
type RelationIndex interface {
	// Referring returns all rows of entity whose to-one relation field refers to
	// target. The answer ok = false means that the relation has no such index.
	Referring(entity, field string, target any) (rows []any, ok bool)
}

// Versioned is implemented by a Source that plays a certain Tower version.
type Versioned interface {
	// TowerVersion returns the version, such as "4.6.0". Fields that [Since] says
	// are newer are refused; an empty version refuses nothing.
	TowerVersion() string
}

// Find returns the rows of entity that the request selects, in its order. The
// error of a request that Tower would refuse is a *[BadRequest].
func Find(src Source, entity string, req Request) ([]any, error) {
	filter, err := compileWhere(src, entity, req.Where)
	if err != nil {
		return nil, err
	}
	page, err := newPage(src, entity, req)
	if err != nil {
		return nil, err
	}
	return page.cut(filter.rows()), nil
}

// Count returns how many rows of entity match a filter; an absent filter and
// null match all of them.
func Count(src Source, entity string, where json.RawMessage) (int, error) {
	rows, err := Match(src, entity, where)
	return len(rows), err
}

// CountRequest returns how many rows the request selects: like the counting
// operations of Tower, it honours the paging members.
func CountRequest(src Source, entity string, req Request) (int, error) {
	rows, err := Find(src, entity, req)
	return len(rows), err
}

// Match returns the rows of entity that the filter of a mutation selects,
// ordered by id. It takes an absent filter, null and {} for "all rows", as
// Tower does.
func Match(src Source, entity string, where json.RawMessage) ([]any, error) {
	return Find(src, entity, Request{Where: where})
}

// Matches tells whether one row of entity matches a filter.
func Matches(src Source, entity string, row any, where json.RawMessage) (bool, error) {
	filter, err := compileWhere(src, entity, where)
	if err != nil {
		return false, err
	}
	return filter.holds(row) == yes, nil
}

// BadRequest is the error of a request that Tower refuses with status 400.
type BadRequest struct {
	// Path is the place in the request, such as "where.vm_nics_some.vlan".
	Path string
	// Message says what is wrong there.
	Message string
}

// Error implements the error interface.
func (e *BadRequest) Error() string {
	return e.Path + ": " + e.Message
}
