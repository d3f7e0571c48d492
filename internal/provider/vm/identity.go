// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// identity tells a VM from every other VM of the Tower.
type identity struct {
	ID types.String `tfsdk:"id"`
}

// IdentitySchema describes the identity of a VM: Tower's id of it.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"id": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Tower's id of the VM. An import takes its local id, too.",
			},
		},
	}
}

// identify writes the identity of the VM with this id.
func identify(ctx context.Context, to *tfsdk.ResourceIdentity, id types.String) diag.Diagnostics {
	return to.Set(ctx, identity{ID: id})
}
