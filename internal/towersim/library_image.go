// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"net/url"
	"path"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// libraryImage is an image of the content library. It has a copy in each
// cluster that it was distributed to.
type libraryImage struct {
	row wire.ContentLibraryImage
	labelSet
}

func (l *libraryImage) id() string     { return l.row.ID }
func (l *libraryImage) rowPtr() any    { return &l.row }
func (l *libraryImage) refreshLabels() { l.row.Labels = l.nestedLabels() }
func (l *libraryImage) setAsyncStatus(status *wire.EntityAsyncStatus) {
	l.row.EntityAsyncStatus = status
}

func (w *world) libraryImageRelations() map[string]func(*libraryImage) []any {
	return map[string]func(*libraryImage) []any{
		"elf_images": func(l *libraryImage) []any { return rowPtrs(w.copiesOf(l)) },
		"clusters": func(l *libraryImage) []any {
			return rowPtrs(mapSlice(w.copiesOf(l), func(i *image) *cluster { return i.cluster }))
		},
		"labels": func(l *libraryImage) []any { return rowPtrs(l.labels) },
		"vm_disks": func(l *libraryImage) []any {
			return rowPtrs(filterSlice(w.disks.list, func(d *disk) bool { return d.image != nil && d.image.library == l }))
		},
		"vm_snapshots": func(l *libraryImage) []any {
			copies := w.copiesOf(l)

			return rowPtrs(filterSlice(w.snapshots.list, func(s *snapshot) bool { return s.hardware.mounts(copies...) }))
		},
		"vm_templates": func(l *libraryImage) []any {
			copies := w.copiesOf(l)

			return rowPtrs(filterSlice(w.templates.list, func(t *template) bool { return t.hardware.mounts(copies...) }))
		},
	}
}

func (w *world) copiesOf(l *libraryImage) []*image {
	return filterSlice(w.images.list, func(i *image) bool { return i.library == l })
}

func (w *world) copyOf(l *libraryImage, in *cluster) *image {
	for _, i := range w.copiesOf(l) {
		if i.cluster == in {
			return i
		}
	}

	return nil
}

func (w *world) newLibraryImage(name, description string, size int64, clusters []*cluster) {
	l := &libraryImage{}
	l.row = wire.ContentLibraryImage{
		ID: w.ids.cuid(), Name: name, Description: description, Size: size, CreatedAt: formatTime(w.now), Path: "/content-library/" + name,
	}
	l.refreshLabels()
	w.libraryImages.add(l)
	w.distributeImage(l, clusters)
}

// distributeImage copies an image to those of the clusters that do not have it.
func (w *world) distributeImage(l *libraryImage, clusters []*cluster) {
	for _, c := range clusters {
		if w.copyOf(l, c) == nil {
			i := w.newImage(c, l.row.Name, l.row.Description, l.row.Size, w.ids)
			i.library = l
			i.row.ContentLibraryImage = &wire.NestedContentLibraryImage{ID: l.row.ID, Name: l.row.Name}
		}
	}

	w.refreshCopies(l)
}

func (w *world) refreshCopies(l *libraryImage) {
	copies := w.copiesOf(l)
	l.row.Clusters = mapSlice(copies, func(i *image) wire.NestedCluster { return i.cluster.nested() })
	l.row.ElfImageUUIDs = mapSlice(copies, func(i *image) string { return i.row.LocalID })
	l.row.ElfImages = mapSlice(copies, func(i *image) wire.NestedElfImage {
		return wire.NestedElfImage{ID: i.row.ID, Name: i.row.Name}
	})
}

// editLibraryImages starts a change of the images that a filter selects.
func (c *call) editLibraryImages(where json.RawMessage, mutation string, apply func(*libraryImage) *taskFailure) (any, error) {
	images, err := matching(c.world, &c.libraryImages, wire.EntityContentLibraryImage, where)
	if err != nil {
		return nil, err
	}

	return startChanges(c, images, change[*libraryImage]{
		mutation: mutation, resource: "ContentLibraryImage",
		description: describe("Edit ISO image", "编辑 ISO 映像", func(l *libraryImage) string { return l.row.Name }),
		cluster:     func(*libraryImage) *cluster { return nil },
		apply:       apply,
	}, func(l *libraryImage) *wire.ContentLibraryImage { return wire.Ptr(l.row) }), nil
}

func updateContentLibraryImage(c *call, in *wire.ContentLibraryImageUpdationParams) (any, error) {
	if err := checkNotEmpty("body.data.name", in.Data.Name); err != nil {
		return nil, err
	}

	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, in.Data.Clusters)
	if err != nil {
		return nil, err
	}

	return c.editLibraryImages(in.Where, "updateContentLibraryImage", func(l *libraryImage) *taskFailure {
		setIfSent(&l.row.Name, in.Data.Name)
		setIfSent(&l.row.Description, in.Data.Description)
		c.distributeImage(l, clusters)

		for _, i := range c.copiesOf(l) {
			i.row.Name, i.row.Description = l.row.Name, l.row.Description
			i.row.ContentLibraryImage.Name = l.row.Name
		}

		c.refreshCopies(l)

		return nil
	})
}

func distributeContentLibraryImage(c *call, in *wire.ContentLibraryImageUpdationClusterParams) (any, error) {
	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, in.Data.Clusters)
	if err != nil {
		return nil, err
	}

	return c.editLibraryImages(in.Where, "distributeContentLibraryImage", func(l *libraryImage) *taskFailure {
		c.distributeImage(l, clusters)

		return nil
	})
}

func removeContentLibraryImage(c *call, in *wire.ContentLibraryImageUpdationClusterParams) (any, error) {
	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, in.Data.Clusters)
	if err != nil {
		return nil, err
	}

	return c.editLibraryImages(in.Where, "removeContentLibraryImage", func(l *libraryImage) *taskFailure {
		for _, from := range clusters {
			if i := c.copyOf(l, from); i != nil {
				if failed := c.dropImage(i); failed != nil {
					return failed
				}
			}
		}

		c.refreshCopies(l)

		return nil
	})
}

func deleteContentLibraryImage(c *call, in *wire.ContentLibraryImageDeletionParams) (any, error) {
	return deleteMatching(c, &c.libraryImages, wire.EntityContentLibraryImage, in.Where, change[*libraryImage]{
		mutation: "deleteContentLibraryImage", resource: "ContentLibraryImage",
		description: describe("Delete ISO image", "删除 ISO 映像", func(l *libraryImage) string { return l.row.Name }),
		cluster:     func(*libraryImage) *cluster { return nil },
		apply: func(l *libraryImage) *taskFailure {
			for _, i := range c.copiesOf(l) {
				if failed := c.dropImage(i); failed != nil {
					return failed
				}
			}

			c.libraryImages.remove(l)

			return nil
		},
	})
}

// importedSize is the size of images that are imported from a URL. The
// simulator does not fetch the URL.
const importedSize = 1 << 30

func importContentLibraryImage(c *call, in *wire.ContentLibraryImageImportParams) (any, error) {
	d := &in.Data
	if err := checkNotEmpty("body.data.name", &d.Name); err != nil {
		return nil, err
	}

	source, err := url.Parse(d.URL)
	if err != nil || source.Host == "" || path.Base(source.Path) == "/" {
		return nil, badRequest("body.data.url: %q is not the URL of a file", d.URL)
	}

	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, d.Cluster)
	if err != nil {
		return nil, err
	}

	if len(clusters) == 0 {
		return nil, notFound("There is no cluster that matches")
	}

	c.newLibraryImage(d.Name, deref(d.Description), importedSize, clusters)

	u := c.newUpload(wire.UploadResourceTypeContentLibraryImage, d.Name, importedSize)
	u.finish(c.now)

	return &u.row, nil
}
