// SPDX-License-Identifier: MPL-2.0

// Package managed is what the managed resources share. Their methods are written
// out in each, in the order of what happens; these are the steps that all take.
package managed

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Resource is embedded by every managed resource. It implements Metadata and
// Configure.
type Resource struct {
	// Name is the resource's name in a configuration: "elf_vm_folder".
	Name string
	// Object is what a person calls one of its objects: "VM folder".
	Object string
	// Data is the configured provider, nil before Configure.
	Data *providerdata.Data
}

// Metadata tells the resource's name, and that its identity may change: Tower
// gives an object that it lost sight of and found again a new id.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.Name
	resp.ResourceBehavior.MutableIdentity = true
}

// Configure takes what the provider hands over.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.Data = providerdata.FromResource(req, resp)
}

// Timeout is a method of the timeouts of a model, such as plan.Timeouts.Create.
type Timeout func(ctx context.Context, byDefault time.Duration) (time.Duration, diag.Diagnostics)

// Begin begins a method: every request that it makes obeys the context, which
// ends with the method's time-out. The caller defers end. The client is nil, and
// the caller returns, where there is an error among the diagnostics, such as that
// the provider's configuration is not known yet.
func (r *Resource) Begin(ctx context.Context, timeout Timeout, byDefault time.Duration, diags *diag.Diagnostics) (_ context.Context, client *tower.Client, end func()) {
	client, _ = r.Data.Client(diags)
	limit, d := timeout(ctx, byDefault)
	diags.Append(d...)
	ctx, end = context.WithTimeout(ctx, limit)
	if diags.HasError() {
		client = nil
	}
	return ctx, client, end
}

// Identify writes the identity of the object with this id.
func Identify(ctx context.Context, to *tfsdk.ResourceIdentity, id types.String) diag.Diagnostics {
	return to.SetAttribute(ctx, path.Root("id"), id)
}

// IdentitySchema is that of an object whose identity is Tower's id.
func IdentitySchema(object string) identityschema.Schema {
	return identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"id": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Tower's id of the " + object + ". An import takes its local id, too.",
			},
		},
	}
}
