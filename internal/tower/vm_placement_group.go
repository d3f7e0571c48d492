// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_placement_group"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const opUpdateGroup = "update-vm-placement-group"

// PlacementGroup is a VM placement group as Tower shows it.
type PlacementGroup struct {
	ID                string
	LocalID           string
	Name              string
	ClusterID         string
	VMIDs             []string // the members
	EntityAsyncStatus string

	rules models.VMPlacementGroupUpdationParamsData // as they are, to be sent again with each change of the members
}

func (v PlacementGroup) identity() identity {
	return identity{id: v.ID, localID: v.LocalID, name: v.Name, async: v.EntityAsyncStatus}
}

// PlacementGroup reads a VM placement group by id or local id.
func (c *Client) PlacementGroup(ctx context.Context, id string) (*PlacementGroup, error) {
	return c.groups.get(ctx, id)
}

func newPlacementGroups(c *Client) *objects[PlacementGroup] {
	return newObjects(c, "get-vm-placement-groups", "VM placement group", groupOf,
		func(ctx context.Context, body *models.GetVMPlacementGroupsRequestBody) ([]*models.VMPlacementGroup, error) {
			params := vm_placement_group.NewGetVMPlacementGroupsParamsWithContext(ctx).WithRequestBody(body)
			return payload(vm_placement_group.New(c.sdk()).GetVMPlacementGroups(params))
		})
}

func groupOf(m *models.VMPlacementGroup) PlacementGroup {
	out := PlacementGroup{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), ClusterID: deref(deref(m.Cluster).ID), EntityAsyncStatus: text(m.EntityAsyncStatus),
		rules: models.VMPlacementGroupUpdationParamsData{
			Enabled: m.Enabled, VMVMPolicy: m.VMVMPolicy, VMVMPolicyEnabled: m.VMVMPolicyEnabled,
			VMHostMustEnabled: m.VMHostMustEnabled, VMHostMustPolicy: m.VMHostMustPolicy, MustHosts: hostsOf(m.VMHostMustHostUuids),
			VMHostPreferEnabled: m.VMHostPreferEnabled, VMHostPreferPolicy: m.VMHostPreferPolicy, PreferHosts: hostsOf(m.VMHostPreferHostUuids),
		},
	}
	for _, v := range m.Vms {
		if v != nil {
			out.VMIDs = append(out.VMIDs, deref(v.ID))
		}
	}
	return out
}

// hostsOf is a filter for the hosts; nil where there are none, because an empty list is no filter.
func hostsOf(list []*models.NestedHost) *models.HostWhereInput {
	var ids []string
	for _, h := range list {
		if h != nil {
			ids = append(ids, deref(h.ID))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return &models.HostWhereInput{IDIn: ids}
}

// regrouping moves one VM between groups.
type regrouping struct {
	VMID  string   `json:"vm"`
	Join  string   `json:"join"`  // "" = none
	Leave []string `json:"leave"` // sorted
}

// SetVMPlacementGroup makes a VM, given as it was read last, a member of a placement group and of no other; "" takes it out
// of all. Tower keeps the members as one list, which is written whole: changes that come at about the same time are
// merged, and one at a time is written.
func (c *Client) SetVMPlacementGroup(ctx context.Context, vm *VM, groupID string) error {
	if vm == nil || vm.ID == "" {
		return &Error{Operation: opUpdateGroup, Class: ClassRefused, Message: "the id of the VM is missing"}
	}
	order := regrouping{VMID: vm.ID}
	for _, id := range vm.PlacementGroupIDs {
		if id != groupID {
			order.Leave = append(order.Leave, id)
		}
	}
	slices.Sort(order.Leave)
	if groupID != "" && !slices.Contains(vm.PlacementGroupIDs, groupID) {
		order.Join = groupID
	}
	if order.Join == "" && len(order.Leave) == 0 {
		return nil
	}
	key, err := json.Marshal(order)
	if err != nil {
		return fmt.Errorf("%s: %w", opUpdateGroup, err)
	}
	return c.vms.withLock(ctx, opUpdateGroup, vm.ID, func() error {
		outcome, _, err := c.regroups.Get(ctx, string(key))
		if err != nil {
			return asError(opUpdateGroup, err)
		}
		return outcome
	})
}

// membership is what is to become of the members of one group.
type membership struct {
	join, leave []string
	keys        []string // of the changes
}

// regroup carries out changes, which come as their JSON. It returns what became of each.
func (c *Client) regroup(ctx context.Context, keys []string) (map[string]error, error) {
	outcome := make(map[string]error, len(keys))
	groups := map[string]*membership{}
	group := func(id, key string) *membership {
		if groups[id] == nil {
			groups[id] = &membership{}
		}
		groups[id].keys = append(groups[id].keys, key)
		return groups[id]
	}
	var order []string // groups that are left come first: a VM is a member of one
	for _, key := range keys {
		var change regrouping
		if err := json.Unmarshal([]byte(key), &change); err != nil {
			return nil, fmt.Errorf("%s: %w", opUpdateGroup, err)
		}
		outcome[key] = nil
		for _, id := range change.Leave {
			g := group(id, key)
			g.leave = append(g.leave, change.VMID)
			order = append([]string{id}, order...)
		}
		if change.Join != "" {
			g := group(change.Join, key)
			g.join = append(g.join, change.VMID)
			order = append(order, change.Join)
		}
	}
	done := map[string]bool{}
	for _, id := range order {
		if done[id] {
			continue
		}
		done[id] = true
		err := c.changeMembers(ctx, id, *groups[id])
		if errors.Is(err, ErrNotFound) && len(groups[id].join) == 0 {
			err = nil // a group that is gone has been left
		}
		for _, key := range groups[id].keys {
			outcome[key] = errors.Join(outcome[key], err)
		}
	}
	return outcome, nil
}

// changeMembers writes the list of a group's members until the group shows the change: other programs write the list as
// well, and the last one wins.
func (c *Client) changeMembers(ctx context.Context, id string, edit membership) error {
	return c.groups.withLock(ctx, opUpdateGroup, id, func() error {
		last, err := c.groups.get(ctx, id)
		if err == nil && !idle(last) {
			last, err = c.groups.awaitIdle(ctx, id)
		}
		if err != nil || last == nil {
			return cmp.Or(err, notFound(opUpdateGroup, fmt.Sprintf("Tower no longer shows the VM placement group %s", id)))
		}
		shows := func(g *PlacementGroup) bool {
			if g == nil {
				return false
			}
			last = g
			return slices.Equal(edit.of(g.VMIDs), g.VMIDs)
		}
		for range c.cfg.MaxRetries + 1 {
			if shows(last) {
				return nil
			}
			err := c.groups.carryOut(ctx, id, change[PlacementGroup]{name: opUpdateGroup, reached: shows, submit: func(ctx context.Context, _ string) ([]receipt, error) {
				return c.writeMembers(ctx, last, edit.of(last.VMIDs))
			}})
			if err != nil {
				return err
			}
		}
		if shows(last) {
			return nil
		}
		return &Error{Operation: opUpdateGroup, Class: ClassTransient, Message: fmt.Sprintf("the members of the group %q do not stay as they are written; something else writes them, too", last.Name)}
	})
}

// of returns the members after the change, in their order.
func (m membership) of(members []string) []string {
	out := slices.DeleteFunc(slices.Clone(members), func(id string) bool { return slices.Contains(m.leave, id) })
	for _, id := range m.join {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// writeMembers sends the whole list, and the rules with it, which Tower would otherwise reset.
func (c *Client) writeMembers(ctx context.Context, g *PlacementGroup, members []string) ([]receipt, error) {
	data := g.rules
	data.Vms = &models.VMWhereInput{IDIn: members}
	if len(members) == 0 {
		// An empty list is no filter: every VM would become a member. No VM has this id.
		data.Vms = &models.VMWhereInput{ID: ptr("")}
	}
	body := &models.VMPlacementGroupUpdationParams{Where: &models.VMPlacementGroupWhereInput{ID: ptr(g.ID)}, Data: &data}
	return receipts(vm_placement_group.New(c.sdk()).UpdateVMPlacementGroup(vm_placement_group.NewUpdateVMPlacementGroupParamsWithContext(ctx).WithRequestBody(body)))
}
