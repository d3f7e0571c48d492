// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

const (
	gibibyte = 1 << 30

	busVirtio = "VIRTIO"
	busIDE    = "IDE"

	defaultStoragePolicy = "REPLICA_2_THIN_PROVISION"

	// maxDiskGiB only catches a slip of the unit.
	maxDiskGiB = 1024 * 1024
)

// diskModel is one element of data_disks. A null bus is a disk whose volume is
// there but has been detached from the VM.
type diskModel struct {
	Name          types.String `tfsdk:"name"`
	SizeGiB       types.Int64  `tfsdk:"size_gib"`
	VolumeID      types.String `tfsdk:"volume_id"`
	StoragePolicy types.String `tfsdk:"storage_policy"`
	Bus           types.String `tfsdk:"bus"`
}

// systemDiskModel is the argument system_disk.
type systemDiskModel struct {
	SizeGiB       types.Int64  `tfsdk:"size_gib"`
	Bus           types.String `tfsdk:"bus"`
	StoragePolicy types.String `tfsdk:"storage_policy"`
	VolumeID      types.String `tfsdk:"volume_id"`
}

func diskType() types.ObjectType {
	return types.ObjectType{AttrTypes: map[string]attr.Type{
		"name": types.StringType, "size_gib": types.Int64Type, "volume_id": types.StringType,
		"storage_policy": types.StringType, "bus": types.StringType,
	}}
}

func systemDiskTypes() map[string]attr.Type {
	return map[string]attr.Type{
		"size_gib": types.Int64Type, "bus": types.StringType, "storage_policy": types.StringType, "volume_id": types.StringType,
	}
}

// disksFrom reads the elements of data_disks; nil where the list is null or unknown.
func disksFrom(ctx context.Context, list types.List) ([]diskModel, diag.Diagnostics) {
	return network.Elements(ctx, list, func() diskModel {
		s := types.StringUnknown()
		return diskModel{Name: s, SizeGiB: types.Int64Unknown(), VolumeID: s, StoragePolicy: s, Bus: s}
	})
}

func diskList(ctx context.Context, disks []diskModel) (types.List, diag.Diagnostics) {
	if disks == nil {
		disks = []diskModel{}
	}
	return types.ListValueFrom(ctx, diskType(), disks)
}

// systemDiskFrom reads system_disk as the disk that it is; nil where it is null
// or unknown.
func systemDiskFrom(ctx context.Context, object types.Object) (*diskModel, diag.Diagnostics) {
	in, ok, diags := objectAs[systemDiskModel](ctx, object)
	if !ok {
		return nil, diags
	}
	return &diskModel{SizeGiB: in.SizeGiB, Bus: in.Bus, StoragePolicy: in.StoragePolicy, VolumeID: in.VolumeID}, diags
}

func systemDiskObject(ctx context.Context, disk *diskModel) (types.Object, diag.Diagnostics) {
	if disk == nil {
		return types.ObjectNull(systemDiskTypes()), nil
	}
	return types.ObjectValueFrom(ctx, systemDiskTypes(), systemDiskModel{
		SizeGiB: disk.SizeGiB, Bus: disk.Bus, StoragePolicy: disk.StoragePolicy, VolumeID: disk.VolumeID,
	})
}

// given reports whether the disk is a volume that the configuration names.
func (d diskModel) given() bool { return !d.VolumeID.IsNull() }

// attached reports whether the VM has the disk.
func (d diskModel) attached() bool { return !d.Bus.IsNull() }

// create is the disk as Tower takes it. The place in the boot order is set later.
func (d diskModel) create() tower.DiskCreate {
	return tower.DiskCreate{
		VolumeID: d.VolumeID.ValueString(), Name: d.Name.ValueString(), SizeBytes: d.SizeGiB.ValueInt64() * gibibyte,
		StoragePolicy: attrs.StringOr(d.StoragePolicy, defaultStoragePolicy), Bus: attrs.StringOr(d.Bus, busVirtio),
	}
}

// withComputed is a configured disk in the plan: what the configuration leaves out
// keeps its prior value. A new disk gets the defaults that are sent to Tower.
func (d diskModel) withComputed(prior *diskModel) diskModel {
	if prior == nil {
		prior = &diskModel{SizeGiB: types.Int64Unknown(), VolumeID: types.StringUnknown(), StoragePolicy: types.StringValue(defaultStoragePolicy)}
		if d.given() {
			prior.StoragePolicy = types.StringUnknown()
		}
	}
	out := d
	if out.SizeGiB.IsNull() {
		out.SizeGiB = prior.SizeGiB
	}
	out.VolumeID = firstNonNull(d.VolumeID, prior.VolumeID, types.StringUnknown())
	out.StoragePolicy = firstNonNull(d.StoragePolicy, prior.StoragePolicy, types.StringUnknown())
	out.Bus = firstNonNull(d.Bus, prior.Bus, types.StringValue(busVirtio))
	return out
}

// firstNonNull is the first value that is not null.
func firstNonNull(values ...types.String) types.String {
	for _, v := range values {
		if !v.IsNull() {
			return v
		}
	}
	return types.StringNull()
}

func busValidators() []validator.String {
	return []validator.String{stringvalidator.OneOf(busVirtio, "SCSI", busIDE)}
}

func storagePolicyValidators() []validator.String {
	return []validator.String{stringvalidator.OneOf(
		"REPLICA_1_THIN_PROVISION", "REPLICA_1_THICK_PROVISION", defaultStoragePolicy, "REPLICA_2_THICK_PROVISION",
		"REPLICA_3_THIN_PROVISION", "REPLICA_3_THICK_PROVISION",
		"ELF_CP_REPLICA_2_THIN_PROVISION", "ELF_CP_REPLICA_2_THICK_PROVISION",
		"ELF_CP_REPLICA_3_THIN_PROVISION", "ELF_CP_REPLICA_3_THICK_PROVISION",
	)}
}

func diskSizeValidators() []validator.Int64 {
	return []validator.Int64{int64validator.Between(1, maxDiskGiB)}
}

func systemDiskAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "The disk that the VM boots from. Where absent, the source's disk stays as it is; a blank VM then has none.",
		Attributes: map[string]schema.Attribute{
			"size_gib": schema.Int64Attribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Size in GiB. The source's where absent; needed for a blank VM. It can only grow, which happens in place, while the VM runs.",
				Validators:          diskSizeValidators(),
			},
			"bus": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "How the disk is attached: `VIRTIO`, `SCSI` or `IDE`. The source's where absent, `VIRTIO` for a blank VM. Changing it stops and starts the VM, which the plan announces.",
				Validators:          busValidators(),
			},
			"storage_policy": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "How the storage keeps the disk of a blank VM, such as `REPLICA_3_THICK_PROVISION`: 1 to 3 replicas, thin or thick; `ELF_CP_REPLICA_2_…` and `ELF_CP_REPLICA_3_…` in the same way. Default `REPLICA_2_THIN_PROVISION`. " +
					"It can't be set where the VM has a source, and is fixed once the disk is made: a change is refused.",
				Validators: storagePolicyValidators(),
			},
			"volume_id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Tower's id of the disk's volume.",
			},
		},
	}
}

func dataDisksAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "Disks beside the system disk, recognised by `name`, so that their order does not matter. Disks that are not listed, such as those that a CSI driver attaches, " +
			"are left alone. Where the argument is absent, none is managed; `[]` removes the ones that were.",
		NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"name": schema.StringAttribute{
					Required: true,
					MarkdownDescription: "Name of the disk, unique on the VM, and of the volume that is made for it. A volume of this name that the VM has already is taken over. " +
						"A disk with another name is another disk: to rename one without losing its data, set its `volume_id` with the new name.",
					Validators: []validator.String{stringvalidator.LengthBetween(1, 255)},
				},
				"size_gib": schema.Int64Attribute{
					Optional: true, Computed: true,
					MarkdownDescription: "Size in GiB; needed unless `volume_id` is set. It can only grow, which happens in place, while the VM runs.",
					Validators:          diskSizeValidators(),
				},
				"volume_id": schema.StringAttribute{
					Optional: true, Computed: true,
					MarkdownDescription: "Tower's id of the volume. Set it to attach a volume that exists: such a volume is detached when the disk is removed or the VM is destroyed, never deleted. " +
						"A volume that was made for the disk is deleted with it.",
					Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				},
				"storage_policy": schema.StringAttribute{
					Optional: true, Computed: true,
					MarkdownDescription: "How the storage keeps a volume that is made, such as `REPLICA_3_THICK_PROVISION`: 1 to 3 replicas, thin or thick; `ELF_CP_REPLICA_2_…` and `ELF_CP_REPLICA_3_…` in the same way. Default `REPLICA_2_THIN_PROVISION`. It is fixed once the volume is made: a change is refused.",
					Validators:          storagePolicyValidators(),
				},
				"bus": schema.StringAttribute{
					Optional: true, Computed: true,
					MarkdownDescription: "How the disk is attached: `VIRTIO` (default), `SCSI` or `IDE`. Changing it, and adding or removing an `IDE` disk, stops and starts a running VM, which the plan announces.",
					Validators:          busValidators(),
				},
			},
		},
	}
}
