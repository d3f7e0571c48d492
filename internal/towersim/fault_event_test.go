// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// inject adds faults over HTTP, like a user of the program.
func (x *tower) inject(faults string) {
	x.t.Helper()

	response, err := http.Post(x.Server.URL()+"/_sim/v1/faults", "application/json", strings.NewReader(faults))
	if err != nil {
		x.t.Fatal(err)
	}
	defer response.Body.Close()

	if response.StatusCode != http.StatusOK {
		x.t.Fatalf("status %d for %s", response.StatusCode, faults)
	}
}

const pair = `
inventory:
  clusters:
    - {name: cluster-1, hosts: [{name: h1}, {name: h2}, {name: h3, state: MAINTENANCE_MODE}]}
    - {name: cluster-2}
  vms: [{name: web-1}, {name: web-2}, {name: db-1, power: STOPPED}]
`

func names(vms []wire.VM) []string {
	var all []string
	for _, vm := range vms {
		all = append(all, vm.Name)
	}

	return all
}

func TestEventHidesVM(t *testing.T) {
	x := start(t, pair+"faults: [{operation: get-vms, skip: 1, happens: hide_vm, vm: 'web-*', for: 30s}]")
	wantStrings(t, "before", names(x.vms(object{})), []string{"db-1", "web-1", "web-2"})
	wantStrings(t, "hidden", names(x.vms(object{})), []string{"db-1", "web-2"})
	x.Advance(30*second - 1)
	wantStrings(t, "at its end", names(x.vms(object{})), []string{"db-1", "web-2"})
	x.Advance(1)
	wantStrings(t, "after it", names(x.vms(object{})), []string{"db-1", "web-1", "web-2"})
}

func TestEventChangesOneVMEachTime(t *testing.T) {
	x := start(t, pair+"faults: [{operation: get-vms, times: 2, happens: recycle_vm, vm: 'web-?'}]")
	kept := object{"in_recycle_bin": false}
	wantStrings(t, "first", names(x.vms(kept)), []string{"db-1", "web-2"})
	wantStrings(t, "second", names(x.vms(kept)), []string{"db-1"})
	wantStrings(t, "third", names(x.vms(kept)), []string{"db-1"})

	if vm := x.vms(object{"name": "web-1"})[0]; vm.Status != wire.VMStatusStopped || vm.DeletedAt == nil {
		t.Errorf("the VM in the recycle bin: %+v", vm)
	}
}

func TestEventWaitsForItsVM(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, happens: delete_vm, vm: late}]")

	if vms := x.vms(object{}); len(vms) != 0 {
		t.Fatalf("%d VMs", len(vms))
	}

	reply := x.create(object{"name": "late"})[0]
	// A placeholder is not a VM yet.
	if vm := x.vm(reply.Data.ID); vm.EntityAsyncStatus == nil {
		t.Fatal("the VM has been created already")
	}

	x.finishTasks()

	if vms := x.vms(object{}); len(vms) != 0 {
		t.Errorf("%d VMs are left", len(vms))
	}
}

func TestEventChangesIDWhileAClientWaits(t *testing.T) {
	x := start(t, "faults: [{operation: get-vm-nics, skip: 1, happens: change_vm_id, vm: a, after: 5s}]")
	vm := x.newVM(object{"name": "a"})
	x.nics(vm.ID)
	x.nics(vm.ID)
	x.Advance(5*second - 1)
	x.vm(vm.ID)
	x.Advance(1)

	if old := x.vms(object{"id": vm.ID}); len(old) != 0 {
		t.Error("the VM still has its id")
	}

	found := x.vms(object{"local_id": vm.LocalID})
	if len(found) != 1 || len(x.nics(found[0].ID)) != 1 {
		t.Errorf("by the local id: %+v", found)
	}
}

func TestEventDuplicatesVM(t *testing.T) {
	x := start(t, pair)
	x.inject(`[{"happens": "duplicate_vm", "vm": "web-1"}]`)

	twins := x.vms(object{"name": "web-1"})
	if len(twins) != 2 || twins[0].LocalID == twins[1].LocalID || twins[0].Memory != twins[1].Memory {
		t.Fatalf("got %+v", twins)
	}

	if stopped := x.vms(object{"name": "web-1", "status": "STOPPED"}); len(stopped) != 1 {
		t.Errorf("%d of the two are stopped", len(stopped))
	}
}

func TestEventsWithoutARequestHappenOnTime(t *testing.T) {
	x := start(t, pair+"faults: [{happens: suspend_vm, vm: web-1, after: 1m}]")
	x.Advance(60*second - 1)

	if got := x.vms(object{"name": "web-1"})[0].Status; got != wire.VMStatusRunning {
		t.Errorf("before: %s", got)
	}

	x.Advance(1)

	if got := x.vms(object{"name": "web-1"})[0].Status; got != wire.VMStatusSuspended {
		t.Errorf("after: %s", got)
	}

	x.inject(`[{"happens": "power_off_vm", "vm": "web-1"}, {"happens": "set_vm_tools", "vm": "web-2", "state": "RESTRICTION"}]`)

	if got := x.vms(object{"name": "web-1"})[0].Status; got != wire.VMStatusStopped {
		t.Errorf("powered off: %s", got)
	}

	if got := x.vms(object{"name": "web-2"})[0].VMToolsStatus; got != wire.VMToolsStatusRestriction {
		t.Errorf("the tools are %s", got)
	}
}

func TestEventMovesVM(t *testing.T) {
	x := start(t, pair)
	before := x.vms(object{"name": "web-1"})[0]

	x.inject(`[{"happens": "move_vm", "vm": "web-1"}]`)

	after := x.vms(object{"name": "web-1"})[0]
	if after.Host.ID == before.Host.ID || after.Host.Name == "h3" {
		t.Errorf("the VM went from %s to %s", before.Host.Name, after.Host.Name)
	}

	x.inject(`[{"happens": "move_vm", "vm": "web-1", "host": "h3"}]`)

	if got := x.vm(before.ID).Host.Name; got != "h3" {
		t.Errorf("the VM is on %s", got)
	}

	x.inject(`[{"happens": "move_vm", "vm": "web-1", "cluster": "cluster-2"}]`)

	moved := x.vm(before.ID)
	if moved.Cluster.Name != "cluster-2" || moved.LocalID == before.LocalID || x.nics(before.ID)[0].Vlan.Name != "default" {
		t.Errorf("the VM went to %+v", moved.Cluster)
	}
}

func TestEventPutsHostIntoMaintenance(t *testing.T) {
	x := start(t, pair)
	host := func(name string) wire.Host {
		return post[[]wire.Host](x, "get-hosts", object{"where": object{"name": name, "cluster": object{"name": "cluster-1"}}})[0]
	}
	x.inject(`[{"happens": "set_host_state", "host": "h1", "state": "MAINTENANCE_MODE"}]`)

	if got := host("h1"); got.HostState.State != wire.MaintenanceModeEnumMaintenanceMode || *got.RunningVMNum != 0 {
		t.Errorf("h1 is %+v with %d VMs", got.HostState, *got.RunningVMNum)
	}

	if got := host("h2"); *got.RunningVMNum != 2 {
		t.Errorf("%d VMs run on h2", *got.RunningVMNum)
	}

	x.inject(`[{"happens": "set_host_state", "host": "h1", "state": "IN_USE"}]`)

	if got := host("h1"); got.HostState.State != wire.MaintenanceModeEnumInUse || got.HostState.EnterMaintenanceTime != "" {
		t.Errorf("h1 is %+v", got.HostState)
	}
}

func TestHighlyAvailableVMsLeaveALostHost(t *testing.T) {
	x := start(t, `
inventory: {clusters: [{name: cluster-1, hosts: [{name: h1}, {name: h2}]}]}
faults: [{operation: get-tasks, skip: 2, happens: set_host_state, host: h1, state: CONNECTED_ERROR}]`)
	vm := x.newVM(object{"name": "a", "ha": true, "host_id": x.idOf("get-hosts", "h1")})
	pinned := x.newVM(object{"name": "b", "ha": false, "host_id": x.idOf("get-hosts", "h1")})
	x.Advance(120 * second)

	if x.vm(vm.ID).IPs == "" {
		t.Fatal("the guest reports nothing")
	}

	x.call("get-tasks", object{})

	if got := x.vm(vm.ID); got.Host.Name != "h2" || got.Status != wire.VMStatusRunning || got.IPs != "" {
		t.Errorf("the VM is %s on %s with %q", got.Status, got.Host.Name, got.IPs)
	}

	if got := x.vm(pinned.ID); got.Host.Name != "h1" {
		t.Errorf("the VM without HA is on %s", got.Host.Name)
	}
}

func TestEventLosesTaskRecords(t *testing.T) {
	x := start(t, "faults: [{operation: get-tasks, skip: 1, times: 1, happens: lose_tasks}]")
	reply := x.create(object{"name": "a"})[0]
	x.task(reply.TaskID)

	if tasks := post[[]wire.Task](x, "get-tasks", byID(*reply.TaskID)); len(tasks) != 0 {
		t.Errorf("%d tasks are left", len(tasks))
	}

	x.finishTasks()

	if vm := x.vm(reply.Data.ID); vm.EntityAsyncStatus != nil || vm.Status != wire.VMStatusRunning {
		t.Errorf("the work did not continue: %+v", vm)
	}
}

func TestEventRevokesSessions(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, skip: 1, happens: revoke_sessions}]")
	if got := x.statuses("get-vms", 3); !equalInts(got, []int{200, 401, 401}) {
		t.Errorf("got %v", got)
	}
}

func TestFailedCreationLeavesVolumes(t *testing.T) {
	x := start(t, `faults: [{operation: create-vm-from-content-library-template, times: 2,
		task_error: {code: EAllocSpace, message: full, leaks_volumes: true}}]`)

	for range 2 {
		reply := x.create(object{"name": "a"})[0]
		x.finishTasks()
		x.failed(reply.TaskID, "EAllocSpace")

		if vms := x.vms(object{}); len(vms) != 0 {
			t.Errorf("%d VMs were created", len(vms))
		}
	}

	volumes := post[[]wire.VMVolume](x, "get-vm-volumes", object{"where": object{"name": "a-1", "mounting": false}})
	if len(volumes) != 2 {
		t.Errorf("%d volumes were left", len(volumes))
	}
}

func TestOrphanAppearsAfterAFailedCreation(t *testing.T) {
	x := start(t, `faults: [{operation: create-vm-from-content-library-template, times: 1,
		task_error: {code: JOB_TIMEOUT, message: late, orphan: 40s}}]`)
	reply := x.create(object{"name": "a"})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "JOB_TIMEOUT")
	x.Advance(36 * second)

	if vms := x.vms(object{}); len(vms) != 0 {
		t.Errorf("%d VMs are there", len(vms))
	}

	x.Advance(10 * second)

	vms := x.vms(object{"name": "a"})
	if len(vms) != 1 || vms[0].ID == reply.Data.ID || vms[0].Status != wire.VMStatusRunning {
		t.Fatalf("got %+v", vms)
	}

	// A client that tries again now finds that the name is taken.
	again := x.create(object{"name": "a"})[0]
	x.finishTasks()
	x.failed(again.TaskID, "VM_DUPLICATED_NAME")
}

func TestRetryAfterAnOrphanGivesTwoVMs(t *testing.T) {
	x := start(t, `faults: [{operation: create-vm-from-content-library-template, times: 1,
		task_error: {code: JOB_TIMEOUT, message: late, orphan: 40s}}]`)
	x.create(object{"name": "a"})
	x.finishTasks()
	x.newVM(object{"name": "a"})
	x.Advance(60 * second)

	if vms := x.vms(object{"name": "a"}); len(vms) != 2 {
		t.Errorf("%d VMs have the name", len(vms))
	}
}

func TestWrongJSON(t *testing.T) {
	x := start(t, "faults: [{operation: get-vms, body: wrong}]")
	status, raw := x.call("get-vms", object{})

	var rows []wire.VM
	if err := json.Unmarshal(raw, &rows); err == nil || status != 200 || !json.Valid(raw) {
		t.Errorf("status %d: %s", status, raw)
	}
}

func TestEventsAreChecked(t *testing.T) {
	for fault, field := range map[string]string{
		"{operation: get-vms, happens: vanish}":                                 "happens",
		"{operation: get-vms, happens: hide_vm}":                                "for",
		"{operation: get-vms, happens: hide_vm, for: never}":                    "for",
		"{operation: get-vms, happens: lose_tasks, vm: a}":                      "vm",
		"{operation: get-vms, happens: delete_vm, status: 500}":                 "",
		"{operation: get-vms, happens: delete_vm, slow: 1s}":                    "slow",
		"{operation: get-vms, happens: delete_vm, vm: '[a'}":                    "vm",
		"{operation: get-vms, happens: delete_vm, after: never}":                "after",
		"{operation: get-vms, happens: move_vm, host: a, cluster: b}":           "cluster",
		"{operation: get-vms, happens: set_host_state, host: a, state: BROKEN}": "state",
		"{happens: set_vm_tools, state: GONE}":                                  "state",
		"{happens: set_host_state, state: IN_USE}":                              "host",
		"{operation: get-vms, status: 500, vm: a}":                              "vm",
		"{operation: get-vms, status: 500, after: 1s}":                          "after",
		"{operation: get-vms, happens: move_vm, host: cluster-1-host-9}":        "host",
		"{operation: get-vms, happens: move_vm, cluster: cluster-9}":            "cluster",
		"{happens: set_host_state, host: cluster-9-host-1, state: IN_USE}":      "host",
		"{status: 500}": "operation",
		"{operation: nonsense, happens: lose_tasks}":                               "operation",
		"{operation: start-vm, task_error: {code: a, leaks_volumes: true}}":        "task_error.leaks_volumes",
		"{operation: start-vm, task_error: {code: a, orphan: 1s}}":                 "task_error.orphan",
		"{operation: create-vm, task_error: {code: a, message: b, orphan: never}}": "task_error.orphan",
		"{operation: get-vms, task_error: {code: a}}":                              "task_error",
		"{operation: login, task_error: {code: a}}":                                "task_error",
		"{operation: get-vms, body: broken}":                                       "body",
	} {
		_, err := towersim.ParseScenario([]byte("faults:\n  - " + fault))

		var invalid *towersim.ScenarioError
		if !errors.As(err, &invalid) || invalid.Field != strings.TrimSuffix("faults[0]."+field, ".") || invalid.Line != 2 {
			t.Errorf("%s: got %v", fault, err)
		}
	}
}
