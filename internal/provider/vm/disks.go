// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

const gibibyte = 1 << 30

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

// given tells that the disk is a volume that the configuration names.
func (d diskModel) given() bool { return !d.VolumeID.IsNull() }

// attached tells that the VM has the disk.
func (d diskModel) attached() bool { return !d.Bus.IsNull() }

// create is the disk as Tower takes it. The place in the boot order is set later.
func (d diskModel) create() tower.DiskCreate {
	return tower.DiskCreate{
		VolumeID: d.VolumeID.ValueString(), Name: d.Name.ValueString(), SizeBytes: d.SizeGiB.ValueInt64() * gibibyte,
		StoragePolicy: attrs.StringOr(d.StoragePolicy, defaultStoragePolicy), Bus: attrs.StringOr(d.Bus, busVirtio),
	}
}

// settled is a configured disk in the plan: what the configuration leaves open
// keeps its prior value or, of a new disk, takes the default that Tower is told.
func (d diskModel) settled(prior *diskModel) diskModel {
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
	out.VolumeID = firstKnown(d.VolumeID, prior.VolumeID, types.StringUnknown())
	out.StoragePolicy = firstKnown(d.StoragePolicy, prior.StoragePolicy, types.StringUnknown())
	out.Bus = firstKnown(d.Bus, prior.Bus, types.StringValue(busVirtio))
	return out
}

// firstKnown is the first value that is not null.
func firstKnown(values ...types.String) types.String {
	for _, v := range values {
		if !v.IsNull() {
			return v
		}
	}
	return types.StringNull()
}

// withoutUnknowns makes what is not known null, so that it can be saved.
func (d diskModel) withoutUnknowns() diskModel {
	for _, s := range []*types.String{&d.Name, &d.VolumeID, &d.StoragePolicy, &d.Bus} {
		if s.IsUnknown() {
			*s = types.StringNull()
		}
	}
	if d.SizeGiB.IsUnknown() {
		d.SizeGiB = types.Int64Null()
	}
	return d
}

// nullUnknownDisks makes what is not known of the disks null.
func (m *model) nullUnknownDisks(ctx context.Context) diag.Diagnostics {
	if m.SystemDisk.IsUnknown() {
		m.SystemDisk = types.ObjectNull(systemDiskTypes())
	}
	if m.DataDisks.IsUnknown() {
		m.DataDisks = types.ListNull(diskType())
	}
	system, diags := systemDiskFrom(ctx, m.SystemDisk)
	if system != nil {
		known := system.withoutUnknowns()
		var d diag.Diagnostics
		m.SystemDisk, d = systemDiskObject(ctx, &known)
		diags.Append(d...)
	}
	disks, d := disksFrom(ctx, m.DataDisks)
	diags.Append(d...)
	if disks == nil {
		return diags
	}
	for i := range disks {
		disks[i] = disks[i].withoutUnknowns()
	}
	m.DataDisks, d = diskList(ctx, disks)
	diags.Append(d...)
	return diags
}

// validateDisks refuses disks that can be known to fail.
func validateDisks(ctx context.Context, config *model, diags *diag.Diagnostics) {
	disks, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	names, volumes := map[string]int{}, map[string]int{}
	for i, disk := range disks {
		at := path.Root("data_disks").AtListIndex(i)
		if first, taken := noteFirst(names, disk.Name, i); taken {
			diags.AddAttributeError(at.AtName("name"), "Duplicate disk name", fmt.Sprintf("Disk %d is called %q already; disks are recognised by their names.", first, disk.Name.ValueString()))
		}
		if first, taken := noteFirst(volumes, disk.VolumeID, i); taken {
			diags.AddAttributeError(at.AtName("volume_id"), "Duplicate volume", fmt.Sprintf("Disk %d is the volume %s already.", first, disk.VolumeID.ValueString()))
		}
		if disk.SizeGiB.IsNull() && disk.VolumeID.IsNull() {
			diags.AddAttributeError(at, "Missing size", "A disk needs size_gib, or volume_id to attach a volume that exists.")
		}
	}
	system, d := systemDiskFrom(ctx, config.SystemDisk)
	diags.Append(d...)
	if system != nil && !system.StoragePolicy.IsNull() && attrs.IsKnown(config.Source) {
		diags.AddAttributeError(path.Root("system_disk").AtName("storage_policy"), "Storage policy of a source's disk",
			"The system disk comes with the source and keeps its storage policy. Remove storage_policy; it can be set for a blank VM only.")
	}
}

// noteFirst remembers where a value was seen first, and tells whether it was.
func noteFirst(seen map[string]int, value types.String, i int) (first int, taken bool) {
	if !attrs.IsKnown(value) {
		return 0, false
	}
	first, taken = seen[value.ValueString()]
	if !taken {
		seen[value.ValueString()] = i
	}
	return first, taken
}
