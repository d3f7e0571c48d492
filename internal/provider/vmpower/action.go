// SPDX-License-Identifier: MPL-2.0

// Package vmpower implements the action elf_vm_power.
package vmpower

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// ActionType is the action's name in a configuration.
const ActionType = "elf_vm_power"

var (
	_ action.Action                   = (*Action)(nil)
	_ action.ActionWithConfigure      = (*Action)(nil)
	_ action.ActionWithValidateConfig = (*Action)(nil)
	_ action.ActionWithModifyPlan     = (*Action)(nil)
)

// Action starts, stops or restarts a VM, which need not be managed by Terraform.
type Action struct {
	data *providerdata.Data
}

// NewAction returns the action, not configured yet.
func NewAction() action.Action { return &Action{} }

// Metadata returns the action's name.
func (a *Action) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = ActionType
}

// Configure takes the data that the configured provider passes to its actions.
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.data = providerdata.FromAction(req, resp)
}

// ValidateConfig refuses arguments that contradict each other.
func (a *Action) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.validate(ctx, &resp.Diagnostics)
}

// ModifyPlan refuses a VM that does not exist, if the plan knows its id.
func (a *Action) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !attrs.IsKnown(config.VMID) {
		return
	}
	client, ok := a.data.TryClient()
	if !ok {
		return
	}
	a.find(ctx, client, &config, &resp.Diagnostics)
}

// Invoke carries out the operation. It does nothing to a VM that is already in
// the state to which the operation leads.
func (a *Action) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ok := a.data.Client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := config.Timeouts.Invoke(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	vm := a.find(limited, client, &config, &resp.Diagnostics)
	if vm == nil {
		return
	}
	j := job{
		client: client, vm: vm, operation: config.Operation.ValueString(), stop: config.stopOptions(),
		say: func(message string) { resp.SendProgress(action.InvokeProgressEvent{Message: message}) },
	}
	if err := j.run(limited); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("cancelled, but Tower may still complete the operation, so check the VM before you invoke the action again: %w", err)
		}
		diagx.AddError(&resp.Diagnostics, verbs[j.operation], object, vm.Name, fmt.Errorf("VM %s: %w", vm.ID, err))
	}
}

// object is the kind of object in the diagnostics.
const object = "VM"

// find reads the VM, or adds an error and returns nil.
func (a *Action) find(ctx context.Context, client *tower.Client, config *model, diags *diag.Diagnostics) *tower.VM {
	id := config.VMID.ValueString()
	at := path.Root("vm_id")
	verb := verbs[config.Operation.ValueString()]
	if verb == "" {
		verb = "operate"
	}
	vm, err := lookup.Twice(ctx, a.data.PollInterval, client.VM, id)
	switch {
	case errors.Is(err, tower.ErrNotFound):
		diagx.AddNotFound(diags, at, object, id)
	case err != nil:
		diagx.AddAttributeError(diags, at, verb, object, id, err)
	case vm.InRecycleBin:
		diagx.AddAttributeError(diags, at, verb, object, vm.Name,
			fmt.Errorf("VM %s is in Tower's recycle bin; restore it there first", vm.ID))
	default:
		return vm
	}
	return nil
}
