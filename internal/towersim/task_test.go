// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func TestTaskPassesItsStates(t *testing.T) {
	x := start(t, "")
	id := x.create(object{})[0].TaskID

	if task := x.task(id); task.Status != wire.TaskStatusPending || task.StartedAt != nil {
		t.Errorf("at once: %+v", task)
	}

	x.Advance(second)

	if task := x.task(id); task.Status != wire.TaskStatusExecuting || task.Progress <= 0 || task.Progress >= 1 || task.FinishedAt != nil {
		t.Errorf("after a second: %+v", task)
	}

	x.Advance(second)

	if task := x.task(id); task.Status != wire.TaskStatusSuccessed || task.Progress != 1 || task.FinishedAt == nil {
		t.Errorf("after two seconds: %+v", task)
	}
}

func TestTaskNamesItsResource(t *testing.T) {
	x := start(t, "")
	reply := x.create(object{"name": "a"})[0]
	task := x.task(reply.TaskID)

	if text(task.ResourceID) != reply.Data.ID || text(task.ResourceType) != "Vm" || task.Cluster.Name != "cluster-1" || task.User.Name != "root" {
		t.Errorf("got %+v", task)
	}

	if task.Description != "Create a VM a from a VM template rocky-8" {
		t.Errorf("the description is %q", task.Description)
	}
}

func TestZeroTaskTimeIsDoneAtFirstPoll(t *testing.T) {
	x := start(t, "timing: {task: 0s}")
	reply := x.create(object{})[0]
	x.succeeded(reply.TaskID)

	stopped := post[[]vmReply](x, "poweroff-vm", byID(reply.Data.ID))[0]
	x.succeeded(stopped.TaskID)

	if vm := x.vm(reply.Data.ID); vm.Status != wire.VMStatusStopped || vm.EntityAsyncStatus != nil {
		t.Errorf("got %s, %v", vm.Status, vm.EntityAsyncStatus)
	}
}

func TestResourceStaysMarkedAfterItsTask(t *testing.T) {
	x := start(t, "")
	reply := x.create(object{})[0]
	x.Advance(2 * second)
	x.succeeded(reply.TaskID)

	if vm := x.vm(reply.Data.ID); vm.EntityAsyncStatus == nil {
		t.Fatal("the VM is idle as soon as its task is done")
	}

	x.refused("poweroff-vm", byID(reply.Data.ID), http.StatusBadRequest)
	x.Advance(second)

	if vm := x.vm(reply.Data.ID); vm.EntityAsyncStatus != nil {
		t.Errorf("the VM is still %s", *vm.EntityAsyncStatus)
	}
}

func TestOverlappingChangeIsLocked(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.operateWithoutWaiting("poweroff-vm", vm.ID)

	got := x.refused("start-vm", byID(vm.ID), http.StatusBadRequest)
	if got.Code == nil || *got.Code != wire.ErrorCodeResourceLocked || !strings.Contains(got.Message, "VM-"+vm.ID) {
		t.Errorf("got %+v", got)
	}

	raw, err := json.Marshal(got.Props)
	if err != nil || string(raw) != `{"locked_resources":[{"id":"`+vm.ID+`","type":"VM"}]}` {
		t.Errorf("props are %s", raw)
	}
}

func (x *tower) operateWithoutWaiting(operation, vmID string) {
	x.t.Helper()
	post[[]vmReply](x, operation, byID(vmID))
}

func TestOneLockedVMStopsTheWholeRequest(t *testing.T) {
	x := start(t, "")
	a, b := x.newVM(object{"name": "a"}), x.newVM(object{"name": "b"})
	x.operateWithoutWaiting("poweroff-vm", a.ID)
	x.refused("suspend-vm", object{"where": object{"name_in": []string{"a", "b"}}}, http.StatusBadRequest)
	x.finishTasks()

	if vm := x.vm(b.ID); vm.Status != wire.VMStatusRunning {
		t.Errorf("the other VM is %s", vm.Status)
	}
}

func TestOldTowersHaveNoLocks(t *testing.T) {
	x := start(t, "version: 3.2.0")
	vm := x.newVM(object{})
	x.operateWithoutWaiting("poweroff-vm", vm.ID)
	x.operateWithoutWaiting("start-vm", vm.ID)
}

func TestVolumeIsLockedByItsOwnName(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	id := x.disks(vm.ID)[0].VMVolume.ID
	body := object{"where": object{"id": id}, "data": object{"name": "a"}}

	post[[]wire.WithTask[wire.VMVolume]](x, "update-vm-volume", body)

	got := x.refused("update-vm-volume", body, http.StatusBadRequest)
	if !strings.Contains(got.Message, "VM_VOLUME-"+id) {
		t.Errorf("got %+v", got)
	}
}

func TestFailedTaskHasLayeredText(t *testing.T) {
	x := start(t, `faults: [{operation: create-vm-from-content-library-template, task_error: {code: VM_DUPLICATED_NAME, message: taken}}]`)
	id := x.create(object{})[0].TaskID
	x.finishTasks()

	task := x.task(id)
	want := "Cannot unwrap Ok value of Result.Err.\r\ncode: CREATE_VM_FORM_TEMPLATE_FAILED\r\n" +
		`message: {"data":{},"ec":"VM_DUPLICATED_NAME","error":{"msg":"[VM_DUPLICATED_NAME]taken"}}`

	if text(task.ErrorMessage) != want || text(task.ErrorCode) != "CREATE_VM_FORM_TEMPLATE_FAILED" {
		t.Errorf("got %q, %q", text(task.ErrorCode), text(task.ErrorMessage))
	}
}

func TestFailedTaskCanLackItsMessage(t *testing.T) {
	x := start(t, `faults: [{operation: start-vm, task_error: {code: A, bare: true}}]`)
	vm := x.newVM(object{"status": "STOPPED"})

	if task := x.task(x.operate("start-vm", vm.ID).TaskID); task.Status != wire.TaskStatusFailed || task.ErrorMessage != nil {
		t.Errorf("got %+v", task)
	}
}

func TestDroppedTasksAreNotFoundAndTheWorkGoesOn(t *testing.T) {
	x := start(t, "")
	reply := x.create(object{})[0]
	x.DropTasks()

	if tasks := post[[]wire.Task](x, "get-tasks", byID(*reply.TaskID)); len(tasks) != 0 {
		t.Errorf("%d tasks are left", len(tasks))
	}

	x.finishTasks()

	if vm := x.vm(reply.Data.ID); vm.Status != wire.VMStatusRunning || vm.EntityAsyncStatus != nil {
		t.Errorf("the VM is %s, %v", vm.Status, vm.EntityAsyncStatus)
	}
}

func TestDescriptionsFollowTheLanguage(t *testing.T) {
	x := start(t, "")
	id := x.create(object{"name": "a"})[0].TaskID

	for language, want := range map[string]string{
		"en-US": "Create a VM a from a VM template rocky-8",
		"zh-CN": "从虚拟机模板 rocky-8 创建虚拟机 a",
		"*":     `{"en-US":"Create a VM a from a VM template rocky-8","zh-CN":"从虚拟机模板 rocky-8 创建虚拟机 a"}`,
	} {
		_, raw, err := x.send(http.MethodPost, "/v2/api/get-tasks", byID(*id), http.Header{"Content-Language": {language}})
		if err != nil {
			t.Fatal(err)
		}

		var tasks []wire.Task
		if err := json.Unmarshal(raw, &tasks); err != nil || len(tasks) != 1 || tasks[0].Description != want {
			t.Errorf("%s: %v: %s", language, err, raw)
		}
	}

	response, _, err := x.send(http.MethodPost, "/v2/api/get-tasks", object{}, http.Header{"Content-Language": {"de-DE"}})
	if err != nil || response.StatusCode != http.StatusBadRequest {
		t.Errorf("de-DE: %v, %v", response, err)
	}
}

func TestMutationWithoutMatchIsEmpty(t *testing.T) {
	x := start(t, "")

	for operation, body := range map[string]object{
		"start-vm":               byID("x"),
		"delete-vm":              byID("x"),
		"update-vm-basic-info":   {"where": object{"id": "x"}, "data": object{"name": "a"}},
		"remove-vm-nic-by-where": {"where": object{"id": "x"}, "effect": object{}},
		"expand-vm-disk":         {"where": object{"id": "x"}, "size": 1},
		"update-vm-volume":       {"where": object{"id": "x"}, "data": object{}},
		"delete-label":           byID("x"),
	} {
		if status, raw := x.call(operation, body); status != http.StatusOK || string(raw) != "[]" {
			t.Errorf("%s: %d %s", operation, status, raw)
		}
	}
}

func TestMutationActsOnEveryMatch(t *testing.T) {
	x := start(t, "")
	x.newVM(object{"name": "a"})
	x.newVM(object{"name": "b"})

	replies := post[[]vmReply](x, "poweroff-vm", object{"where": object{}})
	x.finishTasks()

	if len(replies) != 2 || len(x.vms(object{"status": "STOPPED"})) != 2 {
		t.Errorf("%d replies, %d VMs are stopped", len(replies), len(x.vms(object{"status": "STOPPED"})))
	}
}

func TestRefusalsFollowTheLanguage(t *testing.T) {
	x := start(t, "")

	for language, want := range map[string]string{
		"":      "There is no VM snapshot none",
		"en-US": "There is no VM snapshot none",
		"zh-CN": "未找到: There is no VM snapshot none",
		"*":     `{"en-US":"There is no VM snapshot none","zh-CN":"未找到: There is no VM snapshot none"}`,
		"de-DE": `content-language: "de-DE" is not one of zh-CN, en-US`,
	} {
		_, raw, err := x.send(http.MethodPost, "/v2/api/rollback-vm", edit("none", object{"snapshot_id": "none"}),
			http.Header{"Content-Language": {language}})
		if err != nil {
			t.Fatal(err)
		}

		var body wire.ErrorBody
		if err := json.Unmarshal(raw, &body); err != nil || body.Message != want {
			t.Errorf("%q: %v: %s", language, err, raw)
		}
	}

	old := start(t, "version: 4.3.0")

	response, raw, err := old.send(http.MethodPost, "/v2/api/get-vms", object{}, http.Header{"Content-Language": {"*"}})
	if err != nil || response.StatusCode != http.StatusBadRequest {
		t.Errorf("a Tower before 4.4 accepts *: %v: %s", err, raw)
	}
}
