// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// image is an ISO image of a cluster.
type image struct {
	row     wire.ElfImage
	cluster *cluster
	labelSet
}

func (i *image) key() string { return i.row.ID }
func (i *image) record() any { return &i.row }
func (i *image) showLabels() { i.row.Labels = i.nestedLabels() }

func (w *world) imageWays() map[string]func(*image) []any {
	return map[string]func(*image) []any{
		"cluster": func(i *image) []any { return some(i.cluster) },
		"labels":  func(i *image) []any { return records(i.labels) },
		"vm_disks": func(i *image) []any {
			return records(filtered(w.disks.list, func(d *disk) bool { return d.image == i }))
		},
	}
}

// imageNamed returns the image that a CD-ROM drive shall hold, or nil for an
// empty one.
func (w *world) imageNamed(elfID, libraryID *string, of *cluster) (*image, error) {
	if valueOf(libraryID) != "" {
		return nil, notFound("There is no content library image %s", *libraryID)
	}

	if valueOf(elfID) == "" {
		return nil, nil
	}

	i, ok := w.images.get(*elfID)
	if !ok {
		return nil, notFound("There is no ELF image %s", *elfID)
	}

	if i.cluster != of {
		return nil, badRequest("The ELF image %s is not in the cluster %s", *elfID, of.row.ID)
	}

	return i, nil
}
