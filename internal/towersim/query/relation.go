// SPDX-License-Identifier: MPL-2.0

package query

import (
	"cmp"
	"slices"
)

// Relation is a field of an entity that leads to rows of another.
type Relation struct {
	// Field is the name by which a filter asks for it.
	Field string
	// Target is the entity that it leads to.
	Target string
	// Many tells that it leads to any number of rows, else to one at most.
	Many bool
}

// Relations returns the relations of an entity, by field; none of an entity
// that is not known.
func Relations(entity string) []Relation {
	info := entityByName(entity)
	if info == nil {
		return nil
	}
	var out []Relation
	for _, f := range info.fields {
		if f.kind == kindOne || f.kind == kindMany {
			out = append(out, Relation{Field: f.name, Target: f.target, Many: f.kind == kindMany})
		}
	}
	slices.SortFunc(out, func(a, b Relation) int { return cmp.Compare(a.Field, b.Field) })
	return out
}
