// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// gpusChange is what becomes of the devices of a VM. Of a device whose amount
// changes the old one is removed and the new one added.
type gpusChange struct {
	remove, add []tower.VMGPU
	why         []string // in words, why a VM that runs has to be stopped
}

func (c gpusChange) changesTower() bool { return len(c.remove)+len(c.add) > 0 }

// compareGPUs finds what becomes of the devices. Without the argument they are
// left alone.
func compareGPUs(ctx context.Context, plan, state *model) (gpusChange, diag.Diagnostics) {
	var c gpusChange
	if !attrs.IsKnown(plan.GPUDevices) {
		return c, nil
	}
	wanted, diags := plan.gpus(ctx)
	current, d := state.gpus(ctx)
	diags.Append(d...)
	for _, g := range wanted {
		switch has := amountOf(current, g.DeviceID); {
		case has == g.Amount:
			continue
		case has == 0:
			c.why = append(c.why, fmt.Sprintf("the GPU device %s is added", g.DeviceID))
		default:
			c.why = append(c.why, fmt.Sprintf("the amount of the GPU device %s changes from %d to %d", g.DeviceID, has, g.Amount))
			c.remove = append(c.remove, tower.VMGPU{DeviceID: g.DeviceID, Amount: has})
		}
		c.add = append(c.add, g)
	}
	for _, g := range current {
		if amountOf(wanted, g.DeviceID) == 0 {
			c.why = append(c.why, fmt.Sprintf("the GPU device %s is removed", g.DeviceID))
			c.remove = append(c.remove, g)
		}
	}
	return c, diags
}

// compareGPUs finds the changes of GPU devices, for which the VM has to be off.
// With devices it can't move to another host while it runs, either.
func (c *change) compareGPUs(ctx context.Context, plan, state *model) diag.Diagnostics {
	gpus, diags := compareGPUs(ctx, plan, state)
	c.gpus = gpus
	had, d := state.gpus(ctx)
	diags.Append(d...)
	moves := len(had) > 0 && attrs.IsKnown(plan.HostID) && !plan.HostID.Equal(state.HostID)
	switch status := state.Status.ValueString(); {
	case c.power == tower.StatusStopped || status == tower.StatusStopped:
	case status == tower.StatusRunning:
		c.stops = append(c.stops, gpus.why...)
		if moves && !gpus.changesTower() {
			c.stops = append(c.stops, "a VM with GPU devices moves to another host")
		}
	case gpus.changesTower():
		diags.AddAttributeError(path.Root("gpu_devices"), "The VM is neither stopped nor running",
			fmt.Sprintf("GPU devices of a VM change while it is off. This one is %s: start or stop it first (power_state).", status))
	}
	return diags
}

// adoptGPUs adds to the state the devices that the VM has already where the
// configuration manages them for the first time.
func (r *Resource) adoptGPUs(ctx context.Context, plan, state *model) diag.Diagnostics {
	var diags diag.Diagnostics
	client, ok := r.data.TryClient()
	if !ok || !state.GPUDevices.IsNull() || !attrs.IsKnown(plan.GPUDevices) {
		return diags
	}
	id := state.ID.ValueString()
	found, err := client.VM(ctx, id)
	if err == nil && len(found.GPUIDs) > 0 {
		var gpus []tower.VMGPU
		if gpus, err = client.VMGPUs(ctx, id); err == nil {
			state.GPUDevices, diags = gpuList(ctx, gpus)
		}
	}
	if err != nil {
		diagx.AddAttributeError(&diags, path.Root("gpu_devices"), "read", object, state.Name.ValueString(), err)
	}
	return diags
}
