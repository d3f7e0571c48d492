// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// statuses calls an operation n times.
func (x *tower) statuses(operation string, n int) []int {
	x.t.Helper()

	var all []int

	for range n {
		status, _ := x.call(operation, object{})
		all = append(all, status)
	}

	return all
}

func equalInts(a, b []int) bool {
	for i := range b {
		if len(a) != len(b) || a[i] != b[i] {
			return false
		}
	}

	return true
}

func TestFaultsCountRequests(t *testing.T) {
	for faults, want := range map[string][]int{
		"[{operation: get-vms, skip: 1, times: 2, status: 500}]":                                              {200, 500, 500, 200},
		"[{operation: get-vms, status: 403}]":                                                                 {403, 403, 403, 403},
		"[{operation: get-vms, times: 1, status: 429}, {operation: get-vms, times: 1, status: 502}]":          {429, 502, 200, 200},
		"[{operation: get-vm-nics, status: 500}]":                                                             {200, 200, 200, 200},
		"[{operation: get-vms, skip: 2, times: 1, status: 401}, {operation: get-vms, times: 1, status: 404}]": {404, 200, 401, 200},
	} {
		x := start(t, "faults: "+faults)
		if got := x.statuses("get-vms", 4); !equalInts(got, want) {
			t.Errorf("%s: got %v, want %v", faults, got, want)
		}
	}
}

func TestStatusFaultLooksLikeTowersErrors(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, status: 429, message: slow down}]")
	if got := x.refused("get-vms", object{}, 429); got.Message != "slow down" || got.Code != nil {
		t.Errorf("got %+v", got)
	}
}

func TestStatusFaultDoesNothing(t *testing.T) {
	x := start(t, "faults: [{operation: create-vm-from-content-library-template, status: 500}]")
	x.refused("create-vm-from-content-library-template", x.params(object{}), 500)

	if vms := x.vms(object{}); len(vms) != 0 {
		t.Errorf("%d VMs were created", len(vms))
	}
}

func TestResetBefore(t *testing.T) {
	x := start(t, "faults: [{operation: create-vm-from-content-library-template, times: 1, reset: true}]")

	if _, _, err := x.send(http.MethodPost, "/v2/api/create-vm-from-content-library-template", x.params(object{}), nil); err == nil {
		t.Error("there was an answer")
	}

	if vms := x.vms(object{}); len(vms) != 0 {
		t.Errorf("%d VMs were created", len(vms))
	}
}

func TestResetAfter(t *testing.T) {
	x := start(t, "faults: [{operation: create-vm-from-content-library-template, times: 1, reset: after}]")

	if _, _, err := x.send(http.MethodPost, "/v2/api/create-vm-from-content-library-template", x.params(object{}), nil); err == nil {
		t.Error("there was an answer")
	}

	if vms := x.vms(object{}); len(vms) != 1 {
		t.Errorf("%d VMs were created", len(vms))
	}
}

func TestHangLastsUntilTheClientLeaves(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, hang: true}]")

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, x.URL()+"/v2/api/get-vms", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}

	response, err := http.DefaultClient.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}

	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// If requests that hang stayed after their clients have gone, the server would
// fill up with them.
func TestHangEndsWithItsClient(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, hang: true}]")
	handler := x.Handler()

	var waiting atomic.Int32

	ended := make(chan error)

	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		waiting.Add(1)
		defer waiting.Add(-1)

		handler.ServeHTTP(w, r)
	}))
	defer front.Close()

	for _, body := range []string{"{}", strings.Repeat("x", 11<<20)} {
		ctx, cancel := context.WithCancel(t.Context())

		request, err := http.NewRequestWithContext(ctx, http.MethodPost, front.URL+"/v2/api/get-vms", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}

		seen := x.Stats().Requests["get-vms"]

		go func() {
			response, err := http.DefaultClient.Do(request)
			if err == nil {
				_ = response.Body.Close()
			}

			ended <- err
		}()

		waitUntil(t, func() bool { return x.Stats().Requests["get-vms"] > seen })
		cancel()

		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}

		waitUntil(t, func() bool { return waiting.Load() == 0 })
	}
}

func TestCloseEndsHangingRequests(t *testing.T) {
	s, err := towersim.New(towersim.Options{YAML: []byte("faults: [{operation: get-vms, hang: true}]")})
	if err != nil {
		t.Fatal(err)
	}

	ended := make(chan error)

	go func() {
		response, err := http.Post(s.URL()+"/v2/api/get-vms", "application/json", nil)
		if err == nil {
			err = errors.Join(errors.New("there was an answer"), response.Body.Close())
		} else {
			err = nil
		}

		ended <- err
	}()

	waitUntil(t, func() bool { return s.Stats().Requests["get-vms"] > 0 })

	if err := s.Close(); err != nil {
		t.Error(err)
	}

	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestTaskErrorFailsTheTask(t *testing.T) {
	x := start(t, "faults: [{operation: start-vm, times: 1, task_error: {code: GPU_ASSIGN_FAILED, message: taken}}]")
	vm := x.newVM(object{"status": "STOPPED"})
	x.failed(x.operate("start-vm", vm.ID).TaskID, "GPU_ASSIGN_FAILED")

	if got := x.vm(vm.ID).Status; got != wire.VMStatusStopped {
		t.Errorf("the VM is %s", got)
	}

	x.mustOperate("start-vm", vm.ID)
}

func TestLockFaultLastsForItsDuration(t *testing.T) {
	x := start(t, "faults: [{operation: start-vm, locked_for: 10s}]")
	vm := x.newVM(object{"status": "STOPPED"})
	x.Advance(60 * second) // the duration counts from the first request

	got := x.refused("start-vm", byID(vm.ID), 400)
	if *got.Code != wire.ErrorCodeResourceLocked {
		t.Errorf("got %+v", got)
	}

	raw, err := json.Marshal(got.Props)
	if err != nil || !strings.Contains(string(raw), vm.ID) {
		t.Errorf("props %s", raw)
	}

	x.Advance(10*second - 1)
	x.refused("start-vm", byID(vm.ID), 400)
	x.Advance(1)
	x.mustOperate("start-vm", vm.ID)
}

func TestLockFaultOnOperationsWithoutLocks(t *testing.T) {
	x := start(t, `faults:
  - {operation: get-vms, locked_for: 10s}
  - {operation: create-label, locked_for: 10s}
  - {operation: create-vm-from-content-library-template, locked_for: 10s}`)
	x.refused("get-vms", object{}, 400)
	x.refused("create-label", []object{{"key": "a"}}, 400)
	x.refused("create-vm-from-content-library-template", x.params(object{}), 400)
}

func TestSlowFaultDelaysTheAnswer(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, slow: 5s}]")
	answered := make(chan int)

	go func() {
		status, _ := x.call("get-vms", object{})
		answered <- status
	}()

	waitUntil(t, func() bool { return x.Stats().Requests["get-vms"] > 0 })

	select {
	case <-answered:
		t.Error("the reply came immediately")
	default:
	}

	x.Advance(5 * second)

	if status := <-answered; status != http.StatusOK {
		t.Errorf("status %d", status)
	}
}

func TestBodyFaults(t *testing.T) {
	x := start(t, `faults:
  - {operation: get-vms, body: html}
  - {operation: get-hosts, body: garbage}
  - {operation: get-clusters, body: truncated}`)

	response, raw, err := x.send(http.MethodPost, "/v2/api/get-vms", object{}, nil)
	if err != nil || response.StatusCode != 502 || !strings.HasPrefix(string(raw), "<html>") || response.Header.Get("Content-Type") != "text/html" {
		t.Errorf("html: %v: %s", err, raw)
	}

	response, raw, err = x.send(http.MethodPost, "/v2/api/get-hosts", object{}, nil)
	if err != nil || response.StatusCode != 200 || json.Valid(raw) {
		t.Errorf("garbage: %v: %s", err, raw)
	}

	if _, _, err = x.send(http.MethodPost, "/v2/api/get-clusters", object{}, nil); err == nil {
		t.Error("truncated: the body was complete")
	}
}

func TestNotModified(t *testing.T) {
	x := start(t, "faults: [{operation: update-label, status: 304}]")

	response, raw, err := x.send(http.MethodPost, "/v2/api/update-label", object{"where": object{}, "data": object{}}, nil)
	if err != nil || response.StatusCode != http.StatusNotModified || len(raw) != 0 {
		t.Errorf("%v: %v %s", err, response, raw)
	}
}

func TestFaultsOnGraphQL(t *testing.T) {
	x := startLoggedOut(t, "faults: [{operation: api, status: 500}]")

	response, raw, err := x.send(http.MethodPost, "/api", object{"query": "{ authnStrategies { id } }"}, nil)
	if err != nil || response.StatusCode != 500 {
		t.Errorf("%v: %s", err, raw)
	}
}

func TestInjectedFaultsAreChecked(t *testing.T) {
	x := start(t, "")

	var invalid *towersim.ScenarioError
	if err := x.InjectFaults(towersim.Fault{Operation: "get-vms"}); !errors.As(err, &invalid) || invalid.Field != "faults[0]" {
		t.Errorf("got %v", err)
	}

	if err := x.InjectFaults(towersim.Fault{Operation: "get-vms", Status: 500, Times: 1}); err != nil {
		t.Fatal(err)
	}

	if got := x.statuses("get-vms", 2); !equalInts(got, []int{500, 200}) {
		t.Errorf("got %v", got)
	}
}

func TestClearedFaultsNoLongerApply(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, status: 500}]")
	x.ClearFaults()

	if got := x.statuses("get-vms", 1); !equalInts(got, []int{200}) {
		t.Errorf("got %v", got)
	}
}
