// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
)

// hostnamePattern takes host names and full domain names (RFC 1123).
var hostnamePattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)

// ValidateConfig refuses what can be known to fail before anything is created.
// Values that are still unknown are left for the apply.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	validateCPUs(&config, &resp.Diagnostics)
	nics, diags := nicsFrom(ctx, config.NICs)
	resp.Diagnostics.Append(diags...)
	for i, nic := range nics {
		validateNIC(ctx, path.Root("nics").AtListIndex(i), nic, &resp.Diagnostics)
	}
	validateUniqueNICs(nics, &resp.Diagnostics)
	validateReadiness(ctx, &config, nics, &resp.Diagnostics)
}

func validateCPUs(config *model, diags *diag.Diagnostics) {
	cpus, cores := attrs.Int64Or(config.NumCPUs, 0), attrs.Int64Or(config.NumCoresPerSocket, 0)
	if cpus > 0 && cores > 0 && cpus%cores != 0 {
		diags.AddAttributeError(path.Root("num_cpus"), "Invalid number of vCPUs",
			fmt.Sprintf("num_cpus (%d) must be a multiple of num_cores_per_socket (%d).", cpus, cores))
	}
}

// validateNIC checks one NIC by itself.
func validateNIC(ctx context.Context, at path.Path, nic nicModel, diags *diag.Diagnostics) {
	if nic.NetworkType.IsUnknown() {
		return
	}
	kind := nic.networkType()
	if kind == networkStatic {
		for name, value := range map[string]types.String{"ip_address": nic.IPAddress, "netmask": nic.Netmask} {
			if value.IsNull() {
				diags.AddAttributeError(at.AtName(name), "Missing "+name,
					fmt.Sprintf("A static NIC (network_type = %q) needs %s.", networkStatic, name))
			}
		}
	} else {
		for name, value := range map[string]types.String{"ip_address": nic.IPAddress, "netmask": nic.Netmask} {
			if attrs.IsKnown(value) {
				diags.AddAttributeError(at.AtName(name), "Invalid "+name,
					fmt.Sprintf("%s is for static NICs only; this NIC is %s. Set network_type = %q or remove %s.", name, kind, networkStatic, name))
			}
		}
	}
	if kind == networkNone && (attrs.IsKnown(nic.Gateway) || attrs.IsKnown(nic.Routes)) {
		diags.AddAttributeError(at.AtName("gateway"), "Invalid gateway", "A NIC with network_type = \"NONE\" is not configured in the guest, so it takes no gateway or routes.")
	}
	validateWaitForIP(at, nic, kind, diags)
	if kind == networkStatic {
		validateGateways(ctx, at, nic, diags)
	}
}

func validateWaitForIP(at path.Path, nic nicModel, kind string, diags *diag.Diagnostics) {
	if !attrs.BoolOr(nic.WaitForIP, false) {
		return
	}
	switch {
	case kind == networkNone:
		diags.AddAttributeError(at.AtName("wait_for_ip"), "Invalid wait_for_ip",
			"A NIC with network_type = \"NONE\" never gets an address, so it can't be waited for. Remove wait_for_ip or choose another network_type.")
	case !attrs.BoolOr(nic.Enabled, true):
		diags.AddAttributeError(at.AtName("wait_for_ip"), "Invalid wait_for_ip",
			"A disabled NIC never gets an address, so it can't be waited for. Remove wait_for_ip or enable the NIC.")
	}
}

// validateGateways checks that each next hop can be reached from the NIC's own
// network: cloud-init in the guest fails otherwise, minutes later.
func validateGateways(ctx context.Context, at path.Path, nic nicModel, diags *diag.Diagnostics) {
	network, ok := networkOf(nic)
	if !ok {
		return
	}
	check := func(where path.Path, value types.String) {
		gateway, err := netip.ParseAddr(value.ValueString())
		if !attrs.IsKnown(value) || err != nil || network.Contains(gateway) {
			return
		}
		diags.AddAttributeError(where, "Gateway outside the NIC's network",
			fmt.Sprintf("The gateway %s is not in the network %s of the NIC's address %s, so the guest could not reach it.",
				gateway, network.Masked(), network.Addr()))
	}
	check(at.AtName("gateway"), nic.Gateway)
	if !attrs.IsKnown(nic.Routes) {
		return
	}
	var routes []routeModel
	if d := nic.Routes.ElementsAs(ctx, &routes, true); d.HasError() {
		return // an element is still unknown
	}
	for i, route := range routes {
		check(at.AtName("routes").AtListIndex(i).AtName("gateway"), route.Gateway)
	}
}

// networkOf is the address of a static NIC with its prefix.
func networkOf(nic nicModel) (netip.Prefix, bool) {
	address, err := netip.ParseAddr(nic.IPAddress.ValueString())
	if err != nil {
		return netip.Prefix{}, false
	}
	mask, err := netip.ParseAddr(nic.Netmask.ValueString())
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

// validateUniqueNICs refuses what must be unique among the NICs of a VM.
func validateUniqueNICs(nics []nicModel, diags *diag.Diagnostics) {
	macs, addresses, defaultRoute := map[string]int{}, map[string]int{}, -1
	for i, nic := range nics {
		at := path.Root("nics").AtListIndex(i)
		if mac := strings.ToLower(nic.MACAddress.ValueString()); mac != "" {
			if first, taken := macs[mac]; taken {
				diags.AddAttributeError(at.AtName("mac_address"), "Duplicate MAC address", fmt.Sprintf("NIC %d has the MAC address %s already.", first, mac))
			} else {
				macs[mac] = i
			}
		}
		if address := nic.IPAddress.ValueString(); address != "" {
			if first, taken := addresses[address]; taken {
				diags.AddAttributeError(at.AtName("ip_address"), "Duplicate static address", fmt.Sprintf("NIC %d has the address %s already.", first, address))
			} else {
				addresses[address] = i
			}
		}
		if attrs.BoolOr(nic.DefaultRoute, false) {
			if defaultRoute >= 0 {
				diags.AddAttributeError(at.AtName("default_route"), "More than one default route", fmt.Sprintf("NIC %d holds the default route already; a guest has one.", defaultRoute))
			} else {
				defaultRoute = i
			}
		}
	}
}

func validateReadiness(ctx context.Context, config *model, nics []nicModel, diags *diag.Diagnostics) {
	at := path.Root("network_readiness")
	settings, ok, d := objectAs[readinessModel](ctx, config.NetworkReadiness)
	diags.Append(d...)
	if !ok {
		return
	}
	create, d := config.Timeouts.Create(ctx, 0)
	diags.Append(d...)
	wait := attrs.DurationOr(settings.Timeout, 0)
	if create > 0 && wait > create {
		diags.AddAttributeError(at.AtName("timeout"), "Wait longer than the create",
			fmt.Sprintf("network_readiness.timeout (%s) is longer than timeouts.create (%s), which bounds the whole create. Raise timeouts.create or lower the wait.",
				wait.Round(time.Millisecond), create.Round(time.Millisecond)))
	}
	ignored, d := attrs.Strings(ctx, settings.IgnoredCIDRs)
	diags.Append(d...)
	for i, cidr := range ignored {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			continue // its own validator has said so
		}
		for n, nic := range nics {
			if address, err := netip.ParseAddr(nic.IPAddress.ValueString()); err == nil && prefix.Contains(address) {
				diags.AddAttributeWarning(at.AtName("ignored_cidrs").AtListIndex(i), "Ignored network covers a static address",
					fmt.Sprintf("%s covers %s, the static address of NIC %d: that address will neither count nor be shown.", cidr, address, n))
			}
		}
	}
}
