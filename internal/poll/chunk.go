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

	// parallelChunks bounds the fetches that one tick or batch keeps in flight: enough that one slow reply does
	// not hold up the other chunks, few enough not to be a burst.
	parallelChunks = 4
)

// member is one caller that shares its fetches with others.
type member[V any] struct {
	key    string
	values context.Context // the caller's values without its cancellation
	mail   chan Observation[V]
	chunk  *chunk[V] // the fetch it takes part in, or took part in last
}

func newMember[V any](ctx context.Context, key string) *member[V] {
	return &member[V]{key: key, values: context.WithoutCancel(ctx), mail: make(chan Observation[V], 1)}
}

// put replaces what lies in the mailbox. Only one goroutine may put at a time, so the send never blocks.
func (m *member[V]) put(obs Observation[V]) {
	select {
	case <-m.mail:
	default:
	}
	m.mail <- obs
}

// chunk is the part of a tick or batch that one fetch serves. Its users are guarded by the owner's lock.
type chunk[V any] struct {
	ctx     context.Context
	cancel  context.CancelFunc
	keys    []string
	members []*member[V]
	users   int
}

// leave takes one member out; the fetch is cancelled with the last.
func (c *chunk[V]) leave() {
	c.users--
	if c.users == 0 {
		c.cancel()
	}
}

// split puts members into chunks of at most size different keys, in the members' order. Members of one key share a chunk.
func split[V any](members []*member[V], size int) []*chunk[V] {
	var chunks []*chunk[V]
	home := make(map[string]*chunk[V], len(members))
	for _, m := range members {
		c := home[m.key]
		if c == nil {
			if len(chunks) == 0 || len(chunks[len(chunks)-1].keys) == size {
				next := &chunk[V]{}
				next.ctx, next.cancel = context.WithCancel(m.values)
				chunks = append(chunks, next)
			}
			c = chunks[len(chunks)-1]
			c.keys = append(c.keys, m.key)
			home[m.key] = c
		}
		c.members = append(c.members, m)
		c.users++
		m.chunk = c
	}
	return chunks
}

// fetchAll fetches every chunk that still has users and hands each result to deliver as soon as it is there. It
// returns when the last one is done.
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
			// The fetch gets a copy: what it does to its keys must not reach the members.
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
