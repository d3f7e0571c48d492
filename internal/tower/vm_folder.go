// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_folder"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// Folder is a VM folder as Tower shows it.
type Folder struct {
	ID          string
	LocalID     string
	Name        string
	ClusterID   string
	ClusterName string
}

// Folder reads a VM folder by id or local id.
func (c *Client) Folder(ctx context.Context, id string) (*Folder, error) {
	return readOne(ctx, c.reads.folders, opGetFolders, "VM folder", id)
}

const opGetFolders = "get-vm-folders"

// fetchFolders reads VM folders by id or local id.
func (c *Client) fetchFolders(ctx context.Context, keys []string) (map[string]Folder, error) {
	body := &models.GetVMFoldersRequestBody{Where: &models.VMFolderWhereInput{OR: []*models.VMFolderWhereInput{{IDIn: keys}, {LocalIDIn: keys}}}}
	list, err := invoke(ctx, c, operation{opGetFolders, kindRead}, func(ctx context.Context) ([]Folder, error) {
		reply, err := c.api.folders.GetVMFolders(vm_folder.NewGetVMFoldersParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := make([]Folder, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, folderOf(m))
			}
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v Folder) []string { return []string{v.ID, v.LocalID} }), nil
}

// folderOf converts a VM folder of the SDK.
func folderOf(m *models.VMFolder) Folder {
	out := Folder{ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name)}
	if m.Cluster != nil {
		out.ClusterID, out.ClusterName = deref(m.Cluster.ID), deref(m.Cluster.Name)
	}
	return out
}
