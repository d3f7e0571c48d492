// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

const anyAddress = "0.0.0.0"

// cloudInitModel is the argument cloud_init.
type cloudInitModel struct {
	Hostname    types.String `tfsdk:"hostname"`
	Nameservers types.List   `tfsdk:"nameservers"`
	PublicKeys  types.List   `tfsdk:"public_keys"`
	UserData    types.String `tfsdk:"user_data"`

	UserDataWO                   types.String `tfsdk:"user_data_wo"`
	UserDataWOVersion            types.Int64  `tfsdk:"user_data_wo_version"`
	DefaultUserPasswordWO        types.String `tfsdk:"default_user_password_wo"`
	DefaultUserPasswordWOVersion types.Int64  `tfsdk:"default_user_password_wo_version"`
}

// toCreate is the create call that the plan asks for. It carries everything
// Tower takes there, so that nothing has to be changed right after.
func (m *model) toCreate(ctx context.Context) (tower.VMCreate, diag.Diagnostics) {
	in := tower.VMCreate{
		Name:        m.Name.ValueString(),
		ClusterID:   m.ClusterID.ValueString(),
		Description: attrs.StringPtr(m.Description),
		GuestOSType: attrs.StringPtr(m.GuestOSType),
		Firmware:    attrs.StringPtr(m.Firmware),
		HA:          attrs.BoolPtr(m.HA),
		Running:     meantToRun(m.PowerState),
	}
	m.placeIn(&in)
	gpus, diags := m.gpus(ctx)
	in.GPUs = gpus
	source, _, d := objectAs[sourceModel](ctx, m.Source)
	diags.Append(d...)
	source.create(&in)
	in.CPUCores, in.CPUSockets = m.topology()
	if mib := attrs.Int64Ptr(m.MemoryMiB); mib != nil {
		bytes := *mib * mebibyte
		in.MemoryBytes = &bytes
	}
	nics, d := nicsFrom(ctx, m.NICs)
	diags.Append(d...)
	if nics != nil {
		in.NICs = make([]tower.NICCreate, 0, len(nics))
		for _, nic := range nics {
			in.NICs = append(in.NICs, nic.create())
		}
	}
	if source.isTemplate() {
		in.CloudInit, d = m.cloudInit(ctx, nics)
		diags.Append(d...)
	}
	return in, diags
}

// topology is the number of cores in each socket, and of sockets, as far as
// the arguments say: num_cpus alone means one socket.
func (m *model) topology() (cores, sockets *int) {
	cpus := attrs.IntPtr(m.NumCPUs)
	cores = attrs.IntPtr(m.NumCoresPerSocket)
	if cpus == nil {
		return cores, nil
	}
	if cores == nil || *cores == 0 {
		cores = cpus
	}
	n := *cpus / *cores
	return cores, &n
}

// cloudInit is what cloud-init is told: the argument's own members, and a
// network for each NIC that the guest has to configure, with or without the
// argument. Nil where there is nothing to tell.
func (m *model) cloudInit(ctx context.Context, nics []nicModel) (*tower.CloudInit, diag.Diagnostics) {
	in, given, diags := objectAs[cloudInitModel](ctx, m.CloudInit)
	out := tower.CloudInit{Hostname: in.Hostname.ValueString(), UserData: in.UserData.ValueString()}
	var d diag.Diagnostics
	out.Nameservers, d = attrs.Strings(ctx, in.Nameservers)
	diags.Append(d...)
	out.PublicKeys, d = attrs.Strings(ctx, in.PublicKeys)
	diags.Append(d...)
	gateway := gatewayNIC(nics)
	for i, nic := range nics {
		if nic.Type() == network.TypeNone {
			continue
		}
		guest, d := nic.cloudInitNetwork(ctx, i, i == gateway)
		diags.Append(d...)
		out.Networks = append(out.Networks, guest)
	}
	if !given && len(out.Networks) == 0 {
		return nil, diags
	}
	return &out, diags
}

// gatewayNIC is the index of the NIC whose gateway is sent: a guest has one
// default route. -1 where none is.
func gatewayNIC(nics []nicModel) int {
	first := -1
	for i, nic := range nics {
		if attrs.BoolOr(nic.DefaultRoute, false) {
			return i
		}
		if first < 0 && attrs.IsKnown(nic.Gateway) {
			first = i
		}
	}
	return first
}

func (n nicModel) cloudInitNetwork(ctx context.Context, index int, withGateway bool) (tower.CloudInitNetwork, diag.Diagnostics) {
	out := tower.CloudInitNetwork{
		NICIndex: index, Type: n.Type(), IPAddress: n.IPAddress.ValueString(), Netmask: n.Netmask.ValueString(),
	}
	if withGateway && attrs.IsKnown(n.Gateway) {
		out.Routes = append(out.Routes, tower.CloudInitRoute{Network: anyAddress, Netmask: anyAddress, Gateway: n.Gateway.ValueString()})
	}
	routes, diags := network.Elements(ctx, n.Routes, func() network.Route { return network.Route{} })
	for _, route := range routes {
		out.Routes = append(out.Routes, tower.CloudInitRoute{
			Network: attrs.StringOr(route.Network, anyAddress), Netmask: attrs.StringOr(route.Netmask, anyAddress), Gateway: route.Gateway.ValueString(),
		})
	}
	return out, diags
}
