// SPDX-License-Identifier: MPL-2.0

package attrs_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
)

func ptr[T any](v T) *T { return &v }

func TestPointers(t *testing.T) {
	t.Parallel()

	strings := map[string]struct {
		in   types.String
		want *string
	}{
		"null":    {types.StringNull(), nil},
		"unknown": {types.StringUnknown(), nil},
		"empty":   {types.StringValue(""), ptr("")},
		"value":   {types.StringValue("x"), ptr("x")},
	}
	for name, tc := range strings {
		if diff := cmp.Diff(tc.want, attrs.StringPtr(tc.in)); diff != "" {
			t.Errorf("StringPtr of %s (-want +got):\n%s", name, diff)
		}
	}

	ints := map[string]struct {
		in   types.Int64
		want *int64
	}{
		"null":    {types.Int64Null(), nil},
		"unknown": {types.Int64Unknown(), nil},
		"zero":    {types.Int64Value(0), ptr(int64(0))},
		"value":   {types.Int64Value(7), ptr(int64(7))},
	}
	for name, tc := range ints {
		if diff := cmp.Diff(tc.want, attrs.Int64Ptr(tc.in)); diff != "" {
			t.Errorf("Int64Ptr of %s (-want +got):\n%s", name, diff)
		}
		var want *int
		if tc.want != nil {
			want = ptr(int(*tc.want))
		}
		if diff := cmp.Diff(want, attrs.IntPtr(tc.in)); diff != "" {
			t.Errorf("IntPtr of %s (-want +got):\n%s", name, diff)
		}
	}

	bools := map[string]struct {
		in   types.Bool
		want *bool
	}{
		"null":    {types.BoolNull(), nil},
		"unknown": {types.BoolUnknown(), nil},
		"false":   {types.BoolValue(false), ptr(false)},
		"true":    {types.BoolValue(true), ptr(true)},
	}
	for name, tc := range bools {
		if diff := cmp.Diff(tc.want, attrs.BoolPtr(tc.in)); diff != "" {
			t.Errorf("BoolPtr of %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()

	for name, v := range map[string]types.String{"null": types.StringNull(), "unknown": types.StringUnknown()} {
		if got := attrs.StringOr(v, "d"); got != "d" {
			t.Errorf("StringOr of %s = %q, want the default", name, got)
		}
		if got := attrs.DurationOr(v, time.Minute); got != time.Minute {
			t.Errorf("DurationOr of %s = %s, want the default", name, got)
		}
	}
	for name, v := range map[string]types.Int64{"null": types.Int64Null(), "unknown": types.Int64Unknown()} {
		if got := attrs.Int64Or(v, 3); got != 3 {
			t.Errorf("Int64Or of %s = %d, want the default", name, got)
		}
	}
	for name, v := range map[string]types.Bool{"null": types.BoolNull(), "unknown": types.BoolUnknown()} {
		if got := attrs.BoolOr(v, true); !got {
			t.Errorf("BoolOr of %s = %t, want the default", name, got)
		}
	}
	if got := attrs.StringOr(types.StringValue(""), "d"); got != "" {
		t.Errorf("StringOr of an empty string = %q, want it kept", got)
	}
	if got := attrs.Int64Or(types.Int64Value(0), 3); got != 0 {
		t.Errorf("Int64Or of 0 = %d, want it kept", got)
	}
	if got := attrs.BoolOr(types.BoolValue(false), true); got {
		t.Errorf("BoolOr of false = %t, want it kept", got)
	}
	if got := attrs.DurationOr(types.StringValue("90s"), time.Minute); got != 90*time.Second {
		t.Errorf("DurationOr of 90s = %s", got)
	}
	if got := attrs.DurationOr(types.StringValue("soon"), time.Minute); got != time.Minute {
		t.Errorf("DurationOr of no duration = %s, want the default", got)
	}
	if got := attrs.StringOrNull(""); !got.IsNull() {
		t.Errorf("StringOrNull of an empty string = %s, want null", got)
	}
	if got := attrs.StringOrNull("x"); got != types.StringValue("x") {
		t.Errorf("StringOrNull of x = %s", got)
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()

	mixed := types.ListValueMust(types.StringType, []attr.Value{
		types.StringValue("a"), types.StringUnknown(), types.StringNull(), types.StringValue("b"),
	})
	cases := map[string]struct {
		in   types.List
		want []string
	}{
		"null":    {types.ListNull(types.StringType), nil},
		"unknown": {types.ListUnknown(types.StringType), nil},
		"empty":   {attrs.StringList(nil), []string{}},
		"values":  {attrs.StringList([]string{"x", "y"}), []string{"x", "y"}},
		"mixed":   {mixed, []string{"a", "b"}},
	}
	for name, tc := range cases {
		got, diags := attrs.Strings(t.Context(), tc.in)
		if diags.HasError() {
			t.Errorf("Strings of %s: %v", name, diags)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("Strings of %s (-want +got):\n%s", name, diff)
		}
	}
	set := types.SetValueMust(types.StringType, []attr.Value{types.StringValue("only")})
	if got, _ := attrs.Strings(t.Context(), set); len(got) != 1 || got[0] != "only" {
		t.Errorf("Strings of a set = %v", got)
	}
	if attrs.StringList(nil).IsNull() {
		t.Error("StringList of nil is null, want an empty list")
	}
}

func TestMaps(t *testing.T) {
	t.Parallel()

	mixed := types.MapValueMust(types.StringType, map[string]attr.Value{
		"a": types.StringValue("1"), "empty": types.StringValue(""), "unknown": types.StringUnknown(), "null": types.StringNull(),
	})
	for name, tc := range map[string]struct {
		in   types.Map
		want map[string]string
	}{
		"null":    {types.MapNull(types.StringType), map[string]string{}},
		"unknown": {types.MapUnknown(types.StringType), map[string]string{}},
		"mixed":   {mixed, map[string]string{"a": "1", "empty": ""}},
		"strings": {attrs.StringMap(map[string]string{"x": "y"}), map[string]string{"x": "y"}},
	} {
		if diff := cmp.Diff(tc.want, attrs.Map(tc.in)); diff != "" {
			t.Errorf("Map of %s (-want +got):\n%s", name, diff)
		}
	}
	if empty := attrs.StringMap(nil); empty.IsNull() || len(empty.Elements()) != 0 {
		t.Errorf("StringMap of nil = %s, want an empty map", empty)
	}
}
