// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// maxIOPS is the largest number that Tower's API has room for.
const maxIOPS = 1<<31 - 1

// ioAttributes are the arguments that limit the VM's I/O.
func ioAttributes() map[string]schema.Attribute {
	strictness := func(of string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: fmt.Sprintf("How `%s` holds: `DYNAMIC` lets the VM exceed it for a moment, `FORCED` does not. Tower's choice where absent. Changed in place.", of),
			Validators:          []validator.String{stringvalidator.OneOf(tower.IODynamic, tower.IOForced)},
		}
	}
	return map[string]schema.Attribute{
		"io_policy": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "What the I/O limits hold for: `RESTRICT_WHOLE_VM`, all disks together, or `RESTRICT_EACH_DISK`, each disk by itself; " +
				"the disks' own limits are set in Tower, and `max_iops` and `max_bandwidth` are refused then. " +
				"Where absent, `RESTRICT_WHOLE_VM` if there is a limit here, else it stays as it is. Changed in place.",
			Validators: []validator.String{stringvalidator.OneOf(tower.IOWholeVM, tower.IOEachDisk)},
		},
		"max_iops": schema.Int64Attribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Most I/O operations a second of the whole VM; `0` is no limit. Where absent, it stays as it is. Changed in place.",
			Validators:          []validator.Int64{int64validator.Between(0, maxIOPS)},
		},
		"max_iops_policy": strictness("max_iops"),
		"max_bandwidth": schema.Int64Attribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Most bytes a second that the whole VM reads and writes; `0` is no limit. Where absent, it stays as it is. Changed in place.",
			Validators:          []validator.Int64{int64validator.AtLeast(0)},
		},
		"max_bandwidth_policy": strictness("max_bandwidth"),
	}
}

// validateIO refuses limits of the whole VM where each disk has its own.
func validateIO(config *model, diags *diag.Diagnostics) {
	if config.IOPolicy.ValueString() != tower.IOEachDisk {
		return
	}
	for name, limit := range map[string]types.Int64{"max_iops": config.MaxIOPS, "max_bandwidth": config.MaxBandwidth} {
		if limit.ValueInt64() > 0 {
			diags.AddAttributeError(path.Root(name), "Limit of the whole VM",
				fmt.Sprintf("%s limits the VM as a whole, but io_policy is %s. Set it to %s, or remove it.", name, tower.IOEachDisk, tower.IOWholeVM))
		}
	}
}

// ioPolicyOf is the I/O policy that follows from limits that are configured
// without one; fallback where there are none.
func ioPolicyOf(config *model, fallback types.String) types.String {
	if config.MaxIOPS.ValueInt64() > 0 || config.MaxBandwidth.ValueInt64() > 0 {
		return types.StringValue(tower.IOWholeVM)
	}
	if config.MaxIOPS.IsUnknown() || config.MaxBandwidth.IsUnknown() {
		return types.StringUnknown()
	}
	return fallback
}

// fillComputedIO keeps what the configuration leaves alone. How strictly a new limit
// holds is Tower's to say.
func fillComputedIO(config, plan, state *model) {
	if config.IOPolicy.IsNull() {
		plan.IOPolicy = ioPolicyOf(config, state.IOPolicy)
	}
	for _, limit := range []struct {
		config, state types.Int64
		plan          *types.Int64

		configPolicy, statePolicy types.String
		planPolicy                *types.String
	}{
		{config.MaxIOPS, state.MaxIOPS, &plan.MaxIOPS, config.MaxIOPSPolicy, state.MaxIOPSPolicy, &plan.MaxIOPSPolicy},
		{config.MaxBandwidth, state.MaxBandwidth, &plan.MaxBandwidth, config.MaxBandwidthPolicy, state.MaxBandwidthPolicy, &plan.MaxBandwidthPolicy},
	} {
		if limit.config.IsNull() {
			*limit.plan = limit.state
		}
		if limit.configPolicy.IsNull() {
			*limit.planPolicy = limit.statePolicy
			if limit.statePolicy.IsNull() && !limit.plan.Equal(limit.state) {
				*limit.planPolicy = types.StringUnknown()
			}
		}
	}
}

// fillIO writes the limits that the VM has. No limit is 0 where that was asked
// for, else null, and then nothing tells how strictly it would hold.
func (m *model) fillIO(io tower.IOLimits) {
	m.IOPolicy = attrs.StringOrNull(io.Policy)
	fill := func(limit *types.Int64, policy *types.String, shown int64, value string) {
		switch {
		case shown > 0:
			*limit = types.Int64Value(shown)
			*policy = attrs.StringOrNull(value)
			return
		case !attrs.IsKnown(*limit) || limit.ValueInt64() != 0:
			*limit = types.Int64Null()
		}
		if policy.IsUnknown() {
			*policy = types.StringNull()
		}
	}
	fill(&m.MaxIOPS, &m.MaxIOPSPolicy, io.MaxIOPS, io.MaxIOPSPolicy)
	fill(&m.MaxBandwidth, &m.MaxBandwidthPolicy, io.MaxBandwidth, io.MaxBandwidthPolicy)
}

// limits are the limits that the model asks for; what is unknown is left to
// Tower.
func (m *model) limits() tower.IOLimits {
	out := tower.IOLimits{Policy: m.IOPolicy.ValueString(), MaxIOPS: m.MaxIOPS.ValueInt64(), MaxBandwidth: m.MaxBandwidth.ValueInt64()}
	if out.MaxIOPS > 0 {
		out.MaxIOPSPolicy = m.MaxIOPSPolicy.ValueString()
	}
	if out.MaxBandwidth > 0 {
		out.MaxBandwidthPolicy = m.MaxBandwidthPolicy.ValueString()
	}
	return out
}

// keepIO takes the limits of another model.
func (m *model) keepIO(from *model) {
	m.IOPolicy, m.MaxIOPS, m.MaxIOPSPolicy = from.IOPolicy, from.MaxIOPS, from.MaxIOPSPolicy
	m.MaxBandwidth, m.MaxBandwidthPolicy = from.MaxBandwidth, from.MaxBandwidthPolicy
}

// applyIO gives the VM the limits that are planned.
func applyIO(ctx context.Context, client *tower.Client, plan, applied *model) error {
	wanted := *plan
	wanted.fillUnknownIO(applied)
	if limits := wanted.limits(); limits != applied.limits() {
		if err := client.SetVMIOLimits(ctx, applied.ID.ValueString(), limits); err != nil {
			return fmt.Errorf("limiting the I/O of the VM: %w", err)
		}
		vm, err := client.VM(ctx, applied.ID.ValueString())
		if err != nil {
			return fmt.Errorf("reading the I/O limits back: %w", err)
		}
		shown := *plan
		shown.fillIO(vm.IO)
		wanted = *plan
		wanted.fillUnknownIO(&shown)
	}
	applied.keepIO(&wanted)
	return nil
}

// fillUnknownIO takes what is unknown from another model.
func (m *model) fillUnknownIO(from *model) {
	m.IOPolicy = known(m.IOPolicy, from.IOPolicy)
	m.MaxIOPS, m.MaxIOPSPolicy = known(m.MaxIOPS, from.MaxIOPS), known(m.MaxIOPSPolicy, from.MaxIOPSPolicy)
	m.MaxBandwidth, m.MaxBandwidthPolicy = known(m.MaxBandwidth, from.MaxBandwidth), known(m.MaxBandwidthPolicy, from.MaxBandwidthPolicy)
}
