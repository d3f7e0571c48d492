// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// maxVGPUs only catches a slip.
const maxVGPUs = 1024

// gpuModel is one element of gpu_devices.
type gpuModel struct {
	GPUID  types.String `tfsdk:"gpu_id"`
	Amount types.Int64  `tfsdk:"amount"`
}

func gpuType() types.ObjectType {
	return types.ObjectType{AttrTypes: map[string]attr.Type{"gpu_id": types.StringType, "amount": types.Int64Type}}
}

func gpuDevicesAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "The GPU devices of the VM, all of them. They are on the host of the VM, so `host_id` has to be set, and `ha` has to be `false`. " +
			"Changing them stops and starts the VM, which the plan announces. " +
			"Where the argument is absent, the devices stay as they are and none is managed; `[]` removes them all.",
		NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"gpu_id": schema.StringAttribute{
					Required:            true,
					MarkdownDescription: "Tower's id of the GPU device, one of the host `host_id`.",
					Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				},
				"amount": schema.Int64Attribute{
					Optional: true, Computed: true,
					Default:             int64default.StaticInt64(1),
					MarkdownDescription: "How many virtual GPUs of a device that is cut into some (its usage is `VGPU`). Default `1`, the only amount of a device that is passed through.",
					Validators:          []validator.Int64{int64validator.Between(1, maxVGPUs)},
				},
			},
		},
	}
}

// gpusFrom reads the elements of gpu_devices; nil where the list is null or unknown.
func gpusFrom(ctx context.Context, list types.List) ([]gpuModel, diag.Diagnostics) {
	return network.Elements(ctx, list, func() gpuModel {
		return gpuModel{GPUID: types.StringUnknown(), Amount: types.Int64Unknown()}
	})
}

func gpuList(ctx context.Context, gpus []tower.VMGPU) (types.List, diag.Diagnostics) {
	models := make([]gpuModel, 0, len(gpus))
	for _, g := range gpus {
		models = append(models, gpuModel{GPUID: types.StringValue(g.DeviceID), Amount: types.Int64Value(int64(g.Amount))})
	}
	return types.ListValueFrom(ctx, gpuType(), models)
}

// assignment is the element as Tower takes it.
func (g gpuModel) assignment() tower.VMGPU {
	return tower.VMGPU{DeviceID: g.GPUID.ValueString(), Amount: int(attrs.Int64Or(g.Amount, 1))}
}

// gpus are the devices that the list names, as far as they are known.
func (m *model) gpus(ctx context.Context) ([]tower.VMGPU, diag.Diagnostics) {
	models, diags := gpusFrom(ctx, m.GPUDevices)
	var out []tower.VMGPU
	for _, g := range models {
		if attrs.IsKnown(g.GPUID) {
			out = append(out, g.assignment())
		}
	}
	return out, diags
}

// amountOf is how much of a device is in a list, 0 for none.
func amountOf(gpus []tower.VMGPU, deviceID string) int {
	for _, g := range gpus {
		if g.DeviceID == deviceID {
			return g.Amount
		}
	}
	return 0
}

// gpusChange is what becomes of the devices of a VM. Of a device whose amount
// changes the old one is removed and the new one added.
type gpusChange struct {
	remove, add []tower.VMGPU
	why         []string // in words, why a VM that runs has to be stopped
}

func (c gpusChange) sends() bool { return len(c.remove)+len(c.add) > 0 }

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
	case c.power == powerStopped || status == powerStopped:
	case status == powerRunning:
		c.stops = append(c.stops, gpus.why...)
		if moves && !gpus.sends() {
			c.stops = append(c.stops, "a VM with GPU devices moves to another host")
		}
	case gpus.sends():
		diags.AddAttributeError(path.Root("gpu_devices"), "The VM is neither stopped nor running",
			fmt.Sprintf("GPU devices of a VM change while it is off. This one is %s: start or stop it first (power_state).", status))
	}
	return diags
}

// adoptGPUs adds to the state the devices that the VM has already where the
// configuration manages them for the first time.
func (r *Resource) adoptGPUs(ctx context.Context, plan, state *model) diag.Diagnostics {
	var diags diag.Diagnostics
	if !state.GPUDevices.IsNull() || !attrs.IsKnown(plan.GPUDevices) || r.data == nil || r.data.Tower == nil {
		return diags
	}
	client, id := r.data.Tower, state.ID.ValueString()
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

// removeGPUs takes the devices that go from the VM, which is off.
func removeGPUs(ctx context.Context, client *tower.Client, change gpusChange, done *model) error {
	if err := client.RemoveVMGPUs(ctx, done.ID.ValueString(), change.remove); err != nil {
		return fmt.Errorf("removing GPU devices: %w", err)
	}
	current, diags := done.gpus(ctx)
	kept := slices.DeleteFunc(current, func(g tower.VMGPU) bool { return amountOf(change.remove, g.DeviceID) > 0 })
	if !done.GPUDevices.IsNull() {
		list, d := gpuList(ctx, kept)
		diags.Append(d...)
		done.GPUDevices = list
	}
	return diagnosticsError(diags)
}

// addGPUs gives the VM, which is off, the devices that it does not have.
func addGPUs(ctx context.Context, client *tower.Client, change gpusChange, plan, done *model) error {
	if err := client.AddVMGPUs(ctx, done.ID.ValueString(), change.add); err != nil {
		return fmt.Errorf("adding GPU devices: %w", err)
	}
	done.GPUDevices = plan.GPUDevices
	return nil
}

// refreshGPUs brings the devices of the model up to date, in its order. Of an
// imported VM all are listed, with the host that they tie it to; a VM of which
// none are managed is not asked for.
func (m *model) refreshGPUs(ctx context.Context, client *tower.Client, vm *tower.VM, imported bool) error {
	if m.GPUDevices.IsNull() && (!imported || len(vm.GPUIDs) == 0) {
		return nil
	}
	var shown []tower.VMGPU
	if len(vm.GPUIDs) > 0 {
		var err error
		if shown, err = client.VMGPUs(ctx, vm.ID); err != nil {
			return fmt.Errorf("reading the GPU devices: %w", err)
		}
	}
	known, diags := m.gpus(ctx)
	var current []tower.VMGPU
	for _, g := range known {
		if amount := amountOf(shown, g.DeviceID); amount > 0 {
			current = append(current, tower.VMGPU{DeviceID: g.DeviceID, Amount: amount})
		}
	}
	for _, g := range shown {
		if amountOf(known, g.DeviceID) == 0 {
			current = append(current, g)
		}
	}
	list, d := gpuList(ctx, current)
	diags.Append(d...)
	m.GPUDevices = list
	if imported {
		m.HostID = attrs.StringOrNull(vm.HostID)
	}
	return diagnosticsError(diags)
}
