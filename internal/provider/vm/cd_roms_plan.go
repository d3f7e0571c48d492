// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// pairDrives finds for each of n wanted drives the one of the VM that it is, -1
// for none. Drives have no name and no lasting id, so what tells them apart is
// what they hold; the rest are paired in the order of their places.
func pairDrives(n int, drives []tower.VMDisk, holds func(i, k int) bool) []int {
	pairs, claimed := make([]int, n), make([]bool, len(drives))
	claim := func(i, k int) {
		pairs[i], claimed[k] = k, true
	}
	for i := range pairs {
		pairs[i] = -1
		if i < len(drives) && holds(i, i) {
			claim(i, i)
		}
	}
	for _, matches := range []func(i, k int) bool{
		func(i, k int) bool { return !drives[k].Tools && holds(i, k) },
		holds,
		func(_, k int) bool { return !drives[k].Tools },
		func(_, _ int) bool { return true },
	} {
		for i := range pairs {
			for k := range drives {
				if pairs[i] < 0 && !claimed[k] && matches(i, k) {
					claim(i, k)
				}
			}
		}
	}
	return pairs
}

// findISO finds an image for the VMs of a cluster; what is wrong with it otherwise.
func findISO(ctx context.Context, client *tower.Client, id, clusterID string) (iso *tower.ISO, problem string, err error) {
	iso, err = client.ISO(ctx, id)
	switch {
	case errors.Is(err, tower.ErrNotFound):
		return nil, fmt.Sprintf("Tower has no ISO image with the id %q, neither in a cluster nor in the content library, or this user may not see it. Check the id.", id), nil
	case err != nil:
		return nil, "", err
	case iso.ID != id:
		return nil, fmt.Sprintf("%q is not Tower's id of the image, but its id inside the cluster. Use %q.", id, iso.ID), nil
	}
	if _, here := iso.In(clusterID); here || clusterID == "" {
		return iso, "", nil
	}
	if iso.Library {
		return nil, fmt.Sprintf("The image %q (%s) of the content library is not distributed to the VM's cluster, %s. Distribute it to that cluster first.", iso.Name, id, clusterID), nil
	}
	return nil, fmt.Sprintf("The image %q (%s) is in the cluster %s (%s), not in that of the VM, %s. Choose one of the VM's cluster, or one of the content library.",
		iso.Name, id, iso.Images[0].ClusterName, iso.Images[0].ClusterID, clusterID), nil
}

// checkISOs refuses images that the VM's drives can't hold. Those that its drives
// held before were accepted then.
func (r *Resource) checkISOs(ctx context.Context, plan, state *model) diag.Diagnostics {
	wanted, diags := cdROMsFrom(ctx, plan.CDROMs)
	before, d := cdROMsFrom(ctx, state.CDROMs)
	diags.Append(d...)
	client, ok := r.data.TryClient()
	if !ok {
		return diags
	}
	known := imagesOf(before)
	for i, drive := range wanted {
		id := drive.ISOID.ValueString()
		if id == "" || slices.Contains(known, id) {
			continue
		}
		at := path.Root("cd_roms").AtListIndex(i).AtName("iso_id")
		_, problem, err := findISO(ctx, client, id, plan.ClusterID.ValueString())
		switch {
		case err != nil:
			diagx.AddAttributeError(&diags, at, "read", "ISO image", id, err)
		case problem != "":
			diags.AddAttributeError(at, "Image can't be inserted", problem)
		}
	}
	return diags
}
