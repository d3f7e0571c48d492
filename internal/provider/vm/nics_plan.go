// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
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
	prior  *nicModel         // the NIC of the state, nil for one that is added
	device tower.NICUpdate   // what changes of the device
	guest  *tower.NICAddress // the static address that the guest's tools set
	waits  bool              // the NIC is waited for after the update
}

func (e nicEdit) sends() bool {
	return e.prior == nil || e.device != (tower.NICUpdate{}) || e.guest != nil
}

// touches tells whether the update changes anything in Tower or waits.
func (c nicsChange) sends() bool {
	return len(c.removed) > 0 || slices.ContainsFunc(c.edits, nicEdit.sends)
}

func (c nicsChange) waits() bool {
	return slices.ContainsFunc(c.edits, func(e nicEdit) bool { return e.waits })
}

// nicPlanner compares planned NICs with those of the state.
type nicPlanner struct {
	planned  []nicModel
	config   []nicModel // as configured: only these tell which MACs are wanted
	state    []nicModel
	imported bool // members that are null in the state are not known

	runs, tools bool // the VM and its tools run, so that the guest can be configured
	diags       *diag.Diagnostics
}

// compare finds the least that turns the state's NICs into the planned ones, and
// refuses what Tower has no call for.
func (p *nicPlanner) compare() nicsChange {
	var c nicsChange
	pairs := p.pair()
	gateway := gatewayNIC(p.planned)
	for i, planned := range p.planned {
		at := path.Root("nics").AtListIndex(i)
		if pairs[i] < 0 {
			c.edits = append(c.edits, p.addition(at, planned, i == gateway))
			continue
		}
		prior := p.state[pairs[i]]
		c.edits = append(c.edits, p.edit(at, planned, p.config[i], prior, i == gateway))
	}
	for k, nic := range p.state {
		if !slices.Contains(pairs, k) {
			c.removed = append(c.removed, nic)
		}
	}
	return c
}

// same compares a member. After an import, one that is null in the state can't
// differ; otherwise null means the default.
func (p *nicPlanner) same(planned, prior, def attr.Value) bool {
	if prior.IsNull() && p.imported {
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
			"Routes are set by cloud-init at the first boot, so a NIC that is added later can't have any. Remove routes, or replace the VM (terraform apply -replace).")
	}
	e := nicEdit{waits: planned.Waits()}
	if planned.Type() == network.TypeStatic {
		e.guest = p.guest(at, planned, gateway)
	}
	return e
}

// edit is a NIC that stays and may change.
func (p *nicPlanner) edit(at path.Path, planned, config, prior nicModel, gateway bool) nicEdit {
	e := nicEdit{prior: &prior}
	p.refuse(at, planned, prior)
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
	none := types.StringNull()
	if planned.Type() == network.TypeStatic && !(p.imported && prior.NetworkType.IsNull()) &&
		!(p.same(planned.IPAddress, prior.IPAddress, none) && p.same(planned.Netmask, prior.Netmask, none) && p.same(planned.Gateway, prior.Gateway, none)) {
		e.guest = p.guest(at, planned, gateway)
	}
	relinked := e.device.VLANID != nil || e.device.MAC != nil || e.device.Model != nil || attrs.BoolOr(planned.Enabled, true) && e.device.Enabled != nil
	e.waits = planned.Waits() && (relinked || e.guest != nil || !prior.Waits())
	return e
}

// refuse reports what can't be changed on a NIC that stays.
func (p *nicPlanner) refuse(at path.Path, planned, prior nicModel) {
	const (
		replace = " Replace the VM (terraform apply -replace)."
		anew    = " Replace the VM (terraform apply -replace), or take this NIC out, apply, and add a new one."
	)
	if !p.same(planned.Routes, prior.Routes, types.ListNull(network.RouteType())) {
		p.diags.AddAttributeError(at.AtName("routes"), "Routes can't change", "Routes are set by cloud-init at the first boot."+replace)
	}
	if !p.same(planned.DefaultRoute, prior.DefaultRoute, types.BoolValue(false)) {
		p.diags.AddAttributeError(at.AtName("default_route"), "The default route can't change", "The default route is set by cloud-init at the first boot."+replace)
	}
	known := !p.imported || !prior.NetworkType.IsNull()
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
			fmt.Sprintf("A static address of a VM that exists is set by the VM tools in its guest, but %s. Start them, or replace the VM (terraform apply -replace).", state))
	}
	address := &tower.NICAddress{IPAddress: planned.IPAddress.ValueString(), Netmask: planned.Netmask.ValueString()}
	if gateway {
		address.Gateway = planned.Gateway.ValueString()
	}
	return address
}
