// SPDX-License-Identifier: MPL-2.0

package managed

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
)

// How long the methods of a resource may take unless its timeouts say otherwise.
// A resource whose operations take long has defaults of its own.
const (
	ChangeTimeout = 10 * time.Minute // create, update and delete
	ReadTimeout   = 5 * time.Minute
)

// Describe makes a schema of the attributes that a resource has besides those of
// State and LocalState: id, local_id, and timeouts with the defaults of this
// package.
func (r *Base[T]) Describe(ctx context.Context, description string, attributes map[string]schema.Attribute) schema.Schema {
	attributes["id"] = attrs.ResourceID(r.Object)
	if r.kind.Has("local_id") {
		attributes["local_id"] = schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Id of the " + r.Object + " inside its cluster.",
			PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		}
	}
	attributes["timeouts"] = attrs.Timeouts(ctx, timeouts.Opts{
		Create: true, Read: true, Update: true, Delete: true,
		CreateDescription: "Default `10m`.", ReadDescription: "Default `5m`.", UpdateDescription: "Default `10m`.", DeleteDescription: "Default `10m`.",
	})
	return schema.Schema{MarkdownDescription: description, Attributes: attributes}
}

// RequiredText is a string that must be set, and not to "". Its changes are made
// in place unless a modifier says otherwise.
func RequiredText(description string, modifiers ...planmodifier.String) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, MarkdownDescription: description, PlanModifiers: modifiers,
		Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}

// ClusterID is the id of the cluster that an object lives in for good.
func (r *Resource) ClusterID() schema.StringAttribute {
	return RequiredText("Tower's id of the cluster that the "+r.Object+" is in. Changing it makes a new "+r.Object+".", stringplanmodifier.RequiresReplace())
}
