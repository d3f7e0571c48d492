// SPDX-License-Identifier: MPL-2.0

// Package vmfolder is the resource elf_vm_folder and its data sources.
package vmfolder

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/managed"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// NewResource returns the resource, not configured yet.
func NewResource() resource.Resource {
	return &folder{managed.NewBase[model](Kind, (*tower.Client).VMFolder)}
}

type folder struct{ managed.Base[tower.VMFolder] }

type model struct {
	managed.LocalState

	Name      types.String `tfsdk:"name"`
	ClusterID types.String `tfsdk:"cluster_id"`
}

func (m *model) Fill(f tower.VMFolder) {
	m.FillIDs(f.ID, f.LocalID)
	m.Name, m.ClusterID = types.StringValue(f.Name), types.StringValue(f.ClusterID)
}

func (r *folder) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.Describe(ctx, "A folder of VMs. `folder_id` of `elf_vm` puts a VM into it. A folder with VMs in it can't be destroyed.", map[string]schema.Attribute{
		"name":       managed.RequiredText("Name, unique in the cluster. It is changed in place."),
		"cluster_id": r.ClusterID(),
	})
}

func (r *folder) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	ctx, op := r.BeginCreate(ctx, req, resp, &plan)
	defer op.End()
	if op.Failed() || !op.CheckName(ctx, plan.ClusterID, plan.Name) {
		return
	}
	creation, err := op.Client.CreateVMFolder(ctx, plan.Name.ValueString(), plan.ClusterID.ValueString())
	op.Created(ctx, creation, err)
}

func (r *folder) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	ctx, op := r.BeginRead(ctx, req, resp, &state)
	defer op.End()
	if !op.Failed() {
		op.Refresh(ctx)
	}
}

func (r *folder) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan model
	ctx, op := r.BeginUpdate(ctx, req, resp, &plan)
	defer op.End()
	if !op.Failed() {
		op.Updated(ctx, op.Client.UpdateVMFolder(ctx, plan.ID.ValueString(), plan.Name.ValueString()))
	}
}

// Delete refuses while VMs are in the folder: Tower would leave them without one.
func (r *folder) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	ctx, op := r.BeginDelete(ctx, req, resp, &state)
	defer op.End()
	if op.Failed() {
		return
	}
	vms := op.Client.VMPages(ctx, tower.VMFilter{FolderID: state.ID.ValueString()}, 0)
	if err := managed.InUse("VMs in it", vms, func(v tower.VM) string { return v.Name }); err != nil {
		op.Fail(err)
		return
	}
	op.Deleted(op.Client.DeleteVMFolder(ctx, state.ID.ValueString()))
}
