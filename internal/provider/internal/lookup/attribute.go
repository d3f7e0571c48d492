// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
)

// Attribute is one attribute of a kind: a result, a filter, or both.
type Attribute[T any] struct {
	name, description string
	typ               attr.Type
	schema            func(usage) schema.Attribute
	value             func(T) attr.Value // nil for what is a filter only
	condition         Condition          // nil for what is a result only

	both   string // the description as a result that is a filter, where it is not the usual one
	filter string // the description as a filter, where it is not the usual one
}

// usage is how an attribute appears in one schema.
type usage struct {
	description        string
	optional, computed bool
}

// Filter lets objects be found by the attribute, too.
func (a Attribute[T]) Filter(condition Condition) Attribute[T] {
	a.condition = condition
	return a
}

// Text is a string. An empty one is null. A nil value declares what is only a
// filter; it must not be "" and must pass the checks.
func Text[T any](name, description string, value func(T) string, checks ...validator.String) Attribute[T] {
	return attribute(name, description, types.StringType, value, func(s string) attr.Value { return attrs.StringOrNull(s) }, func(u usage) schema.Attribute {
		return schema.StringAttribute{
			Optional: u.optional, Computed: u.computed, MarkdownDescription: u.description, Validators: append(checks, NotEmpty()),
		}
	})
}

// Time is a point in time in RFC 3339 form, in UTC. The zero time is null.
func Time[T any](name, description string, value func(T) time.Time) Attribute[T] {
	return Text(name, description, func(v T) string {
		at := value(v)
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format(time.RFC3339)
	})
}

// Int is a whole number. A nil value declares what is only a filter; it must
// pass the checks.
func Int[T any, N int | int64](name, description string, value func(T) N, checks ...validator.Int64) Attribute[T] {
	return attribute(name, description, types.Int64Type, value, func(n N) attr.Value { return types.Int64Value(int64(n)) }, func(u usage) schema.Attribute {
		return schema.Int64Attribute{Optional: u.optional, Computed: u.computed, MarkdownDescription: u.description, Validators: checks}
	})
}

// IntOrNull is an Int of which 0 means that Tower does not know it.
func IntOrNull[T any, N int | int64](name, description string, value func(T) N) Attribute[T] {
	a := Int(name, description, value)
	known := a.value
	a.value = func(v T) attr.Value {
		if value(v) == 0 {
			return types.Int64Null()
		}
		return known(v)
	}
	return a
}

// Bool is a truth value. A nil value declares what is only a filter.
func Bool[T any](name, description string, value func(T) bool) Attribute[T] {
	return attribute(name, description, types.BoolType, value, func(b bool) attr.Value { return types.BoolValue(b) }, func(u usage) schema.Attribute {
		return schema.BoolAttribute{Optional: u.optional, Computed: u.computed, MarkdownDescription: u.description}
	})
}

// Texts is a list of strings. A nil value declares what is only a filter: a list
// that has elements, none of them empty.
func Texts[T any](name, description string, value func(T) []string) Attribute[T] {
	list := types.ListType{ElemType: types.StringType}
	return attribute(name, description, list, value, func(s []string) attr.Value { return attrs.StringList(s) }, func(u usage) schema.Attribute {
		return schema.ListAttribute{
			ElementType: types.StringType, Optional: u.optional, Computed: u.computed, MarkdownDescription: u.description,
			Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(NotEmpty())},
		}
	})
}

// Map is a map of strings. A nil value declares what is only a filter: a map
// that has elements, none of them null and no key empty.
func Map[T any](name, description string, value func(T) map[string]string) Attribute[T] {
	typ := types.MapType{ElemType: types.StringType}
	return attribute(name, description, typ, value, func(m map[string]string) attr.Value { return attrs.StringMap(m) }, func(u usage) schema.Attribute {
		return schema.MapAttribute{
			ElementType: types.StringType, Optional: u.optional, Computed: u.computed, MarkdownDescription: u.description,
			Validators: []validator.Map{mapvalidator.SizeAtLeast(1), mapvalidator.KeysAre(NotEmpty()), mapvalidator.NoNullValues()},
		}
	})
}

func attribute[T, V any](name, description string, typ attr.Type, value func(T) V, encode func(V) attr.Value, schema func(usage) schema.Attribute) Attribute[T] {
	a := Attribute[T]{name: name, description: description, typ: typ, schema: schema}
	if value != nil {
		a.value = func(v T) attr.Value { return encode(value(v)) }
	}
	return a
}

// NotEmpty refuses an empty filter. Taken for "no filter" it would find any
// object, which is never what an unset variable was meant to say.
func NotEmpty() validator.String { return stringvalidator.LengthAtLeast(1) }
