// SPDX-License-Identifier: MPL-2.0

// Package attrs converts between Terraform's values, which may be null or
// unknown, and plain Go values, and holds the schema pieces that several
// objects share.
package attrs

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// IsKnown reports whether v holds a value: it is neither null nor unknown.
func IsKnown(v attr.Value) bool {
	return v != nil && !v.IsNull() && !v.IsUnknown()
}

// StringPtr returns a pointer to v's value, or nil where v is null or unknown.
func StringPtr(v types.String) *string {
	if !IsKnown(v) {
		return nil
	}
	s := v.ValueString()
	return &s
}

// Int64Ptr returns a pointer to v's value, or nil where v is null or unknown.
func Int64Ptr(v types.Int64) *int64 {
	if !IsKnown(v) {
		return nil
	}
	n := v.ValueInt64()
	return &n
}

// IntPtr returns a pointer to v's value as an int, or nil where v is null or
// unknown.
func IntPtr(v types.Int64) *int {
	if !IsKnown(v) {
		return nil
	}
	n := int(v.ValueInt64())
	return &n
}

// BoolPtr returns a pointer to v's value, or nil where v is null or unknown.
func BoolPtr(v types.Bool) *bool {
	if !IsKnown(v) {
		return nil
	}
	b := v.ValueBool()
	return &b
}

// StringOr returns v's value, or def where v is null or unknown.
func StringOr(v types.String, def string) string {
	if !IsKnown(v) {
		return def
	}
	return v.ValueString()
}

// Int64Or returns v's value, or def where v is null or unknown.
func Int64Or(v types.Int64, def int64) int64 {
	if !IsKnown(v) {
		return def
	}
	return v.ValueInt64()
}

// BoolOr returns v's value, or def where v is null or unknown.
func BoolOr(v types.Bool, def bool) bool {
	if !IsKnown(v) {
		return def
	}
	return v.ValueBool()
}

// DurationOr returns the duration that v holds in Go's notation ("1m30s"), or
// def where v is null, unknown or no duration. A validator has refused the
// last of these before.
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

// StringOrNull returns s as a value, null where s is empty. Tower has no way
// to tell "empty" from "not there" in most of its texts.
func StringOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// Strings returns the elements of a list or set of strings, nil where the
// collection itself is null or unknown. Null and unknown elements are left out.
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

// collection is what types.List and types.Set have in common.
type collection interface {
	attr.Value
	ElementsAs(ctx context.Context, target any, allowUnhandled bool) diag.Diagnostics
}

// StringList returns a known list of the given strings; nil gives an empty
// list, not a null one.
func StringList(values []string) types.List {
	elements := make([]attr.Value, 0, len(values))
	for _, s := range values {
		elements = append(elements, types.StringValue(s))
	}
	return types.ListValueMust(types.StringType, elements)
}

// Map returns the elements of a map of strings; null and unknown elements are
// left out. A null or unknown map gives an empty one.
func Map(v types.Map) map[string]string {
	out := make(map[string]string, len(v.Elements()))
	for key, e := range v.Elements() {
		if text, ok := e.(types.String); ok && IsKnown(text) {
			out[key] = text.ValueString()
		}
	}
	return out
}

// StringMap returns a known map of the given strings; nil gives an empty map,
// not a null one.
func StringMap(values map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(values))
	for key, s := range values {
		elements[key] = types.StringValue(s)
	}
	return types.MapValueMust(types.StringType, elements)
}
