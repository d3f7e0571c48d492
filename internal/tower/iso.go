// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/content_library_image"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/elf_image"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// ELFImage is an ISO image that a cluster holds, as Tower shows it. An image of the content library has such a copy in
// each cluster that it is distributed to.
type ELFImage struct {
	ID             string
	LocalID        string
	Name           string
	Description    string
	ClusterID      string
	ClusterName    string
	LibraryImageID string // of the content library image that it is a copy of, "" for none
	SizeBytes      int64
}

// ISO is an image that CD-ROM drives can hold: one ELF image, or an image of the content library.
type ISO struct {
	ID      string // Tower's id
	Name    string
	Library bool       // it is an image of the content library
	Images  []ELFImage // the one ELF image, or the copies of an image of the content library
}

// In returns the ELF image that drives of a cluster show when they hold the image; false where the cluster does not have it.
func (i *ISO) In(clusterID string) (ELFImage, bool) {
	at := slices.IndexFunc(i.Images, func(image ELFImage) bool { return image.ClusterID == clusterID })
	if at < 0 {
		return ELFImage{}, false
	}
	return i.Images[at], true
}

func (v ELFImage) identity() identity { return identity{id: v.ID, localID: v.LocalID, name: v.Name} }

// libraryImage is an image of the content library.
type libraryImage struct{ ID, Name string }

func (v libraryImage) identity() identity { return identity{id: v.ID, name: v.Name} }

// ISO finds an image by the id or local id of an ELF image, or by the id of an image of the content library. ErrNotFound:
// there is neither.
func (c *Client) ISO(ctx context.Context, id string) (*ISO, error) {
	images, err := c.isoImages.get(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, image := range images {
		if image.ID == id || image.LocalID == id {
			return &ISO{ID: image.ID, Name: image.Name, Images: []ELFImage{image}}, nil
		}
	}
	if len(images) > 0 {
		return &ISO{ID: id, Name: images[0].Name, Library: true, Images: images}, nil
	}
	image, err := c.libraryImages.get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, notFound(c.images.op, fmt.Sprintf("Tower has no ISO image with the id %q", id))
	case err != nil:
		return nil, err
	}
	return &ISO{ID: id, Name: image.Name, Library: true}, nil
}

func newELFImages(c *Client) *objects[ELFImage] {
	return newObjects(c, "get-elf-images", "ISO image", elfImageOf, func(ctx context.Context, body *models.GetElfImagesRequestBody) ([]*models.ElfImage, error) {
		return payload(elf_image.New(c.sdk()).GetElfImages(elf_image.NewGetElfImagesParamsWithContext(ctx).WithRequestBody(body)))
	})
}

// newISOImages reads the ELF image with an id or local id, or the copies of the content library image with it.
func newISOImages(images *objects[ELFImage]) *lists[ELFImage] {
	where := func(keys []string) Where {
		return Where{"OR": []Where{{"id_in": keys}, {"local_id_in": keys}, {"content_library_image": Where{"id_in": keys}}}}
	}
	return images.listedBy("copy or image", where, func(v ELFImage) []string { return []string{v.ID, v.LocalID, v.LibraryImageID} }, byName)
}

func newLibraryImages(c *Client) *objects[libraryImage] {
	convert := func(m *models.ContentLibraryImage) libraryImage {
		return libraryImage{ID: deref(m.ID), Name: deref(m.Name)}
	}
	return newObjects(c, "get-content-library-images", "content library image", convert,
		func(ctx context.Context, body *models.GetContentLibraryImagesRequestBody) ([]*models.ContentLibraryImage, error) {
			params := content_library_image.NewGetContentLibraryImagesParamsWithContext(ctx).WithRequestBody(body)
			return payload(content_library_image.New(c.sdk()).GetContentLibraryImages(params))
		})
}

func elfImageOf(m *models.ElfImage) ELFImage {
	cluster := deref(m.Cluster)
	return ELFImage{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Description: deref(m.Description), SizeBytes: deref(m.Size),
		ClusterID: deref(cluster.ID), ClusterName: deref(cluster.Name), LibraryImageID: deref(deref(m.ContentLibraryImage).ID),
	}
}
