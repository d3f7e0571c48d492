// SPDX-License-Identifier: MPL-2.0

package poll_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// call is one recorded fetch.
type call struct {
	at   time.Duration // since the recorder was made
	keys []string
	ctx  context.Context
}

// recorder is a fetch that records its calls and answers each key with "<key>@<number of the call>".
type recorder struct {
	start time.Time
	// answer replaces the default answer if it is set; n counts from 1.
	answer func(ctx context.Context, n int, keys []string) (map[string]string, error)

	mu     sync.Mutex
	calls  []call
	active int
	most   int
}

func newRecorder() *recorder { return &recorder{start: time.Now()} }

func (r *recorder) fetch(ctx context.Context, keys []string) (map[string]string, error) {
	r.mu.Lock()
	r.calls = append(r.calls, call{at: time.Since(r.start), keys: keys, ctx: ctx})
	n := len(r.calls)
	r.active++
	r.most = max(r.most, r.active)
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.active--
		r.mu.Unlock()
	}()
	if r.answer != nil {
		return r.answer(ctx, n, keys)
	}
	return echo(n, keys), nil
}

func echo(n int, keys []string) map[string]string {
	out := make(map[string]string, len(keys))
	for _, k := range keys {
		out[k] = fmt.Sprintf("%s@%d", k, n)
	}
	return out
}

func (r *recorder) seen() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]call(nil), r.calls...)
}

// overlap returns the largest number of fetches that were in flight at a time.
func (r *recorder) overlap() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.most
}

func (r *recorder) times() []time.Duration {
	var out []time.Duration
	for _, c := range r.seen() {
		out = append(out, c.at)
	}
	return out
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// hang gives no answer until ctx ends.
func hang(ctx context.Context) (map[string]string, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// slowly answers after d unless ctx ends first.
func slowly(ctx context.Context, d time.Duration, n int, keys []string) (map[string]string, error) {
	select {
	case <-time.After(d):
		return echo(n, keys), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
