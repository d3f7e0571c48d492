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
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
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
	err := deleteVM(ctx, client, &state, rec.Volumes)
	if err != nil && !errors.Is(err, tower.ErrNotFound) {
		diagx.AddError(&resp.Diagnostics, "delete", object, state.Name.ValueString(), err)
	}
}

func deleteVM(ctx context.Context, client *tower.Client, state *model, owns ownership) error {
	vm, err := netwait.ByIDs(ctx, client, state.ID.ValueString(), state.LocalID.ValueString())
	if err != nil || vm.InRecycleBin {
		return err
	}
	id := vm.ID
	state.ID = types.StringValue(id)
	recycles := state.DeleteMode.ValueString() == deleteRecycleBin
	if recycles {
		// Asked first: Tower refuses only once the VM has been stopped.
		enabled, err := client.RecycleBinEnabled(ctx, vm.ClusterID)
		if err != nil {
			return fmt.Errorf("asking whether the recycle bin is on: %w", err)
		}
		if !enabled {
			return errors.New(binOff)
		}
	}
	if vm.Status != tower.StatusStopped {
		stop := tower.StopOptions{
			Graceful: attrs.DurationOr(state.ShutdownTimeout, 0),
			Force:    attrs.BoolOr(state.ForcePowerOff, true),
		}
		if err := client.StopVM(ctx, id, stop); err != nil {
			return fmt.Errorf("stopping VM %s before deleting it: %w", id, err)
		}
	}
	if err := releaseVolumes(ctx, client, state, owns); err != nil {
		return err
	}
	if recycles {
		return client.MoveVMToRecycleBin(ctx, id)
	}
	return client.DeleteVM(ctx, id)
}
