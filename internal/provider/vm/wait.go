// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// waitScope is what of a VM's network is waited for.
type waitScope struct {
	runs          bool   // the VM is meant to run
	only          []bool // the NICs that are waited for, nil for all that wait
	restarted     bool   // the VM has just been powered on again
	requireStatic bool   // each static NIC among them must report its own address
}

// waitNetwork waits as the model's settings say, writes what was found into the
// model and adds the diagnostic that the end of the wait asks for. It works on
// a ctx that has ended, too: then it only records that. It reports whether the
// VM is gone.
func (r *Resource) waitNetwork(ctx context.Context, client *tower.Client, m *model, scope waitScope, diags *diag.Diagnostics) (gone bool) {
	settings, d := network.SettingsOf(ctx, m.NetworkReadiness)
	diags.Append(d...)
	nics, d := m.nics(ctx)
	diags.Append(d...)
	if diags.HasError() {
		return false
	}
	for i := range nics {
		if scope.only != nil && !scope.only[i] {
			nics[i].WaitForIP = types.BoolValue(false)
		}
	}
	settings.RequireStatic = settings.RequireStatic || scope.requireStatic
	target := network.Target{ID: m.ID.ValueString(), Name: m.Name.ValueString(), Rule: settings.Rule(nics, scope.runs), Restarted: scope.restarted}
	req, result := network.Wait(ctx, r.data, client, target, settings)
	if result.End == netwait.Deleted {
		// Unless Tower has given it another id.
		if id := otherID(ctx, client, m); id != "" {
			m.ID, target.ID = types.StringValue(id), id
			req, result = network.Wait(ctx, r.data, client, target, settings)
		}
	}
	if result.VM != nil {
		m.fillStatus(result.VM)
		m.fillUnset(result.VM)
	}
	diags.Append(m.fillAddresses(ctx, result.Verdict, true)...)
	m.fillReadiness(result)
	if result.End == netwait.Deleted {
		diags.AddError(fmt.Sprintf("VM %q was deleted", req.VMName), result.Report(req))
		return true
	}
	network.AddEnd(diags, req, result, settings.OnTimeout)
	return false
}
