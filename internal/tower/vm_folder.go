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

// CreateVMFolder has a VM folder created. The caller has found the name free in the cluster. The error is an *AmbiguousError
// where it is not known whether the folder was created.
func (c *Client) CreateVMFolder(ctx context.Context, name, clusterID string) (*Creation[VMFolder], error) {
	send := func(ctx context.Context) ([]receipt, error) {
		body := []*models.VMFolderCreationParams{{Name: ptr(name), ClusterID: ptr(clusterID)}}
		return receipts(vm_folder.New(c.sdk()).CreateVMFolder(vm_folder.NewCreateVMFolderParamsWithContext(ctx).WithRequestBody(body)))
	}
	return c.folders.create(ctx, creation[VMFolder]{operation: "create-vm-folder", name: name, clusterID: clusterID, nameIsFree: true, send: send})
}

// UpdateVMFolder gives a VM folder another name.
func (c *Client) UpdateVMFolder(ctx context.Context, id, name string) error {
	reached := func(v *VMFolder) bool { return v != nil && v.Name == name }
	submit := func(ctx context.Context, id string) ([]receipt, error) {
		body := &models.VMFolderUpdationParams{Where: &models.VMFolderWhereInput{ID: ptr(id)}, Data: &models.VMFolderUpdationParamsData{Name: ptr(name)}}
		return receipts(vm_folder.New(c.sdk()).UpdateVMFolder(vm_folder.NewUpdateVMFolderParamsWithContext(ctx).WithRequestBody(body)))
	}
	return c.folders.apply(ctx, id, change[VMFolder]{name: "update-vm-folder", reached: reached, submit: submit, taskSuffices: true})
}

// DeleteVMFolder deletes a VM folder; the VMs in it are then in none. One that is gone already is success.
func (c *Client) DeleteVMFolder(ctx context.Context, id string) error {
	submit := func(ctx context.Context, id string) ([]receipt, error) {
		body := &models.VMFolderDeletionParams{Where: &models.VMFolderWhereInput{ID: ptr(id)}}
		return receipts(vm_folder.New(c.sdk()).DeleteVMFolder(vm_folder.NewDeleteVMFolderParamsWithContext(ctx).WithRequestBody(body)))
	}
	return c.folders.remove(ctx, id, change[VMFolder]{name: "delete-vm-folder", reached: isGone[VMFolder], submit: submit, taskSuffices: true}, nil)
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
