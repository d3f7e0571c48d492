// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// instant matches a time of RFC 3339 with a fraction.
var instant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$`)

func keysOf(o object) []string {
	keys := []string{}
	for key := range o {
		keys = append(keys, key)
	}

	slices.Sort(keys)

	return keys
}

// wantTimes checks that the listed members of a report are times and that the
// others are null.
func wantTimes(t *testing.T, o object, members []string, did ...string) {
	t.Helper()

	for _, member := range members {
		text, isText := o[member].(string)

		switch {
		case slices.Contains(did, member) && (!isText || !instant.MatchString(text)):
			t.Errorf("%s is %v, not a time with a fraction", member, o[member])
		case !slices.Contains(did, member) && o[member] != nil:
			t.Errorf("%s is %v, but has not happened", member, o[member])
		}
	}
}

// rawReport returns the members of the report of the only VM, and of its first
// NIC.
func (x *tower) rawReport() (vm, nic object) {
	x.t.Helper()

	_, list := control[[]object](x, http.MethodGet, "vms", nil)
	if len(list) != 1 {
		x.t.Fatalf("%d VMs are listed", len(list))
	}

	vm = list[0]
	wantStrings(x.t, "members of a VM", keysOf(vm), []string{
		"created_at", "deleted_at", "id", "local_id", "name", "nics", "node_registered_at", "powered_on_at",
	})

	if nics := vm["nics"].([]any); len(nics) > 0 {
		nic = nics[0].(object)
		wantStrings(x.t, "members of a NIC", keysOf(nic), []string{"address", "index", "leased_at", "mac_address", "reported_at"})
	}

	return vm, nic
}

func TestVMReportsHaveAllMembers(t *testing.T) {
	x := start(t, `guests: [{match: "*", nics: [{index: 0, link_local_first: true}], kubernetes_node: {registered: 30s}}]`)

	if _, none := control[[]object](x, http.MethodGet, "vms", nil); none == nil || len(none) != 0 {
		t.Errorf("without VMs the list is %v", none)
	}

	times := []string{"created_at", "powered_on_at", "node_registered_at", "deleted_at"}
	nicTimes := []string{"leased_at", "reported_at", "address"}

	id := x.create(object{"name": "a"})[0].Data.ID
	vm, _ := x.rawReport()
	wantTimes(t, vm, times, "created_at")

	if vm["name"] != "a" || vm["id"] != id || !strings.HasPrefix(vm["local_id"].(string), "placeholder-") || len(vm["nics"].([]any)) != 0 {
		t.Errorf("got %v", vm)
	}

	x.finishTasks()

	vm, nic := x.rawReport()
	wantTimes(t, vm, times, "created_at", "powered_on_at")
	wantTimes(t, nic, nicTimes)

	if nic["index"] != 0.0 || nic["mac_address"] == "" || vm["local_id"] != x.vm(id).LocalID {
		t.Errorf("got %v, %v", vm, nic)
	}

	// A link-local address counts neither as leased nor as reported.
	x.Advance(20 * second)

	if shown := x.addresses(id)[0]; !strings.HasPrefix(shown, "169.254.") {
		t.Fatalf("Tower shows %q", shown)
	}

	_, nic = x.rawReport()
	wantTimes(t, nic, nicTimes)

	x.Advance(10 * second)

	vm, nic = x.rawReport()
	wantTimes(t, vm, times, "created_at", "powered_on_at", "node_registered_at")
	wantTimes(t, nic, nicTimes[:2], "leased_at")

	x.Advance(100 * second)

	_, nic = x.rawReport()
	wantTimes(t, nic, nicTimes[:2], "leased_at", "reported_at")

	if nic["address"] != x.addresses(id)[0] {
		t.Errorf("the address is %v", nic["address"])
	}

	x.mustOperate("delete-vm", id)

	vm, nic = x.rawReport()
	wantTimes(t, vm, times, times...)

	if nic["address"] == nil || vm["id"] != id {
		t.Errorf("got %v", vm)
	}
}

func TestResetRestoresAndZeroes(t *testing.T) {
	x := start(t, `
inventory: {vms: [{name: a, power: STOPPED}]}
faults: [{operation: get-hosts, times: 1, status: 500}]`)
	before := x.vms(object{})[0]
	mac := text(x.nics(before.ID)[0].MACAddress)
	x.refused("get-hosts", object{}, http.StatusInternalServerError)
	x.mustOperate("update-vm-basic-info", before.ID, object{"name": "b"})
	x.newVM(object{"name": "c"})

	status, answer := control[any](x, http.MethodPost, "reset", nil)
	if status != http.StatusOK {
		t.Errorf("status %d: %v", status, answer)
	}

	_, stats := control[object](x, http.MethodGet, "stats", nil)
	wantStrings(t, "members of the statistics", keysOf(stats), []string{"requests", "total"})

	if stats["total"] != 0.0 || len(stats["requests"].(object)) != 0 {
		t.Errorf("after a reset the counts are %v", stats)
	}

	after := x.vms(object{})
	if len(after) != 1 || after[0].Name != "a" || after[0].ID != before.ID || after[0].LocalID != before.LocalID {
		t.Errorf("%d VMs, the first is %s %s %s, was %s %s", len(after), after[0].Name, after[0].ID, after[0].LocalID, before.ID, before.LocalID)
	}

	if nics := x.nics(before.ID); len(nics) != 1 || text(nics[0].MACAddress) != mac {
		t.Errorf("the NICs are %+v", nics)
	}

	// The fault is there again, with its count at zero.
	x.refused("get-hosts", object{}, http.StatusInternalServerError)

	if _, stats := control[object](x, http.MethodGet, "stats", nil); stats["total"] != 3.0 {
		t.Errorf("the counts are %v", stats)
	}

	if _, vms := control[[]object](x, http.MethodGet, "vms", nil); len(vms) != 1 || vms[0]["name"] != "a" {
		t.Errorf("the reports are %v", vms)
	}
}

func TestUnknownOperationIsRefusedAndCounted(t *testing.T) {
	x := start(t, "")
	x.base = x.URL() // the document knows no such operation

	for _, operation := range []string{"get-alerts", "no-such-operation"} {
		response, raw, err := x.send(http.MethodPost, "/v2/api/"+operation, object{}, nil)
		if err != nil || response.StatusCode != http.StatusNotImplemented || response.Header.Get("x-tower-request-id") == "" {
			t.Errorf("%s: %v: %s", operation, err, raw)
		}

		for _, member := range []string{`"status":501`, `"path":"/v2/api/` + operation + `"`, `"message":"`} {
			if !strings.Contains(string(raw), member) {
				t.Errorf("%s: %s lacks %s", operation, raw, member)
			}
		}

		if strings.Contains(string(raw), `"code"`) {
			t.Errorf("%s: %s has a code", operation, raw)
		}

		if got := x.Stats().Requests[operation]; got != 1 {
			t.Errorf("%s is counted %d times", operation, got)
		}
	}

	if got := x.Stats().Total; got != 3 {
		t.Errorf("the total is %d", got)
	}
}

func TestVMsOfTheScenarioAreCreatedNow(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: a}]}")
	_, vms := control[[]object](x, http.MethodGet, "vms", nil)

	created, err := time.Parse(time.RFC3339Nano, vms[0]["created_at"].(string))
	if err != nil || time.Since(created).Abs() > time.Minute {
		t.Errorf("created at %v: %v", created, err)
	}
}

func TestScenarioVMsWithTheSameNameAreDifferent(t *testing.T) {
	x := start(t, "unique_vm_names: false\ninventory: {vms: [{name: a}, {name: a}, {name: a}]}")

	ids := map[string]bool{}

	for _, vm := range x.vms(object{"name": "a"}) {
		ids[vm.ID], ids[vm.LocalID] = true, true

		if got := x.vm(vm.ID); got.LocalID != vm.LocalID {
			t.Errorf("%s is found by the id of %s", got.LocalID, vm.LocalID)
		}
	}

	if len(ids) != 6 {
		t.Errorf("three VMs have %d ids", len(ids))
	}
}
