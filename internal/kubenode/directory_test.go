// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// cluster is a list function that records its calls.
type cluster struct {
	start time.Time
	// answer replaces the default answer, one node "n" with one address; call counts from 1.
	answer func(ctx context.Context, call int) *snapshot

	mu     sync.Mutex
	calls  []time.Duration
	active int
	most   int
}

func (c *cluster) list(ctx context.Context) *snapshot {
	c.mu.Lock()
	c.calls = append(c.calls, time.Since(c.start))
	call := len(c.calls)
	c.active++
	c.most = max(c.most, c.active)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.active--
		c.mu.Unlock()
	}()
	if c.answer != nil {
		return c.answer(ctx, call)
	}
	return oneNode(fmt.Sprintf("10.0.0.%d", call))
}

func (c *cluster) at() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.calls...)
}

// overlap returns the largest number of lists that were in flight at a time.
func (c *cluster) overlap() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most
}

func oneNode(ip string) *snapshot {
	return newSnapshot([]corev1.Node{makeNode("n", "", time.Time{}, ip)})
}

func newTestDirectory() (*Directory, *cluster) {
	c := &cluster{start: time.Now()}
	d := New(Config{Host: "unused"}, Options{Interval: 5 * time.Second, RequestTimeout: 10 * time.Second})
	d.list = c.list
	return d, c
}

var byName = Query{NodeName: "n"}

func wantCalls(t *testing.T, c *cluster, want ...time.Duration) {
	t.Helper()
	if got := c.at(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("lists at %v, want %v", got, want)
	}
}

func wantIP(t *testing.T, s Status, want string) {
	t.Helper()
	if strings.Join(s.InternalIPs, " ") != want || s.Problem != "" || s.Node != "n" {
		t.Errorf("got %+v, want %s", s, want)
	}
}

func TestDirectory_oneListATickForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newTestDirectory()
		if got := d.Lookup(byName); got.Problem != notAskedYet || !got.At.IsZero() {
			t.Errorf("before anybody asked: got %+v", got)
		}
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				w := d.Watch(t.Context(), byName)
				defer w.Stop()
				for i := range 3 {
					<-w.Fresh()
					got := w.Status()
					wantIP(t, got, fmt.Sprintf("10.0.0.%d", i+1))
					if at := got.At.Sub(c.start); at != time.Duration(i)*5*time.Second {
						t.Errorf("status %d is of %v", i, at)
					}
				}
			})
		}
		group.Wait()
		wantCalls(t, c, 0, 5*time.Second, 10*time.Second)
		time.Sleep(time.Hour)
		wantCalls(t, c, 0, 5*time.Second, 10*time.Second)
	})
}

func TestDirectory_lateWatchIsToldTheLatestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newTestDirectory()
		first := d.Watch(t.Context(), byName)
		defer first.Stop()
		time.Sleep(3 * time.Second)
		late := d.Watch(t.Context(), byName)
		defer late.Stop()
		<-late.Fresh()
		wantIP(t, late.Status(), "10.0.0.1")
		if d := time.Since(c.start); d != 3*time.Second {
			t.Errorf("notified after %v", d)
		}
		<-late.Fresh()
		wantIP(t, late.Status(), "10.0.0.2")
		wantCalls(t, c, 0, 5*time.Second)
	})
}

// After a pause, the list from before the pause is not shown any more, and two lists are still an interval apart.
func TestDirectory_restart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newTestDirectory()
		c.answer = func(_ context.Context, call int) *snapshot {
			time.Sleep(time.Millisecond)
			return oneNode(fmt.Sprintf("10.0.0.%d", call))
		}
		wantIP(t, d.Look(t.Context(), byName), "10.0.0.1")
		time.Sleep(2 * time.Second)
		wantIP(t, d.Look(t.Context(), byName), "10.0.0.1") // still recent
		time.Sleep(2 * time.Second)
		w := d.Watch(t.Context(), byName)
		<-w.Fresh()
		<-w.Fresh()
		w.Stop()
		w.Stop()
		time.Sleep(time.Hour)
		w = d.Watch(t.Context(), byName)
		if got := w.Status(); got.Problem != notAskedYet {
			t.Errorf("right after the pause: got %+v", got)
		}
		<-w.Fresh()
		wantIP(t, w.Status(), "10.0.0.3")
		w.Stop()
		wantCalls(t, c, 0, 5*time.Second, time.Hour+5*time.Second+time.Millisecond)
	})
}

func TestDirectory_looksShareAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newTestDirectory()
		c.answer = func(context.Context, int) *snapshot {
			time.Sleep(time.Second)
			return oneNode("10.0.0.9")
		}
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() { wantIP(t, d.Look(t.Context(), byName), "10.0.0.9") })
		}
		group.Wait()
		wantCalls(t, c, 0)
	})
}

// Look returns as soon as its context ends, even if the server does not answer.
func TestDirectory_endsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newTestDirectory()
		c.answer = func(ctx context.Context, _ int) *snapshot {
			<-ctx.Done()
			return &snapshot{problem: "gone"}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if got := d.Look(ctx, byName); got.Problem != notAskedYet {
			t.Errorf("got %+v", got)
		}
		if took := time.Since(c.start); took != 2*time.Second {
			t.Errorf("took %v", took)
		}
		w := d.Watch(ctx, byName)
		if got := w.Status(); got.Problem != notAskedYet {
			t.Errorf("got %+v", got)
		}
		w.Stop()
		time.Sleep(time.Hour)
		wantCalls(t, c, 0)
	})
}

// A list is cancelled when its last watch ends. A watch that starts meanwhile sees nothing of that and gets the next
// list.
func TestDirectory_cancelledListIsToldToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newTestDirectory()
		c.answer = func(ctx context.Context, call int) *snapshot {
			if call > 1 {
				return oneNode("10.0.0.2")
			}
			<-ctx.Done()
			time.Sleep(100 * time.Millisecond)
			return &snapshot{problem: "cancelled"}
		}
		w := d.Watch(t.Context(), byName)
		time.Sleep(time.Second)
		w.Stop()
		wantIP(t, d.Look(t.Context(), byName), "10.0.0.2")
		wantCalls(t, c, 0, 5*time.Second)
	})
}

// A list that ignores its context, because a credential plugin waits for input, is reported in time, is not started
// twice, and is used once it returns.
func TestDirectory_hangingListIsReportedAndNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newTestDirectory()
		c.answer = func(_ context.Context, call int) *snapshot {
			if call == 1 {
				time.Sleep(30 * time.Second)
			}
			return oneNode("10.0.0.7")
		}
		w := d.Watch(t.Context(), byName)
		defer w.Stop()
		<-w.Fresh()
		if got := w.Status(); !strings.Contains(got.Problem, "did not answer in time") || time.Since(c.start) != 11*time.Second {
			t.Errorf("after %v: got %+v", time.Since(c.start), got)
		}
		for w.Status().Problem != "" {
			<-w.Fresh()
		}
		wantIP(t, w.Status(), "10.0.0.7")
		if took := time.Since(c.start); took != 30*time.Second {
			t.Errorf("notified after %v", took)
		}
		<-w.Fresh()
		if n := c.overlap(); n != 1 {
			t.Errorf("%d lists at a time", n)
		}
	})
}

func TestDirectory_problemComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := newTestDirectory()
		c.answer = func(_ context.Context, call int) *snapshot {
			if call == 2 {
				return &snapshot{problem: "The API server is away."}
			}
			return oneNode("10.0.0.7")
		}
		w := d.Watch(t.Context(), byName)
		defer w.Stop()
		<-w.Fresh()
		wantIP(t, w.Status(), "10.0.0.7")
		<-w.Fresh()
		if got := w.Status(); got.Problem != "The API server is away." || got.InternalIPs != nil || got.Node != "" {
			t.Errorf("got %+v", got)
		}
		<-w.Fresh()
		wantIP(t, w.Status(), "10.0.0.7")
	})
}

func TestDirectories_oneForEachConfig(t *testing.T) {
	ds := NewDirectories(Options{})
	a := ds.Directory(Config{Host: "a", Token: "t"})
	if ds.Directory(Config{Host: "a", Token: "t"}) != a {
		t.Error("equal configurations have two directories")
	}
	if ds.Directory(Config{Host: "a", Token: "u"}) == a {
		t.Error("different configurations share a directory")
	}
	if a.interval != 5*time.Second || a.timeout != 10*time.Second {
		t.Errorf("defaults: interval %v, timeout %v", a.interval, a.timeout)
	}
}
