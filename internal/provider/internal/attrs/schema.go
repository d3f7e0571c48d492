// SPDX-License-Identifier: MPL-2.0

package attrs

import (
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
