// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// powerCalls are the operations on a VM's power, in the order in which they came.
func powerCalls(f *fake) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var calls []string
	for _, r := range f.requests {
		switch r.path {
		case opStart, opShutdown, opPowerOff, opSuspend, opResume, opRestart, opForceRestart:
			calls = append(calls, r.path)
		}
	}
	return strings.Join(calls, " ")
}

// newRestartable is newPowered with everything that a restart may need; restart tells how the guest treats it: "" obeys,
// "fails" its task fails, "hangs" its task never ends.
func newRestartable(f *fake, status, restart string) *powered {
	p := newPowered(f, status, map[string]string{
		opStart: StatusRunning, opResume: StatusRunning, opPowerOff: StatusStopped, opForceRestart: StatusRunning,
	})
	f.on(opRestart, func(int, request) answer { return accept("restart") })
	f.on("get-tasks", func(_ int, r request) answer {
		if !strings.Contains(r.raw, "restart") {
			return answer{body: []any{taskJSON("task", taskSucceeded)}}
		}
		task := taskJSON("restart", taskSucceeded)
		switch restart {
		case "fails":
			task["status"], task["error_code"], task["error_message"] = taskFailed, codeShutdownTimeout, nil
		case "hangs":
			task["status"] = "EXECUTING"
		}
		return answer{body: []any{task}}
	})
	return p
}

func TestRestartVM(t *testing.T) {
	patient, short50 := StopOptions{Graceful: time.Minute, Force: true}, StopOptions{Graceful: 50 * time.Millisecond, Force: true}
	for _, tc := range []struct {
		name, from, restart string
		opts                StopOptions
		calls               string
		fails, forced       bool
	}{
		{"obeys", StatusRunning, "", patient, "restart-vm", false, false},
		{"no time of its own", StatusRunning, "", StopOptions{}, "restart-vm", false, false},
		{"stopped", StatusStopped, "", patient, "start-vm", false, false},
		{"suspended", StatusSuspended, "", patient, "resume-vm restart-vm", false, false},
		{"ignored, forced", StatusRunning, "fails", patient, "restart-vm force-restart-vm", false, true},
		{"ignored, not forced", StatusRunning, "fails", StopOptions{Graceful: time.Minute}, "restart-vm", true, false},
		{"time over, forced", StatusRunning, "hangs", short50, "restart-vm force-restart-vm", false, true},
		{"time over, not forced", StatusRunning, "hangs", StopOptions{Graceful: 50 * time.Millisecond}, "restart-vm", true, false},
		{"at once", StatusRunning, "", StopOptions{Force: true}, "force-restart-vm", false, false},
		{"at once, stopped", StatusStopped, "", StopOptions{Force: true}, "start-vm", false, false},
		{"at once, suspended", StatusSuspended, "", StopOptions{Force: true}, "poweroff-vm start-vm", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			p := newRestartable(f, tc.from, tc.restart)
			var reasons []error
			tc.opts.Forced = func(reason error) { reasons = append(reasons, reason) }
			err := f.client().RestartVM(short(t), "vm-1", tc.opts)
			if (err != nil) != tc.fails || err != nil && !strings.Contains(err.Error(), "not allowed") {
				t.Errorf("got the error %v", err)
			}
			if got := powerCalls(f); got != tc.calls {
				t.Errorf("calls %q, want %q", got, tc.calls)
			}
			if (len(reasons) == 1) != tc.forced {
				t.Errorf("told the reasons %v", reasons)
			}
			if p.status != StatusRunning {
				t.Errorf("the VM is %s", p.status)
			}
			for _, op := range strings.Fields(tc.calls) {
				wantOnly(t, f, op)
			}
		})
	}
}

func TestRestartVM_inTheRecycleBin(t *testing.T) {
	f := newFake(t)
	f.oneVM(func(int) map[string]any {
		v := vmJSON("vm-1", StatusStopped, "")
		v["in_recycle_bin"] = true
		return v
	})
	if err := f.client().RestartVM(short(t), "vm-1", StopOptions{}); !errors.Is(err, ErrNotFound) || powerCalls(f) != "" {
		t.Errorf("got %v after %q", err, powerCalls(f))
	}
}

// A restart leaves no trace on the VM: when its outcome is not known, it is neither repeated nor forced.
func TestRestartVM_outcomeUnknown(t *testing.T) {
	for _, op := range []string{opRestart, opForceRestart} {
		f := newFake(t)
		newRestartable(f, StatusRunning, "")
		f.on(op, func(int, request) answer { return answer{drop: true} })
		opts := StopOptions{Force: true}
		if op == opRestart {
			opts.Graceful = time.Minute
		}
		err := f.client().RestartVM(short(t), "vm-1", opts)
		if err == nil || !strings.Contains(err.Error(), "it is not known whether VM vm-1 has restarted") {
			t.Errorf("%s: got the error %v", op, err)
		}
		if got := powerCalls(f); got != op {
			t.Errorf("calls %q, want one %s", got, op)
		}
	}
}

func TestRestartVM_lockedUntilFree(t *testing.T) {
	f := newFake(t)
	p := newRestartable(f, StatusRunning, "")
	f.on(opForceRestart, func(n int, _ request) answer {
		if n < 3 {
			p.set(StatusRunning, "UPDATING")
			time.AfterFunc(20*time.Millisecond, func() { p.set(StatusRunning, "") })
			return refusal(400, "ResourceLocked", "VM-vm-1 is locked")
		}
		return accept("task")
	})
	if err := f.client().RestartVM(short(t), "vm-1", StopOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if n := f.count(opForceRestart); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}
