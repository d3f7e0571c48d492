// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
)

// op is one operation with the Go types of its bodies.
type op struct {
	path, method, tag string
	request, response *schema // nil: no body
	form              *schema // a multipart body

	requestType, responseType   string
	requestArray, responseArray bool
	entity                      string
	connection                  bool
}

// operations returns the operations of the document, ordered by path.
func operations(doc *loadDocument) ([]*op, error) {
	var out []*op
	for _, path := range sortedKeys(doc.Paths) {
		for _, method := range sortedKeys(doc.Paths[path]) {
			in := doc.Paths[path][method]
			o := &op{path: path, method: strings.ToUpper(method), tag: in.Tags[0]}
			if in.RequestBody != nil {
				o.request = in.RequestBody.Content["application/json"].Schema
				o.form = in.RequestBody.Content["multipart/form-data"].Schema
			}
			o.response = in.Responses["200"].Content["application/json"].Schema
			if o.response == nil {
				return nil, fmt.Errorf("%s has no JSON reply", path)
			}
			o.resolveEntity(doc)
			out = append(out, o)
		}
	}
	for path := range firstVersion {
		if !slices.ContainsFunc(out, func(o *op) bool { return o.path == path }) {
			return nil, fmt.Errorf("the table of first versions names %s, which the document does not have", path)
		}
	}
	return out, nil
}

// resolveEntity sets the entity that a list or count operation filters.
func (o *op) resolveEntity(doc *loadDocument) {
	if o.request == nil || !isListRequest(o.request.target()) {
		return
	}
	where := doc.Components.Schemas[o.request.target()].Properties["where"]
	o.entity = strings.TrimSuffix(where.target(), whereSuffix)
	o.connection = strings.HasSuffix(o.path, "-connection")
}

func isListRequest(name string) bool {
	return strings.HasPrefix(name, "Get") && strings.HasSuffix(name, "RequestBody")
}

// emitOperations writes the table of operations and the names of the entities.
func emitOperations(ops []*op) string {
	var b strings.Builder
	b.WriteString("package wire\n\n// Names of the entities that have a list operation.\nconst (\n")
	var entities []string
	for _, o := range ops {
		if o.entity != "" && !slices.Contains(entities, o.entity) {
			entities = append(entities, o.entity)
		}
	}
	slices.Sort(entities)
	for _, e := range entities {
		fmt.Fprintf(&b, "Entity%s = %q\n", goName(e), e)
	}
	b.WriteString(")\n\n// Operations lists every operation of the API in play, by path.\nvar Operations = []Operation{\n")
	for _, o := range ops {
		emitOperation(&b, o)
	}
	b.WriteString("}\n")
	return b.String()
}

func emitOperation(b *strings.Builder, o *op) {
	fmt.Fprintf(b, "{Path: %q, Method: %q, Tag: %q, Response: %q, ", o.path, o.method, o.tag, o.responseType)
	if o.lists() {
		b.WriteString("List: true, ")
	}
	if o.connection {
		b.WriteString("Connection: true, ")
	}
	if o.entity != "" {
		fmt.Fprintf(b, "Entity: Entity%s, ", goName(o.entity))
	}
	if v := firstVersion[o.path]; v != "" {
		fmt.Fprintf(b, "Since: %q, ", v)
	}
	b.WriteString("},\n")
}

// lists reports whether the operation replies with the rows of its entity.
func (o *op) lists() bool { return o.entity != "" && o.responseType == goName(o.entity) }

// emitBodies writes the table of bodies for the tests of package wire.
func emitBodies(ops []*op) string {
	var b strings.Builder
	b.WriteString("package wire\n\n// bodiesByPath are the bodies of all operations.\nvar bodiesByPath = map[string]bodies{\n")
	for _, o := range ops {
		fmt.Fprintf(&b, "%q: {", o.path)
		if o.requestType != "" {
			fmt.Fprintf(&b, "newRequest: func() any { return new(%s) }, ", listOf(o.requestArray, o.requestType))
		}
		if o.form != nil {
			b.WriteString("form: []formField{")
			for _, name := range sortedKeys(o.form.Properties) {
				fmt.Fprintf(&b, "{name: %q, required: %t, file: %t},", name, o.form.requires(name), o.form.Properties[name].Format == "binary")
			}
			b.WriteString("}, ")
		}
		fmt.Fprintf(&b, "newResponse: func() any { return new(%s) }},\n", listOf(o.responseArray, o.responseType))
	}
	b.WriteString("}\n")
	return b.String()
}

// emitRequests writes the table of request types for the simulator's tests.
func emitRequests(ops []*op) string {
	var b strings.Builder
	b.WriteString("package towersim_test\n\nimport (\n\"reflect\"\n\n\"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire\"\n)\n\n" +
		"// requestTypes are the types of the JSON bodies of requests, by path.\nvar requestTypes = map[string]reflect.Type{\n")
	for _, o := range ops {
		if o.requestType != "" {
			fmt.Fprintf(&b, "%q: reflect.TypeFor[%s](),\n", o.path, listOf(o.requestArray, "wire."+o.requestType))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// emitRelations writes the table of relations for the simulator's tests.
func emitRelations(relations map[string][]relation) string {
	var b strings.Builder
	b.WriteString("package towersim_test\n\n// relations are the filter fields that lead from an entity to others.\nvar relations = map[string][]relation{\n")
	for _, entity := range sortedKeys(relations) {
		fmt.Fprintf(&b, "%q: {\n", entity)
		for _, r := range relations[entity] {
			fmt.Fprintf(&b, "{field: %q, target: %q, many: %t},\n", r.field, r.target, r.many)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// listOf returns a type or, if array is true, a slice of it.
func listOf(array bool, name string) string {
	if array {
		return "[]" + name
	}
	return name
}
