// SPDX-License-Identifier: MPL-2.0

// Package validators has the validators that the framework lacks. Each accepts null
// and unknown values, and names the attribute at fault.
package validators

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// stringCheck is a validator for strings, made from one function.
type stringCheck struct {
	summary     string
	description string
	// hide reports whether the diagnostic must not show the value, because it is
	// secret or long. If hide is nil, the diagnostic always shows the value.
	hide func(value string) bool
	// check returns what is wrong with the value, or "".
	check func(value string) string
}

var _ validator.String = stringCheck{}

func (c stringCheck) Description(context.Context) string { return c.description }

func (c stringCheck) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

func (c stringCheck) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	problem := c.check(value)
	if problem == "" {
		return
	}
	if c.hide != nil && c.hide(value) {
		resp.Diagnostics.AddAttributeError(req.Path, c.summary,
			fmt.Sprintf("%s: %s. It %s.", req.Path, problem, c.description))
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, c.summary,
		fmt.Sprintf("%s is %q: %s. It %s.", req.Path, value, problem, c.description))
}
