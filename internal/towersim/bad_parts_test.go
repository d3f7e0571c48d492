// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// reflectedKind is what the type of a request says about a part in addition to
// its JSON.
type reflectedKind int

const (
	kindOther reflectedKind = iota
	kindEnum
	kindFloat
)

// partsOf splits a body into its parts, according to the type of its
// operation's request.
func partsOf(o *wire.Operation, body any) []part {
	var all []part

	collectParts(requestTypes[o.Path], part{
		path: "body", value: body, with: func(value any) any { return value },
	}, &all)

	return all
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	freeType = reflect.TypeFor[any]()
)

// collectParts adds a part and the parts in it. There are no types for the
// parts of a filter.
func collectParts(t reflect.Type, p part, all *[]part) {
	for t != nil && (t.Kind() == reflect.Pointer || isOpt(t)) {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		} else {
			value, _ := t.FieldByName("Value")
			t = value.Type
		}
	}

	if t == freeType {
		return
	}

	p.filter = p.filter || t == rawType
	p.kind = kindOf(t)

	if p.path != "body" {
		*all = append(*all, p)
	}

	switch value := p.value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(union(value, absentMembers(t, value)))) {
			member, required := memberOf(t, name)
			if member == nil && !p.filter {
				continue // ignored
			}

			collectParts(member, part{
				path: p.path + "." + name, value: union(value, absentMembers(t, value))[name], filter: p.filter, required: required,
				with: func(x any) any {
					changed := maps.Clone(value)
					changed[name] = x

					return p.with(changed)
				},
				drop: func() any {
					changed := maps.Clone(value)
					delete(changed, name)

					return p.with(changed)
				},
			}, all)
		}
	case []any:
		var element reflect.Type
		if t != nil && t.Kind() == reflect.Slice {
			element = t.Elem()
		}

		for i := range value {
			collectParts(element, part{
				path: fmt.Sprintf("%s[%d]", p.path, i), value: value[i], filter: p.filter,
				with: func(x any) any {
					changed := slices.Clone(value)
					changed[i] = x

					return p.with(changed)
				},
			}, all)
		}

		// An invalid element follows a valid one.
		if len(value) > 0 && p.path != "body" && !p.filter {
			collectParts(element, part{
				path: fmt.Sprintf("%s[%d]", p.path, len(value)), value: value[0],
				with: func(x any) any { return p.with(append(slices.Clone(value), x)) },
			}, all)
		}
	}
}

// absentMembers returns values of the right kinds for the members that an
// object of a type can have but does not.
func absentMembers(t reflect.Type, present map[string]any) map[string]any {
	members := map[string]any{}
	if t == nil || t.Kind() != reflect.Struct {
		return members
	}

	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if _, there := present[name]; !there && name != "" {
			members[name] = sampleOf(t.Field(i).Type)
		}
	}

	return members
}

func sampleOf(t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	switch {
	case isOpt(t):
		value, _ := t.FieldByName("Value")

		return sampleOf(value.Type)
	case t == rawType, t.Kind() == reflect.Struct:
		return map[string]any{}
	case t.Kind() == reflect.Slice:
		return []any{}
	case t.Kind() == reflect.String:
		return ""
	case t.Kind() == reflect.Bool:
		return false
	default:
		return json.Number("0")
	}
}

func isOpt(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Opt[")
}

func kindOf(t reflect.Type) reflectedKind {
	switch {
	case t == nil:
		return kindOther
	case t.Kind() == reflect.String && t.PkgPath() != "":
		return kindEnum
	case t.Kind() == reflect.Float64:
		return kindFloat
	default:
		return kindOther
	}
}

// memberOf returns the type of a member of an object, and reports whether the
// object must have it.
func memberOf(t reflect.Type, name string) (reflect.Type, bool) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, false
	}

	for i := range t.NumField() {
		field := t.Field(i)
		if known, _, _ := strings.Cut(field.Tag.Get("json"), ","); known == name && field.Name != "_" {
			return field.Type, slices.Contains(strings.Split(field.Tag.Get("wire"), ","), "required")
		}
	}

	return nil, false
}
