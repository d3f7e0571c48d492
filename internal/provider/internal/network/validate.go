// SPDX-License-Identifier: MPL-2.0

package network

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
)

// ValidateNICs refuses NICs that can't work, each by itself and in combination. It
// ignores values that are not known yet.
func ValidateNICs(ctx context.Context, at path.Path, nics []NIC, diags *diag.Diagnostics) {
	for i, nic := range nics {
		if !nic.NetworkType.IsUnknown() {
			nic.validate(ctx, at.AtListIndex(i), diags)
		}
	}
	validateUnique(at, nics, diags)
}

// validate checks one NIC by itself.
func (n NIC) validate(ctx context.Context, at path.Path, diags *diag.Diagnostics) {
	static := []struct {
		name  string
		value types.String
	}{{"ip_address", n.IPAddress}, {"netmask", n.Netmask}}
	for _, s := range static {
		switch {
		case n.Type() == TypeStatic && s.value.IsNull():
			diags.AddAttributeError(at.AtName(s.name), "Missing "+s.name, fmt.Sprintf("A static NIC (network_type = %q) needs %s.", TypeStatic, s.name))
		case n.Type() != TypeStatic && attrs.IsKnown(s.value):
			diags.AddAttributeError(at.AtName(s.name), "Invalid "+s.name,
				fmt.Sprintf("%s is for static NICs only, but this NIC has network_type = %q. Set network_type = %q, or remove %s.", s.name, n.Type(), TypeStatic, s.name))
		}
	}
	if n.Type() == TypeNone {
		const why = "A NIC with network_type = \"NONE\" is not configured in the guest, so it takes no gateway or routes."
		if attrs.IsKnown(n.Gateway) {
			diags.AddAttributeError(at.AtName("gateway"), "Invalid gateway", why)
		}
		if attrs.IsKnown(n.Routes) {
			diags.AddAttributeError(at.AtName("routes"), "Invalid routes", why)
		}
	}
	n.validateWait(at.AtName("wait_for_ip"), diags)
	n.validateGateways(ctx, at, diags)
}

func (n NIC) validateWait(at path.Path, diags *diag.Diagnostics) {
	if !attrs.BoolOr(n.WaitForIP, false) {
		return
	}
	switch {
	case n.Type() == TypeNone:
		diags.AddAttributeError(at, "Invalid wait_for_ip",
			"A NIC with network_type = \"NONE\" never gets an address, so it can't be waited for. Remove wait_for_ip, or use another network_type.")
	case !attrs.BoolOr(n.Enabled, true):
		diags.AddAttributeError(at, "Invalid wait_for_ip",
			"A disabled NIC never gets an address, so it can't be waited for. Remove wait_for_ip, or enable the NIC.")
	}
}

// validateGateways checks that each gateway can be reached from the NIC's own
// network. Otherwise cloud-init in the guest would fail, minutes later.
func (n NIC) validateGateways(ctx context.Context, at path.Path, diags *diag.Diagnostics) {
	subnet, ok := n.Subnet()
	if !ok || n.Type() != TypeStatic {
		return
	}
	if what := reserved(subnet, subnet.Addr()); what != "" {
		diags.AddAttributeError(at.AtName("ip_address"), "Invalid ip_address",
			fmt.Sprintf("%s is the %s of %s, which no NIC can have. Use another address or another netmask.", subnet.Addr(), what, subnet.Masked()))
	}
	check := func(where path.Path, value types.String) {
		gateway, err := netip.ParseAddr(value.ValueString())
		switch {
		case err != nil:
		case !subnet.Contains(gateway) && !subnet.IsSingleIP():
			diags.AddAttributeError(where, "Gateway outside the NIC's network",
				fmt.Sprintf("The gateway %s is not in %s, the network of the NIC's address %s, so the guest can't reach it.",
					gateway, subnet.Masked(), subnet.Addr()))
		case gateway == subnet.Addr():
			diags.AddAttributeError(where, "Gateway is the NIC itself", fmt.Sprintf("The gateway %s is the NIC's own address. Set it to the router's address in %s.", gateway, subnet.Masked()))
		case reserved(subnet, gateway) != "":
			diags.AddAttributeError(where, "Invalid gateway", fmt.Sprintf("%s is the %s of %s, which no router can have. Use the router's address.", gateway, reserved(subnet, gateway), subnet.Masked()))
		}
	}
	check(at.AtName("gateway"), n.Gateway)
	routes, d := Elements(ctx, n.Routes, func() Route { return Route{Gateway: types.StringUnknown()} })
	diags.Append(d...)
	for i, route := range routes {
		check(at.AtName("routes").AtListIndex(i).AtName("gateway"), route.Gateway)
	}
}

// reserved returns "network address" or "broadcast address" if the address is that
// of the subnet, else "". A subnet of one or two addresses has neither.
func reserved(subnet netip.Prefix, address netip.Addr) string {
	const longestPrefix = 30 // of a subnet that has them
	if subnet.Bits() > longestPrefix || !address.Is4() {
		return ""
	}
	first, bits := subnet.Masked().Addr().As4(), address.As4()
	host, last := binary.BigEndian.Uint32(bits[:])-binary.BigEndian.Uint32(first[:]), uint32(1)<<(32-subnet.Bits())-1
	switch host {
	case 0:
		return "network address"
	case last:
		return "broadcast address"
	}
	return ""
}

// validateUnique refuses duplicates of what must be unique among the NICs of a VM.
func validateUnique(at path.Path, nics []NIC, diags *diag.Diagnostics) {
	macs, addresses, defaultRoute := map[string]int{}, map[string]int{}, -1
	repeated := func(seen map[string]int, value string, i int) (first int, taken bool) {
		if value == "" {
			return 0, false
		}
		if first, taken = seen[value]; !taken {
			seen[value] = i
		}
		return first, taken
	}
	for i, nic := range nics {
		at := at.AtListIndex(i)
		mac := strings.ToLower(nic.MACAddress.ValueString())
		if first, taken := repeated(macs, mac, i); taken {
			diags.AddAttributeError(at.AtName("mac_address"), "Duplicate MAC address", fmt.Sprintf("NIC %d has the MAC address %s, too.", first, mac))
		}
		address := nic.IPAddress.ValueString()
		if first, taken := repeated(addresses, address, i); taken {
			diags.AddAttributeError(at.AtName("ip_address"), "Duplicate static address", fmt.Sprintf("NIC %d has the address %s, too.", first, address))
		}
		if !attrs.BoolOr(nic.DefaultRoute, false) {
			continue
		}
		if defaultRoute >= 0 {
			diags.AddAttributeError(at.AtName("default_route"), "More than one default route", fmt.Sprintf("NIC %d holds the default route, and a guest has only one. Remove default_route from one of them.", defaultRoute))
			continue
		}
		defaultRoute = i
	}
}

// ValidateReadiness checks network_readiness against timeouts.create, 0 if that is
// not configured, and against the NICs.
func ValidateReadiness(ctx context.Context, object types.Object, create time.Duration, nics []NIC, diags *diag.Diagnostics) {
	if !attrs.IsKnown(object) {
		return
	}
	at := path.Root("network_readiness")
	var settings Readiness
	diags.Append(object.As(ctx, &settings, basetypes.ObjectAsOptions{})...)
	if wait := attrs.DurationOr(settings.Timeout, 0); create > 0 && wait > create {
		diags.AddAttributeError(at.AtName("timeout"), "Wait longer than the create",
			fmt.Sprintf("network_readiness.timeout (%s) is longer than timeouts.create (%s), which limits the whole create. Raise timeouts.create, or lower network_readiness.timeout.", wait, create))
	}
	if attrs.IsKnown(settings.KubernetesNode) {
		var node KubernetesNode
		diags.Append(settings.KubernetesNode.As(ctx, &node, basetypes.ObjectAsOptions{})...)
		ValidateKubernetes(ctx, at.AtName("kubernetes_node").AtName("kubernetes"), node.Kubernetes, diags)
	}
	ignored, d := attrs.Strings(ctx, settings.IgnoredCIDRs)
	diags.Append(d...)
	for i, cidr := range ignored {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			continue // the attribute's own validator reports this
		}
		for n, nic := range nics {
			if address, err := netip.ParseAddr(nic.IPAddress.ValueString()); err == nil && prefix.Contains(address) {
				diags.AddAttributeWarning(at.AtName("ignored_cidrs").AtListIndex(i), "Ignored network covers a static address",
					fmt.Sprintf("%s covers %s, the static address of NIC %d, so that address will neither count nor be shown.", cidr, address, n))
			}
		}
	}
}
