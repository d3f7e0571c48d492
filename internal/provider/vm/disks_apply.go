// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// diskApplier carries out what becomes of the disks of a VM, and keeps account
// of what has been applied so far.
type diskApplier struct {
	client *tower.Client
	vmID   string
	owns   *ownership
	change disksChange

	system  *diskModel
	current []*diskModel // for each configured disk, what there is; nil: nothing yet
	removed []*diskModel // what is left of those that go
}

// applyDisks changes the disks, and writes those that are there into applied,
// whether it succeeds or not.
func applyDisks(ctx context.Context, client *tower.Client, change disksChange, config, plan, applied *model, owns *ownership) error {
	configured, diags := disksFrom(ctx, config.DataDisks)
	wanted, d := systemDiskFrom(ctx, config.SystemDisk)
	diags.Append(d...)
	if diags.HasError() {
		return errors.New("the configured disks can't be read")
	}
	a := &diskApplier{client: client, vmID: applied.ID.ValueString(), owns: owns, change: change}
	if change.system != nil {
		a.system = change.system.prior
	}
	for _, e := range change.edits {
		a.current = append(a.current, e.prior)
	}
	for i := range change.removed {
		a.removed = append(a.removed, &change.removed[i])
	}
	err := a.run(ctx, configured, wanted)
	if a.system != nil {
		applied.SystemDisk, diags = systemDiskObject(ctx, a.system)
	}
	if configured != nil {
		applied.DataDisks, d = diskList(ctx, a.disks())
		diags.Append(d...)
	} else if config.DataDisks.IsNull() {
		applied.DataDisks = plan.DataDisks
	}
	if err == nil && diags.HasError() {
		return errors.New("the disks can't be written to the state")
	}
	return err
}

// disks are those that there are now.
func (a *diskApplier) disks() []diskModel {
	out := []diskModel{}
	for _, d := range slices.Concat(a.current, a.removed) {
		if d != nil {
			out = append(out, *d)
		}
	}
	return out
}

func (a *diskApplier) run(ctx context.Context, configured []diskModel, wanted *diskModel) error {
	for i, disk := range configured {
		if id := disk.VolumeID.ValueString(); id != "" {
			a.owns.give(id)
		} else if prior := a.change.edits[i].prior; prior != nil {
			a.owns.adopt(prior.VolumeID.ValueString())
		}
	}
	if err := a.remove(ctx); err != nil {
		return err
	}
	if e := a.change.system; e != nil {
		if err := a.edit(ctx, *e, *wanted, &a.system); err != nil {
			return err
		}
	}
	for i, e := range a.change.edits {
		if e.prior == nil || e.attach {
			continue
		}
		if err := a.edit(ctx, e, configured[i], &a.current[i]); err != nil {
			return err
		}
	}
	return a.add(ctx, configured)
}

// remove detaches the disks that go, and then deletes the volumes that were made for them.
func (a *diskApplier) remove(ctx context.Context) error {
	var attached []string
	for _, d := range a.removed {
		if d.attached() {
			attached = append(attached, d.VolumeID.ValueString())
		}
	}
	if len(attached) > 0 {
		if err := a.client.DetachVMDisks(ctx, a.vmID, attached); err != nil {
			return fmt.Errorf("detaching disks: %w", err)
		}
	}
	for i, d := range a.removed {
		id := d.VolumeID.ValueString()
		// Until its volume is deleted, the disk stays in the state as detached.
		detached := *d
		detached.Bus = types.StringNull()
		a.removed[i] = &detached
		if slices.Contains(a.owns.Made, id) {
			if err := a.client.DeleteVMVolume(ctx, id); err != nil {
				return fmt.Errorf("deleting the volume %s of the disk %q, which has been detached: %w", id, d.Name.ValueString(), err)
			}
		}
		a.owns.forget(id)
		a.removed[i] = nil
	}
	return nil
}

// edit changes a disk that the VM has.
func (a *diskApplier) edit(ctx context.Context, e diskEdit, disk diskModel, current **diskModel) error {
	now := disk.withComputed(e.prior)
	id := e.prior.VolumeID.ValueString()
	if e.bus != "" {
		if err := a.client.SetVMDiskBus(ctx, a.vmID, id, e.bus); err != nil {
			return fmt.Errorf("changing the bus of %s: %w", e.what, err)
		}
		changed := *e.prior
		changed.Bus = types.StringValue(e.bus)
		*current = &changed
	}
	if e.grow > 0 {
		if err := a.client.ExpandVMDisk(ctx, a.vmID, id, e.grow*gibibyte); err != nil {
			return fmt.Errorf("growing %s to %d GiB: %w", e.what, e.grow, err)
		}
	}
	*current = &now
	return nil
}

// add gives the VM the disks that it does not have, all in one call.
func (a *diskApplier) add(ctx context.Context, configured []diskModel) error {
	var added []int
	for i, e := range a.change.edits {
		if e.prior == nil || e.attach {
			added = append(added, i)
		}
	}
	if len(added) == 0 {
		return nil
	}
	before, err := readStorage(ctx, a.client, a.vmID)
	if err != nil {
		return err
	}
	var in []tower.DiskCreate
	for k, i := range added {
		disk := configured[i].withComputed(a.change.edits[i].prior).create()
		disk.Boot = before.nextBoot() + k
		in = append(in, disk)
	}
	if err := a.client.AddVMDisks(ctx, a.vmID, in); err != nil {
		return fmt.Errorf("adding %d disks: %w", len(in), err)
	}
	after, err := readStorage(ctx, a.client, a.vmID)
	if err != nil {
		return err
	}
	known := before.volumeIDs()
	for k, i := range added {
		id := in[k].VolumeID
		if id == "" {
			if id = after.named(in[k].Name, known); id == "" {
				return fmt.Errorf("the disk %q has been added, but Tower does not show it", in[k].Name)
			}
			a.owns.Made = append(a.owns.Made, id)
		}
		known = append(known, id)
		found, _ := after.model(id, configured[i].Name.ValueString())
		now := configured[i].withComputed(&found)
		a.current[i] = &now
	}
	return a.growAttached(ctx, configured, added, after)
}

// growAttached grows volumes that have just been attached and were smaller than configured.
func (a *diskApplier) growAttached(ctx context.Context, configured []diskModel, added []int, after storage) error {
	for _, i := range added {
		id := a.current[i].VolumeID.ValueString()
		size := attrs.Int64Or(configured[i].SizeGiB, 0)
		found, ok := after.model(id, "")
		if !ok || size <= found.SizeGiB.ValueInt64() {
			continue
		}
		if err := a.client.ExpandVMDisk(ctx, a.vmID, id, size*gibibyte); err != nil {
			a.current[i].SizeGiB = found.SizeGiB
			return fmt.Errorf("growing the disk %q to %d GiB: %w", configured[i].Name.ValueString(), size, err)
		}
	}
	return nil
}
