// SPDX-License-Identifier: MPL-2.0

package vmnetworkreadiness

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
)

// model is elf_vm_network_readiness as Terraform holds it.
type model struct {
	VMID             types.String   `tfsdk:"vm_id"`
	NICs             types.List     `tfsdk:"nics"`
	NetworkReadiness types.Object   `tfsdk:"network_readiness"`
	Triggers         types.Map      `tfsdk:"triggers"`
	Timeouts         timeouts.Value `tfsdk:"timeouts"`

	IPAddresses            types.List   `tfsdk:"ip_addresses"`
	DefaultIPAddress       types.String `tfsdk:"default_ip_address"`
	NICIPAddresses         types.List   `tfsdk:"nic_ip_addresses"`
	NetworkReady           types.Bool   `tfsdk:"network_ready"`
	NetworkReadinessReport types.Object `tfsdk:"network_readiness_report"`
}

func (m *model) nics(ctx context.Context) ([]network.NIC, diag.Diagnostics) {
	return network.Elements(ctx, m.NICs, network.UnknownNIC)
}

// keep takes over what was found before.
func (m *model) keep(state *model) {
	m.IPAddresses, m.DefaultIPAddress, m.NICIPAddresses = state.IPAddresses, state.DefaultIPAddress, state.NICIPAddresses
	m.NetworkReady, m.NetworkReadinessReport = state.NetworkReady, state.NetworkReadinessReport
}

// forget makes everything unknown that a wait finds.
func (m *model) forget() {
	m.IPAddresses, m.DefaultIPAddress = types.ListUnknown(types.StringType), types.StringUnknown()
	m.NICIPAddresses = types.ListUnknown(types.ListType{ElemType: types.StringType})
	m.NetworkReady, m.NetworkReadinessReport = types.BoolUnknown(), types.ObjectUnknown(network.ReportType())
}
