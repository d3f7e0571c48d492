// SPDX-License-Identifier: MPL-2.0

package query

// rows returns the rows that satisfy the filter, each once.
func (f *filter) rows() []any {
	pool, narrowed := f.narrow()
	if !narrowed {
		pool = f.src.Rows(f.entity)
	}
	out := make([]any, 0, min(len(pool), 64))
	var seen map[any]bool
	if narrowed && len(pool) > 1 {
		seen = make(map[any]bool, len(pool))
	}
	for _, row := range pool {
		if seen[row] || f.holds(row) != yes {
			continue
		}
		if seen != nil {
			seen[row] = true
		}
		out = append(out, row)
	}
	return out
}

// narrow asks the indexes of the source for the rows that may satisfy the
// filter.
func (f *filter) narrow() ([]any, bool) {
	if f.candidates == nil {
		return nil, false
	}
	return f.candidates()
}

// byIDs narrows a filter on ids to the rows with one of the ids.
func (c *compiler) byIDs(entity string, ids []string) func() ([]any, bool) {
	index, ok := c.src.(IDIndex)
	if !ok {
		return nil
	}
	return func() ([]any, bool) {
		var out []any
		for _, id := range ids {
			if row, found := index.ByID(entity, id); found {
				out = append(out, row)
			}
		}
		return out, true
	}
}

// union narrows an OR, if each of its filters can be narrowed.
func union(parts []*filter) func() ([]any, bool) {
	for _, part := range parts {
		if part.candidates == nil {
			return nil
		}
	}
	return func() ([]any, bool) {
		var out []any
		for _, part := range parts {
			rows, ok := part.narrow()
			if !ok {
				return nil, false
			}
			out = append(out, rows...)
		}
		return out, true
	}
}

// referring narrows a filter on a to-one relation to the rows that refer to a
// row that the nested filter may find.
func (c *compiler) referring(entity string, field fieldInfo, nested *filter) func() ([]any, bool) {
	index, ok := c.src.(RelationIndex)
	if !ok || nested.candidates == nil {
		return nil
	}
	return func() ([]any, bool) {
		targets, ok := nested.narrow()
		if !ok {
			return nil, false
		}
		var out []any
		for _, target := range targets {
			rows, ok := index.Referring(entity, field.name, target)
			if !ok {
				return nil, false
			}
			out = append(out, rows...)
		}
		return out, true
	}
}
