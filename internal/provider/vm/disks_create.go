// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// bootBehindTemplate is where disks go in the boot order of a template whose
// disks Tower does not tell.
const bootBehindTemplate = 100

// disksOfTemplate has the create call carry the disks, beside those that the
// template brings along, and the drives, in place of those.
func (m *model) disksOfTemplate(ctx context.Context, client *tower.Client, in *tower.VMCreate, template []tower.TemplateDisk, diags *diag.Diagnostics) error {
	boot := bootBehindTemplate
	if len(template) > 0 {
		boot = 1
	}
	for i, d := range template {
		boot = max(boot, d.Boot+1)
		if d.Type == tower.DiskCDROM && attrs.IsKnown(m.CDROMs) {
			in.RemoveDisks = append(in.RemoveDisks, i)
		}
	}
	boot, err := m.cdROMsInCreate(ctx, client, in, boot)
	if err != nil {
		return err
	}
	m.storageInCreate(ctx, in, boot, diags)
	system, d := systemDiskFrom(ctx, m.SystemDisk)
	diags.Append(d...)
	if system == nil {
		return nil
	}
	index := tower.SystemDiskOf(template)
	if index >= 0 {
		if has := (template[index].SizeBytes + gibibyte - 1) / gibibyte; attrs.IsKnown(system.SizeGiB) && system.SizeGiB.ValueInt64() < has {
			diags.AddAttributeError(path.Root("system_disk").AtName("size_gib"), diagx.Summary("create", object, in.Name),
				fmt.Sprintf("The template's disk has %d GiB and can't shrink. Set size_gib to %d or more.", has, has))
		}
	}
	if attrs.IsKnown(system.Bus) && (index < 0 || template[index].Bus != system.Bus.ValueString()) {
		in.SystemDisk = &tower.DiskBus{Index: max(index, 0), Bus: system.Bus.ValueString()}
	}
	return nil
}

// disksOfBlank has the create call carry all disks and drives of a VM without a
// source. It boots from its disk first, so that a guest that was installed from
// a drive is not installed again, and while the disk is empty from the drives.
func (m *model) disksOfBlank(ctx context.Context, client *tower.Client, in *tower.VMCreate, diags *diag.Diagnostics) error {
	const first = 1
	system, d := systemDiskFrom(ctx, m.SystemDisk)
	diags.Append(d...)
	boot := first
	if system != nil {
		boot++
	}
	boot, err := m.cdROMsInCreate(ctx, client, in, boot)
	if err != nil {
		return err
	}
	m.storageInCreate(ctx, in, boot, diags)
	if system != nil {
		disk := system.create()
		disk.Name, disk.VolumeID, disk.Boot = in.Name, "", first
		in.Disks = slices.Insert(in.Disks, 0, disk)
	}
	return nil
}

// storageInCreate writes the data disks into the create call, from a place in
// the boot order on.
func (m *model) storageInCreate(ctx context.Context, in *tower.VMCreate, boot int, diags *diag.Diagnostics) {
	disks, d := disksFrom(ctx, m.DataDisks)
	diags.Append(d...)
	for _, disk := range disks {
		create := disk.create()
		create.Boot = boot
		boot++
		in.Disks = append(in.Disks, create)
	}
}

// givenVolumes are the volumes that the configuration names.
func (m *model) givenVolumes(ctx context.Context) ([]string, diag.Diagnostics) {
	disks, diags := disksFrom(ctx, m.DataDisks)
	return volumesOf(disks), diags
}

// finishStorage sees to what Tower does not take in the create call: the system
// disk's size, and the disks of a copy. It fills what Tower has decided, and
// whose the volumes are. Where something fails, the plan's values stay in the
// model; the next refresh shows what is missing, and the next apply adds it.
func finishStorage(ctx context.Context, client *tower.Client, config, plan *model, owns *ownership, diags *diag.Diagnostics) {
	err := finishDisks(ctx, client, config, plan, owns)
	if err != nil && ctx.Err() == nil {
		addUnfinished(diags, path.Root("data_disks"), "disks", plan, err)
	}
	if err := finishCDROMs(ctx, client, plan); err != nil && ctx.Err() == nil {
		addUnfinished(diags, path.Root("cd_roms"), "CD-ROM drives", plan, err)
	}
}

func finishDisks(ctx context.Context, client *tower.Client, config, plan *model, owns *ownership) error {
	id := plan.ID.ValueString()
	s, err := readStorage(ctx, client, id)
	if err != nil {
		return err
	}
	given, diags := config.givenVolumes(ctx)
	configured, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	// What there is now is the state that the configuration is compared with.
	now := *plan
	system := ""
	if !config.Source.IsNull() || !config.SystemDisk.IsNull() {
		system = s.system("", given)
	}
	var current []diskModel
	taken := []string{system}
	for _, disk := range configured {
		volume := disk.VolumeID.ValueString()
		if volume == "" {
			volume = s.named(disk.Name.ValueString(), taken)
		}
		if found, ok := s.model(volume, disk.Name.ValueString()); ok {
			current, taken = append(current, found), append(taken, volume)
			if disk.VolumeID.IsNull() {
				owns.Made = append(owns.Made, volume)
			}
		}
	}
	owns.Own = []string{}
	for _, volume := range s.volumeIDs() {
		if !slices.Contains(owns.Made, volume) && !slices.Contains(given, volume) {
			owns.Own = append(owns.Own, volume)
		}
	}
	now.SystemDisk = types.ObjectNull(systemDiskTypes())
	if disk, ok := s.model(system, ""); ok {
		now.SystemDisk = systemDiskValue(ctx, &disk, &diags)
	}
	now.DataDisks, d = diskList(ctx, current)
	diags.Append(d...)
	change, d := compareDisks(ctx, config, &now, false)
	diags.Append(d...)
	if diags.HasError() {
		return diagnosticsError(diags)
	}
	applied := *plan
	applied.SystemDisk = now.SystemDisk
	stops := len(change.stops(configured)) > 0 && plan.Status.ValueString() == tower.StatusRunning
	if stops {
		if err := client.StopVM(ctx, id, tower.StopOptions{Force: true}); err != nil {
			return fmt.Errorf("stopping the VM, whose bus is to change: %w", err)
		}
	}
	if err := applyDisks(ctx, client, change, config, plan, &applied, owns); err != nil {
		return err
	}
	plan.SystemDisk, plan.DataDisks = applied.SystemDisk, applied.DataDisks
	if stops {
		if err := client.StartVM(ctx, id, plan.HostID.ValueString()); err != nil {
			return fmt.Errorf("starting the VM, which was stopped to change a bus: %w", err)
		}
	}
	return nil
}

// diagnosticsError is what diagnostics complain of, as an error.
func diagnosticsError(diags diag.Diagnostics) error {
	var all []error
	for _, d := range diags.Errors() {
		all = append(all, errors.New(d.Detail()))
	}
	return errors.Join(all...)
}
