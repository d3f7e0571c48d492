// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// validateDelete refuses delete_snapshots where nothing is deleted.
func validateDelete(config *model, diags *diag.Diagnostics) {
	if config.DeleteMode.ValueString() == deleteRecycleBin && config.DeleteSnapshots.ValueBool() {
		diags.AddAttributeError(path.Root("delete_snapshots"), "Invalid delete_snapshots",
			fmt.Sprintf("delete_mode is %s, and a VM in the recycle bin keeps its snapshots. Remove delete_snapshots, or set delete_mode to %s.", deleteRecycleBin, deletePermanent))
	}
}

// snapshotsOf reads the snapshots of a VM. They are read for a warning alone, so a
// failure is only logged.
func snapshotsOf(ctx context.Context, client *tower.Client, vmID string) []tower.VMSnapshot {
	snapshots, err := client.SnapshotsOfVM(ctx, vmID)
	if err != nil {
		tflog.Warn(ctx, "Snapshots of the VM not read", map[string]any{"vm_id": vmID, "error": err.Error()})
	}
	return snapshots
}

// warnSnapshots warns, before a VM is destroyed, of the snapshots that it has and
// that are not deleted with it.
func warnSnapshots(ctx context.Context, client *tower.Client, state *model, diags *diag.Diagnostics) {
	if attrs.BoolOr(state.DeleteSnapshots, false) {
		return
	}
	snapshots := snapshotsOf(ctx, client, state.ID.ValueString())
	if len(snapshots) == 0 {
		return
	}
	diags.AddAttributeWarning(path.Root("delete_snapshots"), fmt.Sprintf("VM %q has snapshots", state.Name.ValueString()),
		fmt.Sprintf("Destroying the VM does not delete its snapshots, which stay in Tower unless this run deletes them first: %s. "+
			"To delete them with the VM, set delete_snapshots = true and apply before destroying.", snapshotNames(snapshots)))
}

// addSnapshotsLeft warns of the snapshots of a VM that was deleted without them.
func addSnapshotsLeft(diags *diag.Diagnostics, state *model, left []tower.VMSnapshot) {
	diags.AddWarning(fmt.Sprintf("Snapshots of VM %q are left", state.Name.ValueString()),
		fmt.Sprintf("VM %s was deleted, but not its snapshots: %s. They take up space until they are deleted in Tower. "+
			"With delete_snapshots = true, a VM is destroyed with its snapshots.", state.ID.ValueString(), snapshotNames(left)))
}

// snapshotNames lists snapshots for a message.
func snapshotNames(snapshots []tower.VMSnapshot) string {
	const most = 20
	names := make([]string, 0, len(snapshots))
	for _, s := range snapshots {
		names = append(names, fmt.Sprintf("%q (id %s)", s.Name, s.ID))
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
