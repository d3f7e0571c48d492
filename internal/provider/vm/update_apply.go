// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// startAgainTimeout bounds the start of a VM that a failed change has stopped.
const startAgainTimeout = time.Minute

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
	return r.configureNICs(ctx, client, change.nics, plan, applied)
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
	if err := r.applyNICs(ctx, client, change.nics, plan, applied); err != nil {
		return err
	}
	if err := applyDisks(ctx, client, change.disks, config, plan, applied, owns); err != nil {
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
	applied.Name, applied.Description, applied.HA = known(plan.Name, applied.Name), known(plan.Description, applied.Description), known(plan.HA, applied.HA)
	applied.NumCPUs, applied.MemoryMiB = known(plan.NumCPUs, applied.NumCPUs), known(plan.MemoryMiB, applied.MemoryMiB)
	applied.NumCoresPerSocket = known(plan.NumCoresPerSocket, applied.NumCoresPerSocket)
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
