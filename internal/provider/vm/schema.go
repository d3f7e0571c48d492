// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Defaults of the arguments.
const (
	defaultCreateTimeout   = 30 * time.Minute
	defaultReadTimeout     = 5 * time.Minute
	defaultUpdateTimeout   = 30 * time.Minute
	defaultDeleteTimeout   = 20 * time.Minute
	defaultShutdownTimeout = "5m"

	deletePermanent  = "PERMANENT"
	deleteRecycleBin = "RECYCLE_BIN"

	toolsRunning = "RUNNING"

	// Tower takes between one vCPU and what its largest hosts have; the upper
	// bounds only catch a slip of the unit.
	maxCPUs      = 1024
	maxMemoryMiB = 64 * 1024 * 1024
)

// Schema describes elf_vm.
func (r *Resource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A virtual machine on an ELF cluster. Creating it **returns only when its network is ready**: every DHCP NIC has its " +
			"address or, without a DHCP NIC, at least one address is known. See `network_readiness`, and the guide on waiting for the network.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Name of the VM, unique in its cluster. Changed in place.",
				Validators:          []validator.String{stringvalidator.LengthBetween(1, 255)},
			},
			"cluster_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Tower's id of the cluster that runs the VM. Changing it replaces the VM.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(
					func(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
						// A state that was moved here may not tell, and is not refreshed yet.
						resp.RequiresReplace = !req.StateValue.IsNull()
					}, "Another cluster replaces the VM.", "Another cluster replaces the VM.")},
			},
			"source":      sourceAttribute(),
			"nics":        nicsAttribute(),
			"system_disk": systemDiskAttribute(),
			"data_disks":  dataDisksAttribute(),
			"cd_roms":     cdROMsAttribute(),
			"gpu_devices": gpuDevicesAttribute(),
			"cloud_init":  cloudInitAttribute(),
			"labels":      labelsAttribute(),

			"folder_id":          folderAttribute(),
			"host_id":            hostAttribute(),
			"placement_group_id": placementGroupAttribute(),
			"owner":              ownerAttribute(),

			"network_readiness": network.ReadinessArgument(),
			"timeouts": attrs.Timeouts(ctx, timeouts.Opts{
				Create: true, Read: true, Update: true, Delete: true,
				CreateDescription: "For the whole create, the wait for the network included. Default `30m`.",
				ReadDescription:   "For a refresh, which never waits for addresses, and for what a plan looks up. Default `5m`.",
				UpdateDescription: "For a whole update, a wait for the network included. Default `30m`.",
				DeleteDescription: "For stopping and deleting. Default `20m`.",
			}),
		},
	}
	for _, more := range []map[string]schema.Attribute{propertyAttributes(), ioAttributes(), powerAttributes(), computedAttributes()} {
		maps.Copy(resp.Schema.Attributes, more)
	}
}

// propertyAttributes are the VM's own properties: what it is called by people, how it boots and how large it is.
func propertyAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"description": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Description of the VM. Where absent, it stays as it is. Changed in place.",
		},
		"ha": schema.BoolAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Whether the cluster starts the VM on another host when its host fails. The source's setting where absent. Changed in place.",
		},
		"guest_os_type": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Kind of guest: `LINUX`, `WINDOWS` or `UNKNOWN`. The source's where absent. Changing it replaces the VM.",
			Validators:          []validator.String{stringvalidator.OneOf("LINUX", "WINDOWS", "UNKNOWN")},
		},
		"firmware": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Firmware: `BIOS` or `UEFI`. The source's where absent, which is nearly always right: another one does not boot. Changing it replaces the VM.",
			Validators:          []validator.String{stringvalidator.OneOf("BIOS", "UEFI")},
		},
		"num_cpus": schema.Int64Attribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Number of vCPUs. The source's where absent. Raised while the VM runs; lowering stops and starts the VM, which the plan announces.",
			Validators:          []validator.Int64{int64validator.Between(1, maxCPUs)},
		},
		"num_cores_per_socket": schema.Int64Attribute{
			Optional: true, Computed: true,
			MarkdownDescription: "vCPUs in each socket; `num_cpus` must be a multiple of it. Where absent, `num_cpus` if that is set (one socket), else the source's. Changing it stops and starts the VM.",
			Validators:          []validator.Int64{int64validator.Between(1, maxCPUs)},
		},
		"memory_mib": schema.Int64Attribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Memory in MiB, best a multiple of 512, since some Towers take no other. The source's where absent. Raised while the VM runs; lowering stops and starts the VM, which the plan announces.",
			Validators:          []validator.Int64{int64validator.Between(1, maxMemoryMiB)},
		},
	}
}

// powerAttributes say whether the VM runs, and how it is stopped and deleted.
func powerAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"power_state": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "`RUNNING`, `STOPPED` or `SUSPENDED` (only from `RUNNING`, so not at create). Where absent: `RUNNING` at create, " +
				"afterwards it is neither changed nor reported as drift. Changed in place; a stop is graceful first, see `shutdown_timeout`.",
			Validators: []validator.String{stringvalidator.OneOf(tower.StatusRunning, tower.StatusStopped, tower.StatusSuspended)},
		},
		"shutdown_timeout": schema.StringAttribute{
			Optional: true, Computed: true,
			Default: stringdefault.StaticString(defaultShutdownTimeout),
			MarkdownDescription: "How long the guest may take to shut down before it is powered off, such as `\"30s\"` or `\"5m\"` (default). " +
				"`\"0s\"` powers it off at once. Changing it touches nothing in Tower.",
			Validators: []validator.String{validators.DurationAtLeast(0)},
		},
		"force_power_off": schema.BoolAttribute{
			Optional: true, Computed: true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: "Whether a guest that does not shut down in time is powered off (default `true`). With `false`, the operation that needs the stop fails instead. Changing it touches nothing in Tower.",
		},
		"delete_mode": schema.StringAttribute{
			Optional: true, Computed: true,
			Default: stringdefault.StaticString(deletePermanent),
			MarkdownDescription: "What destroying does: `PERMANENT` (default) deletes the VM with its volumes, `RECYCLE_BIN` moves it to Tower's recycle bin, " +
				"which must be switched on. Changing it touches nothing in Tower.",
			Validators: []validator.String{stringvalidator.OneOf(deletePermanent, deleteRecycleBin)},
		},
		"delete_snapshots": schema.BoolAttribute{
			Optional: true, Computed: true,
			Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether destroying deletes the snapshots of the VM, too. With `false` (default) they stay in Tower, and a warning names them. " +
				"Only with the `delete_mode` `PERMANENT`: a VM in the recycle bin keeps its snapshots. Changing it touches nothing in Tower.",
		},
	}
}

// computedAttributes are what Tower and the wait for the network tell.
func computedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": attrs.ResourceID("VM"),
		"local_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Id of the VM inside its cluster, a UUID.",
		},
		"provider_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "The `spec.providerID` that the VM's Kubernetes node carries: `elf://<local_id>`.",
		},
		"status": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "State of the VM as Tower sees it: `RUNNING`, `STOPPED`, `SUSPENDED` or `UNKNOWN` (its host can't be reached).",
		},
		"vm_tools_status": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "State of the guest's VM tools, from which Tower learns addresses: `RUNNING`, `NOT_RUNNING`, `NOT_INSTALLED` or `RESTRICTION`.",
		},
		"ip_addresses": schema.ListAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "All usable addresses that were discovered, in the order of the NICs; `[]` while there is none. Link-local, loopback and ignored addresses are left out.",
		},
		"default_ip_address": schema.StringAttribute{
			Computed: true,
			MarkdownDescription: "The one address to reach the VM at: that of the NIC with `default_route`, else of the first DHCP NIC, else of the first static NIC, " +
				"else the first of `ip_addresses`; null while none is known.",
		},
		"network_ready": schema.BoolAttribute{
			Computed: true,
			MarkdownDescription: "Whether the last wait found the network ready. While it is `false`, the next apply resumes the wait in place. " +
				"Null where no wait has taken place: the VM was made or brought to be `STOPPED` or `SUSPENDED`, `network_readiness.enabled` is `false`, " +
				"or it was imported or moved and has shown no address yet. A later start waits and sets it.",
		},
		"network_readiness_report": network.ReportAttribute(),
		"labels_all":               labelsAllAttribute(),
	}
}
