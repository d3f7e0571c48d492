// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
)

const whereSuffix = "WhereInput"

// field is one member of a generated struct.
type field struct {
	json, goName, goType string
	jsonOptions          string
	rules                []string // what the decoder checks
}

// goType is one generated type: a struct, an enum or an alias.
type goType struct {
	name, schema string
	fields       []field
	enum         []string
	alias        string
	closed       bool
	request      bool
	tags         []string // tags of the operations that use it
}

// builder converts schemas to Go types, each once.
type builder struct {
	doc   *loadDocument
	types map[string]*goType // by Go name
	tag   string             // tag of the current operation
}

func newBuilder(doc *loadDocument) *builder {
	return &builder{doc: doc, types: map[string]*goType{}}
}

func (b *builder) addOperations(ops []*op) error {
	for _, o := range ops {
		b.tag = o.tag
		var err error
		if o.request != nil {
			in := o.request
			if in.Type == "array" {
				o.requestArray, in = true, in.Items
			}
			if o.requestType, err = b.typeOf(in, "", true); err != nil {
				return fmt.Errorf("request of %s: %w", o.path, err)
			}
		}
		out := o.response
		if out.Type == "array" {
			o.responseArray, out = true, out.Items
		}
		if o.responseType, err = b.typeOf(out, "", false); err != nil {
			return fmt.Errorf("reply of %s: %w", o.path, err)
		}
	}
	b.tag = ""
	_, err := b.typeOf(&schema{Ref: "#/components/schemas/ErrorBody"}, "", false)
	return err
}

// typeOf returns the Go type of a value of schema s and registers the types
// that it needs. hint is the name of a type whose schema has no name.
func (b *builder) typeOf(s *schema, hint string, request bool) (string, error) {
	if name := s.target(); name != "" {
		return b.named(name, request)
	}
	switch {
	case len(s.Enum) > 0:
		b.register(&goType{name: hint, schema: hint, enum: s.Enum})
		return hint, nil
	case s.isObject():
		return hint, b.object(hint, hint, s, request)
	}
	switch s.Type {
	case "string":
		return "string", nil
	case "boolean":
		return "bool", nil
	case "integer":
		if s.Format == "int64" {
			return "int64", nil
		}
		return "int", nil
	case "number":
		return "float64", nil
	case "array":
		item, err := b.typeOf(s.Items, hint+"Item", request)
		return "[]" + item, err
	case "object":
		return "Object", nil
	case "":
		return "any", nil
	}
	return "", fmt.Errorf("%s: type %q is not known", hint, s.Type)
}

// named returns the Go type of a schema of the document.
func (b *builder) named(name string, request bool) (string, error) {
	s := b.doc.Components.Schemas[name]
	if s == nil {
		return "", fmt.Errorf("schema %s is missing", name)
	}
	switch {
	case strings.HasSuffix(name, whereSuffix):
		return "json.RawMessage", nil
	case isListRequest(name):
		return "ListRequest", checkMembers(name, s, "after", "before", "first", "last", "orderBy", "skip", "where")
	case strings.HasPrefix(name, "WithTask_"):
		data, err := b.typeOf(s.Properties["data"], goName(name), false)
		if err != nil {
			return "", err
		}
		if s.Properties["data"].Type == "array" {
			data = "List[" + strings.TrimPrefix(data, "[]") + "]"
		}
		return "WithTask[" + data + "]", checkMembers(name, s, "data", "task_id")
	case strings.HasSuffix(name, "Connection") && s.Properties["aggregate"] != nil:
		count := b.doc.Components.Schemas[s.Properties["aggregate"].target()]
		if err := checkMembers(name, count, "count"); err != nil {
			return "", err
		}
		return "Connection", checkMembers(name, s, "aggregate")
	case strings.HasPrefix(name, "Delete") && !request:
		return "Deleted", checkMembers(name, s, "id")
	}
	return b.schemaType(name, s, request)
}

func (b *builder) schemaType(name string, s *schema, request bool) (string, error) {
	typeName := goName(name)
	switch {
	case s.target() != "":
		alias, err := b.named(s.target(), request)
		if err != nil {
			return "", err
		}
		b.register(&goType{name: typeName, schema: name, alias: alias, request: request})
		return typeName, nil
	case len(s.Enum) > 0:
		b.register(&goType{name: typeName, schema: name, enum: s.Enum})
		return typeName, nil
	case s.isObject():
		return typeName, b.object(typeName, name, s, request)
	}
	return b.typeOf(s, typeName, request)
}

// checkMembers checks that a schema has exactly the members of the hand-written
// type that is used for it.
func checkMembers(name string, s *schema, members ...string) error {
	if got := sortedKeys(s.Properties); !slices.Equal(got, members) {
		return fmt.Errorf("schema %s has members %v, not %v", name, got, members)
	}
	return nil
}

// register adds t unless it exists, and adds the current tag to it.
func (b *builder) register(t *goType) (*goType, bool) {
	known, ok := b.types[t.name]
	if !ok {
		b.types[t.name] = t
		known = t
	}
	if b.tag != "" && !slices.Contains(known.tags, b.tag) {
		known.tags = append(known.tags, b.tag)
		return known, true
	}
	return known, !ok
}

func (b *builder) object(typeName, schemaName string, s *schema, request bool) error {
	s = b.doc.flatten(s)
	t, fresh := b.register(&goType{name: typeName, schema: schemaName, closed: s.closed(), request: request})
	if !fresh {
		return nil
	}
	if t.request != request {
		return fmt.Errorf("schema %s is used in requests and in replies", schemaName)
	}
	t.fields = nil
	for _, name := range sortedKeys(s.Properties) {
		f := field{json: name, goName: goName(name)}
		var err error
		if f.goType, err = b.typeOf(s.Properties[name], typeName+f.goName, request); err != nil {
			return err
		}
		if request {
			b.requestMember(&f, s.Properties[name], s.requires(name) && !relaxed[schemaName+"."+name])
		} else {
			responseMember(&f, s.Properties[name].Nullable, s.requires(name))
		}
		t.fields = append(t.fields, f)
	}
	return nil
}

// responseMember chooses how a member of a reply can be absent or null.
func responseMember(f *field, nullable, required bool) {
	isList := strings.HasPrefix(f.goType, "[]")
	switch {
	case nullable && !isList && f.goType != "any":
		f.goType = "*" + f.goType
	case nullable || f.goType == "any" && required:
	case required && isList:
		f.goType = "List[" + strings.TrimPrefix(f.goType, "[]") + "]"
	case required:
	case isList || f.goType == "any" || f.goType == "Object":
		f.jsonOptions = ",omitzero"
	default:
		f.goType = "*" + f.goType
		f.jsonOptions = ",omitempty"
	}
}

// requestMember chooses how absent, null and a value are distinguished.
func (b *builder) requestMember(f *field, s *schema, required bool) {
	resolved := s
	if name := s.target(); name != "" {
		resolved = b.doc.Components.Schemas[name]
	}
	reference := strings.HasPrefix(f.goType, "[]") || f.goType == "json.RawMessage" || f.goType == "Object"
	switch {
	case required:
		f.rules = append(f.rules, "required")
	case s.Nullable:
		f.goType = "Opt[" + f.goType + "]"
		f.jsonOptions = ",omitzero"
	case reference:
		f.jsonOptions = ",omitzero"
	default:
		f.goType = "*" + f.goType
		f.jsonOptions = ",omitempty"
	}
	if resolved.Type == "integer" && resolved.Format == "int32" {
		f.rules = append(f.rules, "int32")
	}
	if resolved.MinItems > 0 {
		f.rules = append(f.rules, fmt.Sprintf("minItems=%d", resolved.MinItems))
	}
	if resolved.Minimum != nil {
		f.rules = append(f.rules, fmt.Sprintf("min=%g", *resolved.Minimum))
	}
	if resolved.Maximum != nil {
		f.rules = append(f.rules, fmt.Sprintf("max=%g", *resolved.Maximum))
	}
}
