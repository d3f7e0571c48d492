// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// outcome is what a wait leaves to its caller.
type outcome struct {
	gone bool // the VM does not exist any more
}

// waitNetwork waits as the model's settings say, writes what was found into the
// model and adds the diagnostic that the end of the wait asks for. It works on
// a ctx that has ended, too: then it only records that.
func (r *Resource) waitNetwork(ctx context.Context, client *tower.Client, m *model, runs bool, diags *diag.Diagnostics) outcome {
	settings, d := network.SettingsOf(ctx, m.NetworkReadiness)
	diags.Append(d...)
	rule, d := m.rule(ctx, settings, runs)
	diags.Append(d...)
	if diags.HasError() {
		return outcome{}
	}
	req := netwait.Request{
		VMID: m.ID.ValueString(), VMName: m.Name.ValueString(), Rule: rule,
		Timeout: settings.Timeout, Settle: settings.Settle,
		Progress: func(message string, fields map[string]any) { tflog.Info(ctx, message, fields) },
	}
	if directory := r.data.Directory(settings.Kubernetes); directory != nil {
		req.Nodes, req.NodeName = netwait.NodesOf(directory), settings.NodeName
	}
	var result netwait.Result
	if settings.Enabled {
		result = netwait.Wait(ctx, client, req)
	} else {
		result = look(ctx, client, req)
	}
	if result.VM != nil {
		m.fillStatus(result.VM)
		m.fillUnset(result.VM)
	}
	diags.Append(m.fillAddresses(ctx, result.Verdict)...)
	m.fillReadiness(result)
	if result.End == netwait.Deleted {
		diags.AddError(fmt.Sprintf("VM %q was deleted", req.VMName), result.Report(req))
		return outcome{gone: true}
	}
	if settings.Enabled {
		network.AddEnd(diags, req, result, settings.OnTimeout)
	} else if result.Err != nil {
		diags.AddWarning(fmt.Sprintf("Addresses of VM %q not read", req.VMName), diagx.Detail(result.Err))
	}
	return outcome{}
}

// look is the one look that is taken where waiting is switched off.
func look(ctx context.Context, client *tower.Client, req netwait.Request) netwait.Result {
	result := netwait.Result{End: netwait.TimedOut, At: time.Now()}
	vm, err := client.VM(ctx, req.VMID)
	if err == nil {
		result.VM = vm
		result.NICs, err = client.VMNICs(ctx, req.VMID)
	}
	if errors.Is(err, tower.ErrNotFound) {
		result.End = netwait.Deleted
		return result
	}
	result.Err = err
	if err == nil {
		result.Verdict = readiness.Evaluate(req.Rule, netwait.Observe(result.NICs))
		if result.Verdict.Ready {
			result.End = netwait.Ready
		}
	}
	return result
}
