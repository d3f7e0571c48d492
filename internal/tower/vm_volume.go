// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_volume"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
	"golang.org/x/sync/errgroup"
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

// VMVolume reads a volume by Tower's id or its local id. ErrNotFound: there is none.
func (c *Client) VMVolume(ctx context.Context, id string) (*VMVolume, error) {
	return readOne(ctx, c.reads.volumes, opGetVMVolumes, "VM volume", id)
}

// VMVolumes reads volumes by Tower's id, all at once. Those that do not exist are missing in the result.
func (c *Client) VMVolumes(ctx context.Context, ids []string) (map[string]VMVolume, error) {
	found := make([]*VMVolume, len(ids))
	var group errgroup.Group
	for i, id := range ids {
		group.Go(func() error {
			volume, err := c.VMVolume(ctx, id)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			found[i] = volume
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := map[string]VMVolume{}
	for _, volume := range found {
		if volume != nil {
			out[volume.ID] = *volume
		}
	}
	return out, nil
}

const (
	opGetVMVolumes   = "get-vm-volumes"
	opDeleteVMVolume = "delete-vm-volume"
)

// fetchVolumes reads volumes by id or local id.
func (c *Client) fetchVolumes(ctx context.Context, keys []string) (map[string]VMVolume, error) {
	body := &models.GetVMVolumesRequestBody{Where: &models.VMVolumeWhereInput{OR: []*models.VMVolumeWhereInput{{IDIn: keys}, {LocalIDIn: keys}}}}
	list, err := invoke(ctx, c, operation{opGetVMVolumes, kindRead}, func(ctx context.Context) ([]VMVolume, error) {
		reply, err := c.api.volumes.GetVMVolumes(vm_volume.NewGetVMVolumesParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := make([]VMVolume, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, volumeOf(m))
			}
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v VMVolume) []string { return []string{v.ID, v.LocalID} }), nil
}

// volumeOf converts a volume of the SDK.
func volumeOf(m *models.VMVolume) VMVolume {
	out := VMVolume{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Description: deref(m.Description),
		StoragePolicy: text(m.ElfStoragePolicy), SizeBytes: deref(m.Size), Sharing: deref(m.Sharing), EntityAsyncStatus: text(m.EntityAsyncStatus),
	}
	if m.Cluster != nil {
		out.ClusterID, out.ClusterName = deref(m.Cluster.ID), deref(m.Cluster.Name)
	}
	return out
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
			reply, err := c.api.volumes.DeleteVMVolumeFromVM(vm_volume.NewDeleteVMVolumeFromVMParamsWithContext(ctx).WithRequestBody(body))
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
