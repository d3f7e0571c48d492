// SPDX-License-Identifier: MPL-2.0

package poll

import (
	"context"
	"slices"
	"sync"
	"time"
)

// BatchOptions say how a Batcher merges reads.
type BatchOptions struct {
	// Window is how long the first read of a batch waits for others to join it.
	Window time.Duration
	// ChunkSize is the number of keys of one fetch. Zero or less means 100.
	ChunkSize int
}

// Batcher merges single reads that arrive close together into one fetch. Reads that come while a batch is in flight
// go into the next one, which starts when its window is over and the batch before it has returned.
type Batcher[V any] struct {
	fetch Fetch[V]
	opts  BatchOptions

	mu      sync.Mutex
	pending *batch[V] // the batch that still takes readers, nil if there is none
	flying  bool      // a batch is in flight
}

type batch[V any] struct {
	members []*member[V] // in the order of their arrival
	window  *time.Timer
	ripe    bool // the window is over
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
// it shows what the caller has just written. found is false where the fetch did not know the key. err is the fetch's
// error, or ctx's once that ends, at once; a caller that leaves disturbs no other. The fetch gets the values of its
// first caller's context, never its cancellation or deadline, and is cancelled when all of its callers have left.
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
	case obs := <-m.mail:
		return obs.Value, obs.Found, obs.Err
	}
}

func (b *Batcher[V]) join(m *member[V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending == nil {
		p := &batch[V]{}
		p.window = time.AfterFunc(b.opts.Window, func() { b.ripen(p) })
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
	// Without a chunk it is a member of the pending batch.
	p := b.pending
	i := slices.Index(p.members, m)
	p.members = slices.Delete(p.members, i, i+1)
	if len(p.members) == 0 {
		p.window.Stop()
		b.pending = nil
	}
}

func (b *Batcher[V]) ripen(p *batch[V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending != p {
		return // All of its readers left as the window closed.
	}
	p.ripe = true
	if !b.flying {
		b.launch()
	}
}

// launch sends the pending batch off. The lock must be held.
func (b *Batcher[V]) launch() {
	chunks := split(b.pending.members, b.opts.ChunkSize)
	b.pending = nil
	b.flying = true
	go func() {
		fetchAll(chunks, b.fetch, b.deliver)
		b.landed()
	}()
}

func (b *Batcher[V]) landed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flying = false
	if b.pending != nil && b.pending.ripe {
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
