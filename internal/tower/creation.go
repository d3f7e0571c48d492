// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// adoptionLooks is how often a VM whose create call got no reply is looked for.
const adoptionLooks = 5

// Creation is a VM that Tower is creating.
type Creation struct {
	VMID      string // Tower's id of the VM, good from now on
	TaskID    string // "" when the VM was adopted
	RequestID string // x-tower-request-id of the create call, "" when the VM was adopted
	Adopted   bool   // the reply was lost, and this VM of the wanted name has appeared since

	client    *Client
	operation string
	release   sync.Once
}

// CreateVM has a VM created. The caller has found the name free in the cluster.
//
// One create call takes effect at most: it is repeated only when no connection could be made, or after a refusal that
// says that nothing was done (401, 429, ResourceLocked). Once it is on its way it outlives ctx, so that the id of what was
// created is not lost. If its outcome is not known, the name is looked up several times: a single VM that has appeared
// there is adopted, otherwise the error is an *AmbiguousError.
//
// Tower gets at most 20 creates at a time; CreateVM waits for one of the places, which is held until Wait returns or
// Release is called.
func (c *Client) CreateVM(ctx context.Context, in VMCreate) (*Creation, error) {
	call, err := in.call()
	if err != nil {
		return nil, err
	}
	select {
	case c.creates <- struct{}{}:
	case <-ctx.Done():
		return nil, interrupted(fmt.Sprintf("%s: waiting until one of %d other creates has ended", call.operation, maxCreates), ctx.Err(), nil)
	}
	cr := &Creation{client: c, operation: call.operation}
	for {
		err := c.sendCreate(ctx, in, call, cr)
		if err == nil {
			return cr, nil
		}
		if errors.Is(err, ErrLocked) && delay(ctx, c.taskInterval) == nil {
			continue
		}
		cr.Release()
		return nil, err
	}
}

// sendCreate makes the call, and adopts its result when the reply is lost.
func (c *Client) sendCreate(ctx context.Context, in VMCreate, call createCall, cr *Creation) error {
	payload, err := invoke(ctx, c, operation{call.operation, kindCreate}, func(ctx context.Context) ([]*models.WithTaskVM, error) {
		payload, err := call.send(ctx, vm.New(c.sdk()))
		cr.RequestID = exchangeOf(ctx).requestID
		return payload, err
	})
	if err == nil {
		if len(payload) > 0 && payload[0] != nil && payload[0].Data != nil && deref(payload[0].Data.ID) != "" {
			cr.VMID, cr.TaskID = *payload[0].Data.ID, deref(payload[0].TaskID)
			return nil
		}
		err = &Error{Operation: call.operation, HTTPStatus: 200, RequestID: cr.RequestID, Class: ClassRefused, Message: "Tower's reply names no VM", unknownEffect: true}
	}
	if !effectUnknown(err) {
		return err
	}
	return c.adopt(ctx, in, cr, err)
}

// adopt looks for the VM of a create call whose outcome is not known. The looks outlive ctx, because a VM that nobody
// knows of costs more than a few seconds.
func (c *Client) adopt(ctx context.Context, in VMCreate, cr *Creation, cause error) error {
	c.log(ctx, LogWarn, "the outcome of the create call is not known, looking for the VM", map[string]any{"name": in.Name, "cluster": in.ClusterID, "error": cause.Error()})
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), adoptionLooks*(c.taskInterval+c.cfg.RequestTimeout))
	defer cancel()
	unknown := &AmbiguousError{Name: in.Name, ClusterID: in.ClusterID, Err: cause}
	for look := range adoptionLooks {
		if look > 0 {
			if err := delay(limited, c.taskInterval); err != nil {
				break
			}
		}
		list, err := c.VMsByName(limited, in.ClusterID, in.Name)
		if err != nil {
			c.log(ctx, LogWarn, "looking for the VM failed", map[string]any{"name": in.Name, "error": err.Error()})
			continue
		}
		if len(list) == 1 {
			cr.VMID, cr.RequestID, cr.Adopted = list[0].ID, "", true
			c.log(ctx, LogWarn, "adopted the VM that appeared", map[string]any{"name": in.Name, "vm": cr.VMID})
			return nil
		}
		unknown.VMIDs = unknown.VMIDs[:0]
		for _, v := range list {
			unknown.VMIDs = append(unknown.VMIDs, v.ID)
		}
	}
	return unknown
}

// Release gives the create's place back without waiting for it. It may be called any number of times.
func (cr *Creation) Release() {
	cr.release.Do(func() { <-cr.client.creates })
}

// Wait waits until the VM has really been made: its task has ended, no operation is under way on it, and it has its local
// id. The error is a *TaskError when the create failed; Tower has then deleted the VM's record. When ctx ends, the VM
// goes on being made.
func (cr *Creation) Wait(ctx context.Context) (*VM, error) {
	defer cr.Release()
	c := cr.client
	a := accepted{operation: cr.operation, objectID: cr.VMID, requestID: cr.RequestID}
	a.took([]receipt{{task: cr.TaskID}})
	forgotten, err := c.awaitTasks(ctx, a)
	if err != nil {
		return nil, err
	}
	misses := looksForEffect
	if forgotten || cr.Adopted {
		// Only the VM can tell what became of the create, and Tower deletes the record when it fails.
		misses = missesOfObject
	}
	what := fmt.Sprintf("%s: waiting for VM %s to become idle", cr.operation, cr.VMID)
	made, err := c.vms.await(ctx, what, cr.VMID, func(l look[VM]) (bool, error) {
		if l.object == nil && l.misses >= misses {
			return true, notFound(cr.operation, fmt.Sprintf("Tower no longer shows the VM %s that it was creating", cr.VMID))
		}
		return idle(l.object) && l.object.HasRealLocalID(), nil
	})
	if err == nil {
		return made, nil
	}
	if errors.Is(err, ErrNotFound) && misses == missesOfObject {
		return nil, cr.failed(ctx, a, err)
	}
	return nil, err
}

// failed finds the reason why a VM is gone that was being made.
func (cr *Creation) failed(ctx context.Context, a accepted, cause error) error {
	failure, err := cr.client.lastFailure(ctx, a)
	if err != nil {
		cr.client.log(ctx, LogWarn, "the reason of a failed create cannot be read", map[string]any{"vm": cr.VMID, "error": err.Error()})
	}
	if failure != nil {
		return failure
	}
	return &TaskError{Operation: cr.operation, TaskID: cr.TaskID, RequestID: cr.RequestID, Message: cause.Error()}
}
