// SPDX-License-Identifier: MPL-2.0

// Package vm is the resource elf_vm.
package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
)

// ResourceType is the resource's name in a configuration.
const ResourceType = "elf_vm"

// object names the resource in diagnostics.
const object = "VM"

var (
	_ resource.Resource                   = (*Resource)(nil)
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithMoveState      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
)

// Resource manages virtual machines.
type Resource struct {
	data *providerdata.Data
}

// NewResource returns the resource, not configured yet.
func NewResource() resource.Resource { return &Resource{} }

// Metadata tells the resource's name, and that its identity may change: Tower
// gives a VM that it lost sight of and found again a new id.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = ResourceType
	resp.ResourceBehavior.MutableIdentity = true
}

// Configure takes what the provider hands over.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = providerdata.FromResource(req, resp)
}
