// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// wantOnly checks that each request of an operation names the one VM meant.
func wantOnly(t *testing.T, f *fake, op string) {
	t.Helper()
	for _, r := range f.seen(op) {
		where, _ := r.body["where"].(map[string]any)
		if len(where) != 1 || where["id"] != "vm-1" {
			t.Errorf("%s with the filter %v, want the id alone", op, r.body["where"])
		}
	}
}

// powered is a VM whose power follows the operations that the fake accepts.
type powered struct {
	mu     sync.Mutex
	status string
	async  string
	gone   bool
}

func (p *powered) set(status, async string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.async = status, async
}

func (p *powered) show(int) map[string]any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil
	}
	return vmJSON("vm-1", p.status, p.async)
}

// newPowered makes the fake show a VM, and operations that change its status at once.
func newPowered(f *fake, status string, effects map[string]string) *powered {
	p := &powered{status: status}
	f.oneVM(p.show)
	f.on("get-tasks", func(_ int, r request) answer {
		return answer{body: []any{taskJSON("task", taskSucceeded)}}
	})
	for op, to := range effects {
		f.on(op, func(int, request) answer {
			p.set(to, "")
			return accept("task")
		})
	}
	return p
}

func TestStartVM(t *testing.T) {
	for _, tc := range []struct {
		name, from, host string
		starts, resumes  int
	}{
		{"stopped", StatusStopped, "", 1, 0},
		{"on a host", StatusStopped, "host-1", 1, 0},
		{"suspended", StatusSuspended, "", 0, 1},
		{"running", StatusRunning, "", 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			newPowered(f, tc.from, map[string]string{"start-vm": StatusRunning, "resume-vm": StatusRunning})
			if err := f.client().StartVM(short(t), "vm-1", tc.host); err != nil {
				t.Fatal(err)
			}
			if s, r := f.count("start-vm"), f.count("resume-vm"); s != tc.starts || r != tc.resumes {
				t.Errorf("%d starts and %d resumes, want %d and %d", s, r, tc.starts, tc.resumes)
			}
			wantOnly(t, f, "start-vm")
			for _, r := range f.seen("start-vm") {
				data, _ := r.body["data"].(map[string]any)
				if tc.host == "" && data != nil || tc.host != "" && data["host_id"] != tc.host {
					t.Errorf("data %v, want the host %q", data, tc.host)
				}
			}
		})
	}
}

func TestStartVM_inTheRecycleBin(t *testing.T) {
	f := newFake(t)
	f.oneVM(func(int) map[string]any {
		v := vmJSON("vm-1", StatusStopped, "")
		v["in_recycle_bin"] = true
		return v
	})
	if err := f.client().StartVM(short(t), "vm-1", ""); !errors.Is(err, ErrNotFound) || f.count("start-vm") != 0 {
		t.Errorf("got %v after %d calls", err, f.count("start-vm"))
	}
}

func TestSuspendAndResume(t *testing.T) {
	f := newFake(t)
	newPowered(f, StatusRunning, map[string]string{"suspend-vm": StatusSuspended, "resume-vm": StatusRunning})
	c, ctx := f.client(), short(t)
	for range 2 {
		if err := c.SuspendVM(ctx, "vm-1"); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := c.ResumeVM(ctx, "vm-1"); err != nil {
			t.Fatal(err)
		}
	}
	if s, r := f.count("suspend-vm"), f.count("resume-vm"); s != 1 || r != 1 {
		t.Errorf("%d suspends and %d resumes, want one of each", s, r)
	}
}

func TestStopVM(t *testing.T) {
	for _, tc := range []struct {
		name      string
		from      string
		opts      StopOptions
		ignores   string // how the guest treats the shutdown: "" obeys, "fails" its task fails, "hangs" its task never ends
		shutdowns int
		offs      int
		fails     bool
	}{
		{"obeys", StatusRunning, StopOptions{Graceful: time.Minute, Force: true}, "", 1, 0, false},
		{"stopped already", StatusStopped, StopOptions{Graceful: time.Minute, Force: true}, "", 0, 0, false},
		{"suspended", StatusSuspended, StopOptions{Graceful: time.Minute}, "", 0, 1, false},
		{"at once", StatusRunning, StopOptions{Force: true}, "", 0, 1, false},
		{"ignored, forced", StatusRunning, StopOptions{Graceful: time.Minute, Force: true}, "fails", 1, 1, false},
		{"ignored, not forced", StatusRunning, StopOptions{Graceful: time.Minute}, "fails", 1, 0, true},
		{"time over, forced", StatusRunning, StopOptions{Graceful: 50 * time.Millisecond, Force: true}, "hangs", 1, 1, false},
		{"time over, not forced", StatusRunning, StopOptions{Graceful: 50 * time.Millisecond}, "hangs", 1, 0, true},
		{"no time of its own", StatusRunning, StopOptions{}, "", 1, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			p := newPowered(f, tc.from, map[string]string{"poweroff-vm": StatusStopped, "shutdown-vm": StatusStopped})
			if tc.ignores != "" {
				f.on("shutdown-vm", func(int, request) answer { return accept("shutdown") })
				f.on("get-tasks", func(_ int, r request) answer {
					if !strings.Contains(r.raw, "shutdown") {
						return answer{body: []any{taskJSON("task", taskSucceeded)}}
					}
					task := taskJSON("shutdown", "EXECUTING")
					if tc.ignores == "fails" {
						task["status"], task["error_code"], task["error_message"] = taskFailed, codeShutdownTimeout, nil
					}
					return answer{body: []any{task}}
				})
			}
			err := f.client().StopVM(short(t), "vm-1", tc.opts)
			if (err != nil) != tc.fails {
				t.Errorf("got the error %v", err)
			}
			if s, o := f.count("shutdown-vm"), f.count("poweroff-vm"); s != tc.shutdowns || o != tc.offs {
				t.Errorf("%d shutdowns and %d power-offs, want %d and %d", s, o, tc.shutdowns, tc.offs)
			}
			wantOnly(t, f, "shutdown-vm")
			wantOnly(t, f, "poweroff-vm")
			var failed *TaskError
			switch {
			case !tc.fails && p.status != StatusStopped:
				t.Errorf("the VM is %s", p.status)
			case tc.fails && !strings.Contains(err.Error(), "not allowed"):
				t.Errorf("the error does not say that powering off is not allowed: %v", err)
			case tc.fails && tc.ignores == "fails" && (!errors.As(err, &failed) || failed.Code != codeShutdownTimeout):
				t.Errorf("the task's error is lost: %v", err)
			}
		})
	}
}

func TestOperations_refuseAnEmptyID(t *testing.T) {
	f := newFake(t)
	c, ctx := f.client(), short(t)
	for name, run := range map[string]func() error{
		"start":   func() error { return c.StartVM(ctx, "", "") },
		"stop":    func() error { return c.StopVM(ctx, "", StopOptions{Force: true}) },
		"restart": func() error { return c.RestartVM(ctx, "", StopOptions{Force: true}) },
		"suspend": func() error { return c.SuspendVM(ctx, "") },
		"resume":  func() error { return c.ResumeVM(ctx, "") },
		"update":  func() error { return c.UpdateVM(ctx, "", VMUpdate{Name: ptr("x")}) },
		"delete":  func() error { return c.DeleteVM(ctx, "") },
		"recycle": func() error { return c.MoveVMToRecycleBin(ctx, "") },
		"operate": func() error { return c.vms.carryOut(ctx, "", c.poweringOff()) },
	} {
		if err := run(); err == nil {
			t.Errorf("%s accepted an empty id", name)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		t.Errorf("%s was called", r.path)
	}
}

func TestOperation_lockedUntilFree(t *testing.T) {
	f := newFake(t)
	p := newPowered(f, StatusStopped, nil)
	p.set(StatusStopped, "UPDATING")
	var looks atomic.Int32
	f.oneVM(func(int) map[string]any {
		if looks.Add(1) == 6 {
			p.set(StatusStopped, "")
		}
		return p.show(0)
	})
	f.on("start-vm", func(n int, _ request) answer {
		if n < 3 {
			a := refusal(400, "ResourceLocked", "VM-vm-1 is locked")
			a.body.(map[string]any)["props"] = map[string]any{"locked_resources": []any{map[string]any{"id": "vm-1", "type": "VM"}, map[string]any{"id": "vol", "type": "VM_VOLUME"}}}
			return a
		}
		p.set(StatusRunning, "")
		return accept("task")
	})
	if err := f.client().StartVM(short(t), "vm-1", ""); err != nil {
		t.Fatal(err)
	}
	if n := f.count("start-vm"); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}

// A change waits for the other VMs and volumes that Tower names as locked before it is sent again.
func TestOperation_lockedByOthers(t *testing.T) {
	for typ, read := range map[string]string{"VM": "get-vms", "VM_VOLUME": "get-vm-volumes"} {
		t.Run(typ, func(t *testing.T) {
			f := newFake(t)
			p := newPowered(f, StatusStopped, nil)
			var looks atomic.Int32
			f.on(read, func(_ int, r request) answer {
				if !strings.Contains(r.raw, "other") {
					return answer{body: []any{p.show(0)}}
				}
				other := vmJSON("other", StatusStopped, "")
				if looks.Add(1) < 4 {
					other["entityAsyncStatus"] = "UPDATING"
				}
				return answer{body: []any{other}}
			})
			f.on("start-vm", func(n int, _ request) answer {
				if n == 1 {
					a := refusal(400, "ResourceLocked", "other is locked")
					a.body.(map[string]any)["props"] = map[string]any{"locked_resources": []any{map[string]any{"id": "other", "type": typ}}}
					return a
				}
				if looks.Load() != 4 {
					t.Errorf("sent again after %d looks, want 4", looks.Load())
				}
				p.set(StatusRunning, "")
				return accept("task")
			})
			if err := f.client().StartVM(short(t), "vm-1", ""); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestOperation_lockedTooLong(t *testing.T) {
	f := newFake(t)
	newPowered(f, StatusStopped, nil)
	ctx, cancel := context.WithCancel(short(t))
	f.on("start-vm", func(n int, _ request) answer {
		a := refusal(400, "ResourceLocked", "VM-vm-1 is locked")
		if n == 3 {
			a.then = cancel
		}
		return a
	})
	err := f.client().StartVM(ctx, "vm-1", "")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// What held the lock did what was wanted: nothing is left to do.
func TestOperation_lockedByTheSame(t *testing.T) {
	f := newFake(t)
	p := newPowered(f, StatusRunning, nil)
	f.on("poweroff-vm", func(int, request) answer {
		p.set(StatusStopped, "")
		return refusal(400, "ResourceLocked", "VM-vm-1 is locked")
	})
	if err := f.client().StopVM(short(t), "vm-1", StopOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if n := f.count("poweroff-vm"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

func TestOperation_nothingToChange(t *testing.T) {
	f := newFake(t)
	newPowered(f, StatusStopped, nil)
	f.on("start-vm", func(int, request) answer { return answer{status: 304} })
	if err := f.client().StartVM(short(t), "vm-1", ""); err != nil {
		t.Errorf("304 is a success, got %v", err)
	}
}

func TestOperation_emptyReply(t *testing.T) {
	f := newFake(t)
	newPowered(f, StatusStopped, nil)
	f.on("start-vm", func(int, request) answer {
		return answer{body: []any{}, header: map[string]string{"x-tower-request-id": "req-9"}}
	})
	err := f.client().StartVM(short(t), "vm-1", "")
	var call *Error
	if !errors.Is(err, ErrNotFound) || !errors.As(err, &call) || call.RequestID != "req-9" {
		t.Errorf("got %v, want ErrNotFound with the request id", err)
	}
}

// The connection breaks before Tower acts: the VM shows that nothing happened, so the call is made again.
func TestOperation_lostBeforeTheEffect(t *testing.T) {
	f := newFake(t)
	p := newPowered(f, StatusStopped, nil)
	f.on("start-vm", func(n int, _ request) answer {
		if n == 1 {
			return answer{drop: true}
		}
		p.set(StatusRunning, "")
		return accept("task")
	})
	if err := f.client().StartVM(short(t), "vm-1", ""); err != nil {
		t.Fatal(err)
	}
	if n := f.count("start-vm"); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

// The connection breaks after Tower acted: the VM shows it, and the call is not made again.
func TestOperation_lostAfterTheEffect(t *testing.T) {
	f := newFake(t)
	p := newPowered(f, StatusStopped, nil)
	var looks atomic.Int32
	f.oneVM(func(int) map[string]any {
		if looks.Add(1) == 5 {
			p.set(StatusRunning, "")
		}
		return p.show(0)
	})
	f.on("start-vm", func(int, request) answer {
		p.set(StatusStopped, "UPDATING")
		return answer{drop: true}
	})
	if err := f.client().StartVM(short(t), "vm-1", ""); err != nil {
		t.Fatal(err)
	}
	if n := f.count("start-vm"); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}

func TestOperation_lostForGood(t *testing.T) {
	f := newFake(t)
	newPowered(f, StatusStopped, nil)
	f.on("start-vm", func(int, request) answer { return answer{drop: true} })
	err := f.client(func(c *Config) { c.MaxRetries = 2 }).StartVM(short(t), "vm-1", "")
	if !effectUnknown(err) {
		t.Errorf("got %v, want the broken connection", err)
	}
	if n := f.count("start-vm"); n != 3 {
		t.Errorf("%d calls, want the first and 2 more", n)
	}
}

func TestOperation_forbidden(t *testing.T) {
	f := newFake(t)
	newPowered(f, StatusStopped, nil)
	f.on("start-vm", func(int, request) answer { return refusal(403, "", "not yours") })
	err := f.client().StartVM(short(t), "vm-1", "")
	var call *Error
	if !errors.As(err, &call) || call.Class != ClassRefused || call.HTTPStatus != 403 || call.Message != "not yours" || call.RequestID != "req-1" {
		t.Errorf("got %v", err)
	}
	if n := f.count("start-vm"); n != 1 || f.count("login") != 1 {
		t.Errorf("%d calls, %d log-ins", n, f.count("login"))
	}
}

// Two operations on one VM never overlap, from the call to the VM's being idle.
func TestOperations_oneAtATime(t *testing.T) {
	f := newFake(t)
	var busy, overlaps atomic.Int32
	f.oneTask(done)
	f.oneVM(func(int) map[string]any {
		v := vmJSON("vm-1", StatusRunning, "")
		v["description"] = "x"
		if busy.Load() > 0 {
			v["entityAsyncStatus"] = "UPDATING"
			busy.Add(-1)
		}
		return v
	})
	f.on("update-vm-basic-info", func(int, request) answer {
		if busy.Load() > 0 {
			overlaps.Add(1)
		}
		busy.Store(3)
		return accept("task")
	})
	c, ctx := f.client(), short(t)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if err := c.UpdateVM(ctx, "vm-1", VMUpdate{Description: ptr("x")}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if overlaps.Load() != 0 {
		t.Errorf("%d operations began before the one before was over", overlaps.Load())
	}
	if len(c.locks.keys) != 0 {
		t.Errorf("%d locks are left", len(c.locks.keys))
	}
}

func TestKeyedMutex(t *testing.T) {
	var m keyedMutex
	unlock, err := m.lock(short(t), "a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.lock(short(t), "b")
	if err != nil {
		t.Fatal("another key waits")
	}
	other()
	ctx, cancel := context.WithCancel(short(t))
	cancel()
	if _, err := m.lock(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	unlock()
	again, err := m.lock(short(t), "a")
	if err != nil {
		t.Fatal(err)
	}
	again()
	if len(m.keys) != 0 {
		t.Errorf("%d keys are left", len(m.keys))
	}
}
