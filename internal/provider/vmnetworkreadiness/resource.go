// SPDX-License-Identifier: MPL-2.0

// Package vmnetworkreadiness is the resource elf_vm_network_readiness.
package vmnetworkreadiness

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/managed"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// ResourceType is the resource's name in a configuration.
const ResourceType = "elf_vm_network_readiness"

// object names the resource in diagnostics.
const object = "network readiness of VM"

var (
	_ resource.Resource                   = (*Resource)(nil)
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
)

// Resource is a wait for the network of a VM that is managed elsewhere. It
// changes nothing in Tower.
type Resource struct{ managed.Resource }

// NewResource returns the resource, not configured yet.
func NewResource() resource.Resource {
	return &Resource{managed.Resource{Name: ResourceType, Object: object}}
}

// ValidateConfig refuses what can be known to fail.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	defer diagx.NameArguments(&resp.Diagnostics)
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	nics, diags := config.nics(ctx)
	resp.Diagnostics.Append(diags...)
	network.ValidateNICs(ctx, path.Root("nics"), nics, &resp.Diagnostics)
	create, diags := config.Timeouts.Create(ctx, 0)
	if diags.HasError() {
		create = 0 // no limit known; the attribute's own check tells.
	}
	network.ValidateReadiness(ctx, config.NetworkReadiness, create, nics, &resp.Diagnostics)
}

// ModifyPlan keeps what a wait has found, and makes it unknown exactly when the
// apply waits again: after an unfinished wait, or for a NIC that is newly
// waited for.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // destroy
	}
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	network.CheckKubernetesNode(ctx, plan.NetworkReadiness, r.Data, &resp.Diagnostics)
	if req.State.Raw.IsNull() {
		return
	}
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	waits, diags := waitsAgain(ctx, &plan, &state)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if waits {
		plan.forget()
	} else {
		plan.keep(&state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// waitsAgain reports whether an update waits: after an unfinished wait, where
// waiting has been switched on, or for a NIC that is newly waited for.
func waitsAgain(ctx context.Context, plan, state *model) (bool, diag.Diagnostics) {
	settings, diags := network.SettingsOf(ctx, plan.NetworkReadiness)
	before, d := network.SettingsOf(ctx, state.NetworkReadiness)
	diags.Append(d...)
	if !settings.Enabled || diags.HasError() {
		return false, diags
	}
	unfinished := !state.NetworkReady.ValueBool()
	if state.NetworkReady.IsNull() {
		unfinished = !before.Enabled
	}
	if unfinished || plan.NICs.IsUnknown() {
		return true, diags
	}
	planned, d := plan.nics(ctx)
	diags.Append(d...)
	current, d := state.nics(ctx)
	diags.Append(d...)
	return network.NewlyWaiting(planned, current), diags
}

// Create waits.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, client, end := r.Begin(ctx, plan.Timeouts.Create, defaultTimeout, &resp.Diagnostics)
	defer end()
	if client != nil && r.wait(ctx, client, &plan, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

// Update waits again where the plan has said so.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, client, end := r.Begin(ctx, plan.Timeouts.Update, defaultTimeout, &resp.Diagnostics)
	defer end()
	if client == nil {
		return
	}
	waits, diags := waitsAgain(ctx, &plan, &state)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || waits && !r.wait(ctx, client, &plan, &resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// wait waits and writes the outcome into the model. It reports whether there is
// anything to save: a VM that does not exist leaves nothing.
func (r *Resource) wait(ctx context.Context, client *tower.Client, m *model, diags *diag.Diagnostics) bool {
	settings, d := network.SettingsOf(ctx, m.NetworkReadiness)
	diags.Append(d...)
	nics, d := m.nics(ctx)
	diags.Append(d...)
	if diags.HasError() {
		return false
	}
	id := m.VMID.ValueString()
	vm, err := lookup.Twice(ctx, r.Data.PollInterval, client.VM, id)
	switch {
	case errors.Is(err, tower.ErrNotFound):
		diags.AddAttributeError(path.Root("vm_id"), fmt.Sprintf("VM %q not found", id),
			"Tower has no VM of this id, or this user may not see it. Check vm_id.")
		return false
	case err != nil:
		diagx.AddAttributeError(diags, path.Root("vm_id"), "wait for", object, id, err)
		return false
	}
	req, result := network.Wait(ctx, r.Data, client, network.Target{ID: vm.ID, Name: vm.Name, Rule: settings.Rule(nics, true)}, settings)
	diags.Append(m.fill(ctx, result)...)
	m.NetworkReady, m.NetworkReadinessReport = network.Report(result)
	if result.End == netwait.Deleted {
		diags.AddAttributeError(path.Root("vm_id"), fmt.Sprintf("VM %q was deleted", vm.Name), result.Report(req))
		return false
	}
	network.AddEnd(diags, req, result, settings.OnTimeout)
	return true
}

// Read brings the addresses up to date. It never waits for them, and never
// changes whether the network counts as ready.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, client, end := r.Begin(ctx, state.Timeouts.Read, managed.ReadTimeout, &resp.Diagnostics)
	defer end()
	if client == nil {
		return
	}
	id := state.VMID.ValueString()
	vm, err := lookup.Twice(ctx, r.Data.PollInterval, client.VM, id)
	if errors.Is(err, tower.ErrNotFound) || err == nil && vm.InRecycleBin {
		resp.State.RemoveResource(ctx)
		return
	}
	var nics []tower.VMNIC
	if err == nil {
		nics, err = client.VMNICs(ctx, vm.ID)
	}
	if err != nil {
		diagx.AddError(&resp.Diagnostics, "read", object, id, err)
		return
	}
	settings, diags := network.SettingsOf(ctx, state.NetworkReadiness)
	resp.Diagnostics.Append(diags...)
	configured, diags := state.nics(ctx)
	resp.Diagnostics.Append(diags...)
	addresses, diags := attrs.Strings(ctx, state.IPAddresses)
	resp.Diagnostics.Append(diags...)
	verdict := network.Refresh(ctx, r.Data, network.Refreshed{
		VM: vm, NICs: nics, Rule: settings.Rule(configured, true), Settings: settings,
		Addresses: addresses, Report: state.NetworkReadinessReport,
	})
	resp.Diagnostics.Append(state.fill(ctx, netwait.Result{Verdict: verdict})...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Delete forgets the wait; there is nothing in Tower to delete.
func (r *Resource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// fill writes the addresses of a verdict.
func (m *model) fill(ctx context.Context, result netwait.Result) diag.Diagnostics {
	m.IPAddresses = network.AddressList(result.Verdict.Addresses)
	m.DefaultIPAddress = network.DefaultAddress(result.Verdict)
	perNIC := make([]types.List, 0, len(result.Verdict.NICs))
	for _, nic := range result.Verdict.NICs {
		perNIC = append(perNIC, network.AddressList(nic.Addresses))
	}
	var diags diag.Diagnostics
	m.NICIPAddresses, diags = types.ListValueFrom(ctx, types.ListType{ElemType: types.StringType}, perNIC)
	return diags
}
