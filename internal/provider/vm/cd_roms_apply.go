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

// driveApplier brings the CD-ROM drives of a VM to those that are wanted, with
// the least calls, and keeps account of what has been applied so far.
type driveApplier struct {
	client *tower.Client
	vmID   string
	wanted []cdROMModel
	isos   []*tower.ISO // what the wanted drives are to hold, nil for an empty one

	drives []tower.VMDisk // those that there were
	pairs  []int          // for each wanted drive, the one that it is, -1 for one to add
	holds  []string       // what each of the drives holds now
	gone   []bool         // which of them have been removed
	added  bool           // those to add have been added
}

// applyCDROMs changes the drives, and writes those that are there into applied,
// whether it succeeds or not.
func applyCDROMs(ctx context.Context, client *tower.Client, plan, applied *model) error {
	if plan.CDROMs.IsNull() || plan.CDROMs.Equal(applied.CDROMs) {
		applied.CDROMs = plan.CDROMs
		return nil
	}
	wanted, diags := cdROMsFrom(ctx, plan.CDROMs)
	if err := diagnosticsError(diags); err != nil {
		return err
	}
	a := &driveApplier{client: client, vmID: applied.ID.ValueString(), wanted: wanted}
	if err := a.pair(ctx, plan.ClusterID.ValueString()); err != nil {
		return err
	}
	err := a.run(ctx)
	list, diags := cdROMList(ctx, a.contents())
	applied.CDROMs = list
	if err == nil {
		err = diagnosticsError(diags)
	}
	return err
}

// pair finds which of the VM's drives the wanted ones are.
func (a *driveApplier) pair(ctx context.Context, clusterID string) error {
	shown := make([]string, len(a.wanted)) // what Tower shows of a drive that holds what is wanted
	a.isos = make([]*tower.ISO, len(a.wanted))
	for i, drive := range a.wanted {
		id := drive.ISOID.ValueString()
		if id == "" {
			continue
		}
		iso, problem, err := findISO(ctx, a.client, id, clusterID)
		switch {
		case err != nil:
			return fmt.Errorf("reading the image %s: %w", id, err)
		case problem != "":
			return errors.New(problem)
		}
		image, _ := iso.In(clusterID)
		a.isos[i], shown[i] = iso, image.ID
	}
	disks, err := a.client.VMDisks(ctx, a.vmID)
	if err != nil {
		return fmt.Errorf("reading the CD-ROM drives: %w", err)
	}
	a.drives = storage{disks: disks}.drives()
	holds := func(i, k int) bool { return shown[i] == a.drives[k].ImageID }
	a.pairs, a.gone = pairDrives(len(a.wanted), a.drives, holds), make([]bool, len(a.drives))
	for _, d := range a.drives {
		a.holds = append(a.holds, d.ImageID)
	}
	for i, k := range a.pairs {
		if k >= 0 && holds(i, k) {
			a.holds[k] = a.wanted[i].ISOID.ValueString()
		}
	}
	return nil
}

// run changes what drives hold, then takes those that are not wanted, then adds
// those that are missing.
func (a *driveApplier) run(ctx context.Context) error {
	var missing []tower.CDROMCreate
	for i, k := range a.pairs {
		id := a.wanted[i].ISOID.ValueString()
		switch {
		case k < 0:
			missing = append(missing, tower.CDROMCreate{ISO: a.isos[i]})
			continue
		case a.holds[k] == id:
			continue
		}
		if err := a.client.SetVMCDROM(ctx, a.vmID, a.drives[k].Boot, a.isos[i]); err != nil {
			if id == "" {
				return fmt.Errorf("ejecting the image from CD-ROM drive %d: %w", i, err)
			}
			return fmt.Errorf("inserting the image %s into CD-ROM drive %d: %w", id, i, err)
		}
		a.holds[k] = id
	}
	var boots []int
	for k, d := range a.drives {
		if !slices.Contains(a.pairs, k) && !d.Tools {
			boots = append(boots, d.Boot)
		}
	}
	if len(boots) > 0 {
		if err := a.client.RemoveVMCDROMs(ctx, a.vmID, boots); err != nil {
			return fmt.Errorf("removing %d CD-ROM drives, which Tower may want the VM off for: %w", len(boots), err)
		}
	}
	for k := range a.drives {
		a.gone[k] = !slices.Contains(a.pairs, k)
	}
	if err := a.client.AddVMCDROMs(ctx, a.vmID, missing); err != nil {
		return fmt.Errorf("adding %d CD-ROM drives, which Tower may want the VM off for: %w", len(missing), err)
	}
	a.added = true
	return nil
}

// contents are what the drives hold that there are now, the wanted ones first.
func (a *driveApplier) contents() []string {
	out := []string{}
	for i, k := range a.pairs {
		switch {
		case k >= 0:
			out = append(out, a.holds[k])
		case a.added:
			out = append(out, attrs.StringOr(a.wanted[i].ISOID, ""))
		}
	}
	for k, d := range a.drives {
		if !a.gone[k] && !d.Tools && !slices.Contains(a.pairs, k) {
			out = append(out, a.holds[k])
		}
	}
	return out
}

// finishCDROMs gives a new VM the drives that the create call did not: a copy
// has those of its source, and so may a VM whose template's drives Tower does
// not tell.
func finishCDROMs(ctx context.Context, client *tower.Client, plan *model) error {
	if plan.CDROMs.IsNull() || plan.Source.IsNull() {
		return nil
	}
	// What there is now is not known yet, so the VM is looked at.
	applied := *plan
	applied.CDROMs = types.ListUnknown(cdROMType())
	return applyCDROMs(ctx, client, plan, &applied)
}
