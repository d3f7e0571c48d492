// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
)

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
func compareDisks(ctx context.Context, config, state *model, imported bool) (disksChange, diag.Diagnostics) {
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
		if !claimed[k] && !imported {
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
				fmt.Sprintf("%s has %d GiB, and Tower can't make it smaller. Set size_gib to %d or more.", sentenceCase(what), now, now))
		case size > now:
			e.grow = size
		}
	}
	if attrs.IsKnown(disk.StoragePolicy) && attrs.IsKnown(prior.StoragePolicy) && !disk.StoragePolicy.Equal(prior.StoragePolicy) {
		diags.AddAttributeError(at.AtName("storage_policy"), "A storage policy can't change",
			fmt.Sprintf("%s has the storage policy %s, which is fixed once the volume is made. Set it to that, or add a disk with another name and copy the data.",
				sentenceCase(what), prior.StoragePolicy.ValueString()))
	}
	if attrs.IsKnown(disk.Bus) && !prior.Bus.IsNull() && !disk.Bus.Equal(prior.Bus) {
		e.bus = disk.Bus.ValueString()
	}
	return e
}

// sentenceCase lets a text begin a sentence.
func sentenceCase(s string) string {
	if s == "" {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
