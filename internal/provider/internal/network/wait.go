// SPDX-License-Identifier: MPL-2.0

package network

import (
	"context"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Rule returns the readiness rule for NICs under the settings. Nil means that no
// NICs are configured; runs says whether the VM is meant to run.
func (s Settings) Rule(nics []NIC, runs bool) readiness.Spec {
	spec := readiness.Spec{Implicit: nics == nil, Runs: runs, RequireStatic: s.RequireStatic, Ignored: s.Ignored}
	for _, nic := range nics {
		spec.NICs = append(spec.NICs, nic.Rule())
	}
	return spec
}

// Target is the VM that is waited for.
type Target struct {
	ID, Name string
	Rule     readiness.Spec
	// Restarted is true if the VM has just been powered on again.
	Restarted bool
}

// Wait waits until the VM's network is ready, or looks once if the settings
// disable the wait or the VM is not to run. It also returns the request, which
// reports on the result need.
func Wait(ctx context.Context, data *providerdata.Data, client *tower.Client, vm Target, s Settings) (netwait.Request, netwait.Result) {
	req := netwait.Request{
		VMID: vm.ID, VMName: vm.Name, Rule: vm.Rule, Restarted: vm.Restarted, Timeout: s.Timeout, Settle: s.Settle,
		Progress: func(message string, fields map[string]any) { tflog.Info(ctx, message, fields) },
	}
	if directory := data.Directory(s.Kubernetes); directory != nil {
		req.Nodes, req.NodeName = netwait.NodesOf(directory), s.NodeName
	}
	if !s.Enabled || !vm.Rule.Runs {
		return req, netwait.Look(ctx, client, data.PollInterval, req)
	}
	result := netwait.Wait(ctx, client, req)
	if result.End == netwait.Ready && off(result.VM) {
		// The VM is off and no NIC is waited for, so this was not a wait.
		result.End = netwait.NotAwaited
	}
	return req, result
}

// off reports whether a VM is stopped or suspended.
func off(vm *tower.VM) bool {
	return vm != nil && (vm.Status == tower.StatusStopped || vm.Status == tower.StatusSuspended)
}
