// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// block is a block in the JSON format of CLIs. It has no nested blocks, because
// the provider uses nested attributes instead.
type block struct {
	Attributes      map[string]attribute `json:"attributes,omitempty"`
	Description     string               `json:"description,omitempty"`
	DescriptionKind string               `json:"description_kind,omitempty"`
	Deprecated      bool                 `json:"deprecated,omitempty"`
}

type attribute struct {
	Type            any     `json:"type,omitempty"`
	NestedType      *nested `json:"nested_type,omitempty"`
	Description     string  `json:"description,omitempty"`
	DescriptionKind string  `json:"description_kind,omitempty"`
	Deprecated      bool    `json:"deprecated,omitempty"`
	Required        bool    `json:"required,omitempty"`
	Optional        bool    `json:"optional,omitempty"`
	Computed        bool    `json:"computed,omitempty"`
	Sensitive       bool    `json:"sensitive,omitempty"`
	WriteOnly       bool    `json:"write_only,omitempty"`
}

type nested struct {
	Attributes  map[string]attribute `json:"attributes,omitempty"`
	NestingMode string               `json:"nesting_mode,omitempty"`
}

type identity struct {
	Version    int64                        `json:"version"`
	Attributes map[string]identityAttribute `json:"attributes,omitempty"`
}

type identityAttribute struct {
	Type              any    `json:"type"`
	Description       string `json:"description,omitempty"`
	RequiredForImport bool   `json:"required_for_import,omitempty"`
	OptionalForImport bool   `json:"optional_for_import,omitempty"`
}

func blockOf(b *tfprotov6.SchemaBlock) block {
	return block{
		Attributes: attributesOf(b.Attributes), Description: b.Description, DescriptionKind: kindOf(b.DescriptionKind), Deprecated: b.Deprecated,
	}
}

func attributesOf(list []*tfprotov6.SchemaAttribute) map[string]attribute {
	out := map[string]attribute{}
	for _, a := range list {
		converted := attribute{
			Description: a.Description, DescriptionKind: kindOf(a.DescriptionKind), Deprecated: a.Deprecated,
			Required: a.Required, Optional: a.Optional, Computed: a.Computed, Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
		}
		if a.NestedType != nil {
			converted.NestedType = &nested{Attributes: attributesOf(a.NestedType.Attributes), NestingMode: strings.ToLower(a.NestedType.Nesting.String())}
		} else {
			converted.Type = typeOf(a.Type)
		}
		out[a.Name] = converted
	}
	return out
}

func identityOf(schema *tfprotov6.ResourceIdentitySchema) identity {
	out := identity{Version: schema.Version, Attributes: map[string]identityAttribute{}}
	for _, a := range schema.IdentityAttributes {
		out.Attributes[a.Name] = identityAttribute{
			Type: typeOf(a.Type), Description: a.Description, RequiredForImport: a.RequiredForImport, OptionalForImport: a.OptionalForImport,
		}
	}
	return out
}

func kindOf(kind tfprotov6.StringKind) string {
	if kind == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}

// typeOf returns a type in the JSON format of CLIs: "string",
// ["list","string"], ["object",{"a":"bool"}].
func typeOf(typ tftypes.Type) any {
	switch typ := typ.(type) {
	case tftypes.List:
		return []any{"list", typeOf(typ.ElementType)}
	case tftypes.Set:
		return []any{"set", typeOf(typ.ElementType)}
	case tftypes.Map:
		return []any{"map", typeOf(typ.ElementType)}
	case tftypes.Object:
		members := map[string]any{}
		for name, member := range typ.AttributeTypes {
			members[name] = typeOf(member)
		}
		return []any{"object", members}
	}
	switch {
	case typ.Is(tftypes.String):
		return "string"
	case typ.Is(tftypes.Number):
		return "number"
	case typ.Is(tftypes.Bool):
		return "bool"
	}
	return "dynamic"
}
