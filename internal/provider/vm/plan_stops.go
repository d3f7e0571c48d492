// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// comparePower refuses a power state that the VM can't be brought to.
func (c *change) comparePower(state *model) diag.Diagnostics {
	var diags diag.Diagnostics
	if c.power == tower.StatusSuspended && state.Status.ValueString() == tower.StatusStopped {
		diags.AddAttributeError(path.Root("power_state"), "Invalid power state",
			fmt.Sprintf("VM %q is stopped, and only a VM that runs can be suspended. Set power_state to RUNNING and apply first.", state.Name.ValueString()))
	}
	return diags
}

// interrupts reports whether a change that the VM has to be off for stops it.
func (c *change) interrupts(state *model) bool {
	return state.Status.ValueString() == tower.StatusRunning && c.power != tower.StatusStopped
}

// suspended reports whether the VM is suspended, and not switched off first.
func (c *change) suspended(state *model) bool {
	return state.Status.ValueString() == tower.StatusSuspended && c.power != tower.StatusStopped
}

// refuseSuspended refuses what a suspended VM has to be off for: what its guest
// has in memory would be lost.
func (c *change) refuseSuspended(state *model) diag.Diagnostics {
	var diags diag.Diagnostics
	if c.suspended(state) && len(c.stops) > 0 {
		diags.AddAttributeError(path.Root("power_state"), "A suspended VM can't take the change",
			fmt.Sprintf("VM %q is suspended, and has to be off for this change: %s. Set power_state to RUNNING or STOPPED and apply first.", state.Name.ValueString(), strings.Join(c.stops, "; ")))
	}
	return diags
}

// compareSizes finds the changes of CPU and memory that a VM can't take unless it
// is off.
func (c *change) compareSizes(plan, state *model) {
	if !c.interrupts(state) && !c.suspended(state) {
		return
	}
	shrinks := func(planned, current types.Int64) bool {
		return attrs.IsKnown(planned) && attrs.IsKnown(current) && planned.ValueInt64() < current.ValueInt64()
	}
	if shrinks(plan.NumCPUs, state.NumCPUs) {
		c.stops = append(c.stops, fmt.Sprintf("num_cpus is lowered from %d to %d", state.NumCPUs.ValueInt64(), plan.NumCPUs.ValueInt64()))
	}
	grows := attrs.IsKnown(plan.NumCPUs) && plan.NumCPUs.ValueInt64() > state.NumCPUs.ValueInt64()
	if attrs.IsKnown(plan.NumCoresPerSocket) && attrs.IsKnown(state.NumCoresPerSocket) && !grows && !plan.NumCoresPerSocket.Equal(state.NumCoresPerSocket) {
		c.stops = append(c.stops, fmt.Sprintf("num_cores_per_socket changes from %d to %d", state.NumCoresPerSocket.ValueInt64(), plan.NumCoresPerSocket.ValueInt64()))
	}
	if shrinks(plan.MemoryMiB, state.MemoryMiB) {
		c.stops = append(c.stops, fmt.Sprintf("memory_mib is lowered from %d to %d", state.MemoryMiB.ValueInt64(), plan.MemoryMiB.ValueInt64()))
	}
}

// warn announces what a person wants to know before saying yes.
func (c *change) warn(plan *model, diags *diag.Diagnostics) {
	if c.startPending {
		diags.AddWarning(fmt.Sprintf("VM %q will be started", plan.Name.ValueString()),
			"It was stopped for a change that failed, and could not be started again. To leave it off, set power_state to STOPPED.")
	}
	if len(c.stops) == 0 {
		return
	}
	otherwise := "is powered off"
	if !attrs.BoolOr(plan.ForcePowerOff, true) {
		otherwise = "stays as it is, and the apply fails"
	}
	diags.AddWarning(fmt.Sprintf("VM %q will be stopped and started", plan.Name.ValueString()),
		fmt.Sprintf("A running VM can't take this change: %s. The VM is shut down, changed and started again. Where its guest does not shut down within %s, it %s.",
			strings.Join(c.stops, "; "), plan.ShutdownTimeout.ValueString(), otherwise))
}
