// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// nicsChange is what an update does to the NICs. Tower appends a new NIC to
// those that the VM has, and no NIC is ever re-plugged for the sake of order:
// the configuration's order lives in the state alone.
type nicsChange struct {
	edits   []nicEdit  // one for each planned NIC, in the plan's order
	removed []nicModel // NICs of the state that are not planned any more
}

// nicEdit is how one planned NIC comes about.
type nicEdit struct {
	prior        *nicModel         // the NIC of the state, nil for one that is added
	device       tower.NICUpdate   // what changes of the device
	guest        *tower.NICAddress // the static address that the guest's tools set
	waits        bool              // the NIC is waited for after the update
	undetermined bool              // not all of it is known yet, or which NIC of the state it is
}

// changesTower reports whether the update changes, or may change, the NIC in Tower.
func (e nicEdit) changesTower() bool {
	return e.prior == nil || e.undetermined || e.device != (tower.NICUpdate{}) || e.guest != nil
}

// changesTower reports whether the update changes, or may change, a NIC in Tower.
func (c nicsChange) changesTower() bool {
	return len(c.removed) > 0 || slices.ContainsFunc(c.edits, nicEdit.changesTower)
}

// waits reports whether a NIC is waited for after the update.
func (c nicsChange) waits() bool {
	return slices.ContainsFunc(c.edits, func(e nicEdit) bool { return e.waits })
}

// nicPlanner compares planned NICs with those of the state.
type nicPlanner struct {
	planned          []nicModel
	config           []nicModel // as configured: only these tell which MACs are wanted
	state            []nicModel
	nullMeansUnknown bool   // members that are null in the state are not known
	undetermined     []bool // which of the planned the configuration does not tell all of yet; nil: none

	runs, tools bool // the VM and its tools run, so that the guest can be configured
	diags       *diag.Diagnostics
}

// compare finds the least that turns the state's NICs into the planned ones, and
// refuses what Tower has no call for.
func (p *nicPlanner) compare(ctx context.Context) nicsChange {
	var c nicsChange
	pairs := p.pair()
	gateway := gatewayNIC(p.planned)
	for i, planned := range p.planned {
		at := path.Root("nics").AtListIndex(i)
		if pairs[i] < 0 {
			c.edits = append(c.edits, p.addition(at, planned, i == gateway))
			continue
		}
		edit := p.edit(ctx, at, planned, p.config[i], p.state[pairs[i]], i == gateway)
		if edit.undetermined = p.isUndetermined(i, pairs[i]); edit.undetermined {
			edit.waits = planned.Waits()
		}
		c.edits = append(c.edits, edit)
	}
	for k, nic := range p.state {
		if !slices.Contains(pairs, k) {
			c.removed = append(c.removed, nic)
		}
	}
	return c
}

// isUndetermined reports whether not all of a planned NIC is known yet that is paired with
// the NIC k of the state, or whether another one of which that is so may turn out
// to be that NIC.
func (p *nicPlanner) isUndetermined(i, k int) bool {
	if !slices.Contains(p.undetermined, true) {
		return false
	}
	mac := p.config[i].MACAddress.ValueString()
	pinned := mac != "" && strings.EqualFold(mac, p.state[k].MACAddress.ValueString())
	return p.undetermined[i] || !pinned && (i != k || !p.sameGuest(i, k) || !p.sameRest(i, k))
}

// same compares a member. After an import, one that is null in the state can't
// differ; otherwise null means the default.
func (p *nicPlanner) same(planned, prior, def attr.Value) bool {
	if prior.IsNull() && p.nullMeansUnknown {
		return true
	}
	return orDefault(planned, def).Equal(orDefault(prior, def))
}

func orDefault(v, def attr.Value) attr.Value {
	if v.IsNull() {
		return def
	}
	return v
}

// addition is a NIC that is plugged in. The guest is told a static address by
// its tools, since cloud-init has run long ago.
func (p *nicPlanner) addition(at path.Path, planned nicModel, gateway bool) nicEdit {
	if attrs.IsKnown(planned.Routes) && len(planned.Routes.Elements()) > 0 {
		p.diags.AddAttributeError(at.AtName("routes"), "Routes of a new NIC",
			"Routes are set by cloud-init at the first boot, so a NIC that is added later can't have any. Remove routes, or replace the VM ("+howToReplace+").")
	}
	e := nicEdit{waits: planned.Waits()}
	if planned.Type() == network.TypeStatic {
		e.guest = p.guest(at, planned, gateway)
	}
	return e
}

// edit is a NIC that stays and may change.
func (p *nicPlanner) edit(ctx context.Context, at path.Path, planned, config, prior nicModel, gateway bool) nicEdit {
	e := nicEdit{prior: &prior}
	p.refuse(ctx, at, planned, prior)
	if !planned.VLANID.Equal(prior.VLANID) {
		e.device.VLANID = attrs.StringPtr(planned.VLANID)
	}
	if mac := config.MACAddress; attrs.IsKnown(mac) && !strings.EqualFold(mac.ValueString(), prior.MACAddress.ValueString()) {
		e.device.MAC = attrs.StringPtr(mac)
	}
	if attrs.IsKnown(planned.Model) && !planned.Model.Equal(prior.Model) && !prior.Model.IsNull() {
		e.device.Model = attrs.StringPtr(planned.Model)
	}
	if attrs.IsKnown(planned.Enabled) && !planned.Enabled.Equal(prior.Enabled) {
		e.device.Enabled = attrs.BoolPtr(planned.Enabled)
	}
	if attrs.IsKnown(planned.Mirror) && !planned.Mirror.Equal(prior.Mirror) {
		e.device.Mirror = attrs.BoolPtr(planned.Mirror)
	}
	if planned.Type() == network.TypeStatic && !(p.nullMeansUnknown && prior.NetworkType.IsNull()) &&
		(p.differs(planned.IPAddress, prior.IPAddress) || p.differs(planned.Netmask, prior.Netmask) || p.differs(planned.Gateway, prior.Gateway)) {
		e.guest = p.guest(at, planned, gateway)
	}
	relinked := e.device.VLANID != nil || e.device.MAC != nil || e.device.Model != nil || attrs.BoolOr(planned.Enabled, true) && e.device.Enabled != nil
	e.waits = planned.Waits() && (relinked || e.guest != nil || !prior.Waits())
	return e
}

// differs reports whether a member that has no default is known to change.
func (p *nicPlanner) differs(planned, prior types.String) bool {
	return !planned.IsUnknown() && !p.same(planned, prior, types.StringNull())
}

// howToReplace is the way to another VM where a change is refused: with -replace,
// the plan would compare the configuration with this VM first.
const howToReplace = "terraform taint, then apply"

// refuse reports what can't be changed on a NIC that stays.
func (p *nicPlanner) refuse(ctx context.Context, at path.Path, planned, prior nicModel) {
	const (
		replace = " Replace the VM (" + howToReplace + ")."
		anew    = " Replace the VM (" + howToReplace + "), or take this NIC out, apply, and add a new one."
	)
	if fullyKnown(ctx, planned.Routes) && !p.same(planned.Routes, prior.Routes, types.ListNull(network.RouteType())) {
		p.diags.AddAttributeError(at.AtName("routes"), "Routes can't change", "Routes are set by cloud-init at the first boot."+replace)
	}
	if !planned.DefaultRoute.IsUnknown() && !p.same(planned.DefaultRoute, prior.DefaultRoute, types.BoolValue(false)) {
		p.diags.AddAttributeError(at.AtName("default_route"), "The default route can't change", "The default route is set by cloud-init at the first boot."+replace)
	}
	known := !planned.NetworkType.IsUnknown() && (!p.nullMeansUnknown || !prior.NetworkType.IsNull())
	if known && prior.Type() == network.TypeStatic && planned.Type() == network.TypeDHCP {
		p.diags.AddAttributeError(at.AtName("network_type"), "A static NIC can't change to DHCP", "Tower has no call that lets the guest ask DHCP again."+anew)
	}
	if planned.Type() == network.TypeStatic && planned.Gateway.IsNull() && !prior.Gateway.IsNull() {
		p.diags.AddAttributeError(at.AtName("gateway"), "A gateway can't be removed", "Tower has no call that takes a gateway from the guest."+anew)
	}
}

// guest is what the guest's tools have to set, which they can only while they run.
func (p *nicPlanner) guest(at path.Path, planned nicModel, gateway bool) *tower.NICAddress {
	if !p.runs || !p.tools {
		state := "the VM does not run"
		if p.runs {
			state = "they do not run"
		}
		p.diags.AddAttributeError(at.AtName("ip_address"), "The guest can't be configured",
			fmt.Sprintf("A static address of a VM that exists is set by the VM tools in its guest, but %s. Start them, or replace the VM (%s).", state, howToReplace))
	}
	address := &tower.NICAddress{IPAddress: planned.IPAddress.ValueString(), Netmask: planned.Netmask.ValueString()}
	if gateway {
		address.Gateway = planned.Gateway.ValueString()
	}
	return address
}

func (c *change) compareNICs(ctx context.Context, config, plan, state *model, nullMeansUnknown bool) diag.Diagnostics {
	if plan.NICs.IsNull() || state.NICs.IsNull() && nullMeansUnknown {
		// Without the argument the VM's NICs are left as they are.
		return nil
	}
	if plan.NICs.IsUnknown() || state.NICs.IsNull() {
		c.unknown = true
		return nil
	}
	planned, diags := nicsFrom(ctx, plan.NICs)
	configured, d := nicsFrom(ctx, config.NICs)
	diags.Append(d...)
	current, d := nicsFrom(ctx, state.NICs)
	diags.Append(d...)
	if diags.HasError() || len(configured) != len(planned) {
		return diags
	}
	planner := nicPlanner{
		planned: planned, config: configured, state: current, nullMeansUnknown: nullMeansUnknown, undetermined: partlyUnknown(ctx, config.NICs), diags: &diags,
		runs:  state.Status.ValueString() == tower.StatusRunning && c.power != tower.StatusStopped && c.power != tower.StatusSuspended || c.power == tower.StatusRunning,
		tools: state.VMToolsStatus.ValueString() == toolsRunning || c.power == tower.StatusRunning,
	}
	c.nics = planner.compare(ctx)
	for i, edit := range c.nics.edits {
		switch {
		case !c.interrupts(state):
		case edit.device.Model != nil:
			c.stops = append(c.stops, fmt.Sprintf("the model of NIC %d changes to %s", i, *edit.device.Model))
		case configured[i].Model.IsUnknown():
			c.unknown = true
		}
	}
	return diags
}

// fillComputedNICs gives the computed members of the planned NICs. Those of a NIC that
// the change leaves alone stay.
func (c *change) fillComputedNICs(ctx context.Context, config, plan *model) diag.Diagnostics {
	planned, diags := nicsFrom(ctx, plan.NICs)
	if planned == nil || diags.HasError() {
		return diags
	}
	configured, d := nicsFrom(ctx, config.NICs)
	diags.Append(d...)
	for i := range planned {
		if i >= len(configured) {
			continue
		}
		if i >= len(c.nics.edits) || c.nics.edits[i].prior == nil || c.nics.edits[i].undetermined {
			if configured[i].MACAddress.IsNull() {
				planned[i].MACAddress = types.StringUnknown()
			}
			planned[i].IPAddresses = types.ListUnknown(types.StringType)
			continue
		}
		edit := c.nics.edits[i]
		planned[i].MACAddress = configured[i].MACAddress
		keepString(&planned[i].MACAddress, configured[i].MACAddress, edit.prior.MACAddress, true)
		planned[i].IPAddresses = edit.prior.IPAddresses
		if c.waits && (c.waitsForAll || c.unknown) || c.power != "" || len(c.stops) > 0 || edit.changesTower() {
			planned[i].IPAddresses = types.ListUnknown(types.StringType)
		}
	}
	plan.NICs, d = nicList(ctx, planned)
	diags.Append(d...)
	return diags
}

// partlyUnknown tells which NICs the configuration does not tell all of yet.
func partlyUnknown(ctx context.Context, nics types.List) []bool {
	var undetermined []bool
	for _, nic := range nics.Elements() {
		undetermined = append(undetermined, !fullyKnown(ctx, nic))
	}
	return undetermined
}

// adoptNICs reads the NICs of a VM that was created without the argument, and
// so has none in the state, when the configuration names them for the first
// time. It puts them into the given copy of the state and reports whether it
// did.
func (r *Resource) adoptNICs(ctx context.Context, plan, state *model) (bool, diag.Diagnostics) {
	client, ok := r.data.TryClient()
	if !ok || !state.NICs.IsNull() || !attrs.IsKnown(plan.NICs) {
		return false, nil
	}
	reported, err := client.VMNICs(ctx, state.ID.ValueString())
	if err == nil && len(reported) == 0 {
		// Nor does a VM that is not there have any.
		_, err = client.VM(ctx, state.ID.ValueString())
	}
	if err != nil {
		var diags diag.Diagnostics
		diagx.AddError(&diags, "read", object, state.Name.ValueString(), fmt.Errorf("reading the NICs: %w", err))
		return false, diags
	}
	nics := refreshNICs(nil, reported)
	for i := range nics {
		nics[i].IPAddresses = types.ListUnknown(types.StringType)
	}
	list, diags := nicList(ctx, nics)
	state.NICs = list
	return true, diags
}
