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
	// guestOperations are the operations that ask the guest.
	guestOperations = []string{opShutdown, opRestart}
	// verbs name the operations in messages.
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
		MarkdownDescription: "Starts, stops or restarts a VM once, each time it is invoked. The VM need not be managed by Terraform. The action ends when Tower shows the VM in its new state; " +
			"it does not wait for the network of a VM that boots, as `elf_vm_network_readiness` does. " +
			"For a power state that Terraform maintains, use `power_state` of `elf_vm`: if an action stops a VM that has `power_state = \"RUNNING\"`, the next apply starts it again.",
		Attributes: map[string]schema.Attribute{
			"vm_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Id of the VM in Tower, or its local id.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"operation": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "What to do: `START` powers on the VM, or resumes it if it is suspended; `SHUTDOWN` asks the guest to shut down; `POWER_OFF` powers off the VM at once; " +
					"`RESTART` asks the guest to restart; `FORCE_RESTART` resets the VM. The guest of a suspended VM can't be asked: `SHUTDOWN` powers off the VM if `force_power_off` allows that, " +
					"`RESTART` resumes it first, and `FORCE_RESTART` powers it off and starts it. Both restarts start a VM that is off. " +
					"`START` does nothing to a running VM; `SHUTDOWN` and `POWER_OFF` do nothing to a VM that is off.",
				Validators: []validator.String{stringvalidator.OneOf(operations...)},
			},
			"shutdown_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long the guest may take for `SHUTDOWN` or `RESTART`, a duration such as `\"30s\"`, at least `\"1s\"`. Default `\"5m\"`. " +
					"It can't be set for the other operations, which do not ask the guest.",
				Validators: []validator.String{validators.DurationAtLeast(time.Second)},
			},
			"force_power_off": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether the VM is powered off (`SHUTDOWN`) or reset (`RESTART`) if the guest does not obey within `shutdown_timeout`. Default `true`; with `false`, the action fails instead. " +
					"It can't be set for the other operations, which do not ask the guest.",
			},
			"timeouts": attrs.ActionTimeouts(ctx, "How long the whole action may take, including the wait for other operations on the VM. Default `20m`."),
		},
	}
}

// validate refuses arguments that contradict each other.
func (m *model) validate(ctx context.Context, diags *diag.Diagnostics) {
	operation := m.Operation.ValueString()
	if attrs.IsKnown(m.Operation) && !slices.Contains(guestOperations, operation) {
		for name, value := range map[string]attr.Value{"shutdown_timeout": m.ShutdownTimeout, "force_power_off": m.ForcePowerOff} {
			if !value.IsNull() {
				diags.AddAttributeError(path.Root(name), "Invalid "+name,
					fmt.Sprintf("%s does not ask the guest, so %s has no effect. Remove it, or use SHUTDOWN or RESTART.", operation, name))
			}
		}
		return
	}
	whole, d := m.Timeouts.Invoke(ctx, defaultTimeout)
	if d.HasError() {
		return // The attribute's own validator reports this.
	}
	if guest := attrs.DurationOr(m.ShutdownTimeout, 0); guest > whole && !m.Timeouts.IsUnknown() {
		diags.AddAttributeError(path.Root("shutdown_timeout"), "Invalid shutdown_timeout",
			fmt.Sprintf("The guest may take %s, but the whole action may take only %s. Lower shutdown_timeout, or raise timeouts.invoke.", guest, whole))
	}
}

// stopOptions returns how the VM is to be stopped.
func (m *model) stopOptions() tower.StopOptions {
	switch m.Operation.ValueString() {
	case opPowerOff, opForceRestart:
		return tower.StopOptions{Force: true}
	}
	return tower.StopOptions{
		Graceful: attrs.DurationOr(m.ShutdownTimeout, defaultShutdownTimeout), Force: attrs.BoolOr(m.ForcePowerOff, true),
	}
}
