// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// changes requests changes with a query such as "?limit=3".
func (x *tower) changes(query string) wire.ResourceChangeResponse {
	x.t.Helper()

	response, raw, err := x.send(http.MethodGet, "/v2/api/resource-changes"+query, nil, nil)
	if err != nil || response.StatusCode != http.StatusOK {
		x.t.Fatalf("%s: %v: %s", query, err, raw)
	}

	var out wire.ResourceChangeResponse
	if err := json.Unmarshal(raw, &out); err != nil {
		x.t.Fatal(err)
	}

	return out
}

func told(changes wire.ResourceChangeResponse) []string {
	var all []string
	for _, e := range changes.Data {
		all = append(all, *e.Action+" "+*e.ResourceType)
	}

	return all
}

func TestResourceChangesOfAVM(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: old}]}")

	first := x.changes("")
	if first.CurrentRevision != "0" || first.CompactRevision != "0" || len(first.Data) != 0 || first.Ec != "EOK" {
		t.Fatalf("at the start: %+v", first)
	}

	vm := x.newVM(object{"name": "a", "status": "STOPPED"})
	x.mustOperate("delete-vm", vm.ID)

	wantStrings(t, "the VM's changes", told(x.changes("?resource_id="+vm.ID)), []string{
		"CREATE VM", "UPDATE VM", "UPDATE VM", "UPDATE VM", "DELETE VM",
	})
	wantStrings(t, "creations", told(x.changes("?action=CREATE&resource_type=VM,VM_NIC,VM_DISK,VM_VOLUME,TASK")), []string{
		"CREATE VM", "CREATE TASK", "CREATE VM_NIC", "CREATE VM_VOLUME", "CREATE VM_DISK", "CREATE TASK",
	})
	wantStrings(t, "deletions", told(x.changes("?action=DELETE")), []string{"DELETE VM_NIC", "DELETE VM_DISK", "DELETE VM_VOLUME", "DELETE VM"})

	events := x.changes("?resource_id=" + vm.ID).Data
	for i, e := range events {
		if i > 0 && (text(e.PrevRevision) != events[i-1].Revision || text(e.OldValue) != text(events[i-1].NewValue)) {
			t.Errorf("event %d does not follow event %d: %s on %s", i, i-1, text(e.PrevRevision), events[i-1].Revision)
		}
	}

	var row wire.VM
	if err := json.Unmarshal([]byte(text(events[2].NewValue)), &row); err != nil || row.ID != vm.ID || row.EntityAsyncStatus != nil {
		t.Errorf("the value of the created VM: %v: %+v", err, row)
	}

	if events[0].OldValue != nil || events[0].PrevRevision != nil || events[4].NewValue != nil {
		t.Error("there is a value before the creation or after the deletion")
	}
}

func TestResourceChangesComeInPages(t *testing.T) {
	x := start(t, "")
	for range 5 {
		x.newLabel(string(rune('a'+len(x.changes("").Data))), "v")
	}

	var seen []string

	for start := "0"; ; {
		page := x.changes("?limit=2&resource_type=LABEL&start_revision=" + start)
		if len(page.Data) == 0 {
			break
		}

		if len(page.Data) > 2 || page.CurrentRevision != "5" {
			t.Fatalf("got %+v", page)
		}

		for _, e := range page.Data {
			seen = append(seen, e.Revision)
			start = e.Revision
		}
	}

	wantStrings(t, "revisions", seen, []string{"1", "2", "3", "4", "5"})
}

func TestResourceChangesAreCompacted(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: a}]}")
	id := x.vms(object{})[0].ID

	for i := 0; x.changes("?limit=1").CompactRevision == "0"; i++ {
		if i > 10_000 {
			t.Fatal("the history never ends")
		}

		x.operate("update-vm-basic-info", id, object{"description": string(rune('a' + i%20))})
	}

	gone := x.changes("?start_revision=1&limit=1")
	if gone.Ec == "EOK" || gone.Error == nil || len(gone.Data) != 1 {
		t.Errorf("before the compaction: %+v", gone)
	}

	at := x.changes("?limit=1&start_revision=" + gone.CompactRevision)
	if at.Ec != "EOK" || at.Error != nil || at.Data[0].Revision != gone.Data[0].Revision {
		t.Errorf("since the compaction: %+v", at)
	}
}

func TestEventCompactsChanges(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, happens: compact_changes}]")
	x.newLabel("a", "b")
	x.call("get-vms", object{})

	if got := x.changes(""); got.CompactRevision != "1" || got.CurrentRevision != "1" || len(got.Data) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestResourceChangesRefuse(t *testing.T) {
	x := start(t, "")

	for query, want := range map[string]int{
		"?limit=0": 400, "?limit=1001": 400, "?limit=x": 400, "?limit=": 400, "?limit=-1": 400, "?limit=1.5": 400,
		"?limit=1": 200, "?limit=1000": 200,
		"?start_revision=-1": 400, "?start_revision=x": 400, "?start_revision=": 400, "?start_revision=99999999999999999999999": 400,
		"?start_revision=7": 200, "?resource_type=NONE&action=NONE&resource_id=none": 200,
	} {
		response, raw, err := x.send(http.MethodGet, "/v2/api/resource-changes"+query, nil, nil)
		if err != nil || response.StatusCode != want {
			t.Errorf("%s: %v: status %d, want %d: %s", query, err, response.StatusCode, want, raw)
		}

		var refusal wire.ErrorBody
		if err := json.Unmarshal(raw, &refusal); want == 400 && (err != nil || refusal.Message == "" || refusal.Path == "" || refusal.Status != 400) {
			t.Errorf("%s: %v: %s", query, err, raw)
		}
	}
}

func TestWhoMayReadResourceChanges(t *testing.T) {
	for name, c := range map[string]struct {
		scenario, user, password string
		want                     int
	}{
		"basic":          {"", "root", "tower-sim-password", 200},
		"wrong password": {"", "root", "wrong", 401},
		"nobody":         {"", "", "", 401},
		"two factors":    {"mfa: true", "root", "tower-sim-password", 401},
		"before 4.6":     {"version: 4.5.0", "root", "tower-sim-password", 404},
		"since 4.6":      {"version: 4.8.0", "root", "tower-sim-password", 200},
	} {
		x := startLoggedOut(t, c.scenario)

		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, x.base+"/v2/api/resource-changes", nil)
		if err != nil {
			t.Fatal(err)
		}

		if c.user != "" {
			request.SetBasicAuth(c.user, c.password)
		}

		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}

		if response.Body.Close(); response.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", name, response.StatusCode, c.want)
		}
	}

	x := startLoggedOut(t, "")
	response, _, err := x.send(http.MethodPost, "/v2/api/resource-changes", object{}, nil)

	if err != nil || response.StatusCode != http.StatusNotFound {
		t.Errorf("by POST: %v: %v", err, response)
	}
}

// After a reset, a watcher must not mistake new changes for those that it has
// seen.
func TestWatchersOfChangesSeeAReset(t *testing.T) {
	x := start(t, "")
	x.newLabel("a", "b")
	seen := x.changes("").CurrentRevision

	x.Reset()

	if got := x.changes("?start_revision=" + seen); got.Ec == "EOK" || len(got.Data) != 0 {
		t.Errorf("got %+v", got)
	}

	now := x.changes("").CurrentRevision
	x.newLabel("c", "d")

	if got := x.changes("?start_revision=" + now); got.Ec != "EOK" || len(got.Data) != 1 {
		t.Errorf("got %+v", got)
	}
}
