// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// nicModel is one element of nics.
type nicModel struct {
	network.NIC

	IPAddresses types.List `tfsdk:"ip_addresses"`
}

func nicType() types.ObjectType {
	attributes := network.NICTypes()
	attributes["ip_addresses"] = types.ListType{ElemType: types.StringType}
	return types.ObjectType{AttrTypes: attributes}
}

// nicsFrom reads the elements of nics; nil where the list is null or unknown.
func nicsFrom(ctx context.Context, list types.List) ([]nicModel, diag.Diagnostics) {
	return network.Elements(ctx, list, func() nicModel {
		return nicModel{NIC: network.UnknownNIC(), IPAddresses: types.ListUnknown(types.StringType)}
	})
}

func nicList(ctx context.Context, nics []nicModel) (types.List, diag.Diagnostics) {
	return types.ListValueFrom(ctx, nicType(), nics)
}

// create is the NIC as the create call takes it. The static address is not
// part of it: Tower would echo it as if the guest had reported it. It goes to
// cloud-init instead.
func (n nicModel) create() tower.NICCreate {
	return tower.NICCreate{
		VLANID:  n.VLANID.ValueString(),
		Model:   attrs.StringOr(n.Model, network.ModelVirtio),
		MAC:     n.MACAddress.ValueString(),
		Enabled: attrs.BoolPtr(n.Enabled),
		Mirror:  attrs.BoolPtr(n.Mirror),
	}
}

// fillNICs writes what was discovered into the configured NICs. The verdict's
// NICs are in the configuration's order, paired by MAC or, before the MACs are
// known, by Tower's order.
//
// With keepKnown, addresses that are known already stay, since the plan has shown
// them.
func fillNICs(nics []nicModel, verdict readiness.Verdict, keepKnown bool) {
	for i := range nics {
		kept := keepKnown && !nics[i].IPAddresses.IsUnknown()
		if !kept {
			nics[i].IPAddresses = attrs.StringList(nil)
		}
		if nics[i].MACAddress.IsUnknown() {
			nics[i].MACAddress = types.StringNull()
		}
		if i >= len(verdict.NICs) {
			continue
		}
		found := verdict.NICs[i]
		if !kept {
			nics[i].IPAddresses = network.AddressList(found.Addresses)
		}
		// The configuration's spelling of a MAC stays: upper case is no drift.
		if found.MAC != "" && !strings.EqualFold(found.MAC, nics[i].MACAddress.ValueString()) {
			nics[i].MACAddress = types.StringValue(found.MAC)
		}
	}
}

// refreshNICs brings the NICs of the state up to date with what Tower shows:
// changed devices, NICs that are gone, NICs that somebody added. One that shows
// another MAC keeps its place.
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
		replugged := paired[i] < 0
		if replugged {
			// Its MAC has changed, or a create was interrupted before it was known.
			paired[i] = claim(func(r tower.VMNIC) bool { return r.VLANID == nic.VLANID.ValueString() })
		}
		if paired[i] < 0 {
			continue
		}
		if replugged && nic.MACAddress.ValueString() != "" && nic.Type() == network.TypeStatic {
			// To the guest it is another card, which has no address.
			nic = importedNIC(reported[paired[i]])
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
		NIC:         network.NIC{MACAddress: attrs.StringOrNull(reported.MAC), Routes: types.ListNull(network.RouteType())},
		IPAddresses: attrs.StringList(nil),
	}
	nic.fillDevice(reported)
	return nic
}

func nicsAttribute() schema.Attribute {
	attributes := network.NICArguments(true)
	attributes["ip_addresses"] = schema.ListAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "The usable addresses discovered on this NIC; `[]` while there is none. A refresh rewrites it.",
	}
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "The VM's NICs, in the order in which the guest sees them. Where absent, the NICs of the source stay as they are and this stays null. " +
			"A NIC that is added anywhere is appended in Tower, a changed one is changed in place, and the order of the list lives in the state alone. " +
			"A change of `model` stops and starts the VM. `routes` and `default_route` can't change, a `gateway` can't be removed, and a static NIC can't go back to DHCP: the plan refuses it. " +
			"The plan warns of a new static address that another VM on the same VM network has, or is planned to have, unless its netmask is `255.255.255.255`.",
		Validators:   []validator.List{listvalidator.SizeAtMost(network.MaxNICs), listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{Attributes: attributes},
	}
}
