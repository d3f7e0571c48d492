// SPDX-License-Identifier: MPL-2.0

package query

import (
	"errors"
	"fmt"
	"strings"
)

// scalarFilter compiles a filter on a scalar.
func (c *compiler) scalarFilter(path *place, entity string, field fieldInfo, op operator, tree any) (*filter, error) {
	r := &reader{field: field}
	if op == opIn || op == opNotIn {
		return c.membership(path, entity, r, op, tree)
	}
	want, err := literal(field, tree)
	if err != nil {
		return nil, &BadRequest{Path: path.String(), Message: err.Error()}
	}
	if want.null {
		return &filter{holds: nullPredicate(r, op)}, nil
	}
	test := comparison(field.kind, op, want)
	out := &filter{holds: func(row any) truth {
		have := r.read(row)
		if have.null {
			return unknown
		}
		return truthOf(test(have))
	}}
	if op == opEqual && field.name == idField.name {
		out.candidates = c.byIDs(entity, []string{want.s})
	}
	return out, nil
}

// nullPredicate compiles a comparison with null. Only equality has a known
// result.
func nullPredicate(r *reader, op operator) predicate {
	switch op {
	case opEqual, opIn:
		return func(row any) truth { return truthOf(r.read(row).null) }
	case opNot, opNotIn:
		return func(row any) truth { return truthOf(!r.read(row).null) }
	default:
		return func(any) truth { return unknown }
	}
}

func comparison(k kind, op operator, want value) func(value) bool {
	switch op {
	case opNot:
		return func(have value) bool { return compare(k, have, want) != 0 }
	case opLess:
		return func(have value) bool { return compare(k, have, want) < 0 }
	case opLessEqual:
		return func(have value) bool { return compare(k, have, want) <= 0 }
	case opGreater:
		return func(have value) bool { return compare(k, have, want) > 0 }
	case opGreaterEqual:
		return func(have value) bool { return compare(k, have, want) >= 0 }
	case opContains:
		return func(have value) bool { return strings.Contains(have.s, want.s) }
	case opNotContains:
		return func(have value) bool { return !strings.Contains(have.s, want.s) }
	case opStartsWith:
		return func(have value) bool { return strings.HasPrefix(have.s, want.s) }
	case opNotStartsWith:
		return func(have value) bool { return !strings.HasPrefix(have.s, want.s) }
	case opEndsWith:
		return func(have value) bool { return strings.HasSuffix(have.s, want.s) }
	case opNotEndsWith:
		return func(have value) bool { return !strings.HasSuffix(have.s, want.s) }
	default:
		return func(have value) bool { return compare(k, have, want) == 0 }
	}
}

// membership compiles _in and _not_in.
func (c *compiler) membership(path *place, entity string, r *reader, op operator, tree any) (*filter, error) {
	if tree == nil {
		return &filter{holds: nullPredicate(r, op)}, nil
	}
	list, ok := tree.([]any)
	if !ok {
		return nil, &BadRequest{Path: path.String(), Message: "expected array"}
	}
	wanted := make(map[value]bool, len(list))
	keys := make([]string, 0, len(list))
	for i, item := range list {
		want, err := literal(r.field, item)
		if err == nil && want.null {
			err = errors.New("null is not allowed in a list")
		}
		if err != nil {
			return nil, &BadRequest{Path: path.at(fmt.Sprintf("[%d]", i)).String(), Message: err.Error()}
		}
		if !wanted[want] {
			wanted[want] = true
			keys = append(keys, want.s)
		}
	}
	out := &filter{holds: func(row any) truth {
		if len(wanted) == 0 {
			// No value is in an empty list, not even an unknown one.
			return truthOf(op == opNotIn)
		}
		have := r.read(row)
		if have.null {
			return unknown
		}
		return truthOf(wanted[have] == (op == opIn))
	}}
	if op == opIn && r.field.name == idField.name {
		out.candidates = c.byIDs(entity, keys)
	}
	return out, nil
}
