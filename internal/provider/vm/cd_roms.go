// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// cdROMModel is one element of cd_roms. A null image is an empty drive.
type cdROMModel struct {
	ISOID types.String `tfsdk:"iso_id"`
}

func cdROMType() types.ObjectType {
	return types.ObjectType{AttrTypes: map[string]attr.Type{"iso_id": types.StringType}}
}

func cdROMsAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "The CD-ROM drives of the VM, all of them: `{ iso_id = … }` for one that holds an image, `{}` for an empty one. A new VM boots from its system disk first, " +
			"then from the drives in this order. Images are inserted and ejected, and drives added (last in the boot order) and removed, in place while the VM runs. " +
			"Where the argument is absent, the drives stay as they are and none is managed; `[]` removes them all.",
		NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{
				"iso_id": schema.StringAttribute{
					Optional: true,
					MarkdownDescription: "Tower's id of the image in the drive: of an ELF image of the VM's cluster, or of an image of the content library that is distributed to it. " +
						"Absent for an empty drive; an image of the VM tools, which Tower inserts by itself, counts as none.",
					Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				},
			},
		},
	}
}

// cdROMsFrom reads the elements of cd_roms; nil where the list is null or unknown.
func cdROMsFrom(ctx context.Context, list types.List) ([]cdROMModel, diag.Diagnostics) {
	return network.Elements(ctx, list, func() cdROMModel { return cdROMModel{ISOID: types.StringUnknown()} })
}

// cdROMList makes a list of the images in drives, "" for an empty one.
func cdROMList(ctx context.Context, images []string) (types.List, diag.Diagnostics) {
	drives := make([]cdROMModel, 0, len(images))
	for _, image := range images {
		drives = append(drives, cdROMModel{ISOID: attrs.StringOrNull(image)})
	}
	return types.ListValueFrom(ctx, cdROMType(), drives)
}

// imagesOf are the images that drives are configured with.
func imagesOf(drives []cdROMModel) []string {
	var ids []string
	for _, d := range drives {
		if id := d.ISOID.ValueString(); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// drives are the VM's CD-ROM drives, by their places in the boot order.
func (s storage) drives() []tower.VMDisk {
	return slices.DeleteFunc(slices.Clone(s.disks), func(d tower.VMDisk) bool { return !d.IsCDROM() })
}

// refreshCDROMs brings the drives of the model up to date: what they hold, those
// that are gone, and those that somebody added. They keep the model's order, and
// an image of the content library its id, of which Tower shows the copy in the
// cluster.
func (m *model) refreshCDROMs(ctx context.Context, client *tower.Client, s storage, firstRead bool) error {
	if m.CDROMs.IsNull() && !firstRead {
		return nil
	}
	known, diags := cdROMsFrom(ctx, m.CDROMs)
	drives := s.drives()
	library, err := libraryImages(ctx, client, imagesOf(known), drives)
	if err != nil {
		return err
	}
	holds := func(i, k int) bool {
		id := known[i].ISOID.ValueString()
		return id == drives[k].ImageID || id != "" && id == library[drives[k].ImageID]
	}
	pairs := pairDrives(len(known), drives, holds)
	var current []string
	for i, k := range pairs {
		switch {
		case k < 0:
		case holds(i, k):
			current = append(current, known[i].ISOID.ValueString())
		default:
			current = append(current, drives[k].ImageID)
		}
	}
	for k, d := range drives {
		// A drive that Tower added for the VM tools is Tower's.
		if !slices.Contains(pairs, k) && !d.Tools {
			current = append(current, d.ImageID)
		}
	}
	if firstRead && len(current) == 0 {
		return diagnosticsError(diags)
	}
	list, d := cdROMList(ctx, current)
	diags.Append(d...)
	m.CDROMs = list
	return diagnosticsError(diags)
}

// libraryImages are the content library images whose copies are in drives, as
// far as the known ids do not tell them already.
func libraryImages(ctx context.Context, client *tower.Client, known []string, drives []tower.VMDisk) (map[string]string, error) {
	library := map[string]string{}
	for _, d := range drives {
		if d.ImageID == "" || slices.Contains(known, d.ImageID) || len(known) == 0 {
			continue
		}
		iso, err := client.ISO(ctx, d.ImageID)
		switch {
		case errors.Is(err, tower.ErrNotFound):
		case err != nil:
			return nil, fmt.Errorf("reading the image %s in a CD-ROM drive: %w", d.ImageID, err)
		case len(iso.Images) > 0:
			library[d.ImageID] = iso.Images[0].LibraryImageID
		}
	}
	return library, nil
}

// cdROMsInCreate writes the drives into the create call, from a place in the
// boot order on, and returns the place behind them.
func (m *model) cdROMsInCreate(ctx context.Context, client *tower.Client, in *tower.VMCreate, boot int) (int, error) {
	wanted, diags := cdROMsFrom(ctx, m.CDROMs)
	if diags.HasError() {
		return boot, diagnosticsError(diags)
	}
	for _, drive := range wanted {
		create := tower.CDROMCreate{Boot: boot}
		if id := drive.ISOID.ValueString(); id != "" {
			iso, problem, err := findISO(ctx, client, id, in.ClusterID)
			switch {
			case err != nil:
				return boot, fmt.Errorf("reading the image %s: %w", id, err)
			case problem != "":
				return boot, errors.New(problem)
			}
			create.ISO = iso
		}
		in.CDROMs = append(in.CDROMs, create)
		boot++
	}
	return boot, nil
}
