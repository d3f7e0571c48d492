// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// image is an ISO image of a cluster. An image of the content library has one
// such copy in each of its clusters.
type image struct {
	row     wire.ElfImage
	cluster *cluster
	library *libraryImage
	labelSet
}

func (i *image) id() string                                    { return i.row.ID }
func (i *image) rowPtr() any                                   { return &i.row }
func (i *image) refreshLabels()                                { i.row.Labels = i.nestedLabels() }
func (i *image) setAsyncStatus(status *wire.EntityAsyncStatus) { i.row.EntityAsyncStatus = status }

// toolsImage is an image of the VM tools in a cluster.
type toolsImage struct {
	row     wire.SvtImage
	cluster *cluster
}

func (i *toolsImage) id() string  { return i.row.ID }
func (i *toolsImage) rowPtr() any { return &i.row }

func (w *world) imageRelations() map[string]func(*image) []any {
	return map[string]func(*image) []any{
		"cluster":               func(i *image) []any { return toOne(i.cluster) },
		"content_library_image": func(i *image) []any { return toOne(i.library) },
		"labels":                func(i *image) []any { return rowPtrs(i.labels) },
		"vm_disks": func(i *image) []any {
			return rowPtrs(filterSlice(w.disks.list, func(d *disk) bool { return d.image == i }))
		},
		"vm_snapshots": func(i *image) []any {
			return rowPtrs(filterSlice(w.snapshots.list, func(s *snapshot) bool { return s.hardware.mounts(i) }))
		},
		"vm_templates": func(i *image) []any {
			return rowPtrs(filterSlice(w.templates.list, func(t *template) bool { return t.hardware.mounts(i) }))
		},
	}
}

// mounts reports whether a drive of the hardware holds one of some images.
func (s *hardware) mounts(images ...*image) bool {
	return slices.ContainsFunc(s.disks, func(d diskConfig) bool { return d.image != nil && slices.Contains(images, d.image) })
}

func (w *world) toolsImageRelations() map[string]func(*toolsImage) []any {
	return map[string]func(*toolsImage) []any{
		"cluster": func(i *toolsImage) []any { return toOne(i.cluster) },
		"vm_disks": func(i *toolsImage) []any {
			return rowPtrs(filterSlice(w.disks.list, func(d *disk) bool { return d.tools == i }))
		},
	}
}

// newImage adds an image to a cluster.
func (w *world) newImage(c *cluster, name, description string, size int64, ids *idSource) *image {
	i := &image{cluster: c}
	i.row = wire.ElfImage{
		ID: ids.cuid(), LocalID: ids.uuid(), Name: name, Description: description, Cluster: wire.Ptr(c.nested()), Size: size,
		Path: "/usr/share/smartx/images/" + name, LocalCreatedAt: formatTime(w.now),
	}
	i.refreshLabels()
	w.images.add(i)

	return i
}

func (w *world) newToolsImage(c *cluster, name string, version int, size int64, ids *idSource) {
	i := &toolsImage{cluster: c}
	i.row = wire.SvtImage{
		ID: ids.cuid(), LocalID: ids.uuid(), Name: name, Cluster: c.nested(), Size: size, Version: version,
		Path: "/usr/share/smartx/svt/" + name, LocalCreatedAt: formatTime(w.now),
	}
	w.toolsImages.add(i)
}

// imageByID returns the image that a CD-ROM drive of a VM in a cluster is to
// hold, or nil for an empty drive.
func (w *world) imageByID(elfID, libraryID *string, of *cluster) (*image, error) {
	if deref(libraryID) != "" {
		l, ok := w.libraryImages.get(*libraryID)
		if !ok {
			return nil, notFound("There is no content library image %s", *libraryID)
		}

		if i := w.copyOf(l, of); i != nil {
			return i, nil
		}

		return nil, badRequest("The content library image %s is not in the cluster %s", *libraryID, of.row.ID)
	}

	if deref(elfID) == "" {
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

// deriveImages updates the members of images that list the drives, snapshots
// and templates with the image.
func (w *world) deriveImages() {
	for _, i := range w.images.list {
		i.row.VMDisks, i.row.VMSnapshots, i.row.VMTemplates = w.usersOf(i)
	}

	for _, l := range w.libraryImages.list {
		l.row.VMDisks, l.row.VMSnapshots, l.row.VMTemplates = w.usersOf(w.copiesOf(l)...)
	}

	for _, i := range w.toolsImages.list {
		i.row.VMDisks = nestedDisks(filterSlice(w.disks.list, func(d *disk) bool { return d.tools == i }))
	}
}

func nestedDisks(disks []*disk) []wire.NestedVMDisk {
	return mapSlice(disks, func(d *disk) wire.NestedVMDisk { return wire.NestedVMDisk{ID: d.row.ID} })
}

// usersOf returns the drives, snapshots and templates that hold one of some
// images.
func (w *world) usersOf(images ...*image) ([]wire.NestedVMDisk, []wire.NestedVMSnapshot, []wire.NestedVMTemplate) {
	disks := filterSlice(w.disks.list, func(d *disk) bool { return d.image != nil && slices.Contains(images, d.image) })
	snapshots := filterSlice(w.snapshots.list, func(s *snapshot) bool { return s.hardware.mounts(images...) })
	templates := filterSlice(w.templates.list, func(t *template) bool { return t.hardware.mounts(images...) })

	return nestedDisks(disks), mapSlice(snapshots, (*snapshot).nested), mapSlice(templates, func(t *template) wire.NestedVMTemplate {
		return wire.NestedVMTemplate{ID: t.row.ID, Name: t.row.Name}
	})
}

func updateElfImage(c *call, in *wire.ElfImageUpdationParams) (any, error) {
	images, err := matching(c.world, &c.images, wire.EntityElfImage, in.Where)
	if err != nil {
		return nil, err
	}

	if err := checkNotEmpty("body.data.name", in.Data.Name); err != nil {
		return nil, err
	}

	return startChanges(c, images, change[*image]{
		mutation: "updateElfImage", resource: "ElfImage",
		description: describe("Edit ISO image", "编辑 ISO 映像", func(i *image) string { return i.row.Name }),
		cluster:     func(i *image) *cluster { return i.cluster },
		apply: func(i *image) *taskFailure {
			setIfSent(&i.row.Name, in.Data.Name)
			setIfSent(&i.row.Description, in.Data.Description)

			for _, d := range c.disks.list {
				if d.image == i {
					d.refreshImage()
					c.journal.touch(d)
				}
			}

			return nil
		},
	}, func(i *image) *wire.ElfImage { return wire.Ptr(i.row) }), nil
}

func deleteElfImage(c *call, in *wire.ElfImageDeletionParams) (any, error) {
	return deleteMatching(c, &c.images, wire.EntityElfImage, in.Where, change[*image]{
		mutation: "deleteElfImage", resource: "ElfImage",
		description: describe("Delete ISO image", "删除 ISO 映像", func(i *image) string { return i.row.Name }),
		cluster:     func(i *image) *cluster { return i.cluster },
		apply:       func(i *image) *taskFailure { return c.dropImage(i) },
	})
}

// dropImage removes an image, unless a drive holds it.
func (w *world) dropImage(i *image) *taskFailure {
	for _, d := range w.disks.list {
		if d.image == i {
			return failure("ELF_IMAGE_IN_USE", "The image %s is in a drive of the VM %s.", i.row.Name, d.vm.row.Name)
		}
	}

	w.images.remove(i)

	return nil
}
