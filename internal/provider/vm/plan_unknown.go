// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A planned value must hold when the plan is applied and everything is known. So
// a value that may still change with one that is not known yet stays unknown.

// fullyKnown reports whether values are known in all their parts.
func fullyKnown(ctx context.Context, values ...attr.Value) bool {
	for _, v := range values {
		raw, err := v.ToTerraformValue(ctx)
		if err != nil || !raw.IsFullyKnown() {
			return false
		}
	}
	return true
}

// mayAffectRun reports whether what is not known yet of the configuration, besides
// the NICs, may stop or start the VM, or have its network waited for.
func (c *change) mayAffectRun(ctx context.Context, config, state *model) (bool, diag.Diagnostics) {
	if config.PowerState.IsUnknown() || !fullyKnown(ctx, config.NetworkReadiness) {
		return true, nil
	}
	if !c.interrupts(state) {
		return false, nil
	}
	if !fullyKnown(ctx, config.NumCPUs, config.NumCoresPerSocket, config.MemoryMiB, config.GPUDevices) {
		return true, nil
	}
	gpus, diags := state.gpus(ctx)
	disks, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	system, d := systemDiskFrom(ctx, config.SystemDisk)
	diags.Append(d...)
	may := len(gpus) > 0 && config.HostID.IsUnknown() || config.DataDisks.IsUnknown() || config.SystemDisk.IsUnknown() || system != nil && system.Bus.IsUnknown()
	for _, disk := range disks {
		may = may || disk.Name.IsUnknown() || disk.Bus.IsUnknown()
	}
	return may, diags
}
