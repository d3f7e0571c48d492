// SPDX-License-Identifier: MPL-2.0

package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// truth is the result of a filter in three-valued logic. The order of the
// values makes "and" the minimum and "or" the maximum.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

func (t truth) negated() truth { return yes - t }

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// predicate returns whether a row satisfies a filter.
type predicate func(row any) truth

// filter is a compiled where. If candidates is nil, only a scan finds the rows;
// otherwise it returns a superset of them.
type filter struct {
	src        Source
	entity     string
	holds      predicate
	candidates func() ([]any, bool)
	// deep is true if the filter follows relations.
	deep bool
}

// memoised returns a predicate that remembers the results for each row. If
// filters follow several relations, many paths lead to the same rows.
func (f *filter) memoised() predicate {
	if !f.deep {
		return f.holds
	}
	known := map[any]truth{}
	return func(row any) truth {
		t, ok := known[row]
		if !ok {
			t = f.holds(row)
			known[row] = t
		}
		return t
	}
}

func always(any) truth { return yes }

// place is a place in a request, for errors. It is converted to text only when
// needed: in a deep filter the texts of all places would be long.
type place struct {
	up   *place
	step string
}

func (p *place) at(step string) *place { return &place{up: p, step: step} }

// String returns the place, such as where.AND[0].name.
func (p *place) String() string {
	var steps []string
	for ; p != nil; p = p.up {
		steps = append(steps, p.step)
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}

// compileWhere compiles the JSON of a filter.
func compileWhere(src Source, entity string, where json.RawMessage) (*filter, error) {
	info := entityByName(entity)
	if info == nil {
		return nil, fmt.Errorf("query: unknown entity %q", entity)
	}
	tree, err := parse(where)
	if err != nil {
		return nil, &BadRequest{Path: "where", Message: err.Error()}
	}
	if tree == nil {
		return &filter{src: src, entity: entity, holds: always}, nil
	}
	c := compiler{src: src, gate: newVersionGate(src)}
	return c.object(&place{step: "where"}, entity, tree)
}

// parse parses a whole filter at once, so that deep nesting costs no more than
// its length.
func parse(where json.RawMessage) (any, error) {
	if len(bytes.TrimSpace(where)) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(where))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, fmt.Errorf("malformed JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("malformed JSON: text after the filter")
	}
	return tree, nil
}

type compiler struct {
	src  Source
	gate versionGate
}

// object compiles a filter object. All its members must be satisfied.
func (c *compiler) object(path *place, entity string, tree any) (*filter, error) {
	members, ok := tree.(map[string]any)
	if !ok {
		return nil, &BadRequest{Path: path.String(), Message: "expected object"}
	}
	out := &filter{src: c.src, entity: entity}
	var all []predicate
	for _, key := range slices.Sorted(maps.Keys(members)) {
		part, err := c.member(path.at("."+key), entity, key, members[key])
		if err != nil {
			return nil, err
		}
		all = append(all, part.holds)
		out.deep = out.deep || part.deep
		if out.candidates == nil {
			out.candidates = part.candidates
		}
	}
	out.holds = and(all)
	return out, nil
}

func and(all []predicate) predicate {
	if len(all) == 1 {
		return all[0]
	}
	return func(row any) truth {
		result := yes
		for _, p := range all {
			if result = min(result, p(row)); result == no {
				break
			}
		}
		return result
	}
}

func or(all []predicate) predicate {
	return func(row any) truth {
		result := no
		for _, p := range all {
			if result = max(result, p(row)); result == yes {
				break
			}
		}
		return result
	}
}

func (c *compiler) member(path *place, entity, key string, tree any) (*filter, error) {
	switch key {
	case "AND", "OR", "NOT":
		return c.logic(path, entity, key, tree)
	}
	field, op, ok := entityByName(entity).lookUp(key)
	if !ok {
		return nil, &BadRequest{Path: path.String(), Message: "unknown filter field"}
	}
	if c.gate.refuses(entity, field.name) {
		return nil, &BadRequest{
			Path:    path.String(),
			Message: fmt.Sprintf("unknown filter field: Tower has it since %s", Since(entity, field.name)),
		}
	}
	switch field.kind {
	case kindOne:
		return c.toOne(path, entity, field, tree)
	case kindMany:
		return c.toMany(path, entity, field, op, tree)
	default:
		return c.scalarFilter(path, entity, field, op, tree)
	}
}

func (c *compiler) logic(path *place, entity, key string, tree any) (*filter, error) {
	if tree == nil {
		return &filter{holds: always}, nil
	}
	list, ok := tree.([]any)
	if !ok {
		return nil, &BadRequest{Path: path.String(), Message: "expected array"}
	}
	out := &filter{}
	parts := make([]*filter, len(list))
	all := make([]predicate, len(list))
	for i, item := range list {
		part, err := c.object(path.at(fmt.Sprintf("[%d]", i)), entity, item)
		if err != nil {
			return nil, err
		}
		parts[i], all[i] = part, part.holds
		out.deep = out.deep || part.deep
	}
	switch key {
	case "OR":
		out.holds, out.candidates = or(all), union(parts)
	case "NOT":
		for i, p := range all {
			all[i] = func(row any) truth { return p(row).negated() }
		}
		out.holds = and(all)
	default:
		out.holds = and(all)
		for _, part := range parts {
			if out.candidates == nil {
				out.candidates = part.candidates
			}
		}
	}
	return out, nil
}

func (c *compiler) toOne(path *place, entity string, field fieldInfo, tree any) (*filter, error) {
	if tree == nil {
		return &filter{deep: true, holds: func(row any) truth {
			return truthOf(len(c.src.Related(entity, row, field.name)) == 0)
		}}, nil
	}
	nested, err := c.object(path, field.target, tree)
	if err != nil {
		return nil, err
	}
	return &filter{
		deep:       true,
		holds:      c.some(entity, field, nested.memoised()),
		candidates: c.referring(entity, field, nested),
	}, nil
}

func (c *compiler) some(entity string, field fieldInfo, holds predicate) predicate {
	return func(row any) truth {
		for _, related := range c.src.Related(entity, row, field.name) {
			if holds(related) == yes {
				return yes
			}
		}
		return no
	}
}

func (c *compiler) toMany(path *place, entity string, field fieldInfo, op operator, tree any) (*filter, error) {
	if tree == nil {
		return nil, &BadRequest{Path: path.String(), Message: "a filter on a to-many relation cannot be null"}
	}
	nested, err := c.object(path, field.target, tree)
	if err != nil {
		return nil, err
	}
	holds := nested.memoised()
	if op == opEvery {
		// A result that is unknown does not count against "every".
		nestedHolds := holds
		holds = func(row any) truth { return nestedHolds(row).negated() }
	}
	some := c.some(entity, field, holds)
	if op == opSome {
		return &filter{deep: true, holds: some}, nil
	}
	return &filter{deep: true, holds: func(row any) truth { return some(row).negated() }}, nil
}
