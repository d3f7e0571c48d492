// SPDX-License-Identifier: MPL-2.0

package poll

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	defaultChunkSize = 100

	// parallelChunks is how many fetches of one tick or batch may be in flight at a time: enough that one slow reply
	// does not hold up the other chunks, and few enough not to be a burst.
	parallelChunks = 4
)

// member is one caller that shares its fetches with others.
type member[V any] struct {
	key     string
	values  context.Context // the caller's values without its cancellation
	mailbox chan Observation[V]
	chunk   *chunk[V] // the chunk that the member is or was last part of, nil before its first fetch
}

func newMember[V any](ctx context.Context, key string) *member[V] {
	return &member[V]{key: key, values: context.WithoutCancel(ctx), mailbox: make(chan Observation[V], 1)}
}

// put replaces the content of the mailbox. Only one goroutine may put at a time, so the send never blocks.
func (m *member[V]) put(obs Observation[V]) {
	select {
	case <-m.mailbox:
	default:
	}
	m.mailbox <- obs
}

// chunk is the part of a tick or batch that one fetch serves. The owner's lock guards remaining.
type chunk[V any] struct {
	ctx       context.Context
	cancel    context.CancelFunc
	keys      []string
	members   []*member[V]
	remaining int // the members that have not left
}

// leave takes one member out of the chunk. The fetch is cancelled when the last one leaves.
func (c *chunk[V]) leave() {
	c.remaining--
	if c.remaining == 0 {
		c.cancel()
	}
}

// split puts members into chunks of at most size different keys, in the members' order. Members that have the same key
// share a chunk.
func split[V any](members []*member[V], size int) []*chunk[V] {
	var chunks []*chunk[V]
	chunkOf := make(map[string]*chunk[V], len(members))
	for _, m := range members {
		c := chunkOf[m.key]
		if c == nil {
			if len(chunks) == 0 || len(chunks[len(chunks)-1].keys) == size {
				next := &chunk[V]{}
				next.ctx, next.cancel = context.WithCancel(m.values)
				chunks = append(chunks, next)
			}
			c = chunks[len(chunks)-1]
			c.keys = append(c.keys, m.key)
			chunkOf[m.key] = c
		}
		c.members = append(c.members, m)
		c.remaining++
		m.chunk = c
	}
	return chunks
}

// fetchAll fetches every chunk that still has members and passes each result to deliver as soon as it has it. It
// returns when the last fetch is done.
func fetchAll[V any](chunks []*chunk[V], fetch Fetch[V], deliver func(c *chunk[V], observe func(key string) Observation[V])) {
	slots := make(chan struct{}, parallelChunks)
	var group sync.WaitGroup
	for _, c := range chunks {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			defer c.cancel()
			if c.ctx.Err() != nil {
				return
			}
			// The fetch gets a copy, because it may change its slice.
			found, err := fetch(c.ctx, slices.Clone(c.keys))
			at := time.Now()
			deliver(c, func(key string) Observation[V] {
				if err != nil {
					return Observation[V]{Err: err, At: at}
				}
				value, ok := found[key]
				return Observation[V]{Value: value, Found: ok, At: at}
			})
		})
	}
	group.Wait()
}
