// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
)

// planDisksOfCreate says what is known of a new VM's disks before it exists.
func planDisksOfCreate(ctx context.Context, config, plan *model) diag.Diagnostics {
	blank := config.Source.IsNull()
	system, diags := systemDiskFrom(ctx, config.SystemDisk)
	switch {
	case system != nil && blank:
		withComputed := system.withComputed(nil)
		plan.SystemDisk = systemDiskValue(ctx, &withComputed, &diags)
	case system != nil:
		s := types.StringUnknown()
		withComputed := system.withComputed(&diskModel{SizeGiB: types.Int64Unknown(), VolumeID: s, StoragePolicy: s, Bus: s})
		plan.SystemDisk = systemDiskValue(ctx, &withComputed, &diags)
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
		planned = append(planned, disk.withComputed(nil))
	}
	plan.DataDisks, d = diskList(ctx, planned)
	diags.Append(d...)
	return diags
}

func systemDiskValue(ctx context.Context, disk *diskModel, diags *diag.Diagnostics) types.Object {
	object, d := systemDiskObject(ctx, disk)
	diags.Append(d...)
	return object
}

// fillComputedDisks gives the plan of an update what is known of the disks.
func (c *change) fillComputedDisks(ctx context.Context, config, plan, state *model) diag.Diagnostics {
	system, diags := systemDiskFrom(ctx, config.SystemDisk)
	switch {
	case config.SystemDisk.IsNull():
		plan.SystemDisk = state.SystemDisk
	case system != nil && c.disks.system != nil:
		withComputed := system.withComputed(c.disks.system.prior)
		plan.SystemDisk = systemDiskValue(ctx, &withComputed, &diags)
	}
	configured, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	if configured == nil || len(configured) != len(c.disks.edits) {
		return diags
	}
	planned := make([]diskModel, 0, len(configured))
	for i, disk := range configured {
		planned = append(planned, disk.withComputed(c.disks.edits[i].prior))
	}
	plan.DataDisks, d = diskList(ctx, planned)
	diags.Append(d...)
	return diags
}

// adoptDisks adds to the state the disks that the VM has already and that the
// configuration lists for the first time: by volume or by name. It looks at
// Tower only where there may be some. As long as no configuration has been
// applied since an import (unapplied), the system disk is only a guess; a
// configuration that lists it as a data disk knows better.
func (r *Resource) adoptDisks(ctx context.Context, config, state *model, unapplied bool) diag.Diagnostics {
	configured, diags := disksFrom(ctx, config.DataDisks)
	current, d := disksFrom(ctx, state.DataDisks)
	diags.Append(d...)
	system, d := systemDiskFrom(ctx, state.SystemDisk)
	diags.Append(d...)
	pairs := pairDisks(configured, current)
	unmatched := system == nil && attrs.IsKnown(config.SystemDisk)
	for _, k := range pairs {
		unmatched = unmatched || k < 0
	}
	client, ok := r.data.TryClient()
	if !ok || !unmatched || diags.HasError() {
		return diags
	}
	s, err := readStorage(ctx, client, state.ID.ValueString())
	if err == nil && len(s.disks) == 0 {
		// Nor does a VM that is not there have any.
		_, err = client.VM(ctx, state.ID.ValueString())
	}
	if err != nil {
		diagx.AddError(&diags, "read", object, state.Name.ValueString(), err)
		return diags
	}
	known := ""
	if system != nil {
		known = system.VolumeID.ValueString()
	}
	id := s.system(known, volumesOf(current))
	if listed := s.listed(configured, current, pairs); unapplied && slices.Contains(listed, known) {
		id, system = s.system("", listed), nil
		current = slices.DeleteFunc(current, func(d diskModel) bool { return d.VolumeID.ValueString() == id })
		pairs = pairDisks(configured, current)
		state.SystemDisk = systemDiskValue(ctx, nil, &diags)
	}
	if system == nil {
		if disk, ok := s.model(id, ""); ok {
			state.SystemDisk = systemDiskValue(ctx, &disk, &diags)
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

// warnDeletedVolumes announces the volumes that are deleted because their disks
// leave the configuration: a disk that was only renamed would lose its data.
func (c disksChange) warnDeletedVolumes(volumes ownership, diags *diag.Diagnostics) {
	for _, disk := range c.removed {
		id := disk.VolumeID.ValueString()
		if !slices.Contains(volumes.Made, id) {
			continue
		}
		name := disk.Name.ValueString()
		diags.AddAttributeWarning(path.Root("data_disks"), fmt.Sprintf("Volume of the disk %q will be deleted", name),
			fmt.Sprintf("data_disks no longer lists the disk %q, so its volume (%s, %d GiB) is deleted with all its data. Disks are recognised by their names. "+
				"If you have only renamed the disk, set volume_id = %q in the renamed element, which keeps the volume, also when the VM is destroyed; or keep the name.",
				name, id, disk.SizeGiB.ValueInt64(), id))
	}
}

// diskEdit is what becomes of one configured disk.
type diskEdit struct {
	at     path.Path
	what   string     // how messages call the disk
	prior  *diskModel // nil for one that is added
	grow   int64      // the new size in GiB, 0 for none
	bus    string     // the new bus, "" for none
	attach bool       // the volume was detached from the VM and comes back
}

// disksChange is what becomes of the disks of a VM.
type disksChange struct {
	system  *diskEdit // nil where system_disk is not configured
	edits   []diskEdit
	removed []diskModel
}

// stops says why a VM that runs has to be stopped: a guest keeps what is on its
// buses, and IDE takes and gives nothing while it runs.
func (c disksChange) stops(configured []diskModel) []string {
	var why []string
	edits := c.edits
	if c.system != nil {
		edits = append([]diskEdit{*c.system}, edits...)
		configured = append([]diskModel{{}}, configured...)
	}
	for i, e := range edits {
		switch {
		case e.bus != "":
			why = append(why, fmt.Sprintf("the bus of %s changes from %s to %s", e.what, e.prior.Bus.ValueString(), e.bus))
		case (e.prior == nil || e.attach) && configured[i].Bus.ValueString() == busIDE:
			why = append(why, fmt.Sprintf("%s is added on an IDE bus", e.what))
		}
	}
	for _, d := range c.removed {
		if d.Bus.ValueString() == busIDE {
			why = append(why, fmt.Sprintf("the disk %q is removed from an IDE bus", d.Name.ValueString()))
		}
	}
	return why
}

// compareDisks finds what becomes of the disks, and refuses what can't be done.
func compareDisks(ctx context.Context, config, state *model, unapplied bool) (disksChange, diag.Diagnostics) {
	var c disksChange
	wanted, diags := systemDiskFrom(ctx, config.SystemDisk)
	if wanted != nil {
		prior, d := systemDiskFrom(ctx, state.SystemDisk)
		diags.Append(d...)
		if prior == nil {
			diags.AddAttributeError(path.Root("system_disk"), "No system disk",
				"The VM has no disk to boot from. A system disk comes with the create; add disks as data_disks, or replace the VM ("+howToReplace+").")
			return c, diags
		}
		edit := compareDisk(path.Root("system_disk"), "the system disk", *wanted, prior, &diags)
		c.system = &edit
	}
	configured, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	current, d := disksFrom(ctx, state.DataDisks)
	diags.Append(d...)
	if configured == nil || diags.HasError() {
		// Without the argument the disks are left as they are.
		return c, diags
	}
	pairs := pairDisks(configured, current)
	claimed := make([]bool, len(current))
	for i, disk := range configured {
		at, what := path.Root("data_disks").AtListIndex(i), fmt.Sprintf("the disk %q", disk.Name.ValueString())
		if pairs[i] < 0 {
			c.edits = append(c.edits, diskEdit{at: at, what: what})
			continue
		}
		claimed[pairs[i]] = true
		c.edits = append(c.edits, compareDisk(at, what, disk, &current[pairs[i]], &diags))
	}
	for k, disk := range current {
		// An import has listed whatever the VM has: what the configuration does not
		// name was never said to be ours.
		if !claimed[k] && !unapplied {
			c.removed = append(c.removed, disk)
		}
	}
	return c, diags
}

// pairDisks finds the prior disk of each configured one, -1 for none: by the
// volume where the configuration names it, else by the name.
func pairDisks(configured, current []diskModel) []int {
	pairs := make([]int, len(configured))
	claimed := make([]bool, len(current))
	claim := func(i int, match func(diskModel) bool) {
		for k, prior := range current {
			if pairs[i] < 0 && !claimed[k] && match(prior) {
				pairs[i], claimed[k] = k, true
			}
		}
	}
	for i, disk := range configured {
		pairs[i] = -1
		claim(i, func(prior diskModel) bool { return attrs.IsKnown(disk.VolumeID) && disk.VolumeID.Equal(prior.VolumeID) })
	}
	for i, disk := range configured {
		claim(i, func(prior diskModel) bool {
			return attrs.IsKnown(disk.Name) && disk.Name.Equal(prior.Name) && (!attrs.IsKnown(disk.VolumeID) || prior.VolumeID.IsNull())
		})
	}
	return pairs
}

// compareDisk finds what becomes of a disk that is there.
func compareDisk(at path.Path, what string, disk diskModel, prior *diskModel, diags *diag.Diagnostics) diskEdit {
	e := diskEdit{at: at, what: what, prior: prior, attach: !prior.attached()}
	if attrs.IsKnown(disk.SizeGiB) && attrs.IsKnown(prior.SizeGiB) {
		size, now := disk.SizeGiB.ValueInt64(), prior.SizeGiB.ValueInt64()
		switch {
		case size < now:
			diags.AddAttributeError(at.AtName("size_gib"), "A disk can't shrink",
				fmt.Sprintf("%s has %d GiB, and Tower can't make it smaller. Set size_gib to %d or more.", diagx.Capitalise(what), now, now))
		case size > now:
			e.grow = size
		}
	}
	if attrs.IsKnown(disk.StoragePolicy) && attrs.IsKnown(prior.StoragePolicy) && !disk.StoragePolicy.Equal(prior.StoragePolicy) {
		diags.AddAttributeError(at.AtName("storage_policy"), "A storage policy can't change",
			fmt.Sprintf("%s has the storage policy %s, which is fixed once the volume is made. Set it to that, or add a disk with another name and copy the data.",
				diagx.Capitalise(what), prior.StoragePolicy.ValueString()))
	}
	if attrs.IsKnown(disk.Bus) && !prior.Bus.IsNull() && !disk.Bus.Equal(prior.Bus) {
		e.bus = disk.Bus.ValueString()
	}
	return e
}

func (c *change) compareDisks(ctx context.Context, config, state *model, unapplied bool) diag.Diagnostics {
	disks, diags := compareDisks(ctx, config, state, unapplied)
	configured, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	c.disks = disks
	if !diags.HasError() && (c.interrupts(state) || c.suspended(state)) {
		c.stops = append(c.stops, disks.stops(configured)...)
	}
	return diags
}
