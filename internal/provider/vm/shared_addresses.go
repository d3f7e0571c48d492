// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/staticips"
)

// staticAddress is the address that a NIC is configured to have on its network;
// false where it has none, is switched off, or not all is known. An address that
// is a network of its own is one that nobody on the VM network is to reach, such
// as the uplinks of ECP, which are the same on all VMs.
func staticAddress(nic network.NIC) (staticips.Address, bool) {
	subnet, ok := nic.Subnet()
	if !ok || subnet.IsSingleIP() || nic.Type() != network.TypeStatic || !attrs.IsKnown(nic.VLANID) || nic.Enabled.IsUnknown() || !attrs.BoolOr(nic.Enabled, true) {
		return staticips.Address{}, false
	}
	return staticips.Address{VLANID: nic.VLANID.ValueString(), IP: subnet.Addr().String()}, true
}

// givesAddress reports whether the update gives a NIC its static address, or plugs
// it in where that address counts.
func (e nicEdit) givesAddress() bool {
	return e.prior == nil || e.guest != nil || e.device.VLANID != nil || e.device.Enabled != nil
}

// warnSharedAddresses warns of static addresses that the plan newly gives to a VM
// while another VM has them on the same network, or is planned to have them. The
// state and the edits are empty for a VM that is to be created. Only new addresses
// are looked up in Tower, in one request with those of other VMs.
func (r *Resource) warnSharedAddresses(ctx context.Context, plan, state *model, edits []nicEdit, diags *diag.Diagnostics) {
	nics, d := nicsFrom(ctx, plan.NICs)
	current, more := nicsFrom(ctx, state.NICs)
	if r.data == nil || d.HasError() || more.HasError() {
		return
	}
	had, places := map[staticips.Address]bool{}, map[staticips.Address]path.Path{}
	for _, nic := range current {
		if address, ok := staticAddress(nic.NIC); ok {
			had[address] = true
		}
	}
	planned := staticips.Plan{Has: map[staticips.Address]bool{}}
	for i, nic := range nics {
		if address, ok := staticAddress(nic.NIC); ok {
			planned.Has[address] = !had[address] && (state.ID.IsNull() || i < len(edits) && edits[i].givesAddress())
			places[address] = path.Root("nics").AtListIndex(i).AtName("ip_address")
		}
	}
	for address := range had {
		if _, stays := planned.Has[address]; !stays {
			planned.Gives = append(planned.Gives, address)
		}
	}
	self := staticips.VM{ID: state.ID.ValueString(), ClusterID: plan.ClusterID.ValueString(), Name: plan.Name.ValueString()}
	if self.ID != "" || self.ClusterID != "" && self.Name != "" {
		for address, others := range r.data.StaticIPs.Planned(self, planned) {
			addShared(diags, places[address], address, "is planned to have it on the same VM network, too", others...)
		}
	}
	for address, isNew := range planned.Has {
		if isNew {
			r.warnTaken(ctx, self, places[address], address, diags)
		}
	}
}

// giveUpAddresses notes that a VM is to be destroyed, so that its static addresses
// are free for others.
func (r *Resource) giveUpAddresses(state *model) {
	if r.data != nil {
		r.data.StaticIPs.Ends(state.ID.ValueString())
	}
}

// warnTaken warns where another VM has an address by what Tower shows. A look-up
// that fails warns of nothing.
func (r *Resource) warnTaken(ctx context.Context, self staticips.VM, at path.Path, address staticips.Address, diags *diag.Diagnostics) {
	client, ok := r.data.TryClient()
	if !ok {
		return
	}
	holders, err := client.NICsWithAddress(ctx, address.VLANID, address.IP)
	if err != nil {
		tflog.Warn(ctx, "Static address not looked up", map[string]any{"ip_address": address.IP, "vlan_id": address.VLANID, "error": err.Error()})
		return
	}
	for _, nic := range holders {
		// Where the VM is replaced, its predecessor has the name.
		if nic.VMID == self.ID || self.ID == "" && nic.VMName == self.Name || r.data.StaticIPs.Accounted(ctx, nic.VMID, address) {
			continue
		}
		addShared(diags, at, address, "has it on this VM network already, by what Tower shows", staticips.VM{ID: nic.VMID, Name: nic.VMName})
	}
}

// addShared warns that other VMs have the address, or are to have it.
func addShared(diags *diag.Diagnostics, at path.Path, address staticips.Address, how string, others ...staticips.VM) {
	names := make([]string, 0, len(others))
	for _, vm := range others {
		name := fmt.Sprintf("%q", vm.Name)
		if vm.ID != "" {
			name += fmt.Sprintf(" (id %s)", vm.ID)
		}
		names = append(names, name)
	}
	diags.AddAttributeWarning(at, fmt.Sprintf("Another VM has the address %s", address.IP),
		fmt.Sprintf("VM %s %s. Of two machines with one address, neither can be reached reliably. Give one of them another address.", strings.Join(names, ", "), how))
}
