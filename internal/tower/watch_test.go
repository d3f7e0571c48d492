// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// wantedIDs returns the ids that a request of the watch asks for.
func wantedIDs(r request) []string {
	where, _ := r.body["where"].(map[string]any)
	if inner, ok := where["vm"].(map[string]any); ok {
		where = inner
	}
	list, _ := where["id_in"].([]any)
	var out []string
	for _, id := range list {
		out = append(out, fmt.Sprint(id))
	}
	return out
}

// newWatched makes the fake show every VM it is asked for, with one NIC whose address depends on the number of the look.
func newWatched(f *fake, address func(n int, id string) any) {
	f.on("get-vms", func(_ int, r request) answer {
		out := []any{}
		for _, id := range wantedIDs(r) {
			if !strings.HasPrefix(id, "gone") {
				out = append(out, vmJSON(id, StatusRunning, ""))
			}
		}
		return answer{body: out}
	})
	f.on("get-vm-nics", func(n int, r request) answer {
		out := []any{}
		for _, id := range wantedIDs(r) {
			out = append(out, map[string]any{"id": "nic-" + id, "vm": map[string]any{"id": id}, "order": 0, "ip_address": address(n, id)})
		}
		return answer{body: out}
	})
}

func TestWatchVM(t *testing.T) {
	f := newFake(t)
	newWatched(f, func(n int, _ string) any {
		if n < 4 {
			return nil
		}
		return "10.0.0.5"
	})
	looks := 0
	err := f.client().WatchVM(short(t), "vm-1", func(obs VMObservation, err error) bool {
		looks++
		if err != nil || obs.VM == nil || obs.VM.ID != "vm-1" || len(obs.NICs) != 1 {
			t.Errorf("saw %+v, %v", obs, err)
			return true
		}
		return len(obs.NICs[0].IPAddresses) > 0
	})
	if err != nil {
		t.Fatal(err)
	}
	if looks < 1 || f.count("get-vm-nics") < 4 || f.count("get-vms") < 4 {
		t.Errorf("the watch ended after %d looks, %d get-vm-nics, %d get-vms", looks, f.count("get-vm-nics"), f.count("get-vms"))
	}
}

func TestWatchVM_notThere(t *testing.T) {
	f := newFake(t)
	newWatched(f, func(int, string) any { return nil })
	err := f.client().WatchVM(short(t), "gone-1", func(obs VMObservation, err error) bool {
		if err != nil || obs.VM != nil || obs.NICs != nil {
			t.Errorf("saw %+v, %v", obs, err)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := f.count("get-vm-nics"); n != 0 {
		t.Errorf("%d requests for the NICs of no VM", n)
	}
	if err := f.client().WatchVM(short(t), "", func(VMObservation, error) bool { return true }); !errors.Is(err, ErrNotFound) {
		t.Errorf("watching no VM: %v", err)
	}
}

// A look that fails says nothing about the VM, and is not repeated before the next interval.
func TestWatchVM_failedLooks(t *testing.T) {
	f := newFake(t)
	newWatched(f, func(int, string) any { return "10.0.0.5" })
	good := f.scripts["get-vm-nics"]
	f.on("get-vm-nics", func(n int, r request) answer {
		switch n {
		case 1:
			return refusal(500, "", "boom")
		case 2:
			return answer{drop: true}
		case 3:
			return refusal(401, "", "session expired")
		}
		return good(n, r)
	})
	// A slow observer would miss looks: the newest one counts.
	var failed []error
	err := f.client(func(c *Config) { c.PollInterval = 50 * time.Millisecond }).WatchVM(short(t), "vm-1", func(obs VMObservation, err error) bool {
		if err != nil {
			failed = append(failed, err)
			if obs.VM != nil {
				t.Errorf("a failed look shows %+v", obs)
			}
			return false
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(failed) < 1 || len(failed) > 2 || f.count("get-vm-nics") < 4 || f.count("login") != 2 {
		t.Errorf("%d failed looks (%v), %d requests, %d log-ins", len(failed), failed, f.count("get-vm-nics"), f.count("login"))
	}
}

func TestWatchVM_contextEnds(t *testing.T) {
	f := newFake(t)
	newWatched(f, func(int, string) any { return nil })
	ctx, cancel := context.WithCancel(short(t))
	err := f.client().WatchVM(ctx, "vm-1", func(VMObservation, error) bool { cancel(); return false })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// 250 VMs that wait together cost one get-vms and three get-vm-nics for each look, however many of them there are.
func TestWatchVM_sharedLooks(t *testing.T) {
	f := newFake(t)
	newWatched(f, func(n int, _ string) any {
		if n <= 3 {
			return nil
		}
		return "10.0.0.5"
	})
	cfg, tune := quickConfig(f.URL), quick()
	cfg.PollInterval, tune.gather = 200*time.Millisecond, 200*time.Millisecond
	c, err := newClient(cfg, tune)
	if err != nil {
		t.Fatal(err)
	}
	ctx := short(t)
	var all sync.WaitGroup
	for i := range 250 {
		all.Go(func() {
			err := c.WatchVM(ctx, fmt.Sprintf("vm-%d", i), func(obs VMObservation, err error) bool {
				return err == nil && len(obs.NICs) == 1 && len(obs.NICs[0].IPAddresses) == 1
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	// A machine that is busy may need a look more until all of them are there.
	if v, n := f.count("get-vms"), f.count("get-vm-nics"); v > 4 || n > 3*v {
		t.Errorf("%d get-vms and %d get-vm-nics for two looks at 250 VMs", v, n)
	}
	for _, r := range f.seen("get-vm-nics") {
		if n := len(wantedIDs(r)); n > readChunk {
			t.Errorf("one request asks for the NICs of %d VMs", n)
		}
	}
}

// One chunk that fails leaves the others' observations good.
func TestWatchVM_oneChunkFails(t *testing.T) {
	f := newFake(t)
	newWatched(f, func(int, string) any { return "10.0.0.5" })
	good := f.scripts["get-vm-nics"]
	f.on("get-vm-nics", func(n int, r request) answer {
		if n == 1 {
			return refusal(500, "", "boom")
		}
		return good(n, r)
	})
	c := f.client()
	ids := make([]string, 150)
	for i := range ids {
		ids[i] = fmt.Sprintf("vm-%d", i)
	}
	out, err := c.fetchWatched(short(t), ids)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, w := range out {
		if w.err != nil {
			failed++
		} else if len(w.seen.NICs) != 1 {
			t.Errorf("no NICs in %+v", w.seen)
		}
	}
	if len(out) != 150 || failed != 100 {
		t.Errorf("%d observations, %d of them failed; want 150 and 100", len(out), failed)
	}
}
