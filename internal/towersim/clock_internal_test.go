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

func TestAgendaRunsInOrder(t *testing.T) {
	var (
		a    agenda
		seen []string
	)

	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a.current = base
	note := func(name string) func() {
		return func() { seen = append(seen, fmt.Sprint(name, a.current.Sub(base))) }
	}

	a.after(2*time.Second, note("c"))
	a.after(time.Second, func() {
		note("a")()
		a.after(0, note("soon"))
		a.after(time.Second, note("d"))
	})
	a.after(time.Second, note("b"))
	a.at(base.Add(-time.Second), note("past"))
	a.after(time.Hour, note("never"))
	a.catchUp(base.Add(10 * time.Second))

	want := []string{"past0s", "a1s", "b1s", "soon1s", "c2s", "d2s"}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}

	if a.current != base.Add(10*time.Second) {
		t.Errorf("the agenda is at %s", a.current)
	}
}

func TestClockRunsFaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(time.Now(), 60, false)
		base := c.now()

		time.Sleep(time.Second) // of synctest's time

		if got := c.now().Sub(base); got != time.Minute {
			t.Errorf("%s have passed", got)
		}

		if got := c.real(c.now()); !got.Equal(time.Now()) {
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
		t.Errorf("one seed gives %s and %s", x, y)
	}

	if x, y := newIDSource(7).cuid(), other.cuid(); x == y {
		t.Errorf("two seeds give %s", x)
	}
}
