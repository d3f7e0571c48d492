// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_folder"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// VMFolder is a VM folder as Tower shows it.
type VMFolder struct {
	ID          string
	LocalID     string
	Name        string
	ClusterID   string
	ClusterName string
}

func (v VMFolder) identity() identity { return identity{id: v.ID, localID: v.LocalID, name: v.Name} }

// VMFolder reads a VM folder by id or local id.
func (c *Client) VMFolder(ctx context.Context, id string) (*VMFolder, error) {
	return c.folders.get(ctx, id)
}

// VMFolders lists VM folders, by name, then id.
func (c *Client) VMFolders(ctx context.Context, where Where) ([]VMFolder, error) {
	return c.folders.list(ctx, where)
}

func newVMFolders(c *Client) *objects[VMFolder] {
	return newObjects(c, "get-vm-folders", "VM folder", vmFolderOf, func(ctx context.Context, body *models.GetVMFoldersRequestBody) ([]*models.VMFolder, error) {
		return payload(vm_folder.New(c.sdk()).GetVMFolders(vm_folder.NewGetVMFoldersParamsWithContext(ctx).WithRequestBody(body)))
	})
}

func vmFolderOf(m *models.VMFolder) VMFolder {
	cluster := deref(m.Cluster)
	return VMFolder{ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), ClusterID: deref(cluster.ID), ClusterName: deref(cluster.Name)}
}
