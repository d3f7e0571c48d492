// SPDX-License-Identifier: MPL-2.0

package network

import (
	"context"
	"net/netip"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
)

// What happens when a wait runs out of time.
const (
	OnTimeoutError = "error"
	OnTimeoutWarn  = "warn"
)

// DefaultTimeout is how long the wait for a network takes at most, unless
// configured otherwise.
const DefaultTimeout = 15 * time.Minute

// Readiness is the argument network_readiness.
type Readiness struct {
	Enabled       types.Bool   `tfsdk:"enabled"`
	Timeout       types.String `tfsdk:"timeout"`
	OnTimeout     types.String `tfsdk:"on_timeout"`
	RequireStatic types.Bool   `tfsdk:"require_static"`
	IgnoredCIDRs  types.List   `tfsdk:"ignored_cidrs"`
	Settle        types.String `tfsdk:"settle"`

	KubernetesNode types.Object `tfsdk:"kubernetes_node"`
}

// Settings are the settings of a wait with their defaults filled in.
type Settings struct {
	// Enabled is true to wait, false to look only once.
	Enabled bool
	// Timeout is how long the wait may take; Settle is how long the addresses must
	// stay the same.
	Timeout, Settle time.Duration
	// OnTimeout is OnTimeoutError or OnTimeoutWarn.
	OnTimeout string
	// RequireStatic and Ignored are the members of readiness.Spec with these names.
	RequireStatic bool
	Ignored       []netip.Prefix
	// Kubernetes is the cluster of the VM's node, nil for the provider's. NodeName
	// is the node's name, "" if it is not configured.
	Kubernetes *kubenode.Config
	NodeName   string
}

// SettingsOf reads the argument network_readiness, which may be null.
func SettingsOf(ctx context.Context, object types.Object) (Settings, diag.Diagnostics) {
	var in Readiness
	var diags diag.Diagnostics
	if attrs.IsKnown(object) {
		diags = object.As(ctx, &in, basetypes.ObjectAsOptions{})
	}
	cidrs, d := attrs.Strings(ctx, in.IgnoredCIDRs)
	diags.Append(d...)
	out := Settings{
		Enabled:       attrs.BoolOr(in.Enabled, true),
		Timeout:       attrs.DurationOr(in.Timeout, DefaultTimeout),
		Settle:        attrs.DurationOr(in.Settle, 0),
		OnTimeout:     attrs.StringOr(in.OnTimeout, OnTimeoutError),
		RequireStatic: attrs.BoolOr(in.RequireStatic, false),
	}
	if attrs.IsKnown(in.KubernetesNode) {
		var node KubernetesNode
		diags.Append(in.KubernetesNode.As(ctx, &node, basetypes.ObjectAsOptions{})...)
		out.NodeName = node.Name.ValueString()
		out.Kubernetes, d = KubernetesOf(ctx, node.Kubernetes)
		diags.Append(d...)
	}
	for _, cidr := range cidrs {
		// The validator has refused anything that does not parse.
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			out.Ignored = append(out.Ignored, prefix.Masked())
		}
	}
	return out, diags
}
