// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
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

// ISO finds an image by the id or local id of an ELF image, or by the id of an image of the content library. ErrNotFound:
// there is neither.
func (c *Client) ISO(ctx context.Context, id string) (*ISO, error) {
	if id == "" {
		return nil, notFound(opGetImages, "ISO image without an id")
	}
	images, _, err := c.reads.images.Get(ctx, id)
	if err != nil {
		return nil, asError(opGetImages, err)
	}
	for _, image := range images {
		if image.ID == id || image.LocalID == id {
			return &ISO{ID: image.ID, Name: image.Name, Images: []ELFImage{image}}, nil
		}
	}
	if len(images) > 0 {
		return &ISO{ID: id, Name: images[0].Name, Library: true, Images: images}, nil
	}
	name, found, err := c.reads.libraryImages.Get(ctx, id)
	switch {
	case err != nil:
		return nil, asError(opGetLibraryImages, err)
	case !found:
		return nil, notFound(opGetImages, fmt.Sprintf("Tower has no ISO image with the id %q", id))
	}
	return &ISO{ID: id, Name: name, Library: true}, nil
}

const (
	opGetImages        = "get-elf-images"
	opGetLibraryImages = "get-content-library-images"
)

// fetchImages reads ELF images by id, by local id, or by the id of the content library image that they are copies of.
func (c *Client) fetchImages(ctx context.Context, keys []string) (map[string][]ELFImage, error) {
	body := &models.GetElfImagesRequestBody{Where: &models.ElfImageWhereInput{OR: []*models.ElfImageWhereInput{
		{IDIn: keys}, {LocalIDIn: keys}, {ContentLibraryImage: &models.ContentLibraryImageWhereInput{IDIn: keys}},
	}}}
	return invoke(ctx, c, operation{opGetImages, kindRead}, func(ctx context.Context) (map[string][]ELFImage, error) {
		reply, err := c.api.images.GetElfImages(elf_image.NewGetElfImagesParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := map[string][]ELFImage{}
		for _, m := range reply.Payload {
			if m == nil {
				continue
			}
			image := elfImageOf(m)
			for _, key := range keys {
				if key == image.ID || key == image.LocalID || key == image.LibraryImageID {
					out[key] = append(out[key], image)
				}
			}
		}
		return out, nil
	})
}

// fetchLibraryImages reads the names of content library images, which have no local ids, by id.
func (c *Client) fetchLibraryImages(ctx context.Context, ids []string) (map[string]string, error) {
	body := &models.GetContentLibraryImagesRequestBody{Where: &models.ContentLibraryImageWhereInput{IDIn: ids}}
	return invoke(ctx, c, operation{opGetLibraryImages, kindRead}, func(ctx context.Context) (map[string]string, error) {
		reply, err := c.api.libraryImages.GetContentLibraryImages(content_library_image.NewGetContentLibraryImagesParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := map[string]string{}
		for _, m := range reply.Payload {
			if m != nil {
				out[deref(m.ID)] = deref(m.Name)
			}
		}
		return out, nil
	})
}

// elfImageOf converts an image of the SDK.
func elfImageOf(m *models.ElfImage) ELFImage {
	out := ELFImage{ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Description: deref(m.Description), SizeBytes: deref(m.Size)}
	if m.Cluster != nil {
		out.ClusterID, out.ClusterName = deref(m.Cluster.ID), deref(m.Cluster.Name)
	}
	if m.ContentLibraryImage != nil {
		out.LibraryImageID = deref(m.ContentLibraryImage.ID)
	}
	return out
}
