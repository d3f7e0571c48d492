// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// finishCreate does what Tower takes only once the VM exists. What a failure
// leaves unfinished is a warning, because an error would have the next apply
// destroy the VM: the next refresh sees what is missing, and the next apply
// completes it in place.
func (r *Resource) finishCreate(ctx context.Context, client *tower.Client, plan *model, vm *tower.VM, diags *diag.Diagnostics) {
	made := *plan
	made.Labels, made.LabelsAll = types.MapNull(types.StringType), types.MapNull(types.StringType)
	made.fillPlacement(vm)
	made.fillIO(vm.IO)
	unfinished := func(at, what string, err error) {
		if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
			addUnfinished(diags, path.Root(at), what, plan, err)
		}
	}
	plan.LabelsAll = r.labelsAll(plan.Labels)
	change, _ := labelChange(plan.LabelsAll, made.LabelsAll, false)
	unfinished("labels", "labels", client.ChangeVMLabels(ctx, vm, change))
	unfinished("folder_id", "folder", applyFolder(ctx, client, plan, &made))
	unfinished("placement_group_id", "placement group", applyGroup(ctx, client, plan, &made))
	err := applyIO(ctx, client, plan, &made)
	if err == nil {
		plan.keepIO(&made)
	}
	unfinished("io_policy", "I/O limits", err)
}

// addUnfinished says what of a new VM could not be done. It is a warning: an
// error would taint a good VM, and the next apply would destroy it.
func addUnfinished(diags *diag.Diagnostics, at path.Path, what string, plan *model, err error) {
	diags.AddAttributeWarning(at, fmt.Sprintf("VM %q was created without its %s", plan.Name.ValueString(), what),
		fmt.Sprintf("%s\n\nVM %s is kept; the next apply sets what is missing in place.", diagx.Detail(err), plan.ID.ValueString()))
}
