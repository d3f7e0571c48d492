// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
)

// ValidateConfig refuses what can be known to fail before anything is created.
// Values that are still unknown are left for the apply.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	defer diagx.NameArguments(&resp.Diagnostics)
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	validateSource(ctx, &config, &resp.Diagnostics)
	validateCPUs(&config, &resp.Diagnostics)
	validateMemory(&config, &resp.Diagnostics)
	validateDisks(ctx, &config, &resp.Diagnostics)
	validateGPUs(ctx, &config, &resp.Diagnostics)
	validateIO(&config, &resp.Diagnostics)
	validateDelete(&config, &resp.Diagnostics)
	validateCloudInit(ctx, &config, &resp.Diagnostics)
	nics, diags := config.nics(ctx)
	resp.Diagnostics.Append(diags...)
	network.ValidateNICs(ctx, path.Root("nics"), nics, &resp.Diagnostics)
	create, diags := config.Timeouts.Create(ctx, 0)
	if diags.HasError() {
		create = 0 // no limit known; the attribute's own check tells.
	}
	network.ValidateReadiness(ctx, config.NetworkReadiness, create, nics, &resp.Diagnostics)
}

func validateCPUs(config *model, diags *diag.Diagnostics) {
	cpus, cores := attrs.Int64Or(config.NumCPUs, 0), attrs.Int64Or(config.NumCoresPerSocket, 0)
	if cpus > 0 && cores > 0 && cpus%cores != 0 {
		diags.AddAttributeError(path.Root("num_cpus"), "Invalid number of vCPUs",
			fmt.Sprintf("num_cpus (%d) must be a multiple of num_cores_per_socket (%d).", cpus, cores))
	}
}

// validateMemory warns of a size that not every Tower takes.
func validateMemory(config *model, diags *diag.Diagnostics) {
	const step = 512
	if mib := attrs.Int64Or(config.MemoryMiB, 0); mib%step != 0 {
		diags.AddAttributeWarning(path.Root("memory_mib"), "Unusual size of memory",
			fmt.Sprintf("memory_mib (%d) is no multiple of %d. Tower is documented to take multiples of %d MiB only, though not every release insists. Where it refuses, set it to %d.",
				mib, step, step, (mib/step+1)*step))
	}
}
