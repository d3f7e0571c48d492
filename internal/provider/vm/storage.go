// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// storage is what Tower shows of a VM's disks and drives.
type storage struct {
	disks   []tower.VMDisk // by their places in the boot order
	volumes map[string]tower.VMVolume
}

// readStorage reads the disks of a VM, and their volumes with the others that
// the caller wants to know of.
func readStorage(ctx context.Context, client *tower.Client, vmID string, others ...string) (storage, error) {
	disks, err := client.VMDisks(ctx, vmID)
	if err != nil {
		return storage{}, fmt.Errorf("reading the disks: %w", err)
	}
	ids := others
	for _, d := range disks {
		if d.VolumeID != "" && !slices.Contains(ids, d.VolumeID) {
			ids = append(ids, d.VolumeID)
		}
	}
	volumes, err := client.VMVolumesByID(ctx, ids)
	if err != nil {
		return storage{}, fmt.Errorf("reading the volumes: %w", err)
	}
	return storage{disks: disks, volumes: volumes}, nil
}

// system is the volume of the disk that the VM boots from: the one that was
// known to be, else the first in the boot order that is none of the others.
func (s storage) system(prior string, others []string) string {
	first := ""
	for _, d := range s.disks {
		switch {
		case d.IsCDROM() || d.VolumeID == "":
		case d.VolumeID == prior:
			return prior
		case first == "" && !slices.Contains(others, d.VolumeID):
			first = d.VolumeID
		}
	}
	return first
}

// disk is the VM's disk that is a volume.
func (s storage) disk(volumeID string) (tower.VMDisk, bool) {
	for _, d := range s.disks {
		if d.VolumeID == volumeID && volumeID != "" {
			return d, true
		}
	}
	return tower.VMDisk{}, false
}

// volumeIDs are the volumes of the VM's disks.
func (s storage) volumeIDs() []string {
	var ids []string
	for _, d := range s.disks {
		if d.VolumeID != "" {
			ids = append(ids, d.VolumeID)
		}
	}
	return ids
}

// nextBoot is a place in the boot order behind all disks and drives.
func (s storage) nextBoot() int {
	next := 1
	for _, d := range s.disks {
		next = max(next, d.Boot+1)
	}
	return next
}

// model is a volume as an element of data_disks; its bus is null where the VM
// does not have it. False: there is no such volume.
func (s storage) model(volumeID, name string) (diskModel, bool) {
	out := diskModel{Name: types.StringValue(name), VolumeID: types.StringValue(volumeID)}
	volume, exists := s.volumes[volumeID]
	if exists {
		// Whole GiB: what is above them can neither be configured nor be lost.
		out.SizeGiB = types.Int64Value(volume.SizeBytes / gibibyte)
		out.StoragePolicy = attrs.StringOrNull(volume.StoragePolicy)
	}
	disk, attached := s.disk(volumeID)
	if attached {
		out.Bus = attrs.StringOrNull(disk.Bus)
	}
	return out, exists
}

// refreshDisks brings the disks of the model up to date. Of an imported VM
// all disks are listed, else those that are managed. A VM that was made without
// a system disk gets none because somebody attaches a disk: only find looks for it.
func (m *model) refreshDisks(ctx context.Context, s storage, find, firstRead bool) diag.Diagnostics {
	system, diags := systemDiskFrom(ctx, m.SystemDisk)
	disks, d := disksFrom(ctx, m.DataDisks)
	diags.Append(d...)
	if diags.HasError() {
		return diags
	}
	known := ""
	if system != nil {
		known = system.VolumeID.ValueString()
	}
	id := ""
	if system != nil || find {
		id = s.system(known, volumesOf(disks))
	}
	current := s.refreshed(disks, id)
	if firstRead {
		current = s.allDataDisks(id)
	}
	var systemDisk *diskModel
	if disk, ok := s.model(id, ""); ok {
		systemDisk = &disk
	}
	m.SystemDisk, d = systemDiskObject(ctx, systemDisk)
	diags.Append(d...)
	if disks != nil || len(current) > 0 {
		m.DataDisks, d = diskList(ctx, current)
		diags.Append(d...)
	}
	return diags
}

// volumesOf are the volumes that disks are known to be.
func volumesOf(disks []diskModel) []string {
	var ids []string
	for _, d := range disks {
		if id := d.VolumeID.ValueString(); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// refreshed are the managed disks as they are now. Disks whose volumes are
// gone are left out; a volume that was detached stays, with a null bus. Where
// the volume is not known, because a create was interrupted, the name tells.
func (s storage) refreshed(disks []diskModel, system string) []diskModel {
	taken := append(volumesOf(disks), system)
	var current []diskModel
	for _, disk := range disks {
		id := disk.VolumeID.ValueString()
		if id == "" {
			id = s.named(disk.Name.ValueString(), taken)
			taken = append(taken, id)
		}
		if found, ok := s.model(id, disk.Name.ValueString()); ok {
			current = append(current, found)
		}
	}
	return current
}

// named is the volume of a name that the VM has and that nobody else claims.
func (s storage) named(name string, taken []string) string {
	for _, d := range s.disks {
		if d.VolumeID != "" && d.VolumeName == name && !slices.Contains(taken, d.VolumeID) {
			return d.VolumeID
		}
	}
	return ""
}

// listed are the volumes of the VM that the configuration lists: of those that
// are not paired with a disk of the state, the ones that are called so.
func (s storage) listed(configured, current []diskModel, pairs []int) []string {
	var ids []string
	for i, disk := range configured {
		id := disk.VolumeID.ValueString()
		switch {
		case pairs[i] >= 0:
			id = current[pairs[i]].VolumeID.ValueString()
		case disk.VolumeID.IsNull():
			id = s.named(disk.Name.ValueString(), append(volumesOf(current), ids...))
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// allDataDisks are all disks besides the system disk, called as their volumes. Of
// volumes with one name the later ones carry their ids, since names are keys.
func (s storage) allDataDisks(system string) []diskModel {
	var current []diskModel
	names := map[string]bool{}
	for _, d := range s.disks {
		if d.VolumeID == "" || d.VolumeID == system {
			continue
		}
		name := d.VolumeName
		if names[name] {
			name += "-" + d.VolumeID
		}
		names[name] = true
		if disk, ok := s.model(d.VolumeID, name); ok {
			current = append(current, disk)
		}
	}
	return current
}
