// SPDX-License-Identifier: MPL-2.0

package attrs

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// ResourceID is the computed id of a resource. It never changes once known, so
// a plan keeps it. Object names the resource in the description ("VM").
func ResourceID(object string) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: "Tower's id of the " + object + ".",
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// Timeouts is the timeouts of a resource, described.
func Timeouts(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	described, ok := timeouts.Attributes(ctx, opts).(schema.SingleNestedAttribute)
	if !ok {
		return timeouts.Attributes(ctx, opts)
	}
	described.MarkdownDescription = "How long the operations may take, as durations such as `\"30s\"` or `\"1h30m\"`. Changing them touches nothing in Tower."
	return described
}
