// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// planDisksOfCreate says what is known of a new VM's disks before it exists.
func planDisksOfCreate(ctx context.Context, config, plan *model) diag.Diagnostics {
	blank := config.Source.IsNull()
	system, diags := systemDiskFrom(ctx, config.SystemDisk)
	switch {
	case system != nil && blank:
		settled := system.settled(nil)
		plan.SystemDisk = settledSystemDisk(ctx, &settled, &diags)
	case system != nil:
		s := types.StringUnknown()
		settled := system.settled(&diskModel{SizeGiB: types.Int64Unknown(), VolumeID: s, StoragePolicy: s, Bus: s})
		plan.SystemDisk = settledSystemDisk(ctx, &settled, &diags)
	case config.SystemDisk.IsNull() && blank:
		plan.SystemDisk = types.ObjectNull(systemDiskTypes())
	}
	configured, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	if configured == nil {
		return diags
	}
	planned := make([]diskModel, 0, len(configured))
	for _, disk := range configured {
		planned = append(planned, disk.settled(nil))
	}
	plan.DataDisks, d = diskList(ctx, planned)
	diags.Append(d...)
	return diags
}

func settledSystemDisk(ctx context.Context, disk *diskModel, diags *diag.Diagnostics) types.Object {
	object, d := systemDiskObject(ctx, disk)
	diags.Append(d...)
	return object
}

// settleDisks gives the plan of an update what is known of the disks.
func (c *change) settleDisks(ctx context.Context, config, plan, state *model) diag.Diagnostics {
	system, diags := systemDiskFrom(ctx, config.SystemDisk)
	switch {
	case config.SystemDisk.IsNull():
		plan.SystemDisk = state.SystemDisk
	case system != nil && c.disks.system != nil:
		settled := system.settled(c.disks.system.prior)
		plan.SystemDisk = settledSystemDisk(ctx, &settled, &diags)
	}
	configured, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	if configured == nil || len(configured) != len(c.disks.edits) {
		return diags
	}
	planned := make([]diskModel, 0, len(configured))
	for i, disk := range configured {
		planned = append(planned, disk.settled(c.disks.edits[i].prior))
	}
	plan.DataDisks, d = diskList(ctx, planned)
	diags.Append(d...)
	return diags
}

// adoptDisks adds to the state the disks that the VM has already and that the
// configuration lists for the first time: by volume or by name. It looks at
// Tower only where there may be some. Which disk of a VM that was taken over
// (fresh) is the system disk is a guess; a configuration that lists it knows better.
func (r *Resource) adoptDisks(ctx context.Context, config, state *model, fresh bool) diag.Diagnostics {
	configured, diags := disksFrom(ctx, config.DataDisks)
	current, d := disksFrom(ctx, state.DataDisks)
	diags.Append(d...)
	system, d := systemDiskFrom(ctx, state.SystemDisk)
	diags.Append(d...)
	pairs := pairDisks(configured, current)
	strangers := system == nil && attrs.IsKnown(config.SystemDisk)
	for _, k := range pairs {
		strangers = strangers || k < 0
	}
	if !strangers || diags.HasError() || r.data == nil || r.data.Tower == nil {
		return diags
	}
	s, err := readStorage(ctx, r.data.Tower, state.ID.ValueString())
	if err != nil {
		diagx.AddError(&diags, "read", object, state.Name.ValueString(), err)
		return diags
	}
	known := ""
	if system != nil {
		known = system.VolumeID.ValueString()
	}
	id := s.system(known, volumesOf(current))
	if listed := s.listed(configured, current, pairs); fresh && slices.Contains(listed, known) {
		id, system = s.system("", listed), nil
		current = slices.DeleteFunc(current, func(d diskModel) bool { return d.VolumeID.ValueString() == id })
		pairs = pairDisks(configured, current)
		state.SystemDisk = settledSystemDisk(ctx, nil, &diags)
	}
	if system == nil {
		if disk, ok := s.model(id, ""); ok {
			state.SystemDisk = settledSystemDisk(ctx, &disk, &diags)
		}
	}
	taken := append(volumesOf(current), id)
	for i, disk := range configured {
		if pairs[i] >= 0 {
			continue
		}
		volume := disk.VolumeID.ValueString()
		if disk.VolumeID.IsNull() {
			volume = s.named(disk.Name.ValueString(), taken)
		}
		if _, attached := s.disk(volume); !attached {
			continue
		}
		if found, ok := s.model(volume, disk.Name.ValueString()); ok {
			taken = append(taken, volume)
			current = append(current, found)
		}
	}
	if len(current) > 0 {
		state.DataDisks, d = diskList(ctx, current)
		diags.Append(d...)
	}
	return diags
}

// warnKeptDisks says that disks which an imported VM had before stay on it,
// although the plan shows them leaving the state.
func warnKeptDisks(ctx context.Context, config, state *model) diag.Diagnostics {
	configured, diags := disksFrom(ctx, config.DataDisks)
	current, d := disksFrom(ctx, state.DataDisks)
	diags.Append(d...)
	pairs := pairDisks(configured, current)
	var kept []string
	for k, disk := range current {
		if !slices.Contains(pairs, k) {
			kept = append(kept, disk.Name.ValueString())
		}
	}
	if len(kept) == 0 || config.DataDisks.IsUnknown() {
		return diags
	}
	diags.AddAttributeWarning(path.Root("data_disks"), fmt.Sprintf("Disks of VM %q stay", state.Name.ValueString()),
		fmt.Sprintf("The VM had these disks when it was imported, and the configuration does not name them: %s. They leave the state, not the VM: "+
			"somebody else may have attached them, as a CSI driver does. Destroying the VM detaches them and keeps their volumes.", strings.Join(kept, ", ")))
	return diags
}

// checkVolumes refuses the volumes that the VM is to get and can't have: those
// that do not exist, are in another cluster, or are attached to another VM.
// vmID is "" and edits nil for a VM that is to be created. A VM of the same name
// is the one that this one replaces, so that its volumes come free; right before
// a create, when it must be gone, strict counts it as well.
func (r *Resource) checkVolumes(ctx context.Context, config *model, vmID string, edits []diskEdit, strict bool) diag.Diagnostics {
	configured, diags := disksFrom(ctx, config.DataDisks)
	if r.data == nil || r.data.Tower == nil {
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
		problem, err := volumeProblem(ctx, r.data.Tower, config, disk, vmID, strict)
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
