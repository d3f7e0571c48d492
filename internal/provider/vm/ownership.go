// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// ownership says whose the VM's volumes are, which decides about deleting them.
type ownership struct {
	// Made are the volumes that were made for data_disks: they are deleted when
	// their disk is removed.
	Made []string `json:"made,omitempty"`
	// Given are the volumes that the configuration names: they outlive the VM.
	Given []string `json:"given,omitempty"`
	// Own are the other volumes that the VM was made with. Of an imported VM that
	// is its system disk's, and those that data_disks names without volume_id: who
	// attached the others, a CSI driver for instance, nothing tells, so they are
	// somebody else's, as are all that come later. Null where this was never
	// recorded: then all are the VM's.
	Own []string `json:"own"`
}

// give notes that the configuration names a volume.
func (o *ownership) give(id string) {
	o.forget(id)
	o.Given = append(o.Given, id)
}

// adopt notes that the configuration manages a volume that the VM had already.
func (o *ownership) adopt(id string) {
	if o.Own != nil && !slices.Contains(slices.Concat(o.Made, o.Given, o.Own), id) {
		o.Own = append(o.Own, id)
	}
}

// forget removes a volume from the record.
func (o *ownership) forget(id string) {
	same := func(x string) bool { return x == id }
	o.Made, o.Given = slices.DeleteFunc(o.Made, same), slices.DeleteFunc(o.Given, same)
	if o.Own != nil {
		o.Own = append([]string{}, slices.DeleteFunc(o.Own, same)...)
	}
}

// recordOwnership records whose the volumes are where no record exists yet: the
// VM was imported, or its create was interrupted. What is there is the VM's,
// besides what the configuration gave it.
func (m *model) recordOwnership(ctx context.Context, s storage, firstRead bool, owns *ownership) diag.Diagnostics {
	disks, diags := disksFrom(ctx, m.DataDisks)
	if !firstRead {
		for _, id := range volumesOf(disks) {
			if !slices.Contains(owns.Given, id) && !slices.Contains(owns.Made, id) {
				owns.Made = append(owns.Made, id)
			}
		}
	}
	owns.Own = []string{}
	volumes := s.volumeIDs()
	if firstRead {
		system, d := systemDiskFrom(ctx, m.SystemDisk)
		diags.Append(d...)
		if volumes = nil; system != nil {
			volumes = []string{system.VolumeID.ValueString()}
		}
	}
	for _, id := range volumes {
		owns.adopt(id)
	}
	return diags
}

// releaseVolumes detaches what must outlive the VM, which Tower would delete
// with it.
func releaseVolumes(ctx context.Context, client *tower.Client, state *model, owns ownership) error {
	id := state.ID.ValueString()
	disks, err := client.VMDisks(ctx, id)
	if err != nil {
		return fmt.Errorf("reading the disks of VM %s before deleting it: %w", id, err)
	}
	system, diags := systemDiskFrom(ctx, state.SystemDisk)
	if diags.HasError() {
		return errors.New("the system disk can't be read from the state")
	}
	own := ""
	if system != nil {
		own = system.VolumeID.ValueString()
	}
	foreign := owns.foreign(storage{disks: disks}.volumeIDs(), own)
	if len(foreign) == 0 {
		return nil
	}
	if err := client.DetachVMDisks(ctx, id, foreign); err != nil {
		return fmt.Errorf("detaching the volumes that outlive the VM: %w", err)
	}
	return nil
}

// foreign are those of a VM's volumes that must outlive it. The system disk's
// is always the VM's.
func (o *ownership) foreign(attached []string, system string) []string {
	var out []string
	for _, id := range attached {
		known := slices.Contains(o.Made, id) || slices.Contains(o.Own, id)
		if slices.Contains(o.Given, id) || o.Own != nil && !known && id != system {
			out = append(out, id)
		}
	}
	return out
}
