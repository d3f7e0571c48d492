// SPDX-License-Identifier: MPL-2.0

package tower_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// crowd is a Tower with two clusters and VMs in the first.
func crowd(n int) string {
	var b strings.Builder
	b.WriteString("inventory:\n  clusters: [{name: cluster-1, hosts: 4}, {name: cluster-2}]\n  vms:\n    - {name: other, cluster: cluster-2}\n")
	for i := range n {
		fmt.Fprintf(&b, "    - {name: vm-%04d, cluster: cluster-1, power: STOPPED}\n", i)
	}
	return b.String()
}

// vmNames lists VMs and returns their names, sorted. Each page must be in the order of the ids.
func (b *bench) vmNames(t *testing.T, filter tower.VMFilter, limit int) []string {
	t.Helper()
	var names, ids []string
	for page, err := range b.c.VMPages(b.ctx, filter, limit) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range page {
			names, ids = append(names, v.Name), append(ids, v.ID)
		}
	}
	if !slices.IsSorted(ids) {
		t.Errorf("not in the order of the ids: %v", ids)
	}
	slices.Sort(names)
	return names
}

func TestSim_vmPages(t *testing.T) {
	t.Parallel()
	const n = 450
	b := newBench(t, crowd(n))
	for _, tc := range []struct{ limit, vms, requests int }{{0, n + 1, 3}, {1, 1, 1}, {200, 200, 1}, {201, 201, 2}, {n + 1, n + 1, 3}, {10_000, n + 1, 3}} {
		before := b.Stats().Requests["get-vms"]
		names := b.vmNames(t, tower.VMFilter{}, tc.limit)
		if len(names) != tc.vms || len(slices.Compact(names)) != tc.vms {
			t.Errorf("limit %d: %d VMs, %d of them different, want %d", tc.limit, len(names), len(slices.Compact(names)), tc.vms)
		}
		if got := b.Stats().Requests["get-vms"] - before; got != tc.requests {
			t.Errorf("limit %d: %d requests, want %d", tc.limit, got, tc.requests)
		}
	}
}

// VMs that come and go between the pages neither repeat nor hide others.
func TestSim_vmPagesWhileVMsGo(t *testing.T) {
	t.Parallel()
	b := newBench(t, crowd(450))
	seen := map[string]int{}
	for page, err := range b.c.VMPages(b.ctx, tower.VMFilter{}, 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range page {
			seen[v.Name]++
		}
		// Those at both ends of the page, the one that the next page begins after among them.
		for _, v := range []tower.VM{page[0], page[len(page)-1]} {
			if err := b.DeleteVM(v.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, times := range seen {
		if times != 1 {
			t.Errorf("%s came %d times", name, times)
		}
	}
	if len(seen) != 451 {
		t.Errorf("%d VMs, want 451", len(seen))
	}
}

// The reader of the list may leave it.
func TestSim_vmPagesLeftEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t, crowd(250))
	for page, err := range b.c.VMPages(b.ctx, tower.VMFilter{}, 0) {
		if err != nil || len(page) != 200 {
			t.Errorf("a page of %d, %v", len(page), err)
		}
		break
	}
	if n := b.Stats().Requests["get-vms"]; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestSim_vmPagesFiltered(t *testing.T) {
	t.Parallel()
	b := newBench(t, crowd(8))
	labelled := func(name string, set map[string]string) {
		v, err := b.c.VMByName(b.ctx, b.cluster.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.label(t, v.ID, set); err != nil {
			t.Fatal(err)
		}
	}
	labelled("vm-0001", map[string]string{"role": "web", "shared": ""})
	labelled("vm-0002", map[string]string{"role": "web", "shared": "yes"})
	labelled("vm-0003", map[string]string{"role": "db"})
	if err := b.MoveToRecycleBin("vm-0006"); err != nil {
		t.Fatal(err)
	}
	if err := b.MakeSystemVM("vm-0007"); err != nil {
		t.Fatal(err)
	}
	running, err := b.c.VMByName(b.ctx, b.cluster.ID, "vm-0005")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.c.StartVM(b.ctx, running.ID, ""); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		filter tower.VMFilter
		want   string
	}{
		"none":                {tower.VMFilter{}, "other vm-0000 vm-0001 vm-0002 vm-0003 vm-0004 vm-0005"},
		"cluster":             {tower.VMFilter{ClusterID: b.cluster.ID, NameContains: "000"}, "vm-0000 vm-0001 vm-0002 vm-0003 vm-0004 vm-0005"},
		"cluster by local id": {tower.VMFilter{ClusterID: b.cluster.LocalID, NameContains: "5"}, "vm-0005"},
		"id":                  {tower.VMFilter{ID: running.ID}, "vm-0005"},
		"local id":            {tower.VMFilter{ID: running.LocalID}, "vm-0005"},
		"name":                {tower.VMFilter{Name: "vm-0004"}, "vm-0004"},
		"name in":             {tower.VMFilter{NameIn: []string{"vm-0004", "other", "nobody"}}, "other vm-0004"},
		"recycle bin":         {tower.VMFilter{Name: "vm-0006"}, ""},
		"system VM":           {tower.VMFilter{Name: "vm-0007"}, ""},
		"power":               {tower.VMFilter{Status: tower.StatusRunning}, "other vm-0005"},
		"label":               {tower.VMFilter{Labels: map[string]string{"role": "web"}}, "vm-0001 vm-0002"},
		"two labels":          {tower.VMFilter{Labels: map[string]string{"role": "web", "shared": "yes"}}, "vm-0002"},
		"label without value": {tower.VMFilter{Labels: map[string]string{"shared": ""}}, "vm-0001"},
		"no such folder":      {tower.VMFilter{FolderID: "nowhere"}, ""},
	} {
		if got := strings.Join(b.vmNames(t, tc.filter, 0), " "); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestSim_vmPagesFail(t *testing.T) {
	t.Parallel()
	b := newBench(t, crowd(250))
	if err := b.InjectFaults(towersim.Fault{Operation: "get-vms", Skip: 1, Status: 403}); err != nil {
		t.Fatal(err)
	}
	pages, failures := 0, 0
	for page, err := range b.c.VMPages(b.ctx, tower.VMFilter{}, 0) {
		if err != nil {
			failures++
		} else if pages++; len(page) != 200 {
			t.Errorf("a page of %d", len(page))
		}
	}
	if pages != 1 || failures != 1 {
		t.Errorf("%d pages and %d failures, want one of each", pages, failures)
	}
}
