// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestEventsRunInOrder(t *testing.T) {
	var (
		a    eventQueue
		seen []string
	)

	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a.now = base
	note := func(name string) func() {
		return func() { seen = append(seen, fmt.Sprint(name, a.now.Sub(base))) }
	}

	a.runAfter(2*time.Second, note("c"))
	a.runAfter(time.Second, func() {
		note("a")()
		a.runAfter(0, note("soon"))
		a.runAfter(time.Second, note("d"))
	})
	a.runAfter(time.Second, note("b"))
	a.runAt(base.Add(-time.Second), note("past"))
	a.runAfter(time.Hour, note("never"))
	a.runDue(base.Add(10 * time.Second))

	want := []string{"past0s", "a1s", "b1s", "soon1s", "c2s", "d2s"}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}

	if a.now != base.Add(10*time.Second) {
		t.Errorf("the queue is at %s", a.now)
	}
}

func TestClockRunsFaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(time.Now(), 60, false)
		base := c.now()

		time.Sleep(time.Second) // in the time of synctest

		if got := c.now().Sub(base); got != time.Minute {
			t.Errorf("%s have passed", got)
		}

		if got := c.realTime(c.now()); !got.Equal(time.Now()) {
			t.Errorf("the real time is %s, want %s", got, time.Now())
		}

		before := time.Now()
		c.sleepUntil(t.Context(), c.now().Add(time.Minute))

		if got := time.Since(before); got != time.Second {
			t.Errorf("slept for %s", got)
		}
	})
}

func TestSleepEndsWithItsContext(t *testing.T) {
	for _, manual := range []bool{false, true} {
		c := newClock(time.Now(), 1, manual)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c.sleepUntil(ctx, c.now().Add(time.Hour))
	}
}

func TestIDsComeFromTheSeed(t *testing.T) {
	a, b, other := newIDSource(7), newIDSource(7), newIDSource(8)

	if x, y := a.cuid()+a.uuid()+a.token()+a.mac(), b.cuid()+b.uuid()+b.token()+b.mac(); x != y {
		t.Errorf("the same seed gives %s and %s", x, y)
	}

	if x, y := newIDSource(7).cuid(), other.cuid(); x == y {
		t.Errorf("two seeds give %s", x)
	}
}
