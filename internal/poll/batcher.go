// SPDX-License-Identifier: MPL-2.0

package poll

import (
	"context"
	"slices"
	"sync"
	"time"
)

// BatchOptions control how a Batcher merges reads.
type BatchOptions struct {
	// Window is how long the first read of a batch waits for others to join it.
	Window time.Duration
	// ChunkSize is the largest number of keys in one fetch. Zero or less means 100.
	ChunkSize int
}

// Batcher merges single reads that arrive close together into one fetch. Reads that arrive while a batch is in flight
// go into the next batch, which starts when its window is over and the batch before it has returned.
type Batcher[V any] struct {
	fetch Fetch[V]
	opts  BatchOptions

	mu       sync.Mutex
	pending  *batch[V] // the batch that still takes members, nil if there is none
	inFlight bool      // a batch is being fetched
}

type batch[V any] struct {
	members []*member[V] // in the order of their arrival
	window  *time.Timer
	closed  bool // the window is over
}

// NewBatcher returns a Batcher that reads with fetch.
func NewBatcher[V any](fetch Fetch[V], opts BatchOptions) *Batcher[V] {
	if opts.ChunkSize <= 0 {
		opts.ChunkSize = defaultChunkSize
	}
	opts.Window = max(opts.Window, 0)
	return &Batcher[V]{fetch: fetch, opts: opts}
}

// Get reads key together with whatever else is asked for at about the same time. The read starts after the call, so
// it shows what the caller has just written. found is false if the fetch did not find the key. err is the error of the
// fetch, or that of ctx as soon as ctx ends. A caller that leaves does not affect the others. The fetch gets the
// values of its first caller's context, never its cancellation or deadline, and is cancelled when all of its callers
// have left.
func (b *Batcher[V]) Get(ctx context.Context, key string) (value V, found bool, err error) {
	if err := ctx.Err(); err != nil {
		return value, false, err
	}
	m := newMember[V](ctx, key)
	b.join(m)
	select {
	case <-ctx.Done():
		b.leave(m)
		return value, false, ctx.Err()
	case obs := <-m.mailbox:
		return obs.Value, obs.Found, obs.Err
	}
}

func (b *Batcher[V]) join(m *member[V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending == nil {
		p := &batch[V]{}
		p.window = time.AfterFunc(b.opts.Window, func() { b.closeWindow(p) })
		b.pending = p
	}
	b.pending.members = append(b.pending.members, m)
}

func (b *Batcher[V]) leave(m *member[V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.chunk != nil {
		m.chunk.leave()
		return
	}
	// A member without a chunk belongs to the pending batch.
	p := b.pending
	i := slices.Index(p.members, m)
	p.members = slices.Delete(p.members, i, i+1)
	if len(p.members) == 0 {
		p.window.Stop()
		b.pending = nil
	}
}

func (b *Batcher[V]) closeWindow(p *batch[V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending != p {
		return // All of its members left just as the window closed.
	}
	p.closed = true
	if !b.inFlight {
		b.launch()
	}
}

// launch starts fetching the pending batch. The lock must be held.
func (b *Batcher[V]) launch() {
	chunks := split(b.pending.members, b.opts.ChunkSize)
	b.pending = nil
	b.inFlight = true
	go func() {
		fetchAll(chunks, b.fetch, b.deliver)
		b.finish()
	}()
}

// finish ends the batch in flight, and launches the next one if that was waiting for it.
func (b *Batcher[V]) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight = false
	if b.pending != nil && b.pending.closed {
		b.launch()
	}
}

func (b *Batcher[V]) deliver(c *chunk[V], observe func(key string) Observation[V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range c.members {
		m.put(observe(m.key))
	}
}
