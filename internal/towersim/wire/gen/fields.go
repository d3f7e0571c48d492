// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
)

// suffixes are the operators at the end of filter keys. A suffix comes before
// the suffixes that it ends with.
var suffixes = []string{
	"_not_starts_with", "_not_ends_with", "_not_contains", "_not_in", "_starts_with", "_ends_with", "_contains",
	"_not", "_in", "_lte", "_lt", "_gte", "_gt", "_some", "_every", "_none",
}

// kinds are the kinds of fields with the operators that each kind has.
var kinds = []struct {
	letter, schemaType string
	operators          string
}{
	{"s", "string", " _contains _ends_with _gt _gte _in _lt _lte _not _not_contains _not_ends_with _not_in _not_starts_with _starts_with"},
	{"t", "string", " _gt _gte _in _lt _lte _not _not_in"},
	{"i", "integer", " _gt _gte _in _lt _lte _not _not_in"},
	{"f", "number", " _gt _gte _in _lt _lte _not _not_in"},
	{"b", "boolean", " _not"},
	{"e", "enum", " _in _not _not_in"},
	{"o", "object", ""},
	{"m", "object", "_every _none _some"},
}

// relation is a field that leads from an entity to another.
type relation struct {
	field, target string
	many          bool
}

// relationsOf returns the relations among the fields of a filter.
func relationsOf(fields []string) []relation {
	var out []relation
	for _, text := range fields {
		name, rest, _ := strings.Cut(text, ":")
		if letter, target, _ := strings.Cut(rest, ":"); letter == "o" || letter == "m" {
			out = append(out, relation{field: name, target: target, many: letter == "m"})
		}
	}
	return out
}

// relationTable returns the relations of the entities that have a list
// operation.
func relationTable(doc *loadDocument, ops []*op) (map[string][]relation, error) {
	out := map[string][]relation{}
	for _, o := range ops {
		if !o.lists() {
			continue
		}
		fields, err := filterFields(doc, o.entity+whereSuffix, map[string][]string{})
		if err != nil {
			return nil, err
		}
		out[o.entity] = relationsOf(fields)
	}
	return out, nil
}

// fieldTable writes the table of the filter and order fields of every entity
// that a filter can reach.
func fieldTable(doc *loadDocument) (map[string]string, error) {
	entities := map[string]string{}
	enums := map[string][]string{}
	for _, name := range sortedKeys(doc.Components.Schemas) {
		entity, ok := strings.CutSuffix(name, whereSuffix)
		if !ok {
			continue
		}
		fields, err := filterFields(doc, name, enums)
		if err != nil {
			return nil, err
		}
		order, err := orderFields(doc, entity)
		if err != nil {
			return nil, err
		}
		entities[entity] = wrap(fields) + "|\n" + wrap(order)
	}
	out := map[string]string{}
	for _, part := range []struct{ file, variable, from, to string }{
		{"zz_generated_fields.go", "fieldsAToG", "A", "H"},
		{"zz_generated_fields_h.go", "fieldsHToU", "H", "V"},
		{"zz_generated_fields_v.go", "fieldsVToZ", "V", "["},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "package query\n\nvar %s = map[string]string{\n", part.variable)
		for _, entity := range sortedKeys(entities) {
			if entity >= part.from && entity < part.to {
				fmt.Fprintf(&b, "%q: `\n%s`,\n", entity, entities[entity])
			}
		}
		b.WriteString("}\n")
		out[part.file] = b.String()
	}
	var b strings.Builder
	b.WriteString("package query\n\nvar enumValues = map[string]string{\n")
	for _, name := range sortedKeys(enums) {
		fmt.Fprintf(&b, "%q: %q,\n", name, strings.Join(enums[name], " "))
	}
	b.WriteString("}\n")
	out["zz_generated_field_enums.go"] = b.String()
	return out, nil
}

// filterFields returns the fields of one filter as "name:kind" or
// "name:kind:target".
func filterFields(doc *loadDocument, name string, enums map[string][]string) ([]string, error) {
	s := doc.Components.Schemas[name]
	if !s.closed() {
		return nil, fmt.Errorf("%s is not closed", name)
	}
	operators := map[string][]string{}
	samples := map[string]*schema{}
	for _, key := range sortedKeys(s.Properties) {
		if key == "AND" || key == "OR" || key == "NOT" {
			continue
		}
		if !s.Properties[key].Nullable {
			return nil, fmt.Errorf("%s.%s is not nullable", name, key)
		}
		base, suffix := splitKey(key)
		operators[base] = append(operators[base], suffix)
		if s.Properties[key].Type != "array" {
			samples[base] = s.Properties[key]
		}
	}
	var out []string
	for _, base := range sortedKeys(operators) {
		text, err := fieldText(doc, base, operators[base], samples[base], enums)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, text)
	}
	return out, nil
}

func splitKey(key string) (base, suffix string) {
	for _, s := range suffixes {
		if base, ok := strings.CutSuffix(key, s); ok {
			return base, s
		}
	}
	return key, ""
}

func fieldText(doc *loadDocument, base string, operators []string, sample *schema, enums map[string][]string) (string, error) {
	schemaType, extra := sample.Type, ""
	if target := sample.target(); target != "" {
		entity, isEntity := strings.CutSuffix(target, whereSuffix)
		schemaType, extra = "object", ":"+entity
		if !isEntity {
			schemaType = "enum"
			enums[target] = doc.Components.Schemas[target].Enum
		}
	}
	slices.Sort(operators)
	for _, kind := range kinds {
		if kind.schemaType == schemaType && kind.operators == strings.Join(operators, " ") {
			return base + ":" + kind.letter + extra, nil
		}
	}
	return "", fmt.Errorf("field %s of type %s has unexpected operators %q", base, schemaType, operators)
}

// orderFields returns the fields that an entity can be ordered by.
func orderFields(doc *loadDocument, entity string) ([]string, error) {
	s := doc.Components.Schemas[entity+"OrderByInput"]
	if s == nil {
		return nil, nil
	}
	var up, down []string
	for _, value := range s.Enum {
		if base, ok := strings.CutSuffix(value, "_ASC"); ok {
			up = append(up, base)
		} else if base, ok := strings.CutSuffix(value, "_DESC"); ok {
			down = append(down, base)
		} else {
			return nil, fmt.Errorf("%sOrderByInput: unexpected value %s", entity, value)
		}
	}
	if !slices.Equal(up, down) {
		return nil, fmt.Errorf("%sOrderByInput: a field orders one way only", entity)
	}
	return up, nil
}

// wrap joins items with blanks, in lines of moderate length.
func wrap(items []string) string {
	var b strings.Builder
	column := 0
	for _, item := range items {
		if column > 0 && column+len(item) > 110 {
			b.WriteString("\n")
			column = 0
		}
		if column > 0 {
			b.WriteString(" ")
			column++
		}
		b.WriteString(item)
		column += len(item)
	}
	b.WriteString("\n")
	return b.String()
}
