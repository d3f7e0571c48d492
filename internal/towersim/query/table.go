// SPDX-License-Identifier: MPL-2.0

package query

import (
	"slices"
	"strings"
	"sync"
)

// kind is the type of a field. The letters are those of the generated tables.
type kind byte

const (
	kindString kind = 's'
	kindTime   kind = 't'
	kindInt    kind = 'i'
	kindFloat  kind = 'f'
	kindBool   kind = 'b'
	kindEnum   kind = 'e'
	kindOne    kind = 'o' // to-one relation
	kindMany   kind = 'm' // to-many relation
	kindJSON   kind = 'j' // may be ordered by, but all values are equal
)

// fieldInfo describes a field of a filter or an order.
type fieldInfo struct {
	name string
	kind kind
	// target is the entity of a relation or the name of an enum.
	target string
}

// entityInfo describes the fields of the filters and orders of an entity.
type entityInfo struct {
	fields map[string]fieldInfo
	order  map[string]fieldInfo
}

var entityCache sync.Map // name -> *entityInfo

// entityByName returns the description of an entity, nil if there is none.
func entityByName(name string) *entityInfo {
	known, _ := entityCache.Load(name)
	if e, ok := known.(*entityInfo); ok {
		return e
	}
	for _, table := range []map[string]string{fieldsAToG, fieldsHToU, fieldsVToZ} {
		if text, ok := table[name]; ok {
			e := parseEntity(text)
			entityCache.Store(name, e)
			return e
		}
	}
	return nil
}

func parseEntity(text string) *entityInfo {
	e := &entityInfo{fields: map[string]fieldInfo{}, order: map[string]fieldInfo{}}
	fields, order, _ := strings.Cut(text, "|")
	for _, item := range strings.Fields(fields) {
		name, rest, _ := strings.Cut(item, ":")
		letter, target, _ := strings.Cut(rest, ":")
		e.fields[name] = fieldInfo{name: name, kind: kind(letter[0]), target: target}
	}
	for _, name := range strings.Fields(order) {
		f, ok := e.fields[name]
		if !ok {
			f = fieldInfo{name: name, kind: kindJSON}
		}
		e.order[name] = f
	}
	return e
}

// operator is the end of a filter key, after the field's name.
type operator string

const (
	opEqual         operator = ""
	opNot           operator = "_not"
	opIn            operator = "_in"
	opNotIn         operator = "_not_in"
	opLess          operator = "_lt"
	opLessEqual     operator = "_lte"
	opGreater       operator = "_gt"
	opGreaterEqual  operator = "_gte"
	opContains      operator = "_contains"
	opNotContains   operator = "_not_contains"
	opStartsWith    operator = "_starts_with"
	opNotStartsWith operator = "_not_starts_with"
	opEndsWith      operator = "_ends_with"
	opNotEndsWith   operator = "_not_ends_with"
	opSome          operator = "_some"
	opEvery         operator = "_every"
	opNone          operator = "_none"
)

var (
	boolOperators    = []operator{opEqual, opNot}
	enumOperators    = []operator{opEqual, opNotIn, opNot, opIn}
	orderedOperators = append(slices.Clone(enumOperators), opLessEqual, opLess, opGreaterEqual, opGreater)
	stringOperators  = append(slices.Clone(orderedOperators),
		opNotStartsWith, opNotEndsWith, opNotContains, opStartsWith, opEndsWith, opContains)
)

// operators returns the operators that a filter may use on fields of this kind.
func (k kind) operators() []operator {
	switch k {
	case kindString:
		return stringOperators
	case kindTime, kindInt, kindFloat:
		return orderedOperators
	case kindEnum:
		return enumOperators
	case kindBool:
		return boolOperators
	case kindOne:
		return []operator{opEqual}
	case kindMany:
		return []operator{opSome, opEvery, opNone}
	default:
		return nil
	}
}

// lookUp splits a filter key into the field and the operator.
func (e *entityInfo) lookUp(key string) (fieldInfo, operator, bool) {
	if f, ok := e.fields[key]; ok {
		return f, opEqual, f.kind != kindMany
	}
	for i := len(key) - 1; i > 0; i-- {
		if key[i] != '_' {
			continue
		}
		if f, ok := e.fields[key[:i]]; ok && slices.Contains(f.kind.operators(), operator(key[i:])) {
			return f, operator(key[i:]), true
		}
	}
	return fieldInfo{}, "", false
}
