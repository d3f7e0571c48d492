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
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
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
	u := update{Resource: r, client: client, config: &config, plan: &plan, prior: &state, applied: state, record: rec}
	change, diags, err := u.run(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
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
		u.applied.ID = plan.ID
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
	prior        *model
	// applied is the state that the update has led to so far. It begins as the
	// state before the update, and each step writes into it what it has done.
	applied model
	record  record
}

// run changes the VM. An error among the diagnostics says that nothing was done.
// Tower may know the VM by another id than at the refresh: then the rest is done
// with that one. The state keeps the id that the plan has shown until the next
// refresh, which finds the VM by its local id.
func (u *update) run(ctx context.Context) (change, diag.Diagnostics, error) {
	for again := false; ; again = true {
		var err error
		change, diags := u.prepare(ctx)
		if !diags.HasError() {
			err = u.apply(ctx, change)
		}
		if again || !diags.HasError() && !errors.Is(err, tower.ErrNotFound) || !u.findByOtherID(ctx) {
			return change, diags, err
		}
	}
}

// findByOtherID reports whether Tower knows the VM by another id, and goes on with
// that one.
func (u *update) findByOtherID(ctx context.Context) bool {
	id := otherID(ctx, u.client, u.prior)
	if id == "" || id == u.applied.ID.ValueString() {
		return false
	}
	// What was not found out is as it was before.
	u.applied.fillUnknownComputed(u.prior)
	u.applied.ID = types.StringValue(id)
	return true
}

// otherID is the id by which Tower knows a VM that it does not know by the id of
// the model, "" where there is none.
func otherID(ctx context.Context, client *tower.Client, m *model) string {
	vm, err := lookup.ByIDs(ctx, client.VM, m.ID.ValueString(), m.LocalID.ValueString())
	if err != nil || vm.InRecycleBin || vm.ID == m.ID.ValueString() {
		return ""
	}
	return vm.ID
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
	m.ShutdownTimeout, m.ForcePowerOff = plan.ShutdownTimeout, plan.ForcePowerOff
	m.DeleteMode, m.DeleteSnapshots = plan.DeleteMode, plan.DeleteSnapshots

	m.LocalID, m.ProviderID = unknown(plan.LocalID, m.LocalID), unknown(plan.ProviderID, m.ProviderID)
	m.Status, m.VMToolsStatus = unknown(plan.Status, m.Status), unknown(plan.VMToolsStatus, m.VMToolsStatus)
	m.IPAddresses, m.DefaultIPAddress = unknown(plan.IPAddresses, m.IPAddresses), unknown(plan.DefaultIPAddress, m.DefaultIPAddress)
	m.NetworkReady = unknown(plan.NetworkReady, m.NetworkReady)
	m.NetworkReadinessReport = unknown(plan.NetworkReadinessReport, m.NetworkReadinessReport)
}

// fillUnknownComputed gives what an update may find out, and has not, the value that it
// has in another model.
func (m *model) fillUnknownComputed(from *model) {
	m.LocalID, m.ProviderID = known(m.LocalID, from.LocalID), known(m.ProviderID, from.ProviderID)
	m.Status, m.VMToolsStatus = known(m.Status, from.Status), known(m.VMToolsStatus, from.VMToolsStatus)
	m.IPAddresses, m.DefaultIPAddress = known(m.IPAddresses, from.IPAddresses), known(m.DefaultIPAddress, from.DefaultIPAddress)
	m.NetworkReady = known(m.NetworkReady, from.NetworkReady)
	m.NetworkReadinessReport = known(m.NetworkReadinessReport, from.NetworkReadinessReport)
}

// takePlannedComputed takes from the plan the computed values that it has said, at
// the end of an update that has succeeded.
func (m *model) takePlannedComputed(plan *model) {
	planned := *plan
	planned.fillUnknownComputed(m)
	m.ID, m.PowerState = plan.ID, known(plan.PowerState, m.PowerState)
	m.LocalID, m.ProviderID, m.Status, m.VMToolsStatus = planned.LocalID, planned.ProviderID, planned.Status, planned.VMToolsStatus
	m.IPAddresses, m.DefaultIPAddress = planned.IPAddresses, planned.DefaultIPAddress
	m.NetworkReady, m.NetworkReadinessReport = planned.NetworkReady, planned.NetworkReadinessReport
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
