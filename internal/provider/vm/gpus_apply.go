// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// removeGPUs takes the devices that go from the VM, which is off.
func removeGPUs(ctx context.Context, client *tower.Client, change gpusChange, applied *model) error {
	if err := client.RemoveVMGPUs(ctx, applied.ID.ValueString(), change.remove); err != nil {
		return fmt.Errorf("removing GPU devices: %w", err)
	}
	current, diags := applied.gpus(ctx)
	kept := slices.DeleteFunc(current, func(g tower.VMGPU) bool { return amountOf(change.remove, g.DeviceID) > 0 })
	if !applied.GPUDevices.IsNull() {
		list, d := gpuList(ctx, kept)
		diags.Append(d...)
		applied.GPUDevices = list
	}
	return diagnosticsError(diags)
}

// addGPUs gives the VM, which is off, the devices that it does not have.
func addGPUs(ctx context.Context, client *tower.Client, change gpusChange, plan, applied *model) error {
	if err := client.AddVMGPUs(ctx, applied.ID.ValueString(), change.add); err != nil {
		return fmt.Errorf("adding GPU devices: %w", err)
	}
	applied.GPUDevices = plan.GPUDevices
	return nil
}
