// SPDX-License-Identifier: MPL-2.0

// Package attrs converts between Terraform's values, which may be null or
// unknown, and plain Go values. It also has the schema pieces that several objects
// share.
package attrs

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// IsKnown reports whether v has a value, so that it is neither null nor unknown.
func IsKnown(v attr.Value) bool {
	return v != nil && !v.IsNull() && !v.IsUnknown()
}

// StringPtr returns a pointer to v's value, or nil if v is null or unknown.
func StringPtr(v types.String) *string {
	if !IsKnown(v) {
		return nil
	}
	s := v.ValueString()
	return &s
}

// Int64Ptr returns a pointer to v's value, or nil if v is null or unknown.
func Int64Ptr(v types.Int64) *int64 {
	if !IsKnown(v) {
		return nil
	}
	n := v.ValueInt64()
	return &n
}

// IntPtr returns a pointer to v's value as an int, or nil if v is null or unknown.
func IntPtr(v types.Int64) *int {
	if !IsKnown(v) {
		return nil
	}
	n := int(v.ValueInt64())
	return &n
}

// BoolPtr returns a pointer to v's value, or nil if v is null or unknown.
func BoolPtr(v types.Bool) *bool {
	if !IsKnown(v) {
		return nil
	}
	b := v.ValueBool()
	return &b
}

// StringOr returns v's value, or def if v is null or unknown.
func StringOr(v types.String, def string) string {
	if !IsKnown(v) {
		return def
	}
	return v.ValueString()
}

// Int64Or returns v's value, or def if v is null or unknown.
func Int64Or(v types.Int64, def int64) int64 {
	if !IsKnown(v) {
		return def
	}
	return v.ValueInt64()
}

// BoolOr returns v's value, or def if v is null or unknown.
func BoolOr(v types.Bool, def bool) bool {
	if !IsKnown(v) {
		return def
	}
	return v.ValueBool()
}

// DurationOr returns the duration in v, which is in Go's notation ("1m30s"), or def
// if v is null, unknown or not a duration. A validator is expected to have refused
// a text that is not a duration.
func DurationOr(v types.String, def time.Duration) time.Duration {
	if !IsKnown(v) {
		return def
	}
	d, err := time.ParseDuration(v.ValueString())
	if err != nil {
		return def
	}
	return d
}

// StringOrNull returns s as a value, null if s is empty. For most texts, Tower does
// not distinguish an empty one from a missing one.
func StringOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// Strings returns the elements of a list or set of strings, or nil if the
// collection itself is null or unknown. It leaves out null and unknown elements.
func Strings(ctx context.Context, v collection) ([]string, diag.Diagnostics) {
	if v == nil || v.IsNull() || v.IsUnknown() {
		return nil, nil
	}
	var elements []types.String
	diags := v.ElementsAs(ctx, &elements, false)
	out := make([]string, 0, len(elements))
	for _, e := range elements {
		if IsKnown(e) {
			out = append(out, e.ValueString())
		}
	}
	return out, diags
}

// collection is the common interface of types.List and types.Set.
type collection interface {
	attr.Value
	ElementsAs(ctx context.Context, target any, allowUnhandled bool) diag.Diagnostics
}

// StringList returns a known list of the given strings. For nil it returns an empty
// list, not null.
func StringList(values []string) types.List {
	elements := make([]attr.Value, 0, len(values))
	for _, s := range values {
		elements = append(elements, types.StringValue(s))
	}
	return types.ListValueMust(types.StringType, elements)
}

// Map returns the elements of a map of strings without null and unknown ones. It
// returns an empty map if v itself is null or unknown.
func Map(v types.Map) map[string]string {
	out := make(map[string]string, len(v.Elements()))
	for key, e := range v.Elements() {
		if text, ok := e.(types.String); ok && IsKnown(text) {
			out[key] = text.ValueString()
		}
	}
	return out
}

// StringMap returns a known map of the given strings. For nil it returns an empty
// map, not null.
func StringMap(values map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(values))
	for key, s := range values {
		elements[key] = types.StringValue(s)
	}
	return types.MapValueMust(types.StringType, elements)
}
