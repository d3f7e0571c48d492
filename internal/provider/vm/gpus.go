// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
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

// refreshGPUs brings the devices of the model up to date, in its order. Of an
// imported VM all are listed, with the host that they tie it to; a VM of which
// none are managed is not asked for.
func (m *model) refreshGPUs(ctx context.Context, client *tower.Client, vm *tower.VM, firstRead bool) error {
	if m.GPUDevices.IsNull() && (!firstRead || len(vm.GPUIDs) == 0) {
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
	if firstRead {
		m.HostID = attrs.StringOrNull(vm.HostID)
	}
	return diagnosticsError(diags)
}
