// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Delete stops the guest, gracefully first, and deletes the VM or moves it to
// the recycle bin. A VM that is gone already is a success, and so is one in the
// recycle bin: somebody put it there to keep it.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client, ok := r.data.Client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := state.Timeouts.Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	rec, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.giveUpAddresses(&state)
	left, err := deleteVM(ctx, client, &state, rec.Volumes)
	switch {
	case err != nil && !errors.Is(err, tower.ErrNotFound):
		diagx.AddError(&resp.Diagnostics, "delete", object, state.Name.ValueString(), err)
	case len(left) > 0:
		addSnapshotsLeft(&resp.Diagnostics, &state, left)
	}
}

// deleteVM deletes the VM or moves it to the recycle bin, and returns the snapshots
// of a VM that it has deleted without them.
func deleteVM(ctx context.Context, client *tower.Client, state *model, owns ownership) ([]tower.VMSnapshot, error) {
	vm, err := lookup.ByIDs(ctx, client.VM, state.ID.ValueString(), state.LocalID.ValueString())
	if err != nil || vm.InRecycleBin {
		return nil, err
	}
	id := vm.ID
	state.ID = types.StringValue(id)
	recycles := state.DeleteMode.ValueString() == deleteRecycleBin
	if recycles {
		// Asked first: Tower refuses only once the VM has been stopped.
		enabled, err := client.RecycleBinEnabled(ctx, vm.ClusterID)
		if err != nil {
			return nil, fmt.Errorf("asking whether the recycle bin is on: %w", err)
		}
		if !enabled {
			return nil, errors.New(binOff)
		}
	}
	if vm.Status != tower.StatusStopped {
		stop := tower.StopOptions{
			Graceful: attrs.DurationOr(state.ShutdownTimeout, 0),
			Force:    attrs.BoolOr(state.ForcePowerOff, true),
		}
		if err := client.StopVM(ctx, id, stop); err != nil {
			return nil, fmt.Errorf("stopping VM %s before deleting it: %w", id, err)
		}
	}
	if err := releaseVolumes(ctx, client, state, owns); err != nil {
		return nil, err
	}
	switch {
	case recycles:
		return nil, client.MoveVMToRecycleBin(ctx, id)
	case attrs.BoolOr(state.DeleteSnapshots, false):
		return nil, client.DeleteVMAndSnapshots(ctx, id)
	}
	// Read first: afterwards, Tower does not tell whose they were.
	left := snapshotsOf(ctx, client, id)
	if err := client.DeleteVM(ctx, id); err != nil {
		return nil, err
	}
	return left, nil
}
