// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"strings"
)

const (
	enumFile   = "zz_generated_enums"
	sharedFile = "zz_generated_shared"
)

// maxLines is the number of lines after which a generated file is split.
const maxLines = 450

// emitTypes writes the types: one file for each tag, one for the types that
// several tags share, and one for the enums.
func emitTypes(b *builder) map[string]string {
	parts := map[string][]string{} // the bodies of the parts, by file
	for _, name := range sortedKeys(b.types) {
		t := b.types[name]
		var text strings.Builder
		emitType(&text, t)
		file := fileOf(t)
		last := len(parts[file]) - 1
		if last < 0 || strings.Count(parts[file][last], "\n")+strings.Count(text.String(), "\n") > maxLines {
			parts[file] = append(parts[file], text.String())
			continue
		}
		parts[file][last] += text.String()
	}
	out := map[string]string{}
	for file, bodies := range parts {
		for i, body := range bodies {
			head := "package wire\n\n"
			if strings.Contains(body, "json.RawMessage") {
				head += "import \"encoding/json\"\n\n"
			}
			name := file + ".go"
			if i > 0 {
				name = fmt.Sprintf("%s_%d.go", file, i+1)
			}
			out[name] = head + body
		}
	}
	return out
}

// fileOf returns the name of the file for t, without its extension.
func fileOf(t *goType) string {
	switch {
	case t.enum != nil:
		return enumFile
	case len(t.tags) != 1:
		return sharedFile
	}
	name := "zz_generated_" + strings.ToLower(strings.Join(words(t.tags[0]), "_"))
	if t.request {
		name += "_requests"
	}
	return name
}

func emitType(b *strings.Builder, t *goType) {
	switch {
	case t.alias != "":
		fmt.Fprintf(b, "// %s is %s.\ntype %s = %s\n\n", t.name, t.alias, t.name, t.alias)
	case t.enum != nil:
		emitEnum(b, t)
	default:
		emitStruct(b, t)
	}
}

func emitEnum(b *strings.Builder, t *goType) {
	fmt.Fprintf(b, "// %s is an enumeration of the API.\ntype %s string\n\n", t.name, t.name)
	fmt.Fprintf(b, "// Values of %s.\nconst (\n", t.name)
	names := make([]string, len(t.enum))
	for i, value := range t.enum {
		names[i] = t.name + goName(value)
		fmt.Fprintf(b, "%s %s = %q\n", names[i], t.name, value)
	}
	fmt.Fprintf(b, ")\n\nvar values%s = []string{", t.name)
	for _, value := range t.enum {
		fmt.Fprintf(b, "%q, ", value)
	}
	fmt.Fprintf(b, "}\n\nfunc (%s) allowed() []string { return values%s }\n\n", t.name, t.name)
}

func emitStruct(b *strings.Builder, t *goType) {
	kind := "is part of a reply"
	if t.request {
		kind = "is part of a request"
	}
	fmt.Fprintf(b, "// %s %s: schema %s.\ntype %s struct {\n", t.name, kind, t.schema, t.name)
	if t.request && t.closed {
		b.WriteString("_ struct{} `wire:\"closed\"`\n")
	}
	for _, f := range t.fields {
		tag := fmt.Sprintf("json:%q", f.json+f.jsonOptions)
		if len(f.rules) > 0 {
			tag += fmt.Sprintf(" wire:%q", strings.Join(f.rules, ","))
		}
		fmt.Fprintf(b, "%s %s `%s`\n", f.goName, f.goType, tag)
	}
	b.WriteString("}\n\n")
}
