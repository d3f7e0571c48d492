// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/label"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opAddLabels    = "add-labels-to-resources"
	opRemoveLabels = "remove-labels-from-resources"

	// labelTries is how often labels are made and attached again that somebody deletes meanwhile.
	labelTries = 3
)

// LabelChange says what to change of the labels of a VM. Labels with keys that it does not name are left alone.
type LabelChange struct {
	Set    map[string]string // keys that the VM is to have with these values and with no other; "" = without a value
	Remove []string          // keys that the VM is not to have
}

// relabelling is a change of the labels of one VM, down to the objects.
type relabelling struct {
	VMID   string      `json:"vm"`
	Attach []labelPair `json:"attach"` // sorted
	Detach []string    `json:"detach"` // ids, sorted
}

// ChangeVMLabels changes the labels of a VM, given as it was read last. Labels that Tower does not have yet are made.
// Changes that come at about the same time share their requests, one for all VMs that get the same labels; nothing is
// sent where the VM has what it is to have.
func (c *Client) ChangeVMLabels(ctx context.Context, vm *VM, change LabelChange) error {
	if vm == nil || vm.ID == "" {
		// Tower would label every VM there is.
		return &Error{Operation: opAddLabels, Class: ClassRefused, Message: "the id of the VM is missing"}
	}
	order := change.against(vm)
	if len(order.Attach) == 0 && len(order.Detach) == 0 {
		return nil
	}
	key, err := json.Marshal(order)
	if err != nil {
		return fmt.Errorf("%s: %w", opAddLabels, err)
	}
	return c.vms.withLock(ctx, opAddLabels, vm.ID, func() error {
		for try := 1; ; try++ {
			outcome, _, err := c.relabels.Get(ctx, string(key))
			switch {
			case err != nil:
				return asError(opAddLabels, err)
			case !errors.Is(outcome, ErrNotFound) || try == labelTries:
				return outcome
			}
		}
	})
}

// against finds what is to be done with a VM as it is.
func (change LabelChange) against(vm *VM) relabelling {
	order := relabelling{VMID: vm.ID}
	has := map[labelPair]bool{}
	for _, l := range vm.Labels {
		value, set := change.Set[l.Key]
		if set && value == l.Value {
			has[labelPair{l.Key, l.Value}] = true
		} else if set || slices.Contains(change.Remove, l.Key) {
			order.Detach = append(order.Detach, l.ID)
		}
	}
	for key, value := range change.Set {
		if pair := (labelPair{key, value}); !has[pair] {
			order.Attach = append(order.Attach, pair)
		}
	}
	slices.SortFunc(order.Attach, labelPair.compare)
	slices.Sort(order.Detach)
	return order
}

// labelGroup is the VMs that get, or lose, the same labels.
type labelGroup struct {
	labels []string
	vms    []string
	keys   []string // of the changes
}

// relabel carries out changes, which come as their JSON, with as few requests as it can. It returns what became of each.
func (c *Client) relabel(ctx context.Context, keys []string) (map[string]error, error) {
	orders := make(map[string]relabelling, len(keys))
	var wanted []labelPair
	for _, key := range keys {
		var order relabelling
		if err := json.Unmarshal([]byte(key), &order); err != nil {
			return nil, fmt.Errorf("%s: %w", opAddLabels, err)
		}
		orders[key] = order
		wanted = append(wanted, order.Attach...)
	}
	ids, failed := c.ensureLabels(ctx, wanted)
	outcome := make(map[string]error, len(keys))
	attach, detach := map[string]*labelGroup{}, map[string]*labelGroup{}
	for _, key := range keys {
		order := orders[key]
		labels := make([]string, 0, len(order.Attach))
		outcome[key] = nil
		for _, pair := range order.Attach {
			if err := failed[pair]; err != nil {
				outcome[key] = err
			}
			labels = append(labels, ids[pair])
		}
		if outcome[key] != nil {
			continue
		}
		join(detach, key, order.VMID, order.Detach)
		join(attach, key, order.VMID, labels)
	}
	// The old value of a key goes before the new one comes: a Tower that takes one label of a key is content, too.
	c.editLabels(ctx, opRemoveLabels, detach, outcome)
	c.editLabels(ctx, opAddLabels, attach, outcome)
	return outcome, nil
}

// join adds a change to the group of its labels.
func join(groups map[string]*labelGroup, key, vmID string, labels []string) {
	if len(labels) == 0 {
		return
	}
	name := strings.Join(labels, ",")
	if groups[name] == nil {
		groups[name] = &labelGroup{labels: labels}
	}
	groups[name].vms = append(groups[name].vms, vmID)
	groups[name].keys = append(groups[name].keys, key)
}

// editLabels attaches the labels of each group to its VMs, or detaches them. Changes that have failed before are left out.
func (c *Client) editLabels(ctx context.Context, op string, groups map[string]*labelGroup, outcome map[string]error) {
	for _, g := range groups {
		var vms []string
		for i, key := range g.keys {
			if outcome[key] == nil {
				vms = append(vms, g.vms[i])
			}
		}
		if len(vms) == 0 {
			continue
		}
		if err := c.editLabelsOf(ctx, op, g.labels, vms); err != nil {
			for _, key := range g.keys {
				if outcome[key] == nil {
					outcome[key] = err
				}
			}
		}
	}
}

// editLabelsOf attaches labels to VMs, or detaches them, in one call. Both lists must have members.
func (c *Client) editLabelsOf(ctx context.Context, op string, labels, vms []string) error {
	attach := op == opAddLabels
	ch := change[VM]{name: op, others: vms[1:], taskSuffices: true, missing: "a label was deleted while it was being attached"}
	ch.reached = func(v *VM) bool {
		return v == nil || !slices.ContainsFunc(labels, func(id string) bool {
			return attach != slices.ContainsFunc(v.Labels, func(l Label) bool { return l.ID == id })
		})
	}
	ch.submit = func(ctx context.Context, _ string) ([]receipt, error) {
		// Both lists have members: an empty one would be no filter, and Tower would change every label, or every VM.
		where, data := &models.LabelWhereInput{IDIn: labels}, &models.AddLabelsToResourcesParamsData{Vms: &models.VMWhereInput{IDIn: vms}}
		if !attach {
			body := &models.RemoveLabelsFromResourcesParams{}
			body.Where, body.Data = where, data
			return receipts(label.New(c.sdk()).RemoveLabelsFromResources(label.NewRemoveLabelsFromResourcesParamsWithContext(ctx).WithRequestBody(body)))
		}
		body := &models.AddLabelsToResourcesParams{Where: where, Data: data}
		answers, err := receipts(label.New(c.sdk()).AddLabelsToResources(label.NewAddLabelsToResourcesParamsWithContext(ctx).WithRequestBody(body)))
		if len(answers) < len(labels) {
			return nil, err
		}
		return answers, err
	}
	err := c.vms.carryOut(ctx, vms[0], ch)
	if !attach && errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
