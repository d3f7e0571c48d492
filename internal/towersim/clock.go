// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// clock tells the simulated time: the start, plus the real time since then
// multiplied by the speed. A manual clock moves only when advance is called.
type clock struct {
	start  time.Time // both real and simulated
	speed  float64
	manual bool

	mu     sync.Mutex
	offset time.Duration // of a manual clock
	moved  chan struct{} // closed and replaced when a manual clock moves
}

func newClock(start time.Time, speed float64, manual bool) *clock {
	return &clock{start: start, speed: speed, manual: manual, moved: make(chan struct{})}
}

// now returns the simulated time, in UTC and without a monotonic part, so that
// equal instants are equal values.
func (c *clock) now() time.Time {
	if !c.manual {
		return c.startTime().Add(time.Duration(float64(time.Since(c.start)) * c.speed))
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	return c.startTime().Add(c.offset)
}

func (c *clock) startTime() time.Time {
	return c.start.Round(0).UTC()
}

// realTime returns the real time at a simulated one. A manual clock has no real
// time: it returns the simulated one.
func (c *clock) realTime(simulated time.Time) time.Time {
	if c.manual {
		return simulated
	}

	return c.startTime().Add(time.Duration(float64(simulated.Sub(c.startTime())) / c.speed))
}

// advance moves a manual clock.
func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.offset += d
	close(c.moved)
	c.moved = make(chan struct{})
}

// sleepUntil blocks until a simulated instant or until ctx ends.
func (c *clock) sleepUntil(ctx context.Context, instant time.Time) {
	if !c.manual {
		timer := time.NewTimer(time.Until(c.realTime(instant)))
		defer timer.Stop()

		select {
		case <-timer.C:
		case <-ctx.Done():
		}

		return
	}

	for {
		c.mu.Lock()
		moved, reached := c.moved, !c.startTime().Add(c.offset).Before(instant)
		c.mu.Unlock()

		if reached {
			return
		}

		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// eventQueue holds the events that are still to come. Nothing happens by
// itself: the function that takes the server's lock first runs the events that
// are due. They run one by one in the order of their instants; events of the
// same instant run in the order in which they were added.
type eventQueue struct {
	now       time.Time
	events    eventHeap
	count     uint64
	afterStep func() // runs after each event, if it is not nil
}

// runAt plans f for an instant. If the instant has passed, f runs the next time
// that events run.
func (q *eventQueue) runAt(instant time.Time, f func()) {
	q.count++
	heap.Push(&q.events, event{at: instant, order: q.count, run: f})
}

// runAfter plans f for d after the current instant.
func (q *eventQueue) runAfter(d time.Duration, f func()) {
	q.runAt(q.now.Add(d), f)
}

// runDue runs all events that are due. Each event sees its own instant as the
// current one.
func (q *eventQueue) runDue(now time.Time) {
	for len(q.events) > 0 && !q.events[0].at.After(now) {
		due, ok := heap.Pop(&q.events).(event)
		if !ok {
			return
		}

		if due.at.After(q.now) {
			q.now = due.at
		}

		due.run()
		q.endStep()
	}

	if now.After(q.now) {
		q.now = now
	}
}

// endStep runs afterStep at the end of a step that is not an event.
func (q *eventQueue) endStep() {
	if q.afterStep != nil {
		q.afterStep()
	}
}

type event struct {
	at    time.Time
	order uint64
	run   func()
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }

func (h eventHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].order < h[j].order
	}

	return h[i].at.Before(h[j].at)
}

func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *eventHeap) Push(x any) {
	if e, ok := x.(event); ok {
		*h = append(*h, e)
	}
}

// Pop implements [heap.Interface].
func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = event{}
	*h = (*h)[:last]

	return e
}
