// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"sync"
)

// keyedMutex is a mutex for each key, whose lock can be given up. The zero value is ready.
type keyedMutex struct {
	mu   sync.Mutex
	keys map[string]*keyLock
}

// keyLock is the lock of one key; it lives while someone holds it or waits for it.
type keyLock struct {
	held  chan struct{}
	users int
}

// lock waits for the key and returns what unlocks it, or the context's error.
func (m *keyedMutex) lock(ctx context.Context, key string) (unlock func(), err error) {
	m.mu.Lock()
	if m.keys == nil {
		m.keys = map[string]*keyLock{}
	}
	l := m.keys[key]
	if l == nil {
		l = &keyLock{held: make(chan struct{}, 1)}
		m.keys[key] = l
	}
	l.users++
	m.mu.Unlock()
	leave := func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(m.keys, key)
		}
	}
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
