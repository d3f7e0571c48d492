// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"errors"
	"sync/atomic"
	"testing"
)

func TestUpdateVM(t *testing.T) {
	f := newFake(t)
	f.oneTask(done)
	f.oneVM(func(int) map[string]any {
		v := vmJSON("vm-1", StatusRunning, "")
		v["name"], v["memory"] = "new", 4<<30
		return v
	})
	f.on("update-vm-basic-info", func(int, request) answer { return accept("task") })
	c := f.client()
	if err := c.UpdateVM(short(t), "vm-1", VMUpdate{}); err != nil || f.count("update-vm-basic-info") != 0 {
		t.Errorf("an empty update: %v, %d calls", err, f.count("update-vm-basic-info"))
	}
	err := c.UpdateVM(short(t), "vm-1", VMUpdate{Name: ptr("new"), CPUCores: ptr(2), CPUSockets: ptr(2), MemoryBytes: ptr(int64(4 << 30))})
	if err != nil {
		t.Fatal(err)
	}
	wantOnly(t, f, "update-vm-basic-info")
	data := f.seen("update-vm-basic-info")[0].body["data"].(map[string]any)
	want := map[string]any{"name": "new", "cpu_cores": 2.0, "cpu_sockets": 2.0, "vcpu": 4.0, "memory": float64(4 << 30)}
	if len(data) != len(want) {
		t.Errorf("sent %v, want %v", data, want)
	}
	for k, v := range want {
		if data[k] != v {
			t.Errorf("sent %s = %v, want %v", k, data[k], v)
		}
	}
}

// removable is a VM that goes when it is deleted.
func removable(f *fake, taskStatus string, goes bool) *atomic.Bool {
	var gone atomic.Bool
	f.oneVM(func(int) map[string]any {
		if gone.Load() {
			return nil
		}
		return vmJSON("vm-1", StatusStopped, "")
	})
	f.on("delete-vm", func(int, request) answer {
		gone.Store(goes)
		return accept("task")
	})
	f.on("get-tasks", func(int, request) answer {
		task := taskJSON("task", taskStatus)
		if taskStatus == taskFailed {
			task["error_code"], task["error_message"] = "VM_NOT_STOPPED", "[VM_NOT_STOPPED]stop it first"
		}
		return answer{body: []any{task}}
	})
	return &gone
}

func TestDeleteVM(t *testing.T) {
	f := newFake(t)
	removable(f, taskSucceeded, true)
	if err := f.client().DeleteVM(short(t), "vm-1"); err != nil {
		t.Fatal(err)
	}
	if n := f.count("delete-vm"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
	wantOnly(t, f, "delete-vm")
}

func TestDeleteVM_goneAlready(t *testing.T) {
	f := newFake(t)
	removable(f, taskSucceeded, true).Store(true)
	if err := f.client().DeleteVM(short(t), "vm-1"); err != nil {
		t.Fatal(err)
	}
	if n := f.count("delete-vm"); n != 0 {
		t.Errorf("%d calls, want none", n)
	}
	if n := f.count("get-vms"); n < 2 {
		t.Errorf("one look was enough, though a VM can vanish for a moment")
	}
}

// A VM that vanishes for one look is deleted all the same.
func TestDeleteVM_vanishesForAMoment(t *testing.T) {
	f := newFake(t)
	gone := removable(f, taskSucceeded, true)
	f.oneVM(func(n int) map[string]any {
		if n == 1 || gone.Load() {
			return nil
		}
		return vmJSON("vm-1", StatusStopped, "")
	})
	if err := f.client().DeleteVM(short(t), "vm-1"); err != nil {
		t.Fatal(err)
	}
	if n := f.count("delete-vm"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

func TestDeleteVM_inTheRecycleBin(t *testing.T) {
	f := newFake(t)
	f.oneVM(func(int) map[string]any {
		v := vmJSON("vm-1", StatusStopped, "")
		v["in_recycle_bin"] = true
		return v
	})
	if err := f.client().DeleteVM(short(t), "vm-1"); err != nil {
		t.Fatal(err)
	}
	if n := f.count("delete-vm"); n != 0 {
		t.Errorf("a VM in the recycle bin was purged")
	}
}

// Someone else deletes the VM between the look and the call.
func TestDeleteVM_someoneWasFaster(t *testing.T) {
	for name, late := range map[string]answer{
		"empty reply": {body: []any{}},
		"404":         refusal(404, "", "no such VM"),
		"failed task": accept("task"),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			gone := removable(f, taskFailed, true)
			f.on("delete-vm", func(int, request) answer {
				gone.Store(true)
				return late
			})
			if err := f.client().DeleteVM(short(t), "vm-1"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDeleteVM_taskFails(t *testing.T) {
	f := newFake(t)
	removable(f, taskFailed, false)
	err := f.client().DeleteVM(short(t), "vm-1")
	var failed *TaskError
	if !errors.As(err, &failed) || failed.Code != "VM_NOT_STOPPED" || failed.Message != "stop it first" || failed.RequestID != "req-task" {
		t.Errorf("got %v", err)
	}
}

// The reply is lost, the VM goes: nothing is sent again.
func TestDeleteVM_lostReply(t *testing.T) {
	f := newFake(t)
	gone := removable(f, taskSucceeded, true)
	f.on("delete-vm", func(int, request) answer {
		gone.Store(true)
		return answer{drop: true}
	})
	if err := f.client().DeleteVM(short(t), "vm-1"); err != nil {
		t.Fatal(err)
	}
	if n := f.count("delete-vm"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

func TestMoveVMToRecycleBin(t *testing.T) {
	f := newFake(t)
	var binned atomic.Bool
	f.oneTask(done)
	f.oneVM(func(int) map[string]any {
		v := vmJSON("vm-1", StatusStopped, "")
		v["in_recycle_bin"] = binned.Load()
		return v
	})
	f.on("move-vm-to-recycle", func(int, request) answer {
		binned.Store(true)
		return accept("task")
	})
	c := f.client()
	for range 2 {
		if err := c.MoveVMToRecycleBin(short(t), "vm-1"); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.count("move-vm-to-recycle"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

// A record of the task that Tower does not show, or shows no longer, leaves the decision to the VM.
func TestTask_forgotten(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status string
		fails  bool
	}{{"the VM shows the effect", StatusRunning, false}, {"the VM does not show it", StatusStopped, true}} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			p := newPowered(f, StatusStopped, map[string]string{"start-vm": tc.status})
			f.on("get-tasks", func(int, request) answer { return answer{body: []any{}} })
			err := f.client().StartVM(short(t), "vm-1", "")
			if (err != nil) != tc.fails {
				t.Errorf("got %v; the VM is %s", err, p.status)
			}
			if n := f.count("get-tasks"); n < missesOfTask {
				t.Errorf("%d looks for the task, want %d at least", n, missesOfTask)
			}
		})
	}
}

// A task that comes and goes is not forgotten: only looks in a row count.
func TestTask_comesAndGoes(t *testing.T) {
	f := newFake(t)
	p := newPowered(f, StatusStopped, nil)
	f.on("start-vm", func(int, request) answer { return accept("task") })
	f.on("get-tasks", func(n int, _ request) answer {
		switch {
		case n == 3*missesOfTask:
			p.set(StatusRunning, "")
			return answer{body: []any{taskJSON("task", taskSucceeded)}}
		case n%2 == 0:
			return answer{body: []any{taskJSON("task", "EXECUTING")}}
		}
		return answer{body: []any{}}
	})
	if err := f.client().StartVM(short(t), "vm-1", ""); err != nil {
		t.Fatal(err)
	}
	if n := f.count("get-tasks"); n < 3*missesOfTask {
		t.Errorf("the task was given up after %d looks", n)
	}
}

// Only SUCCESSED and FAILED end a task; a look that fails ends nothing.
func TestTask_statuses(t *testing.T) {
	f := newFake(t)
	newPowered(f, StatusStopped, map[string]string{"start-vm": StatusRunning})
	f.on("get-tasks", func(n int, _ request) answer {
		switch n {
		case 1:
			return answer{body: []any{}}
		case 2:
			return refusal(500, "", "boom")
		case 3:
			return answer{drop: true}
		}
		status := []string{"PENDING", "EXECUTING", "PAUSED", "SOMETHING_NEW", taskSucceeded}[min(n-4, 4)]
		return answer{body: []any{taskJSON("task", status)}}
	})
	if err := f.client().StartVM(short(t), "vm-1", ""); err != nil {
		t.Fatal(err)
	}
	if n := f.count("get-tasks"); n < 8 {
		t.Errorf("the wait ended after %d looks, before the task", n)
	}
}

func TestTask_lookRefused(t *testing.T) {
	f := newFake(t)
	newPowered(f, StatusStopped, map[string]string{"start-vm": StatusRunning})
	f.on("get-tasks", func(int, request) answer { return refusal(403, "", "no tasks for you") })
	err := f.client().StartVM(short(t), "vm-1", "")
	var call *Error
	if !errors.As(err, &call) || call.HTTPStatus != 403 {
		t.Errorf("got %v, want the refusal", err)
	}
}
