// SPDX-License-Identifier: MPL-2.0

package validators_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// stringCase is one value and the whole diagnostic that it must cause. If the
// summary is "", it must cause none.
type stringCase struct {
	value           types.String
	summary, detail string
}

func runStringCases(t *testing.T, v validator.String, cases map[string]stringCase) {
	t.Helper()
	if v.Description(t.Context()) == "" || v.MarkdownDescription(t.Context()) == "" {
		t.Error("the validator has no description")
	}
	for _, name := range []string{"null", "unknown"} {
		value := types.StringNull()
		if name == "unknown" {
			value = types.StringUnknown()
		}
		cases[name] = stringCase{value: value}
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want diag.Diagnostics
			if tc.summary != "" {
				want.AddAttributeError(path.Root("attribute"), tc.summary, tc.detail)
			}
			req := validator.StringRequest{Path: path.Root("attribute"), ConfigValue: tc.value}
			resp := validator.StringResponse{}
			v.ValidateString(t.Context(), req, &resp)
			if diff := cmp.Diff(want, resp.Diagnostics); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

// valid is a case that must cause no diagnostic.
func valid(s string) stringCase { return stringCase{value: types.StringValue(s)} }
