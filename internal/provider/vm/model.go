// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/netwait"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerid"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

const mebibyte = 1 << 20

// model is elf_vm as Terraform holds it in configuration, plan and state.
type model struct {
	Name               types.String   `tfsdk:"name"`
	ClusterID          types.String   `tfsdk:"cluster_id"`
	Source             types.Object   `tfsdk:"source"`
	Description        types.String   `tfsdk:"description"`
	HA                 types.Bool     `tfsdk:"ha"`
	GuestOSType        types.String   `tfsdk:"guest_os_type"`
	Firmware           types.String   `tfsdk:"firmware"`
	NumCPUs            types.Int64    `tfsdk:"num_cpus"`
	NumCoresPerSocket  types.Int64    `tfsdk:"num_cores_per_socket"`
	MemoryMiB          types.Int64    `tfsdk:"memory_mib"`
	NICs               types.List     `tfsdk:"nics"`
	SystemDisk         types.Object   `tfsdk:"system_disk"`
	DataDisks          types.List     `tfsdk:"data_disks"`
	CDROMs             types.List     `tfsdk:"cd_roms"`
	GPUDevices         types.List     `tfsdk:"gpu_devices"`
	CloudInit          types.Object   `tfsdk:"cloud_init"`
	Labels             types.Map      `tfsdk:"labels"`
	FolderID           types.String   `tfsdk:"folder_id"`
	HostID             types.String   `tfsdk:"host_id"`
	PlacementGroupID   types.String   `tfsdk:"placement_group_id"`
	Owner              types.String   `tfsdk:"owner"`
	IOPolicy           types.String   `tfsdk:"io_policy"`
	MaxIOPS            types.Int64    `tfsdk:"max_iops"`
	MaxIOPSPolicy      types.String   `tfsdk:"max_iops_policy"`
	MaxBandwidth       types.Int64    `tfsdk:"max_bandwidth"`
	MaxBandwidthPolicy types.String   `tfsdk:"max_bandwidth_policy"`
	PowerState         types.String   `tfsdk:"power_state"`
	ShutdownTimeout    types.String   `tfsdk:"shutdown_timeout"`
	ForcePowerOff      types.Bool     `tfsdk:"force_power_off"`
	DeleteMode         types.String   `tfsdk:"delete_mode"`
	DeleteSnapshots    types.Bool     `tfsdk:"delete_snapshots"`
	NetworkReadiness   types.Object   `tfsdk:"network_readiness"`
	Timeouts           timeouts.Value `tfsdk:"timeouts"`

	ID                     types.String `tfsdk:"id"`
	LocalID                types.String `tfsdk:"local_id"`
	ProviderID             types.String `tfsdk:"provider_id"`
	Status                 types.String `tfsdk:"status"`
	VMToolsStatus          types.String `tfsdk:"vm_tools_status"`
	IPAddresses            types.List   `tfsdk:"ip_addresses"`
	DefaultIPAddress       types.String `tfsdk:"default_ip_address"`
	NetworkReady           types.Bool   `tfsdk:"network_ready"`
	NetworkReadinessReport types.Object `tfsdk:"network_readiness_report"`
	LabelsAll              types.Map    `tfsdk:"labels_all"`
}

// objectAs reads an object into a model; a null or unknown object gives ok = false.
func objectAs[T any](ctx context.Context, object types.Object) (out T, ok bool, diags diag.Diagnostics) {
	if !attrs.IsKnown(object) {
		return out, false, nil
	}
	diags = object.As(ctx, &out, basetypes.ObjectAsOptions{})
	return out, !diags.HasError(), diags
}

// meantToRun reports whether the configuration's power_state wants the VM to
// run. Where it says nothing, a VM is created running and left alone afterwards.
func meantToRun(powerState types.String) bool {
	return attrs.StringOr(powerState, tower.StatusRunning) == tower.StatusRunning
}

// fillVM writes what Tower tells of the VM itself; never its addresses, and
// never whether its network is ready.
func (m *model) fillVM(vm *tower.VM) {
	m.ID = types.StringValue(vm.ID)
	m.Name = types.StringValue(vm.Name)
	m.ClusterID = types.StringValue(vm.ClusterID)
	m.Description = types.StringValue(vm.Description)
	m.HA = types.BoolValue(vm.HA)
	for _, shown := range []struct {
		to    *types.String
		value string
	}{{&m.GuestOSType, vm.GuestOSType}, {&m.Firmware, vm.Firmware}} {
		// Tower may not know it of a VM that was made elsewhere; the configuration does.
		if shown.value != "" || !attrs.IsKnown(*shown.to) {
			*shown.to = attrs.StringOrNull(shown.value)
		}
	}
	m.NumCPUs = types.Int64Value(int64(vm.VCPU))
	m.NumCoresPerSocket = types.Int64Value(int64(vm.CPUCores))
	m.MemoryMiB = types.Int64Value(vm.MemoryBytes / mebibyte)
	m.fillPlacement(vm)
	m.fillIO(vm.IO)
	m.fillStatus(vm)
}

// fillStatus writes the computed attributes that follow the VM's life.
func (m *model) fillStatus(vm *tower.VM) {
	if vm.HasRealLocalID() {
		m.LocalID = types.StringValue(vm.LocalID)
		m.ProviderID = types.StringValue(providerid.Of(vm.LocalID))
	}
	m.Status = attrs.StringOrNull(vm.Status)
	m.VMToolsStatus = attrs.StringOrNull(vm.ToolsStatus)
	switch vm.Status {
	case tower.StatusRunning, tower.StatusStopped, tower.StatusSuspended:
		m.PowerState = types.StringValue(vm.Status)
	}
}

// fillAddresses writes the discovered addresses of a verdict, and each NIC's
// where nics are configured.
// With keepKnown, known values stay, since the plan has shown them.
func (m *model) fillAddresses(ctx context.Context, verdict readiness.Verdict, keepKnown bool) diag.Diagnostics {
	if !keepKnown || m.IPAddresses.IsUnknown() {
		m.IPAddresses = network.AddressList(verdict.Addresses)
	}
	if !keepKnown || m.DefaultIPAddress.IsUnknown() {
		m.DefaultIPAddress = network.DefaultAddress(verdict)
	}
	nics, diags := nicsFrom(ctx, m.NICs)
	if nics == nil || diags.HasError() {
		return diags
	}
	fillNICs(nics, verdict, keepKnown)
	m.NICs, diags = nicList(ctx, nics)
	return diags
}

// fillReadiness writes the outcome of a wait.
func (m *model) fillReadiness(result netwait.Result) {
	m.NetworkReady, m.NetworkReadinessReport = network.Report(result)
}

// expectWait records that no wait has taken place since the VM was made or its
// power state changed. Where it is to run and waiting is not switched off, the
// next apply waits, unless this one still does.
func (m *model) expectWait(ctx context.Context, runs bool) {
	m.NetworkReady, m.NetworkReadinessReport = types.BoolNull(), types.ObjectNull(network.ReportType())
	if settings, _ := network.SettingsOf(ctx, m.NetworkReadiness); runs && settings.Enabled {
		m.NetworkReady = types.BoolValue(false)
	}
}

// nics are the arguments of the NICs; nil where none are configured.
func (m *model) nics(ctx context.Context) ([]network.NIC, diag.Diagnostics) {
	models, diags := nicsFrom(ctx, m.NICs)
	if models == nil {
		return nil, diags
	}
	nics := make([]network.NIC, 0, len(models))
	for _, nic := range models {
		nics = append(nics, nic.NIC)
	}
	return nics, diags
}
