// SPDX-License-Identifier: MPL-2.0

package query

import (
	"cmp"
	"slices"
	"strings"
)

// page is the order and the paging of a request.
type page struct {
	order         fieldInfo
	descending    bool
	after, before *cursor
	first, last   *int
	skip          int
}

// cursor is the place of a row in the order. A cursor that was not found
// selects nothing.
type cursor struct {
	item  item
	found bool
}

// item is a row with the values that it is ordered by.
type item struct {
	row any
	key value
	id  string
}

var idField = fieldInfo{name: "id", kind: kindString}

func newPage(src Source, entity string, req Request) (*page, error) {
	p := &page{order: idField, first: req.First, last: req.Last}
	if err := p.setOrder(src, entity, req.OrderBy); err != nil {
		return nil, err
	}
	if req.First != nil && req.Last != nil {
		return nil, &BadRequest{Path: "last", Message: "first and last exclude each other"}
	}
	for _, n := range []struct {
		path  string
		value *int
	}{{"first", req.First}, {"last", req.Last}, {"skip", req.Skip}} {
		if n.value != nil && *n.value < 0 {
			return nil, &BadRequest{Path: n.path, Message: "must not be negative"}
		}
	}
	if req.Skip != nil {
		p.skip = *req.Skip
	}
	p.after = p.find(src, entity, req.After)
	p.before = p.find(src, entity, req.Before)
	return p, nil
}

func (p *page) setOrder(src Source, entity string, orderBy *string) error {
	if orderBy == nil {
		return nil
	}
	name, ok := strings.CutSuffix(*orderBy, "_ASC")
	if !ok {
		name, p.descending = strings.CutSuffix(*orderBy, "_DESC")
	}
	order, known := entityByName(entity).order[name]
	if !ok && !p.descending || !known || newVersionGate(src).refuses(entity, name) {
		return &BadRequest{Path: "orderBy", Message: "unknown order " + *orderBy}
	}
	p.order = order
	return nil
}

// find looks up a cursor, which is the id of a row.
func (p *page) find(src Source, entity string, id *string) *cursor {
	if id == nil {
		return nil
	}
	rows := []any(nil)
	if index, ok := src.(IDIndex); ok {
		if row, found := index.ByID(entity, *id); found {
			rows = []any{row}
		}
	} else {
		rows = src.Rows(entity)
	}
	for _, it := range p.items(rows) {
		if it.id == *id {
			return &cursor{item: it, found: true}
		}
	}
	return &cursor{}
}

func (p *page) items(rows []any) []item {
	key, id := &reader{field: p.order}, &reader{field: idField}
	out := make([]item, len(rows))
	for i, row := range rows {
		out[i] = item{row: row, id: id.read(row).s}
		out[i].key = value{s: out[i].id}
		if p.order.name != idField.name {
			out[i].key = key.read(row)
		}
	}
	return out
}

// compare orders two items. Nulls are greater than all other values. Equal
// items are ordered by ascending id, whatever the direction.
func (p *page) compare(a, b item) int {
	order := 0
	switch {
	case a.key.null && b.key.null:
	case a.key.null:
		order = 1
	case b.key.null:
		order = -1
	default:
		order = compare(p.order.kind, a.key, b.key)
	}
	if p.descending {
		order = -order
	}
	return cmp.Or(order, strings.Compare(a.id, b.id))
}

// cut orders rows and returns the requested page.
func (p *page) cut(rows []any) []any {
	items := p.items(rows)
	if !slices.IsSortedFunc(items, p.compare) {
		slices.SortStableFunc(items, p.compare)
	}
	items = slices.DeleteFunc(items, func(it item) bool {
		return !p.after.admits(it, p.compare, 1) || !p.before.admits(it, p.compare, -1)
	})
	if p.last != nil {
		end := max(len(items)-p.skip, 0)
		items = items[max(end-*p.last, 0):end]
	} else {
		items = items[min(p.skip, len(items)):]
		if p.first != nil {
			items = items[:min(*p.first, len(items))]
		}
	}
	out := make([]any, len(items))
	for i, it := range items {
		out[i] = it.row
	}
	return out
}

// admits reports whether an item is on the side of the cursor that direction
// says.
func (c *cursor) admits(it item, compare func(a, b item) int, direction int) bool {
	if c == nil {
		return true
	}
	if !c.found || c.item.key.null || it.key.null {
		return false
	}
	return compare(it, c.item)*direction > 0
}
