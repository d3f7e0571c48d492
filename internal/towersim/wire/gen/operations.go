// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
)

// op is one operation with its bodies resolved to Go types.
type op struct {
	path, method, id, tag string
	request, response     *schema // nil: no body
	form                  *schema // a multipart body
	statuses              []string

	requestType, responseType   string
	requestArray, responseArray bool
	entity                      string
	connection, task            bool
}

// operations lists the operations of the document, by path.
func operations(doc *document) ([]*op, error) {
	var out []*op
	for _, path := range sortedKeys(doc.Paths) {
		for _, method := range sortedKeys(doc.Paths[path]) {
			in := doc.Paths[path][method]
			o := &op{path: path, method: strings.ToUpper(method), id: in.OperationID, tag: in.Tags[0], statuses: sortedKeys(in.Responses)}
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

// resolveEntity notes which entity a list or count operation filters.
func (o *op) resolveEntity(doc *document) {
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
	fmt.Fprintf(b, "{Path: %q, Method: %q, ID: %q, Tag: %q, ", o.path, o.method, o.id, o.tag)
	if o.requestType != "" {
		fmt.Fprintf(b, "Request: %q, ", o.requestType)
		goType := o.requestType
		if o.requestArray {
			b.WriteString("RequestArray: true, ")
			goType = "[]" + goType
		}
		fmt.Fprintf(b, "NewRequest: func() any { return new(%s) },\n", goType)
	}
	if o.form != nil {
		b.WriteString("Form: []FormField{")
		for _, name := range sortedKeys(o.form.Properties) {
			fmt.Fprintf(b, "{Name: %q, Required: %t, File: %t},", name, o.form.requires(name), o.form.Properties[name].Format == "binary")
		}
		b.WriteString("}, ")
	}
	reply := o.responseType
	if o.responseArray {
		reply = "[]" + reply
	}
	fmt.Fprintf(b, "Response: %q, NewResponse: func() any { return new(%s) }, ", o.responseType, reply)
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"ResponseArray", o.responseArray},
		{"Task", o.task},
		{"List", o.entity != "" && o.responseType == goName(o.entity)},
		{"Connection", o.connection},
		{"NotModified", slices.Contains(o.statuses, "304")},
	} {
		if flag.set {
			fmt.Fprintf(b, "%s: true, ", flag.name)
		}
	}
	if o.entity != "" {
		fmt.Fprintf(b, "Entity: Entity%s, ", goName(o.entity))
	}
	if v := firstVersion[o.path]; v != "" {
		fmt.Fprintf(b, "Since: %q, ", v)
	}
	b.WriteString("},\n")
}
