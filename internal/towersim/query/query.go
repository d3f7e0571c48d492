// SPDX-License-Identifier: MPL-2.0

package query

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// Request is the body of a list operation.
type Request = wire.ListRequest

// Source provides the rows. Rows are pointers to structs with json tags. A
// scalar that a struct does not have reads as null.
type Source interface {
	// Rows returns all rows of an entity. The engine does not change the slice.
	Rows(entity string) []any
	// Related returns the rows that a relation field of row refers to: at most
	// one row for a to-one relation, no row for a relation that is not
	// simulated.
	Related(entity string, row any, field string) []any
}

// IDIndex is implemented by a Source that can find a row by its id without a
// scan.
type IDIndex interface {
	// ByID returns the row whose field id has the given value.
	ByID(entity, id string) (row any, found bool)
}

// RelationIndex is implemented by a Source that can follow a to-one relation
// backwards without a scan.
type RelationIndex interface {
	// Referring returns all rows of entity whose to-one relation field refers
	// to target. It returns ok = false if the relation has no index.
	Referring(entity, field string, target any) (rows []any, ok bool)
}

// Versioned is implemented by a Source that simulates a certain Tower version.
type Versioned interface {
	// TowerVersion returns the version, such as "4.6.0". Fields that are newer
	// according to [Since] are refused. An empty version refuses nothing.
	TowerVersion() string
}

// Find returns the rows of entity that the request selects, in its order. If
// Tower would refuse the request, the error is a *[BadRequest].
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

// Match returns the rows of entity that the filter of a mutation selects,
// ordered by id. As in Tower, no filter, null and {} select all rows.
func Match(src Source, entity string, where json.RawMessage) ([]any, error) {
	return Find(src, entity, Request{Where: where})
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
