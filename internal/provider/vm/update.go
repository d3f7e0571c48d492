// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// startAgainTimeout bounds the start of a VM that a failed change has stopped.
const startAgainTimeout = time.Minute

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
	if rec.Takeover.unread() {
		resp.Diagnostics.Append(r.readTakenOver(ctx, client, &state, &rec.Volumes)...)
	}
	adopted, diags := r.adoptNICs(ctx, &plan, &state)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.adoptDisks(ctx, &config, &state, rec.Takeover.unapplied())...)
	resp.Diagnostics.Append(r.adoptGPUs(ctx, &plan, &state)...)
	change, diags := compare(ctx, &config, &plan, &state, rec.Takeover.nullMeansUnknown(adopted), rec.StartPending)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.checkVolumes(ctx, &config, state.ID.ValueString(), change.disks.edits, false)...)
	resp.Diagnostics.Append(r.checkISOs(ctx, &plan, &state)...)
	resp.Diagnostics.Append(r.checkGPUs(ctx, &plan, &state, state.ID.ValueString(), true)...)
	if rec.Takeover.unread() && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(change.fillComputed(ctx, &config, &plan, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	applied := plan
	applied.resetToState(&state)
	err := r.applyChange(ctx, client, change, &config, &plan, &applied, &rec.Volumes)
	rec.StartPending = change.startPendingAfter(err, &applied)
	if err == nil && change.waits {
		if r.waitNetwork(ctx, client, &applied, change.scope(config.PowerState), &resp.Diagnostics) {
			resp.State.RemoveResource(ctx)
			return
		}
	} else if err == nil {
		err = r.readBack(ctx, client, change, &applied)
	}
	if err != nil {
		diagx.AddError(&resp.Diagnostics, "update", object, state.Name.ValueString(), err)
		applied.fillUnknownFrom(&state)
	}
	resp.Diagnostics.Append(applied.nullUnknowns(ctx)...)
	if diags := resp.State.Set(ctx, &applied); diags.HasError() {
		resp.Diagnostics.Append(diags...)
		return
	}
	resp.Diagnostics.Append(identify(ctx, resp.Identity, applied.ID)...)
	rec.Takeover = rec.Takeover.after(err)
	resp.Diagnostics.Append(rec.save(ctx, resp.Private)...)
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

// resetToState gives the arguments that live in Tower their prior values: what has
// not been applied yet must not be recorded as applied.
func (m *model) resetToState(state *model) {
	m.Name, m.Description, m.HA = state.Name, state.Description, state.HA
	m.NumCPUs, m.NumCoresPerSocket, m.MemoryMiB = state.NumCPUs, state.NumCoresPerSocket, state.MemoryMiB
	m.PowerState = state.PowerState
	m.ID, m.LocalID, m.ProviderID = state.ID, state.LocalID, state.ProviderID
	m.SystemDisk, m.DataDisks, m.CDROMs, m.GPUDevices = state.SystemDisk, state.DataDisks, state.CDROMs, state.GPUDevices
	m.Labels, m.LabelsAll = state.Labels, state.LabelsAll
	m.FolderID, m.HostID, m.PlacementGroupID, m.Owner = state.FolderID, state.HostID, state.PlacementGroupID, state.Owner
	m.keepIO(state)
}

// fillUnknownFrom gives what the plan has left unknown its prior value, after a change
// that failed before it could be found out.
func (m *model) fillUnknownFrom(state *model) {
	m.Status, m.VMToolsStatus = knownOr(m.Status, state.Status), knownOr(m.VMToolsStatus, state.VMToolsStatus)
	m.DefaultIPAddress = knownOr(m.DefaultIPAddress, state.DefaultIPAddress)
	m.NetworkReady = knownBoolOr(m.NetworkReady, state.NetworkReady)
	if m.IPAddresses.IsUnknown() {
		m.IPAddresses = state.IPAddresses
	}
	if m.NetworkReadinessReport.IsUnknown() {
		m.NetworkReadinessReport = state.NetworkReadinessReport
	}
}

// applyChange sends what differs, the least that achieves it, and records each
// step in applied as soon as it has succeeded.
func (r *Resource) applyChange(ctx context.Context, client *tower.Client, change change, config, plan, applied *model, owns *ownership) error {
	// First what needs no stop, so that a failure of it leaves no VM stopped.
	if err := r.applyLabels(ctx, client, change.unapplied, plan, applied); err != nil {
		return err
	}
	if err := applyIO(ctx, client, plan, applied); err != nil {
		return err
	}
	if err := applyPlacement(ctx, client, change.unapplied, plan, applied); err != nil {
		return err
	}
	id := applied.ID.ValueString()
	had, diags := applied.gpus(ctx)
	if err := diagnosticsError(diags); err != nil {
		return err
	}
	// GPU devices tie a VM to its host, until they have been taken from it.
	if len(had) == 0 {
		if err := applyHost(ctx, client, plan, applied); err != nil {
			return err
		}
	}
	stop := tower.StopOptions{
		Graceful: attrs.DurationOr(plan.ShutdownTimeout, 0),
		Force:    attrs.BoolOr(plan.ForcePowerOff, true),
	}
	// A VM that is to be off anyway is switched off first: then nothing has to
	// be changed while it runs.
	if len(change.stops) > 0 || change.power == tower.StatusStopped {
		if err := client.StopVM(ctx, id, stop); err != nil {
			return fmt.Errorf("%w: %w", errStopping, err)
		}
		applied.setPower(ctx, tower.StatusStopped)
	}
	err := r.applyDevices(ctx, client, change, config, plan, applied, owns)
	switch {
	case err != nil && len(change.stops) > 0:
		return startAgain(ctx, client, applied, err)
	case err != nil:
		return err
	}
	if err := r.applyPower(ctx, client, change, applied); err != nil {
		return err
	}
	return r.configureNICs(ctx, client, change.nics, applied)
}

// applyDevices changes NICs, disks, drives, the VM's own properties and its GPU
// devices, which come last and go first: with them the VM can neither move nor
// be highly available.
func (r *Resource) applyDevices(ctx context.Context, client *tower.Client, change change, config, plan, applied *model, owns *ownership) error {
	if err := removeGPUs(ctx, client, change.gpus, applied); err != nil {
		return err
	}
	if err := applyHost(ctx, client, plan, applied); err != nil {
		return err
	}
	if err := r.applyNICs(ctx, client, change.nics, applied); err != nil {
		return err
	}
	if err := applyDisks(ctx, client, change.disks, config, applied, owns); err != nil {
		return err
	}
	if err := applyCDROMs(ctx, client, plan, applied); err != nil {
		return err
	}
	if err := applyOwn(ctx, client, plan, applied); err != nil {
		return err
	}
	return addGPUs(ctx, client, change.gpus, plan, applied)
}

// applyOwn changes the VM's own properties.
func applyOwn(ctx context.Context, client *tower.Client, plan, applied *model) error {
	in, differs := updateOf(plan, applied)
	if !differs {
		return nil
	}
	if err := client.UpdateVM(ctx, applied.ID.ValueString(), in); err != nil {
		return err
	}
	applied.Name, applied.Description, applied.HA = knownOr(plan.Name, applied.Name), knownOr(plan.Description, applied.Description), knownBoolOr(plan.HA, applied.HA)
	applied.NumCPUs, applied.MemoryMiB = knownIntOr(plan.NumCPUs, applied.NumCPUs), knownIntOr(plan.MemoryMiB, applied.MemoryMiB)
	applied.NumCoresPerSocket = knownIntOr(plan.NumCoresPerSocket, applied.NumCoresPerSocket)
	return nil
}

// startAgain starts a VM that a failed change has stopped, also when the change
// was cancelled. The next apply waits for its network.
func startAgain(ctx context.Context, client *tower.Client, applied *model, cause error) error {
	applied.expectWait(ctx, true)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startAgainTimeout)
	defer cancel()
	if err := client.StartVM(ctx, applied.ID.ValueString(), applied.HostID.ValueString()); err != nil {
		return fmt.Errorf("%w; the VM was stopped for the change, and starting it again failed, too: %w", cause, err)
	}
	applied.setPower(ctx, tower.StatusRunning)
	return cause
}

// applyPower brings the VM to the power state that the change ends with.
func (r *Resource) applyPower(ctx context.Context, client *tower.Client, change change, applied *model) error {
	id := applied.ID.ValueString()
	switch {
	case change.power == tower.StatusRunning && applied.PowerState.ValueString() == tower.StatusSuspended:
		if err := client.ResumeVM(ctx, id); err != nil {
			return fmt.Errorf("resuming the VM: %w", err)
		}
	case change.power == tower.StatusRunning || len(change.stops) > 0:
		if err := client.StartVM(ctx, id, applied.HostID.ValueString()); err != nil {
			// The next apply says that the VM does not run.
			applied.expectWait(ctx, true)
			return fmt.Errorf("starting the VM: %w", err)
		}
	case change.power != tower.StatusSuspended:
		return nil
	}
	applied.setPower(ctx, tower.StatusRunning)
	if change.power != tower.StatusSuspended {
		return nil
	}
	if err := client.SuspendVM(ctx, id); err != nil {
		return fmt.Errorf("suspending the VM: %w", err)
	}
	applied.setPower(ctx, tower.StatusSuspended)
	return nil
}

// setPower records that the VM was brought to a power state. What an earlier wait
// has found does not hold any more.
func (m *model) setPower(ctx context.Context, status string) {
	m.PowerState, m.Status = types.StringValue(status), types.StringValue(status)
	m.expectWait(ctx, status == tower.StatusRunning)
}

// updateOf is the call that brings the VM's own properties to the plan, and
// whether there is anything to send.
func updateOf(plan, applied *model) (tower.VMUpdate, bool) {
	var in tower.VMUpdate
	if attrs.IsKnown(plan.Name) && !plan.Name.Equal(applied.Name) {
		in.Name = attrs.StringPtr(plan.Name)
	}
	if attrs.IsKnown(plan.Description) && !plan.Description.Equal(applied.Description) {
		in.Description = attrs.StringPtr(plan.Description)
	}
	if attrs.IsKnown(plan.HA) && !plan.HA.Equal(applied.HA) {
		in.HA = attrs.BoolPtr(plan.HA)
	}
	differs := func(planned, current types.Int64) bool { return attrs.IsKnown(planned) && !planned.Equal(current) }
	if differs(plan.NumCPUs, applied.NumCPUs) || differs(plan.NumCoresPerSocket, applied.NumCoresPerSocket) {
		cpus, cores := attrs.Int64Or(plan.NumCPUs, applied.NumCPUs.ValueInt64()), attrs.Int64Or(plan.NumCoresPerSocket, applied.NumCoresPerSocket.ValueInt64())
		perSocket, sockets := int(max(cores, 1)), int(cpus/max(cores, 1))
		in.CPUCores, in.CPUSockets = &perSocket, &sockets
	}
	if differs(plan.MemoryMiB, applied.MemoryMiB) {
		bytes := plan.MemoryMiB.ValueInt64() * mebibyte
		in.MemoryBytes = &bytes
	}
	return in, in != (tower.VMUpdate{})
}

func knownOr(planned, current types.String) types.String {
	if planned.IsUnknown() {
		return current
	}
	return planned
}

func knownIntOr(planned, current types.Int64) types.Int64 {
	if planned.IsUnknown() {
		return current
	}
	return planned
}

func knownBoolOr(planned, current types.Bool) types.Bool {
	if planned.IsUnknown() {
		return current
	}
	return planned
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
