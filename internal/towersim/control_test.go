// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// control calls the control API and decodes the reply.
func control[T any](x *tower, method, path string, body any) (int, T) {
	x.t.Helper()

	response, raw, err := x.send(method, "/_sim/v1/"+path, body, nil)
	if err != nil {
		x.t.Fatal(err)
	}

	var out T
	if err := json.Unmarshal(raw, &out); err != nil {
		x.t.Fatalf("%s: %v in %s", path, err, raw)
	}

	return response.StatusCode, out
}

func TestStatsCountTowersAPI(t *testing.T) {
	x := startLoggedOut(t, "faults: [{operation: get-hosts, status: 500}]")
	x.base = x.URL() // the document knows no such operation
	x.call("get-version", nil)
	x.call("get-vms", object{}) // not logged in
	x.call("get-vms", object{})
	x.call("get-hosts", object{})
	x.call("no-such-operation", object{})
	x.graphQL("{ authnStrategies { id } }", nil)
	control[any](x, http.MethodGet, "vms", nil)

	_, got := control[towersim.Stats](x, http.MethodGet, "stats", nil)
	for name, want := range map[string]int{"get-version": 1, "get-vms": 2, "get-hosts": 1, "no-such-operation": 1, "api": 1} {
		if got.Requests[name] != want {
			t.Errorf("%s: %d, want %d", name, got.Requests[name], want)
		}
	}

	if got.Total != 6 || len(got.Requests) != 5 {
		t.Errorf("got %+v", got)
	}
}

func TestReset(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: a}]}")
	before := x.vms(object{})[0].ID
	x.newVM(object{"name": "b"})
	x.operate("delete-vm", before)

	if err := x.InjectFaults(towersim.Fault{Operation: "get-hosts", Status: 500}); err != nil {
		t.Fatal(err)
	}

	control[any](x, http.MethodPost, "reset", nil)

	if stats := x.Stats(); stats.Total != 0 || len(stats.Requests) != 0 {
		t.Errorf("got %+v", stats)
	}

	vms := x.vms(object{})
	if len(vms) != 1 || vms[0].ID != before || vms[0].Name != "a" {
		t.Errorf("got %+v", vms)
	}

	if len(x.VMs()) != 1 {
		t.Errorf("%d VMs are listed", len(x.VMs()))
	}

	if status, raw := x.call("get-hosts", object{}); status != http.StatusOK {
		t.Errorf("status %d: %s", status, raw)
	}
}

func TestPostFaults(t *testing.T) {
	x := start(t, "")
	control[any](x, http.MethodPost, "faults", []object{{"operation": "get-vms", "times": 1, "status": 500}})

	if got := x.statuses("get-vms", 2); !equalInts(got, []int{500, 200}) {
		t.Errorf("got %v", got)
	}

	status, out := control[object](x, http.MethodPost, "faults", []object{{"operation": "x", "status": 500}})
	if status != http.StatusBadRequest || !strings.Contains(out["error"].(string), "faults[0].operation") {
		t.Errorf("status %d: %v", status, out)
	}

	status, out = control[object](x, http.MethodPost, "faults", `[{"operation": "get-vms", "colour": 1}]`)
	if status != http.StatusBadRequest || !strings.Contains(out["error"].(string), "line 1: faults[0].colour") {
		t.Errorf("status %d: %v", status, out)
	}
}

func TestVMsListHistories(t *testing.T) {
	x := start(t, `guests: [{match: "*", kubernetes_node: {registered: 78s}}]`)
	x.create(object{"name": "a"})

	_, raw, err := x.send(http.MethodGet, "/_sim/v1/vms", nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	for _, member := range []string{
		`"name": "a"`, `"id": "c`, `"local_id": "placeholder-`, `"created_at": "`, `"powered_on_at": null`,
		`"node_registered_at": null`, `"deleted_at": null`, `"nics": []`,
	} {
		if !strings.Contains(string(raw), member) {
			t.Errorf("%s is missing in %s", member, raw)
		}
	}

	x.finishTasks()
	x.Advance(100 * second)

	_, vms := control[[]towersim.VMReport](x, http.MethodGet, "vms", nil)
	vm := vms[0]

	if vm.PoweredOnAt.Sub(*vm.CreatedAt) != 2*second || vm.NodeRegisteredAt.Sub(*vm.PoweredOnAt) != 78*second {
		t.Errorf("got %+v", vm)
	}

	if nic := vm.NICs[0]; nic.Index != 0 || nic.MACAddress == "" || text(nic.Address) != "10.255.0.2" || nic.ReportedAt.Sub(*nic.LeasedAt) != 60*second {
		t.Errorf("got %+v", nic)
	}
}

func TestReportTimesAreReal(t *testing.T) {
	zero := time.Duration(0)
	began := time.Now()

	s, err := towersim.New(towersim.Options{
		Speed: 10000, Task: &zero,
		YAML: []byte(`{inventory: {vms: [{name: a}]}, timing: {boot: 100s, dhcp: 100s, vmtools_sync: 100s}}`),
	})
	if err != nil {
		t.Fatal(err)
	}

	defer s.Close()

	waitUntil(t, func() bool { return s.VMs()[0].NICs[0].ReportedAt != nil })

	nic := s.VMs()[0].NICs[0]
	if took := nic.ReportedAt.Sub(*nic.LeasedAt); took != 10*time.Millisecond {
		t.Errorf("100s of simulated time took %s", took)
	}

	if nic.ReportedAt.Before(began) || nic.ReportedAt.After(time.Now()) {
		t.Errorf("reported at %s, now it is %s", nic.ReportedAt, time.Now())
	}
}

func TestOperationsLists(t *testing.T) {
	x := start(t, "")
	_, got := control[[]towersim.OperationInfo](x, http.MethodGet, "operations", nil)

	names := map[string]bool{}
	for _, operation := range got {
		names[operation.Operation] = true
	}

	for _, name := range []string{"login", "get-vms", "get-vms-connection", "start-vm", "get-version"} {
		if !names[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestAPIKeyByControl(t *testing.T) {
	x := startLoggedOut(t, "mfa: true")
	_, out := control[map[string]string](x, http.MethodPost, "api-keys", nil)
	x.token = out["key"]
	post[wire.User](x, "get-my-info", object{})

	if status, _ := control[object](x, http.MethodPost, "api-keys", object{"user": x.Username()}); status != http.StatusBadRequest {
		t.Errorf("an unknown key: status %d", status)
	}

	if status, _ := control[object](x, http.MethodPost, "api-keys", object{"username": "x"}); status != http.StatusBadRequest {
		t.Errorf("status %d", status)
	}
}

func TestUnknownOperationIsNotImplemented(t *testing.T) {
	x := start(t, "")
	x.base = x.URL() // the document knows no such operation
	x.refused("no-such-operation", object{}, http.StatusNotImplemented)
}

func TestOperationsOfNewerTowersAreNotFound(t *testing.T) {
	x := start(t, "version: 3.2.0")
	x.refused("remove-vm-nic-by-where", object{"where": object{}, "effect": object{}}, http.StatusNotFound)
}

func TestEveryReplyHasARequestID(t *testing.T) {
	x := start(t, "")
	x.base = x.URL() // the document knows no such operation
	seen := map[string]bool{}

	for _, path := range []string{"/v2/api/get-vms", "/v2/api/nope", "/v2/api/login", "/elsewhere"} {
		response, _, err := x.send(http.MethodPost, path, object{}, nil)
		if err != nil {
			t.Fatal(err)
		}

		id := response.Header.Get("x-tower-request-id")
		if len(id) != 36 || seen[id] {
			t.Errorf("%s: the request id is %q", path, id)
		}

		seen[id] = true
	}
}

func TestMalformedRequests(t *testing.T) {
	x := start(t, "")
	big := `{"where": {"name": "` + strings.Repeat("x", 10<<20) + `"}}`

	for body, want := range map[string]int{
		"{":                              http.StatusBadRequest,
		"[]":                             http.StatusBadRequest,
		`{"colour": 1}`:                  http.StatusBadRequest,
		`{"where": {"colour": 1}}`:       http.StatusBadRequest,
		`{"where": {"vcpu": "many"}}`:    http.StatusBadRequest,
		`{"orderBy": "colour_ASC"}`:      http.StatusBadRequest,
		`{"first": -1}`:                  http.StatusBadRequest,
		big:                              http.StatusRequestEntityTooLarge,
		"":                               http.StatusOK,
		`{"where": null, "first": null}`: http.StatusOK,
	} {
		if status, raw := x.call("get-vms", body); status != want {
			t.Errorf("%.40q: status %d: %s", body, status, raw)
		}
	}

	x.refused("start-vm", "", http.StatusBadRequest)
	x.refused("start-vm", object{}, http.StatusBadRequest)
}

func TestReadsWithGETAreNotFound(t *testing.T) {
	x := start(t, "")

	response, raw, err := x.send(http.MethodGet, "/v2/api/get-vms", nil, nil)
	if err != nil || response.StatusCode != http.StatusNotFound || !json.Valid(raw) {
		t.Errorf("%v: %s", err, raw)
	}
}

func TestConnectionsCount(t *testing.T) {
	x := start(t, "")
	x.newVM(object{"name": "a"})
	x.newVM(object{"name": "b"})

	got := post[wire.Connection](x, "get-vms-connection", object{"where": object{"name_not": "a"}})
	if got.Aggregate.Count != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestNestedFilters(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}]}")
	vm := x.newVM(object{})

	for operation, where := range map[string]object{
		"get-vlans":       {"name": "default", "vds": object{"cluster": object{"name": "cluster-2"}}},
		"get-hosts":       {"cluster": object{"name": "cluster-1"}, "vms_some": object{"id": vm.ID}},
		"get-clusters":    {"vms_some": object{"id": vm.ID}},
		"get-vds" + "es":  {"vlans_some": object{"vm_nics_some": object{"vm": object{"id": vm.ID}}}},
		"get-datacenters": {"clusters_some": object{"name": "cluster-2"}, "organization": object{"name": "default"}},
		"get-vm-nics":     {"vlan": object{"vds": object{"cluster": object{"name": "cluster-1"}}}},
		"get-vm-volumes":  {"vm_disks_some": object{"vm": object{"id": vm.ID}}},
		"get-vms":         {"host": object{"cluster": object{"name": "cluster-1"}}, "vm_disks_every": object{"type": "DISK"}},
		"get-vm-templates": {
			"cluster": object{"name": "cluster-1"}, "content_library_vm_template": object{"name": "rocky-8"},
		},
		"get-content-library-vm-templates": {"clusters_some": object{"name": "cluster-2"}, "vm_templates_some": object{"name": "rocky-8"}},
	} {
		if got := post[[]object](x, operation, object{"where": where}); len(got) != 1 {
			t.Errorf("%s: %d rows", operation, len(got))
		}
	}
}
