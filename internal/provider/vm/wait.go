// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// waitNetwork waits as the model's settings say, writes what was found into the
// model and adds the diagnostic that the end of the wait asks for. It works on
// a ctx that has ended, too: then it only records that. It reports whether the
// VM is gone.
func (r *Resource) waitNetwork(ctx context.Context, client *tower.Client, m *model, runs bool, diags *diag.Diagnostics) (gone bool) {
	settings, d := network.SettingsOf(ctx, m.NetworkReadiness)
	diags.Append(d...)
	nics, d := m.nics(ctx)
	diags.Append(d...)
	if diags.HasError() {
		return false
	}
	req, result := network.Wait(ctx, r.data, client, m.ID.ValueString(), m.Name.ValueString(), settings.Rule(nics, runs), settings)
	if result.VM != nil {
		m.fillStatus(result.VM)
		m.fillUnset(result.VM)
	}
	diags.Append(m.fillAddresses(ctx, result.Verdict)...)
	m.fillReadiness(result)
	switch {
	case result.End == netwait.Deleted:
		diags.AddError(fmt.Sprintf("VM %q was deleted", req.VMName), result.Report(req))
		return true
	case settings.Enabled:
		network.AddEnd(diags, req, result, settings.OnTimeout)
	case result.Err != nil:
		diags.AddWarning(fmt.Sprintf("Addresses of VM %q not read", req.VMName), diagx.Detail(result.Err))
	}
	return false
}
