// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Read brings the state up to date. It never waits for addresses.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client, ok := r.data.Client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := state.Timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	// Also for a VM that is gone: the framework wants an identity, which a state
	// from before there were any does not have.
	resp.Diagnostics.Append(identify(ctx, resp.Identity, state.ID)...)
	r.data.StaticIPs.Seen(state.ID.ValueString())
	name := state.Name.ValueString()
	vm, err := lookup.Twice(ctx, r.data.PollInterval, client.VM, state.ID.ValueString(), state.LocalID.ValueString())
	switch {
	case errors.Is(err, tower.ErrNotFound):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		diagx.AddError(&resp.Diagnostics, "read", object, name, err)
		return
	case vm.InRecycleBin:
		resp.Diagnostics.AddWarning(fmt.Sprintf("VM %q is in the recycle bin", vm.Name),
			fmt.Sprintf("VM %s was moved to Tower's recycle bin, so it counts as deleted and leaves the state. Restore it there and import it to keep it; otherwise the next apply creates a new one.", vm.ID))
		resp.State.RemoveResource(ctx)
		return
	}
	rec, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.observe(ctx, client, vm, &state, &rec.Volumes, rec.Takeover.unread())...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, state.ID)...)
	if rec.Takeover.unread() {
		rec.Takeover = takeoverUnapplied
	}
	// A guest that is still going down is busy with that.
	if vm.Status == tower.StatusRunning && vm.EntityAsyncStatus == "" {
		rec.StartPending = false
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(rec.save(ctx, resp.Private)...)
	}
}

// observe brings the state up to date with the VM as Tower shows it, and records
// whose its volumes are where no record exists yet. With firstRead, the VM was
// imported and the state holds little but its id: it gets all that Tower tells.
func (r *Resource) observe(ctx context.Context, client *tower.Client, vm *tower.VM, state *model, owns *ownership, firstRead bool) diag.Diagnostics {
	disks, diags := disksFrom(ctx, state.DataDisks)
	nics, err := client.VMNICs(ctx, vm.ID)
	if err != nil {
		diagx.AddError(&diags, "read", object, vm.Name, fmt.Errorf("reading the NICs: %w", err))
		return diags
	}
	s, err := readStorage(ctx, client, vm.ID, volumesOf(disks)...)
	if err != nil {
		diagx.AddError(&diags, "read", object, vm.Name, err)
		return diags
	}
	diags.Append(state.refreshDisks(ctx, s, firstRead || owns.Own == nil, firstRead)...)
	diags.Append(state.refresh(ctx, r.data, vm, nics, firstRead)...)
	err = state.refreshCDROMs(ctx, client, s, firstRead)
	if err == nil {
		err = state.refreshGPUs(ctx, client, vm, firstRead)
	}
	if err != nil {
		diagx.AddError(&diags, "read", object, vm.Name, err)
	}
	if owns.Own == nil && !diags.HasError() {
		diags.Append(state.recordOwnership(ctx, s, firstRead, owns)...)
	}
	return diags
}

// refresh writes what Tower shows into the state. Whether the network is ready
// and how the last wait went stay as they are; the addresses never do.
func (m *model) refresh(ctx context.Context, data *providerdata.Data, vm *tower.VM, reported []tower.VMNIC, firstRead bool) diag.Diagnostics {
	m.fillVM(vm)
	m.refreshLabels(vm, data.DefaultLabels, firstRead)
	nics, diags := nicsFrom(ctx, m.NICs)
	if firstRead {
		m.ShutdownTimeout = types.StringValue(defaultShutdownTimeout)
		m.ForcePowerOff = types.BoolValue(true)
		m.DeleteMode = types.StringValue(deletePermanent)
		m.DeleteSnapshots = types.BoolValue(false)
		nics = refreshNICs(nil, reported)
	} else if nics != nil {
		nics = refreshNICs(nics, reported)
	}
	if nics != nil {
		var d diag.Diagnostics
		m.NICs, d = nicList(ctx, nics)
		diags.Append(d...)
	}
	verdict, d := m.refreshAddresses(ctx, data, vm, reported, false)
	diags.Append(d...)
	if firstRead {
		m.NetworkReady, m.NetworkReadinessReport = types.BoolNull(), types.ObjectNull(network.ReportType())
		if verdict.Ready && len(verdict.Addresses) > 0 {
			m.NetworkReady = types.BoolValue(true)
		}
	}
	return diags
}

// refreshAddresses writes the addresses that the VM has now; with keepKnown, only those
// that are not known yet.
func (m *model) refreshAddresses(ctx context.Context, data *providerdata.Data, vm *tower.VM, reported []tower.VMNIC, keepKnown bool) (readiness.Verdict, diag.Diagnostics) {
	settings, diags := network.SettingsOf(ctx, m.NetworkReadiness)
	nics, d := m.nics(ctx)
	diags.Append(d...)
	addresses, d := attrs.Strings(ctx, m.IPAddresses)
	diags.Append(d...)
	if diags.HasError() {
		return readiness.Verdict{}, diags
	}
	verdict := network.Refresh(ctx, data, network.Refreshed{
		VM: vm, NICs: reported, Rule: settings.Rule(nics, true), Settings: settings, Addresses: addresses, Report: m.NetworkReadinessReport,
	})
	diags.Append(m.fillAddresses(ctx, verdict, keepKnown)...)
	return verdict, diags
}
