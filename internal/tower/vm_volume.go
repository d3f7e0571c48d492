// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_volume"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// VMVolume is a volume that VMs use as a disk, as Tower shows it.
type VMVolume struct {
	ID                string
	LocalID           string
	Name              string
	Description       string
	ClusterID         string
	ClusterName       string
	StoragePolicy     string // REPLICA_2_THIN_PROVISION, …
	SizeBytes         int64
	Sharing           bool // may be attached to several VMs
	EntityAsyncStatus string
}

func (v VMVolume) identity() identity {
	return identity{id: v.ID, localID: v.LocalID, name: v.Name, async: v.EntityAsyncStatus}
}

// VMVolume reads a volume by Tower's id or its local id. ErrNotFound: there is none.
func (c *Client) VMVolume(ctx context.Context, id string) (*VMVolume, error) {
	return c.volumes.get(ctx, id)
}

// VMVolumesByID reads volumes by Tower's id, all at once. Those that do not exist are missing in the result.
func (c *Client) VMVolumesByID(ctx context.Context, ids []string) (map[string]VMVolume, error) {
	return c.volumes.getAll(ctx, ids)
}

const opDeleteVMVolume = "delete-vm-volume"

func newVMVolumes(c *Client) *objects[VMVolume] {
	return newObjects(c, "get-vm-volumes", "VM volume", volumeOf, func(ctx context.Context, body *models.GetVMVolumesRequestBody) ([]*models.VMVolume, error) {
		return payload(vm_volume.New(c.sdk()).GetVMVolumes(vm_volume.NewGetVMVolumesParamsWithContext(ctx).WithRequestBody(body)))
	})
}

func volumeOf(m *models.VMVolume) VMVolume {
	cluster := deref(m.Cluster)
	return VMVolume{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Description: deref(m.Description), ClusterID: deref(cluster.ID), ClusterName: deref(cluster.Name),
		StoragePolicy: text(m.ElfStoragePolicy), SizeBytes: deref(m.Size), Sharing: deref(m.Sharing), EntityAsyncStatus: text(m.EntityAsyncStatus),
	}
}

// DeleteVMVolume deletes a volume that no VM uses, and its data with it. A volume that is gone already is success; one
// that a VM still uses is refused before anything is sent.
func (c *Client) DeleteVMVolume(ctx context.Context, volumeID string) error {
	users, err := c.VolumeDisks(ctx, volumeID)
	if err != nil {
		return err
	}
	if len(users) > 0 {
		return &Error{
			Operation: opDeleteVMVolume, Class: ClassRefused,
			Message: fmt.Sprintf("VM %q (%s) uses the volume %s", users[0].VMName, users[0].VMID, volumeID),
		}
	}
	return c.volumes.remove(ctx, volumeID, change[VMVolume]{
		name: opDeleteVMVolume, reached: isGone[VMVolume], taskSuffices: true,
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMVolumeDeletionParams{Where: &models.VMVolumeWhereInput{ID: ptr(id)}}
			return receipts(vm_volume.New(c.sdk()).DeleteVMVolumeFromVM(vm_volume.NewDeleteVMVolumeFromVMParamsWithContext(ctx).WithRequestBody(body)))
		},
	}, nil)
}
