// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"net/netip"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

const (
	onTimeoutError = "error"
	onTimeoutWarn  = "warn"

	defaultReadinessTimeout = 15 * time.Minute
)

// readinessModel is the argument network_readiness.
type readinessModel struct {
	Enabled       types.Bool   `tfsdk:"enabled"`
	Timeout       types.String `tfsdk:"timeout"`
	OnTimeout     types.String `tfsdk:"on_timeout"`
	RequireStatic types.Bool   `tfsdk:"require_static"`
	IgnoredCIDRs  types.List   `tfsdk:"ignored_cidrs"`
	Settle        types.String `tfsdk:"settle"`
}

// readinessSettings are the settings of a wait with their defaults filled in.
type readinessSettings struct {
	enabled         bool
	timeout, settle time.Duration
	onTimeout       string
	requireStatic   bool
	ignored         []netip.Prefix
}

func settingsOf(ctx context.Context, object types.Object) (readinessSettings, diag.Diagnostics) {
	in, _, diags := objectAs[readinessModel](ctx, object)
	cidrs, d := attrs.Strings(ctx, in.IgnoredCIDRs)
	diags.Append(d...)
	out := readinessSettings{
		enabled:       attrs.BoolOr(in.Enabled, true),
		timeout:       attrs.DurationOr(in.Timeout, defaultReadinessTimeout),
		settle:        attrs.DurationOr(in.Settle, 0),
		onTimeout:     attrs.StringOr(in.OnTimeout, onTimeoutError),
		requireStatic: attrs.BoolOr(in.RequireStatic, false),
	}
	for _, cidr := range cidrs {
		// The validator has refused everything else.
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			out.ignored = append(out.ignored, prefix.Masked())
		}
	}
	return out, diags
}

// ruleOf is the readiness rule that the model's NICs and settings ask for.
func ruleOf(ctx context.Context, m *model, settings readinessSettings, runs bool) (readiness.Spec, diag.Diagnostics) {
	spec := readiness.Spec{
		Implicit: m.NICs.IsNull(), Runs: runs, RequireStatic: settings.requireStatic, Ignored: settings.ignored,
	}
	nics, diags := nicsFrom(ctx, m.NICs)
	for _, nic := range nics {
		spec.NICs = append(spec.NICs, nic.rule())
	}
	return spec, diags
}
