// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

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

// noteFirst remembers where a value was seen first, and reports whether it was.
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

// checkVolumes refuses the volumes that the VM is to get and can't have: those
// that do not exist, are in another cluster, or are attached to another VM.
// vmID is "" and edits nil for a VM that is to be created. A VM of the same name
// is the one that this one replaces, so that its volumes come free; right before
// a create, when it must be gone, strict counts it as well.
func (r *Resource) checkVolumes(ctx context.Context, config *model, vmID string, edits []diskEdit, strict bool) diag.Diagnostics {
	configured, diags := disksFrom(ctx, config.DataDisks)
	client, ok := r.data.TryClient()
	if !ok {
		return diags
	}
	for i, disk := range configured {
		if i < len(edits) {
			if prior := edits[i].prior; prior != nil && !edits[i].attach {
				continue
			} else if prior != nil {
				disk.VolumeID = prior.VolumeID
			}
		}
		if !attrs.IsKnown(disk.VolumeID) {
			continue
		}
		at := path.Root("data_disks").AtListIndex(i)
		problem, err := volumeProblem(ctx, client, config, disk, vmID, strict)
		switch {
		case err != nil:
			diagx.AddAttributeError(&diags, at.AtName("volume_id"), "read", "volume", disk.VolumeID.ValueString(), err)
		case problem != "":
			diags.AddAttributeError(at.AtName("volume_id"), "Volume can't be attached", problem)
		}
	}
	return diags
}

// volumeProblem says why a VM can't have a volume, "" where it can.
func volumeProblem(ctx context.Context, client *tower.Client, config *model, disk diskModel, vmID string, strict bool) (string, error) {
	id := disk.VolumeID.ValueString()
	volume, err := client.VMVolume(ctx, id)
	switch {
	case errors.Is(err, tower.ErrNotFound):
		return fmt.Sprintf("Tower has no volume with the id %q, or this user may not see it.", id), nil
	case err != nil:
		return "", err
	case volume.ID != id:
		return fmt.Sprintf("%q is not Tower's id of the volume, but its id inside the cluster. Use %q.", id, volume.ID), nil
	case attrs.IsKnown(config.ClusterID) && volume.ClusterID != config.ClusterID.ValueString():
		return fmt.Sprintf("The volume %q (%s) is in the cluster %s (%s), not in that of the VM.", volume.Name, id, volume.ClusterName, volume.ClusterID), nil
	}
	if attrs.IsKnown(disk.StoragePolicy) && disk.StoragePolicy.ValueString() != volume.StoragePolicy {
		return fmt.Sprintf("The volume %q (%s) has the storage policy %s, which can't change.", volume.Name, id, volume.StoragePolicy), nil
	}
	if attrs.IsKnown(disk.SizeGiB) && disk.SizeGiB.ValueInt64() < volume.SizeBytes/gibibyte {
		return fmt.Sprintf("The volume %q (%s) has %d GiB and can't shrink to %d.", volume.Name, id, volume.SizeBytes/gibibyte, disk.SizeGiB.ValueInt64()), nil
	}
	if volume.Sharing {
		return "", nil
	}
	users, err := client.VolumeDisks(ctx, id)
	if err != nil {
		return "", err
	}
	for _, user := range users {
		if user.VMID != vmID && (strict || vmID != "" || !config.Name.IsUnknown() && user.VMName != config.Name.ValueString()) {
			return fmt.Sprintf("The volume %q (%s) is attached to the VM %q (%s). Detach it there first.", volume.Name, id, user.VMName, user.VMID), nil
		}
	}
	return "", nil
}
