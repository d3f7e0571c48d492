// SPDX-License-Identifier: MPL-2.0

// Package network has what the objects with a VM's NICs share: the arguments of a
// NIC and of network_readiness, their validation, and the wait that they configure.
package network

import (
	"context"
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
)

// The values of network_type and model.
const (
	TypeDHCP   = string(readiness.DHCP)
	TypeStatic = string(readiness.Static)
	TypeNone   = string(readiness.None)

	ModelVirtio = "VIRTIO"
	ModelE1000  = "E1000"
)

// NIC holds the arguments of a NIC. Objects that add computed attributes embed it.
type NIC struct {
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
}

// Route is one element of a NIC's routes.
type Route struct {
	Gateway types.String `tfsdk:"gateway"`
	Network types.String `tfsdk:"network"`
	Netmask types.String `tfsdk:"netmask"`
}

// RouteType returns the type of an element of routes.
func RouteType() types.ObjectType {
	return types.ObjectType{AttrTypes: map[string]attr.Type{
		"gateway": types.StringType, "network": types.StringType, "netmask": types.StringType,
	}}
}

// NICTypes returns the types of a NIC's arguments, by name.
func NICTypes() map[string]attr.Type {
	return map[string]attr.Type{
		"vlan_id": types.StringType, "network_type": types.StringType, "ip_address": types.StringType, "netmask": types.StringType,
		"gateway": types.StringType, "routes": types.ListType{ElemType: RouteType()}, "default_route": types.BoolType,
		"mac_address": types.StringType, "model": types.StringType, "enabled": types.BoolType, "mirror": types.BoolType,
		"wait_for_ip": types.BoolType,
	}
}

// UnknownNIC returns a NIC with every argument unknown.
func UnknownNIC() NIC {
	s, b := types.StringUnknown(), types.BoolUnknown()
	return NIC{
		VLANID: s, NetworkType: s, IPAddress: s, Netmask: s, Gateway: s, MACAddress: s, Model: s,
		DefaultRoute: b, Enabled: b, Mirror: b, WaitForIP: b, Routes: types.ListUnknown(RouteType()),
	}
}

// Elements reads a list of objects. It returns nil if the list is null or unknown.
// For an element that is itself unknown, as a dynamic configuration may have at
// plan time, it calls unknown.
func Elements[T any](ctx context.Context, list types.List, unknown func() T) ([]T, diag.Diagnostics) {
	if !attrs.IsKnown(list) {
		return nil, nil
	}
	elements := make([]T, 0, len(list.Elements()))
	var diags diag.Diagnostics
	for _, element := range list.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsNull() || object.IsUnknown() {
			elements = append(elements, unknown())
			continue
		}
		var value T
		diags.Append(object.As(ctx, &value, basetypes.ObjectAsOptions{})...)
		elements = append(elements, value)
	}
	return elements, diags
}

// Type returns the NIC's network type, or the default if that is null.
func (n NIC) Type() string { return attrs.StringOr(n.NetworkType, TypeDHCP) }

// Waits reports whether the NIC is waited for.
func (n NIC) Waits() bool {
	if n.Type() == TypeNone || !attrs.BoolOr(n.Enabled, true) {
		return false
	}
	return attrs.BoolOr(n.WaitForIP, true)
}

// Rule returns the NIC in the form that the readiness rule takes.
func (n NIC) Rule() readiness.NIC {
	nic := readiness.NIC{
		MAC:          n.MACAddress.ValueString(),
		Type:         readiness.NetworkType(n.Type()),
		Enabled:      attrs.BoolOr(n.Enabled, true),
		Waits:        n.Waits(),
		DefaultRoute: attrs.BoolOr(n.DefaultRoute, false),
	}
	if address, err := netip.ParseAddr(n.IPAddress.ValueString()); err == nil {
		nic.Address = address
	}
	return nic
}

// Subnet returns the address of a static NIC with the length of its netmask. It
// returns false unless both are known.
func (n NIC) Subnet() (netip.Prefix, bool) {
	address, err := netip.ParseAddr(n.IPAddress.ValueString())
	if err != nil {
		return netip.Prefix{}, false
	}
	mask, err := netip.ParseAddr(n.Netmask.ValueString())
	if err != nil || !mask.Is4() {
		return netip.Prefix{}, false
	}
	ones := 0
	for _, b := range mask.As4() {
		for ; b&0x80 != 0; b <<= 1 {
			ones++
		}
	}
	return netip.PrefixFrom(address, ones), true
}
