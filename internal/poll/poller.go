// SPDX-License-Identifier: MPL-2.0

// Package poll lets many callers share few reads: a Poller repeats one fetch for all callers that wait for a change,
// and a Batcher merges single reads that arrive close together.
package poll

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

const defaultInterval = 5 * time.Second

// Fetch reads the current values of keys in one call. A key that is absent from the result was not found. A Fetch must
// return by itself, and soon after its context ends: the next tick or batch does not start before it has returned.
type Fetch[V any] func(ctx context.Context, keys []string) (map[string]V, error)

// Observation is what one fetch returned for one key.
type Observation[V any] struct {
	// Value is the key's value, the zero value unless Found.
	Value V
	// Found is true if the fetch found the key. It means nothing if Err is set.
	Found bool
	// Err is why the fetch failed. It only means that the value is not known yet.
	Err error
	// At is when the fetch returned.
	At time.Time
}

// Options control when a Poller fetches.
type Options struct {
	// Interval is the time between the starts of two ticks. Zero or less means 5 s.
	Interval time.Duration
	// Jitter is the largest share of Interval that is added to it at random: 0.1 adds up to a tenth. It never
	// shortens the interval.
	Jitter float64
	// ChunkSize is the largest number of keys in one fetch. Zero or less means 100.
	ChunkSize int
	// Gather is how long a tick that a new waiter causes is held back, so that waiters that arrive together share it.
	Gather time.Duration
}

// Poller fetches the values of all keys that anybody waits for, at a steady pace. One such round of fetches is a tick;
// it serves all waiters, however many there are. There are no ticks while nobody waits.
type Poller[V any] struct {
	fetch Fetch[V]
	opts  Options
	wake  chan struct{} // tells the sleeping loop that the due time or the waiters changed

	mu        sync.Mutex
	waiters   []*member[V] // in the order of their arrival
	running   bool         // the loop's goroutine exists
	lastStart time.Time    // of the last tick, zero before the first
	due       time.Time    // when the next tick is due, while the loop runs
}

// New returns a Poller that reads with fetch. It does nothing until somebody waits.
func New[V any](fetch Fetch[V], opts Options) *Poller[V] {
	if opts.Interval <= 0 {
		opts.Interval = defaultInterval
	}
	if opts.ChunkSize <= 0 {
		opts.ChunkSize = defaultChunkSize
	}
	opts.Jitter = max(opts.Jitter, 0)
	opts.Gather = max(opts.Gather, 0)
	return &Poller[V]{fetch: fetch, opts: opts, wake: make(chan struct{}, 1)}
}

// Wait registers key and calls observe with the observation of every tick, in the caller's goroutine. It returns nil
// once observe returns true, or ctx's error as soon as ctx ends. An observe that is slower than the ticks misses those
// in between and sees the latest one. Several waiters may share a key. The fetch gets the values of a waiter's
// context, never its cancellation or deadline.
func (p *Poller[V]) Wait(ctx context.Context, key string, observe func(Observation[V]) (done bool)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m := newMember[V](ctx, key)
	p.join(m)
	defer p.leave(m)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case obs := <-m.mailbox:
			if err := ctx.Err(); err != nil {
				return err
			}
			if observe(obs) {
				return nil
			}
		}
	}
}

func (p *Poller[V]) join(m *member[V]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters = append(p.waiters, m)
	now := time.Now()
	earliest := p.lastStart.Add(p.opts.Interval)
	gathered := now.Add(p.opts.Gather)
	switch {
	case !p.running:
		p.running = true
		p.due = gathered
		if earliest.After(gathered) {
			p.due = earliest
		}
		go p.run()
	case !now.Before(earliest) && gathered.Before(p.due):
		// Only jitter still holds back the next tick, and a new waiter need not wait for that.
		p.due = gathered
		p.signal()
	}
}

func (p *Poller[V]) leave(m *member[V]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiters, m)
	p.waiters = slices.Delete(p.waiters, i, i+1)
	if m.chunk != nil {
		m.chunk.leave()
	}
	if len(p.waiters) == 0 {
		p.signal()
	}
}

func (p *Poller[V]) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Poller[V]) run() {
	for {
		chunks, wait := p.next()
		switch {
		case chunks != nil:
			fetchAll(chunks, p.fetch, p.deliver)
		case wait > 0:
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-p.wake:
			}
			timer.Stop()
		default:
			return
		}
	}
}

// next returns the chunks of the tick if one is due, or else how long to sleep until it is. If it returns neither,
// nobody waits any more and the loop must end.
func (p *Poller[V]) next() ([]*chunk[V], time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiters) == 0 {
		p.running = false
		return nil, 0
	}
	now := time.Now()
	if wait := p.due.Sub(now); wait > 0 {
		return nil, wait
	}
	p.lastStart = now
	p.due = now.Add(p.opts.Interval + time.Duration(rand.Float64()*p.opts.Jitter*float64(p.opts.Interval)))
	return split(p.waiters, p.opts.ChunkSize), 0
}

// deliver puts the result of a fetch into the mailboxes of its members. Nobody reads the mailbox of a member that has
// left.
func (p *Poller[V]) deliver(c *chunk[V], observe func(key string) Observation[V]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range c.members {
		m.put(observe(m.key))
	}
}
