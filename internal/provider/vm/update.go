// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Update changes the VM in place, and resumes a wait for its network that has
// not succeeded yet. What was applied before a failure is in the state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer diagx.NameArguments(&resp.Diagnostics)
	var config, plan, state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client, ok := r.data.Client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Update(ctx, defaultUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	rec, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	u := update{Resource: r, client: client, config: &config, plan: &plan, applied: state, record: rec}
	change, diags := u.prepare(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	err := u.apply(ctx, change)
	switch {
	case err == nil && change.waits:
		if r.waitNetwork(ctx, client, &u.applied, change.scope(config.PowerState), &resp.Diagnostics) {
			resp.State.RemoveResource(ctx)
			return
		}
	case err == nil:
		err = r.readBack(ctx, client, change, &u.applied)
	}
	if err != nil {
		diagx.AddError(&resp.Diagnostics, "update", object, state.Name.ValueString(), err)
		diags = u.applied.saveOver(ctx, &resp.State)
	} else {
		u.applied.takePlannedComputed(&plan)
		diags = u.applied.save(ctx, &resp.State)
	}
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		return
	}
	u.record.Takeover = u.record.Takeover.after(err)
	resp.Diagnostics.Append(u.record.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, u.applied.ID)...)
}

// update is an update of a VM while it is carried out.
type update struct {
	*Resource
	client       *tower.Client
	config, plan *model
	// applied is the state that the update has led to so far. It begins as the
	// state before the update, and each step writes into it what it has done.
	applied model
	record  record
}

// prepare finds what the update has to change, and refuses what can't be done.
// Nothing has been changed yet.
func (u *update) prepare(ctx context.Context) (change, diag.Diagnostics) {
	var diags diag.Diagnostics
	unread := u.record.Takeover.unread()
	if unread {
		diags.Append(u.readTakenOver(ctx, u.client, &u.applied, &u.record.Volumes)...)
	}
	// What the VM has and the configuration names for the first time.
	state := u.applied
	nicsRead, d := u.adoptNICs(ctx, u.plan, &state)
	diags.Append(d...)
	diags.Append(u.adoptDisks(ctx, u.config, &state, u.record.Takeover.unapplied())...)
	diags.Append(u.adoptGPUs(ctx, u.plan, &state)...)
	change, d := compare(ctx, u.config, u.plan, &state, u.record.Takeover.nullMeansUnknown(nicsRead), u.record.StartPending)
	diags.Append(d...)
	diags.Append(u.checkVolumes(ctx, u.config, state.ID.ValueString(), change.disks.edits, false)...)
	diags.Append(u.checkISOs(ctx, u.plan, &state)...)
	diags.Append(u.checkGPUs(ctx, u.plan, &state, state.ID.ValueString(), true)...)
	if unread && !diags.HasError() {
		diags.Append(change.fillComputed(ctx, u.config, u.plan, &state)...)
	}
	u.applied.SystemDisk, u.applied.DataDisks, u.applied.GPUDevices = state.SystemDisk, state.DataDisks, state.GPUDevices
	return change, diags
}

// apply carries the change out, as far as it succeeds.
func (u *update) apply(ctx context.Context, change change) error {
	u.applied.takeSettings(u.plan)
	err := u.applyChange(ctx, u.client, change, u.config, u.plan, &u.applied, &u.record.Volumes)
	u.record.StartPending = change.startPendingAfter(err, &u.applied)
	return err
}

// takeSettings takes from the plan what nothing has to be done for: the arguments
// that Tower does not have, or can't change. What the update may find out becomes
// unknown.
func (m *model) takeSettings(plan *model) {
	m.ClusterID, m.GuestOSType, m.Firmware = plan.ClusterID, plan.GuestOSType, plan.Firmware
	m.Source, m.CloudInit, m.NetworkReadiness, m.Timeouts = plan.Source, plan.CloudInit, plan.NetworkReadiness, plan.Timeouts
	m.ShutdownTimeout, m.ForcePowerOff, m.DeleteMode = plan.ShutdownTimeout, plan.ForcePowerOff, plan.DeleteMode

	m.LocalID, m.ProviderID = unknown(plan.LocalID, m.LocalID), unknown(plan.ProviderID, m.ProviderID)
	m.Status, m.VMToolsStatus = unknown(plan.Status, m.Status), unknown(plan.VMToolsStatus, m.VMToolsStatus)
	m.IPAddresses, m.DefaultIPAddress = unknown(plan.IPAddresses, m.IPAddresses), unknown(plan.DefaultIPAddress, m.DefaultIPAddress)
	m.NetworkReady = unknown(plan.NetworkReady, m.NetworkReady)
	m.NetworkReadinessReport = unknown(plan.NetworkReadinessReport, m.NetworkReadinessReport)
}

// takePlannedComputed takes from the plan the computed values that it has said, at
// the end of an update that has succeeded.
func (m *model) takePlannedComputed(plan *model) {
	m.ID, m.PowerState = plan.ID, known(plan.PowerState, m.PowerState)
	m.LocalID, m.ProviderID = known(plan.LocalID, m.LocalID), known(plan.ProviderID, m.ProviderID)
	m.Status, m.VMToolsStatus = known(plan.Status, m.Status), known(plan.VMToolsStatus, m.VMToolsStatus)
	m.IPAddresses, m.DefaultIPAddress = known(plan.IPAddresses, m.IPAddresses), known(plan.DefaultIPAddress, m.DefaultIPAddress)
	m.NetworkReady = known(plan.NetworkReady, m.NetworkReady)
	m.NetworkReadinessReport = known(plan.NetworkReadinessReport, m.NetworkReadinessReport)
}

// scope is what the update waits for: the whole network, or the NICs that have
// changed. An address that the guest was just given must have arrived there; the
// one from before says nothing.
func (c *change) scope(powerState types.String) waitScope {
	scope := waitScope{runs: meantToRun(powerState), restarted: c.power == tower.StatusRunning || len(c.stops) > 0}
	if c.waitsForAll || c.unknown {
		return scope
	}
	scope.only = make([]bool, 0, len(c.nics.edits))
	for _, edit := range c.nics.edits {
		scope.only = append(scope.only, edit.waits)
		scope.requireStatic = scope.requireStatic || edit.guest != nil
	}
	return scope
}

// readBack fills what the change made uncertain without a wait: after a power
// change, or where waiting is switched off. NICs that came with the
// configuration of an imported VM learn their MACs.
func (r *Resource) readBack(ctx context.Context, client *tower.Client, change change, applied *model) error {
	nics, diags := nicsFrom(ctx, applied.NICs)
	if diags.HasError() {
		return errors.New("the NICs of the plan can't be read")
	}
	mayLearn := change.affectsRun() || change.nics.changesTower()
	for _, nic := range nics {
		mayLearn = mayLearn || nic.MACAddress.IsUnknown() || nic.IPAddresses.IsUnknown()
	}
	if !mayLearn {
		return nil
	}
	id := applied.ID.ValueString()
	vm, err := client.VM(ctx, id)
	if err != nil {
		return fmt.Errorf("reading the VM back: %w", err)
	}
	reported, err := client.VMNICs(ctx, id)
	if err != nil {
		return fmt.Errorf("reading the NICs back: %w", err)
	}
	applied.fillStatus(vm)
	if _, diags := applied.refreshAddresses(ctx, r.data, vm, reported, true); diags.HasError() {
		return errors.New("the addresses can't be written to the state")
	}
	return nil
}
