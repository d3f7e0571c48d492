// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// listTimeout bounds a whole list, which has no timeouts argument.
const listTimeout = 30 * time.Minute

var (
	_ list.ListResource              = (*ListResource)(nil)
	_ list.ListResourceWithConfigure = (*ListResource)(nil)
)

// ListResource lists the VMs of the Tower that can be imported.
type ListResource struct {
	resource Resource
}

// NewListResource returns the list, not configured yet.
func NewListResource() list.ListResource { return &ListResource{} }

// Metadata tells which resource is listed.
func (l *ListResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	l.resource.Metadata(ctx, req, resp)
}

// Configure takes what the provider hands over.
func (l *ListResource) Configure(ctx context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	l.resource.Configure(ctx, req, resp)
}

// listModel is the configuration of a list.
type listModel struct {
	Name         types.String `tfsdk:"name"`
	NameContains types.String `tfsdk:"name_contains"`
	NameIn       types.List   `tfsdk:"name_in"`
	ClusterID    types.String `tfsdk:"cluster_id"`
	FolderID     types.String `tfsdk:"folder_id"`
	PowerState   types.String `tfsdk:"power_state"`
	Labels       types.Map    `tfsdk:"labels"`
}

// ListResourceConfigSchema describes the filters.
func (l *ListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	text := func(description string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: append(validators, lookup.NotEmpty())}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists virtual machines, for `terraform query`, which can write their configuration and `import` blocks. The filters narrow the list together; without any, " +
			"all VMs that the user can see are listed. Tower's own VMs and those in its recycle bin never are. The order is that of the VMs' ids.",
		Attributes: map[string]schema.Attribute{
			"name":          text("The whole name."),
			"name_contains": text("A part of the name."),
			"name_in": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "The name is one of these.",
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(lookup.NotEmpty()),
				},
			},
			"cluster_id":  text("Id of the cluster, in Tower or its own."),
			"folder_id":   text("Id of the VM folder, in Tower or its own."),
			"power_state": text("`RUNNING`, `STOPPED` or `SUSPENDED`.", stringvalidator.OneOf(tower.StatusRunning, tower.StatusStopped, tower.StatusSuspended)),
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Labels that the VM has, all of them; `\"\"` is a label without a value.",
				Validators: []validator.Map{
					mapvalidator.SizeAtLeast(1), mapvalidator.KeysAre(lookup.NotEmpty()), mapvalidator.NoNullValues(),
				},
			},
		},
	}
}

// List streams the VMs as their pages come from Tower.
func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var diags diag.Diagnostics
	client, ok := l.resource.data.Client(&diags)
	filter := l.filter(ctx, req, &diags)
	if !ok || diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, listTimeout)
		defer cancel()
		for page, err := range client.VMPages(ctx, filter, int(req.Limit)) {
			if err != nil {
				var failed list.ListResult
				diagx.AddError(&failed.Diagnostics, "list", "VMs", "", err)
				push(failed)
				return
			}
			for _, result := range l.results(ctx, client, req, page) {
				if !push(result) || result.Diagnostics.HasError() {
					return
				}
			}
		}
	}
}

// filter reads the configuration, which is absent where a list has none.
func (l *ListResource) filter(ctx context.Context, req list.ListRequest, diags *diag.Diagnostics) tower.VMFilter {
	var config listModel
	if !req.Config.Raw.IsNull() {
		diags.Append(req.Config.Get(ctx, &config)...)
	}
	names, d := attrs.Strings(ctx, config.NameIn)
	diags.Append(d...)
	return tower.VMFilter{
		Name: config.Name.ValueString(), NameContains: config.NameContains.ValueString(), NameIn: names, ClusterID: config.ClusterID.ValueString(),
		FolderID: config.FolderID.ValueString(), Status: config.PowerState.ValueString(), Labels: attrs.Map(config.Labels),
	}
}

// results makes the results of a page: the identities and, where the request
// wants it, all that an import would put into the states. The VMs are read all
// at once, so that they share their requests.
func (l *ListResource) results(ctx context.Context, client *tower.Client, req list.ListRequest, page []tower.VM) []list.ListResult {
	results, states := make([]list.ListResult, len(page)), make([]model, len(page))
	for i, vm := range page {
		result := req.NewListResult(ctx)
		result.DisplayName = fmt.Sprintf("%s (%s)", vm.Name, vm.ClusterName)
		result.Diagnostics.Append(identify(ctx, result.Identity, types.StringValue(vm.ID))...)
		if req.IncludeResource {
			result.Diagnostics.Append(result.Resource.SetAttribute(ctx, path.Root("id"), vm.ID)...)
			result.Diagnostics.Append(result.Resource.Get(ctx, &states[i])...)
		}
		results[i] = result
	}
	if !req.IncludeResource {
		return results
	}
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			result := &results[i]
			result.Diagnostics.Append(l.resource.observe(ctx, client, &page[i], &states[i], &ownership{}, true)...)
			if !result.Diagnostics.HasError() {
				result.Diagnostics.Append(result.Resource.Set(ctx, &states[i])...)
			}
		})
	}
	all.Wait()
	return results
}
