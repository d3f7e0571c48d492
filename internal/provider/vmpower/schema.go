// SPDX-License-Identifier: MPL-2.0

package vmpower

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// The operations.
const (
	opStart        = "START"
	opShutdown     = "SHUTDOWN"
	opPowerOff     = "POWER_OFF"
	opRestart      = "RESTART"
	opForceRestart = "FORCE_RESTART"
)

var (
	operations = []string{opStart, opShutdown, opPowerOff, opRestart, opForceRestart}
	// asking are the operations that the guest has a part in.
	asking = []string{opShutdown, opRestart}
	// verbs name the operations in sentences.
	verbs = map[string]string{
		opStart: "start", opShutdown: "shut down", opPowerOff: "power off", opRestart: "restart", opForceRestart: "restart",
	}
)

const (
	defaultTimeout         = 20 * time.Minute
	defaultShutdownTimeout = 5 * time.Minute
)

// model is the action's configuration.
type model struct {
	VMID            types.String   `tfsdk:"vm_id"`
	Operation       types.String   `tfsdk:"operation"`
	ShutdownTimeout types.String   `tfsdk:"shutdown_timeout"`
	ForcePowerOff   types.Bool     `tfsdk:"force_power_off"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`
}

// Schema describes the configuration.
func (a *Action) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Starts, stops or restarts a VM once, when it is invoked, whoever manages the VM. It returns when Tower shows the VM in its new state; " +
			"it does not wait for the network of a VM that boots, which `elf_vm_network_readiness` does. " +
			"For a power state that Terraform keeps, use `power_state` of `elf_vm`: a VM with `power_state = \"RUNNING\"` that an action stops is started again by the next apply.",
		Attributes: map[string]schema.Attribute{
			"vm_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Tower's id of the VM, or its local id.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"operation": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "What to do: `START` powers the VM on, or resumes it where it is suspended; `SHUTDOWN` asks the guest to shut down; `POWER_OFF` switches the VM off at once; " +
					"`RESTART` asks the guest to restart; `FORCE_RESTART` resets the VM. A suspended VM can't be asked: `SHUTDOWN` powers it off where `force_power_off` allows that, " +
					"`RESTART` resumes it first, and `FORCE_RESTART` powers it off and starts it. Either restart starts a VM that is off. " +
					"A VM that runs already or is off already, as the operation wants it, is left alone.",
				Validators: []validator.String{stringvalidator.OneOf(operations...)},
			},
			"shutdown_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long the guest may take for `SHUTDOWN` or `RESTART`, such as `\"30s\"`, from `\"1s\"`. Default `\"5m\"`. " +
					"The other operations do not ask the guest, so it is refused there.",
				Validators: []validator.String{validators.DurationAtLeast(time.Second)},
			},
			"force_power_off": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a guest that has not done in time what `SHUTDOWN` or `RESTART` asks for is powered off or reset. Default `true`; with `false`, the action fails instead. " +
					"The other operations do not ask the guest, so it is refused there.",
			},
			"timeouts": attrs.ActionTimeouts(ctx, "For the whole action, the wait for other operations on the VM included. Default `20m`."),
		},
	}
}

// validate refuses what contradicts itself.
func (m *model) validate(ctx context.Context, diags *diag.Diagnostics) {
	operation := m.Operation.ValueString()
	if attrs.IsKnown(m.Operation) && !slices.Contains(asking, operation) {
		for name, value := range map[string]attr.Value{"shutdown_timeout": m.ShutdownTimeout, "force_power_off": m.ForcePowerOff} {
			if !value.IsNull() {
				diags.AddAttributeError(path.Root(name), "Invalid "+name,
					fmt.Sprintf("%s does not ask the guest, so there is nothing for %s to say. Remove it, or choose SHUTDOWN or RESTART.", operation, name))
			}
		}
		return
	}
	whole, d := m.Timeouts.Invoke(ctx, defaultTimeout)
	if d.HasError() {
		return // The attribute's own check tells.
	}
	if guest := attrs.DurationOr(m.ShutdownTimeout, 0); guest > whole && !m.Timeouts.IsUnknown() {
		diags.AddAttributeError(path.Root("shutdown_timeout"), "Invalid shutdown_timeout",
			fmt.Sprintf("The guest is given %s, but the whole action only %s. Shorten it, or raise timeouts.invoke.", guest, whole))
	}
}

// stopOptions says how the guest is treated.
func (m *model) stopOptions() tower.StopOptions {
	switch m.Operation.ValueString() {
	case opPowerOff, opForceRestart:
		return tower.StopOptions{Force: true}
	}
	return tower.StopOptions{
		Graceful: attrs.DurationOr(m.ShutdownTimeout, defaultShutdownTimeout), Force: attrs.BoolOr(m.ForcePowerOff, true),
	}
}
