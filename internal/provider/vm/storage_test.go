// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// towerAPI is Tower's API as somebody else uses it, beside Terraform.
type towerAPI struct {
	t     *testing.T
	sim   *acctest.Sim
	token string
}

type body = map[string]any

func apiOf(t *testing.T, sim *acctest.Sim) *towerAPI {
	t.Helper()
	a := &towerAPI{t: t, sim: sim}
	login := post[struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
	}](a, "login", body{"username": sim.Server().Username(), "password": sim.Server().Password()})
	a.token = login.Data.Token
	return a
}

// post makes a call, which must succeed.
func post[T any](a *towerAPI, operation string, payload any) T {
	a.t.Helper()
	raw, err := json.Marshal(payload)
	if err != nil {
		a.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.sim.URL()+"/v2/api/"+operation, bytes.NewReader(raw))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", a.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var out T
	if resp.StatusCode != http.StatusOK {
		a.t.Fatalf("%s: %s", operation, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		a.t.Fatalf("%s: %v", operation, err)
	}
	return out
}

// change makes a call that changes something, and waits for the end of its task.
func (a *towerAPI) change(operation string, payload any) (id string) {
	a.t.Helper()
	replies := post[[]struct {
		TaskID string `json:"task_id"`
		Data   struct {
			ID string `json:"id"`
		} `json:"data"`
	}](a, operation, payload)
	if len(replies) != 1 {
		a.t.Fatalf("%s: %d replies", operation, len(replies))
	}
	eventually(a.t, operation, func() bool {
		tasks := post[[]struct {
			Status string `json:"status"`
		}](a, "get-tasks", body{"where": body{"id": replies[0].TaskID}})
		return len(tasks) == 1 && tasks[0].Status == "SUCCESSED"
	})
	eventually(a.t, operation+" leaves its VM idle", func() bool {
		busy := post[[]body](a, "get-vms", body{"where": body{"id": replies[0].Data.ID, "entityAsyncStatus_not": nil}})
		return len(busy) == 0
	})
	return replies[0].Data.ID
}

// volume makes a volume that no VM has.
func (a *towerAPI) volume(name string, gib int) string {
	a.t.Helper()
	clusters := post[[]body](a, "get-clusters", body{"where": body{"name": "cluster-1"}})
	return a.change("create-vm-volume", []body{{
		"cluster_id": clusters[0]["id"], "name": name, "size": gib << 30, "sharing": false, "elf_storage_policy": "REPLICA_2_THIN_PROVISION",
	}})
}

// vmID is Tower's id of a VM.
func (a *towerAPI) vmID(name string) string {
	a.t.Helper()
	for _, vm := range a.sim.Server().VMs() {
		if vm.Name == name && vm.DeletedAt == nil {
			return vm.ID
		}
	}
	a.t.Fatalf("there is no VM %q", name)
	return ""
}

// towerDisk is a disk or drive of a VM as Tower has it.
type towerDisk struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Bus    string `json:"bus"`
	Boot   int    `json:"boot"`
	Volume *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"vm_volume"`
	Image *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"elf_image"`
	CloudInit *string `json:"cloud_init_image_path"`
}

// disks are the disks and drives of a VM, without that of cloud-init.
func (a *towerAPI) disks(name string) []towerDisk {
	a.t.Helper()
	all := post[[]towerDisk](a, "get-vm-disks", body{"where": body{"vm": body{"id": a.vmID(name)}}, "orderBy": "boot_ASC"})
	return slices.DeleteFunc(all, func(d towerDisk) bool { return d.CloudInit != nil })
}

type towerVolume struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Policy string `json:"elf_storage_policy"`
}

// volumes are all volumes whose names have a prefix.
func (a *towerAPI) volumes(prefix string) []towerVolume {
	a.t.Helper()
	return post[[]towerVolume](a, "get-vm-volumes", body{"where": body{"name_starts_with": prefix}, "orderBy": "name_ASC"})
}

// attach attaches a volume to a VM as a CSI driver does.
func (a *towerAPI) attach(vm, volume string) {
	a.t.Helper()
	a.change("add-vm-disk", body{"where": body{"id": a.vmID(vm)}, "data": body{"vm_disks": body{
		"mount_disks": []body{{"boot": 50, "bus": "VIRTIO", "vm_volume_id": volume}},
	}}})
}

// detach takes the disk that is a volume from a VM.
func (a *towerAPI) detach(vm, volumeName string) {
	a.t.Helper()
	for _, d := range a.disks(vm) {
		if d.Volume != nil && d.Volume.Name == volumeName {
			a.change("remove-vm-disk", body{"where": body{"id": a.vmID(vm)}, "data": body{"disk_ids": []string{d.ID}}})
			return
		}
	}
	a.t.Fatalf("VM %q has no disk %q", vm, volumeName)
}

// hasDisks checks the disks of a VM in Tower, given as "volume GiB bus" in any order; the
// name of the system disk's volume is left out.
func (a *towerAPI) hasDisks(vm string, want ...string) error {
	got := []string{}
	for i, d := range a.disks(vm) {
		if d.Volume == nil {
			continue
		}
		volume := post[[]towerVolume](a, "get-vm-volumes", body{"where": body{"id": d.Volume.ID}})[0]
		name := d.Volume.Name
		if i == 0 {
			name = "system"
		}
		got = append(got, fmt.Sprintf("%s %d %s", name, volume.Size>>30, d.Bus))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("VM %q has the disks %q, want %q", vm, got, want)
	}
	return nil
}

// callLog remembers which changing calls there were, so that a later check can tell the new ones.
type callLog struct {
	sim    *acctest.Sim
	before map[string]int
}

// mark remembers the calls until now.
func (s *callLog) mark() { s.before = mutations(s.sim) }

// since checks the changing calls since the mark, given as "operation n".
func (s *callLog) since(want ...string) stateCheck {
	return func() error {
		got := []string{}
		now := mutations(s.sim)
		for _, operation := range slices.Sorted(maps.Keys(now)) {
			if n := now[operation] - s.before[operation]; n > 0 {
				got = append(got, fmt.Sprintf("%s %d", operation, n))
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			return fmt.Errorf("Tower got the calls %q, want %q", got, want)
		}
		return nil
	}
}
