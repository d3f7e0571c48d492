// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"net/netip"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// The values of network_type and model.
const (
	networkDHCP   = string(readiness.DHCP)
	networkStatic = string(readiness.Static)
	networkNone   = string(readiness.None)

	nicVirtio = "VIRTIO"
	nicE1000  = "E1000"
)

// nicModel is one element of nics.
type nicModel struct {
	VLANID       types.String `tfsdk:"vlan_id"`
	NetworkType  types.String `tfsdk:"network_type"`
	IPAddress    types.String `tfsdk:"ip_address"`
	Netmask      types.String `tfsdk:"netmask"`
	Gateway      types.String `tfsdk:"gateway"`
	Routes       types.List   `tfsdk:"routes"`
	DefaultRoute types.Bool   `tfsdk:"default_route"`
	MACAddress   types.String `tfsdk:"mac_address"`
	Model        types.String `tfsdk:"model"`
	Enabled      types.Bool   `tfsdk:"enabled"`
	Mirror       types.Bool   `tfsdk:"mirror"`
	WaitForIP    types.Bool   `tfsdk:"wait_for_ip"`
	IPAddresses  types.List   `tfsdk:"ip_addresses"`
}

// routeModel is one element of a NIC's routes.
type routeModel struct {
	Gateway types.String `tfsdk:"gateway"`
	Network types.String `tfsdk:"network"`
	Netmask types.String `tfsdk:"netmask"`
}

func routeType() types.ObjectType {
	return types.ObjectType{AttrTypes: map[string]attr.Type{
		"gateway": types.StringType, "network": types.StringType, "netmask": types.StringType,
	}}
}

func nicType() types.ObjectType {
	return types.ObjectType{AttrTypes: map[string]attr.Type{
		"vlan_id": types.StringType, "network_type": types.StringType, "ip_address": types.StringType, "netmask": types.StringType,
		"gateway": types.StringType, "routes": types.ListType{ElemType: routeType()}, "default_route": types.BoolType,
		"mac_address": types.StringType, "model": types.StringType, "enabled": types.BoolType, "mirror": types.BoolType,
		"wait_for_ip": types.BoolType, "ip_addresses": types.ListType{ElemType: types.StringType},
	}}
}

// nicsFrom reads the elements of nics; nil where the list is null or unknown.
// Elements that are themselves unknown, as a dynamic configuration may have at
// plan time, come with every member unknown.
func nicsFrom(ctx context.Context, list types.List) ([]nicModel, diag.Diagnostics) {
	if !attrs.IsKnown(list) {
		return nil, nil
	}
	nics := make([]nicModel, 0, len(list.Elements()))
	var diags diag.Diagnostics
	for _, element := range list.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsNull() || object.IsUnknown() {
			nics = append(nics, unknownNIC())
			continue
		}
		var nic nicModel
		diags.Append(object.As(ctx, &nic, basetypes.ObjectAsOptions{})...)
		nics = append(nics, nic)
	}
	return nics, diags
}

func unknownNIC() nicModel {
	s, b := types.StringUnknown(), types.BoolUnknown()
	return nicModel{
		VLANID: s, NetworkType: s, IPAddress: s, Netmask: s, Gateway: s, MACAddress: s, Model: s,
		DefaultRoute: b, Enabled: b, Mirror: b, WaitForIP: b,
		Routes: types.ListUnknown(routeType()), IPAddresses: types.ListUnknown(types.StringType),
	}
}

func nicList(ctx context.Context, nics []nicModel) (types.List, diag.Diagnostics) {
	return types.ListValueFrom(ctx, nicType(), nics)
}

// networkType is the NIC's type, the default where it is null.
func (n nicModel) networkType() string { return attrs.StringOr(n.NetworkType, networkDHCP) }

// waits tells whether readiness takes the NIC into account.
func (n nicModel) waits() bool {
	if n.networkType() == networkNone || !attrs.BoolOr(n.Enabled, true) {
		return false
	}
	return attrs.BoolOr(n.WaitForIP, true)
}

// rule is the NIC as the readiness rule takes it.
func (n nicModel) rule() readiness.NIC {
	nic := readiness.NIC{
		MAC:          n.MACAddress.ValueString(),
		Type:         readiness.NetworkType(n.networkType()),
		Enabled:      attrs.BoolOr(n.Enabled, true),
		Waits:        n.waits(),
		DefaultRoute: attrs.BoolOr(n.DefaultRoute, false),
	}
	if address, err := netip.ParseAddr(n.IPAddress.ValueString()); err == nil {
		nic.Address = address
	}
	return nic
}

// create is the NIC as the create call takes it. The static address is not
// part of it: Tower would echo it as if the guest had reported it. It goes to
// cloud-init instead.
func (n nicModel) create() tower.NICCreate {
	return tower.NICCreate{
		VLANID:  n.VLANID.ValueString(),
		Model:   attrs.StringOr(n.Model, nicVirtio),
		MAC:     n.MACAddress.ValueString(),
		Enabled: attrs.BoolPtr(n.Enabled),
		Mirror:  attrs.BoolPtr(n.Mirror),
	}
}

// sameDevice tells whether two NICs are the same to Tower and to the guest, so
// that going from one to the other needs no call. After an import, members
// that Tower can't tell are null in the prior NIC and can't differ: nobody
// knows what they were. Otherwise null means the default.
func (n nicModel) sameDevice(prior nicModel, imported bool) bool {
	same := func(planned, before, def attr.Value) bool {
		if before.IsNull() && imported {
			return true
		}
		return orDefault(planned, def).Equal(orDefault(before, def))
	}
	sameMAC := !attrs.IsKnown(n.MACAddress) || prior.MACAddress.IsNull() ||
		strings.EqualFold(n.MACAddress.ValueString(), prior.MACAddress.ValueString())
	none := types.StringNull()
	return sameMAC && n.VLANID.Equal(prior.VLANID) &&
		same(n.NetworkType, prior.NetworkType, types.StringValue(networkDHCP)) &&
		same(n.IPAddress, prior.IPAddress, none) && same(n.Netmask, prior.Netmask, none) && same(n.Gateway, prior.Gateway, none) &&
		same(n.Routes, prior.Routes, types.ListNull(routeType())) &&
		same(n.DefaultRoute, prior.DefaultRoute, types.BoolValue(false)) &&
		same(n.Model, prior.Model, types.StringValue(nicVirtio)) &&
		same(n.Enabled, prior.Enabled, types.BoolValue(true)) &&
		same(n.Mirror, prior.Mirror, types.BoolValue(false))
}

func orDefault(v, def attr.Value) attr.Value {
	if v.IsNull() {
		return def
	}
	return v
}

// fillNICs writes what was discovered into the configured NICs. The verdict's
// NICs are in the configuration's order, paired by MAC or, before the MACs are
// known, by Tower's order.
func fillNICs(nics []nicModel, verdict readiness.Verdict) {
	for i := range nics {
		nics[i].IPAddresses = attrs.StringList(nil)
		if nics[i].MACAddress.IsUnknown() {
			nics[i].MACAddress = types.StringNull()
		}
		if i >= len(verdict.NICs) {
			continue
		}
		found := verdict.NICs[i]
		addresses := make([]string, 0, len(found.Addresses))
		for _, address := range found.Addresses {
			addresses = append(addresses, address.String())
		}
		nics[i].IPAddresses = attrs.StringList(addresses)
		// The configuration's spelling of a MAC stays: upper case is no drift.
		if found.MAC != "" && !strings.EqualFold(found.MAC, nics[i].MACAddress.ValueString()) {
			nics[i].MACAddress = types.StringValue(found.MAC)
		}
	}
}

// refreshNICs brings the NICs of the state up to date with what Tower shows:
// changed devices, NICs that are gone, NICs that somebody added.
func refreshNICs(nics []nicModel, reported []tower.VMNIC) []nicModel {
	claimed := make([]bool, len(reported))
	claim := func(match func(tower.VMNIC) bool) int {
		for k, r := range reported {
			if !claimed[k] && match(r) {
				claimed[k] = true
				return k
			}
		}
		return -1
	}
	paired := make([]int, len(nics))
	for i, nic := range nics {
		mac := nic.MACAddress.ValueString()
		paired[i] = claim(func(r tower.VMNIC) bool { return mac != "" && strings.EqualFold(r.MAC, mac) })
	}
	var current []nicModel
	for i, nic := range nics {
		if paired[i] < 0 && nic.MACAddress.ValueString() == "" {
			// A create that was interrupted before the MACs were known.
			paired[i] = claim(func(r tower.VMNIC) bool { return r.VLANID == nic.VLANID.ValueString() })
		}
		if paired[i] < 0 {
			continue
		}
		nic.fillDevice(reported[paired[i]])
		current = append(current, nic)
	}
	for k, r := range reported {
		if !claimed[k] {
			current = append(current, importedNIC(r))
		}
	}
	return current
}

// fillDevice writes what Tower tells of the device itself.
func (n *nicModel) fillDevice(reported tower.VMNIC) {
	if reported.VLANID != "" {
		n.VLANID = types.StringValue(reported.VLANID)
	}
	if reported.Model != "" {
		n.Model = types.StringValue(reported.Model)
	}
	n.Enabled = types.BoolValue(reported.Enabled)
	n.Mirror = types.BoolValue(reported.Mirror)
	if reported.MAC != "" && !strings.EqualFold(reported.MAC, n.MACAddress.ValueString()) {
		n.MACAddress = types.StringValue(reported.MAC)
	}
}

// importedNIC is a NIC of which only Tower's knowledge is left: how the guest
// was meant to configure it can't be read back.
func importedNIC(reported tower.VMNIC) nicModel {
	nic := nicModel{
		VLANID: types.StringNull(), NetworkType: types.StringNull(), IPAddress: types.StringNull(), Netmask: types.StringNull(),
		Gateway: types.StringNull(), Routes: types.ListNull(routeType()), DefaultRoute: types.BoolNull(),
		MACAddress: attrs.StringOrNull(reported.MAC), Model: types.StringNull(), WaitForIP: types.BoolNull(),
		IPAddresses: attrs.StringList(nil),
	}
	nic.fillDevice(reported)
	return nic
}
