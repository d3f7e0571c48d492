// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

// fillComputedAddresses shows the addresses that are known as the planned arguments
// would have them shown: in the order of the NICs, the default one by what the
// NICs are, without those that are ignored now. A change of these arguments
// alone sends nothing, so nothing else would do it before the next refresh.
func fillComputedAddresses(ctx context.Context, plan, state *model) diag.Diagnostics {
	if plan.IPAddresses.IsUnknown() || plan.NICs.Equal(state.NICs) && plan.NetworkReadiness.Equal(state.NetworkReadiness) {
		return nil
	}
	nics, diags := nicsFrom(ctx, plan.NICs)
	settings, d := network.SettingsOf(ctx, plan.NetworkReadiness)
	diags.Append(d...)
	flat, d := attrs.Strings(ctx, plan.IPAddresses)
	diags.Append(d...)
	if nics == nil || diags.HasError() {
		return diags
	}
	var obs readiness.Observation
	var rules []network.NIC
	for i, nic := range nics {
		if nic.MACAddress.IsUnknown() || nic.IPAddresses.IsUnknown() {
			return diags
		}
		addresses, d := attrs.Strings(ctx, nic.IPAddresses)
		diags.Append(d...)
		obs.NICs = append(obs.NICs, readiness.ReportedNIC{
			MAC: nic.MACAddress.ValueString(), Order: i, Enabled: attrs.BoolOr(nic.Enabled, true), Addresses: addresses,
		})
		rules = append(rules, nic.NIC)
		flat = slices.DeleteFunc(flat, func(a string) bool { return slices.Contains(addresses, a) })
	}
	// What no NIC shows is the address of the Kubernetes node.
	obs.Node = flat
	diags.Append(plan.fillAddresses(ctx, readiness.Evaluate(settings.Rule(rules, true), obs), false)...)
	return diags
}
