// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
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
	if volumeID == "" {
		// Tower would act on every volume there is.
		return &Error{Operation: opDeleteVMVolume, Class: ClassRefused, Message: "the id of the volume is missing"}
	}
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
	a := accepted{operation: opDeleteVMVolume, objectID: volumeID}
	body := &models.VMVolumeDeletionParams{Where: &models.VMVolumeWhereInput{ID: ptr(volumeID)}}
	for {
		tasks, err := invoke(ctx, c, operation{opDeleteVMVolume, kindMutation}, func(ctx context.Context) ([]string, error) {
			reply, err := vm_volume.New(c.sdk()).DeleteVMVolumeFromVM(vm_volume.NewDeleteVMVolumeFromVMParamsWithContext(ctx).WithRequestBody(body))
			a.requestID = exchangeOf(ctx).requestID
			if err != nil {
				return nil, err
			}
			return tasksOf(reply.Payload, func(t *models.WithTaskDeleteVMVolume) *string { return t.TaskID }), nil
		})
		switch {
		case errors.Is(err, ErrLocked):
			// The volume is held a little longer than the VM that it was detached from.
			if err := delay(ctx, c.taskInterval); err != nil {
				return interrupted(fmt.Sprintf("%s: waiting for volume %s", opDeleteVMVolume, volumeID), err, nil)
			}
			continue
		case errors.Is(err, errNotModified), errors.Is(err, ErrNotFound), err == nil && len(tasks) == 0:
			return nil
		case err != nil:
			return err
		}
		a.taskID = tasks[0]
		_, err = c.awaitTask(ctx, a)
		return err
	}
}
