// SPDX-License-Identifier: MPL-2.0

package attrs

import (
	"context"

	actiontimeouts "github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

// ResourceID returns the schema of a resource's id, which is computed and never
// changes once it is known. Object names the resource in the description ("VM").
func ResourceID(object string) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: "Tower's id of the " + object + ".",
		PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// Timeouts returns the schema of a resource's timeouts, with a description and with
// the validator of all other durations.
func Timeouts(ctx context.Context, opts timeouts.Opts) schema.Attribute {
	described, ok := timeouts.Attributes(ctx, opts).(schema.SingleNestedAttribute)
	if !ok {
		return timeouts.Attributes(ctx, opts)
	}
	for name, member := range described.Attributes {
		if duration, ok := member.(schema.StringAttribute); ok {
			duration.Validators = []validator.String{validators.Duration()}
			duration.MarkdownDescription = duration.Description
			described.Attributes[name] = duration
		}
	}
	described.MarkdownDescription = "How long the operations may take, as durations such as `\"30s\"` or `\"1h30m\"`. Changing them touches nothing in Tower."
	return described
}

// ActionTimeouts returns the schema of an action's timeouts, with the description
// of invoke and with the validator of all other durations.
func ActionTimeouts(ctx context.Context, invoke string) actionschema.Attribute {
	all := actiontimeouts.AttributesWithOpts(ctx, actiontimeouts.Opts{InvokeDescription: invoke})
	nested, ok := all.(actionschema.SingleNestedAttribute)
	if !ok {
		return all
	}
	for name, member := range nested.Attributes {
		if duration, ok := member.(actionschema.StringAttribute); ok {
			duration.Validators = []validator.String{validators.Duration()}
			duration.MarkdownDescription = duration.Description
			nested.Attributes[name] = duration
		}
	}
	nested.MarkdownDescription = "How long the action may take, as a duration such as `\"30s\"` or `\"1h30m\"`."
	return nested
}
