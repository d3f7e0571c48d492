// SPDX-License-Identifier: MPL-2.0

package tower_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// call makes a call that the client does not have, as somebody else.
func (b *bench) call(t *testing.T, operation string, body, out any) {
	t.Helper()
	key, err := b.NewAPIKey("root", operation)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.ctx, http.MethodPost, b.URL()+"/v2/api/"+operation, bytes.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", operation, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		t.Fatal(err)
	}
}

// group makes a placement group with rules and returns its id.
func (b *bench) group(t *testing.T, name string) string {
	t.Helper()
	var reply []struct{ Data struct{ ID string } }
	b.call(t, "create-vm-placement-group", []map[string]any{{
		"name": name, "cluster_id": b.cluster.ID, "enabled": true, "vm_vm_policy": "PREFER_SAME", "vm_vm_policy_enabled": true,
	}}, &reply)
	return reply[0].Data.ID
}

// regroup moves a VM to a group.
func (b *bench) regroup(t *testing.T, id, group string) error {
	t.Helper()
	v, err := b.c.VM(b.ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return b.c.SetVMPlacementGroup(b.ctx, v, group)
}

// isMember checks the groups that a VM shows, and the members that the group shows.
func (b *bench) isMember(t *testing.T, id string, groups ...string) {
	t.Helper()
	v, err := b.c.VM(b.ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.PlacementGroupIDs, groups) {
		t.Errorf("VM %s is in %v, want %v", v.Name, v.PlacementGroupIDs, groups)
	}
	for _, group := range groups {
		if g, err := b.c.PlacementGroup(b.ctx, group); err != nil || !slices.Contains(g.VMIDs, id) {
			t.Errorf("group %+v, %v", g, err)
		}
	}
}

func TestSim_placementGroups(t *testing.T) {
	const update = "update-vm-placement-group"
	for name, faults := range map[string][]towersim.Fault{
		"no trouble":  nil,
		"lost before": {{Operation: update, Times: 1, Reset: towersim.ResetBefore}},
		"lost after":  {{Operation: update, Times: 1, Reset: towersim.ResetAfter}},
		"stumbles":    {{Operation: update, Times: 2, Status: 500}},
		"locked":      {{Operation: update, LockedFor: towersim.Delay(10 * time.Second)}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "")
			x, y := b.group(t, "x"), b.group(t, "y")
			v := b.create(t, b.wanted("vm"))
			b.fault(t, faults...)
			if err := b.regroup(t, v.ID, x); err != nil {
				t.Fatal(err)
			}
			b.isMember(t, v.ID, x)
			if err := b.regroup(t, v.ID, y); err != nil {
				t.Fatal(err)
			}
			b.isMember(t, v.ID, y)
			before := b.Stats().Requests[update]
			if err := b.regroup(t, v.ID, y); err != nil || b.Stats().Requests[update] != before {
				t.Errorf("a member joined again: %v", err)
			}
			if err := b.regroup(t, v.ID, ""); err != nil {
				t.Fatal(err)
			}
			b.isMember(t, v.ID)
		})
	}
	b := newBench(t, "")
	v := b.create(t, b.wanted("vm"))
	if err := b.regroup(t, v.ID, "none"); !errors.Is(err, tower.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if err := b.c.SetVMPlacementGroup(b.ctx, nil, "x"); err == nil {
		t.Error("every VM there is was not refused")
	}
	b.fault(t, towersim.Fault{Operation: update, Times: 1, TaskError: &towersim.TaskError{Code: "PLACEMENT_GROUP_BROKEN", Message: "It is broken."}})
	var failed *tower.TaskError
	if err := b.regroup(t, v.ID, b.group(t, "z")); !errors.As(err, &failed) || failed.Code != "PLACEMENT_GROUP_BROKEN" {
		t.Errorf("got %v", err)
	}
}

// Many VMs join at once: none is lost, and the list is written for many of them together.
func TestSim_placementGroupOfMany(t *testing.T) {
	const n = 16
	b := newBench(t, "")
	crowd := b.group(t, "crowd")
	ids := make([]string, n)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = b.create(t, b.wanted(fmt.Sprintf("vm-%d", i))).ID })
	}
	all.Wait()
	for _, id := range ids {
		all.Go(func() {
			if err := b.regroup(t, id, crowd); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		b.isMember(t, id, crowd)
	}
	if writes := b.Stats().Requests["update-vm-placement-group"]; writes > n/2 {
		t.Errorf("the list was written %d times for %d VMs", writes, n)
	}
}
