// SPDX-License-Identifier: MPL-2.0

package poll_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/poll"
)

const window = 100 * time.Millisecond

func mustGet(t *testing.T, b *poll.Batcher[string], key, want string) {
	t.Helper()
	got, found, err := b.Get(t.Context(), key)
	if got != want || !found || err != nil {
		t.Errorf("%s: got %q, %v, %v, want %q", key, got, found, err, want)
	}
}

func TestBatcher_mergesOneWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window})
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() {
				time.Sleep(time.Duration(i) * 999 * time.Microsecond)
				key := fmt.Sprint(i)
				mustGet(t, b, key, key+"@1")
			})
		}
		group.Wait()
		equal(t, "fetches", r.times(), []time.Duration{window})
	})
}

func TestBatcher_duplicatesShareAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window, ChunkSize: 1})
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() { mustGet(t, b, "a", "a@1") })
		}
		group.Wait()
		equal(t, "keys", r.seen()[0].keys, []string{"a"})
		equal(t, "fetches", r.times(), []time.Duration{window})
	})
}

func TestBatcher_unknownKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(context.Context, int, []string) (map[string]string, error) { return nil, nil }
		got, found, err := poll.NewBatcher(r.fetch, poll.BatchOptions{}).Get(t.Context(), "a")
		if got != "" || found || err != nil {
			t.Errorf("got %q, %v, %v", got, found, err)
		}
	})
}

// Reads that arrive while a batch is in flight wait for it and go into the next one together.
func TestBatcher_inFlightReadsGoIntoTheNextBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(ctx context.Context, n int, keys []string) (map[string]string, error) {
			return slowly(ctx, time.Second, n, keys)
		}
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window})
		var group sync.WaitGroup
		group.Go(func() { mustGet(t, b, "a", "a@1") })
		for i := range 8 {
			group.Go(func() {
				time.Sleep(window + time.Duration(1+i)*window)
				mustGet(t, b, "a", "a@2") // the same key again: the read must not be older than its call
			})
		}
		group.Wait()
		equal(t, "fetches", r.times(), []time.Duration{window, window + time.Second})
		if n := r.overlap(); n != 1 {
			t.Errorf("%d batches were in flight at a time", n)
		}
	})
}

// A window that is still open when the batch before it returns stays open to its end.
func TestBatcher_windowOutlivesTheBatchBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(ctx context.Context, n int, keys []string) (map[string]string, error) {
			return slowly(ctx, 50*time.Millisecond, n, keys)
		}
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window})
		var group sync.WaitGroup
		group.Go(func() { mustGet(t, b, "a", "a@1") })
		time.Sleep(120 * time.Millisecond)
		mustGet(t, b, "b", "b@2")
		group.Wait()
		equal(t, "fetches", r.times(), []time.Duration{window, 220 * time.Millisecond})
	})
}

func TestBatcher_chunksAndErrorsStayApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		r := newRecorder()
		r.answer = func(_ context.Context, n int, keys []string) (map[string]string, error) {
			if slices.Contains(keys, "bad") {
				return echo(n, keys), boom
			}
			return echo(0, keys), nil
		}
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window, ChunkSize: 2})
		var group sync.WaitGroup
		for i, key := range []string{"bad", "worse", "c", "d", "e"} {
			group.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				got, found, err := b.Get(t.Context(), key)
				if i < 2 {
					if got != "" || found || !errors.Is(err, boom) {
						t.Errorf("%s: got %q, %v, %v", key, got, found, err)
					}
					return
				}
				if got != key+"@0" || !found || err != nil {
					t.Errorf("%s: got %q, %v, %v", key, got, found, err)
				}
			})
		}
		group.Wait()
		if n := len(r.seen()); n != 3 {
			t.Errorf("got %d fetches, want 3", n)
		}
		mustGet(t, b, "later", "later@0") // an error does not outlive its batch
	})
}

func TestBatcher_cancelOfOneCallerFailsOnlyThatOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(ctx context.Context, n int, keys []string) (map[string]string, error) {
			return slowly(ctx, time.Second, n, keys)
		}
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window})
		var group sync.WaitGroup
		for _, after := range []time.Duration{window / 2, window + time.Second/2} { // in the window, in flight
			group.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), after)
				defer cancel()
				_, _, err := b.Get(ctx, "leaves-"+after.String())
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(r.start) != after {
					t.Errorf("got %v after %v, want it after %v", err, time.Since(r.start), after)
				}
			})
		}
		group.Go(func() { mustGet(t, b, "stays", "stays@1") })
		group.Wait()
		equal(t, "fetches", r.times(), []time.Duration{window})
		if n := len(r.seen()[0].keys); n != 2 {
			t.Errorf("got %d keys, want those of the two callers that had not left", n)
		}
	})
}

func TestBatcher_endsWithItsLastCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(ctx context.Context, n int, keys []string) (map[string]string, error) {
			if n == 1 {
				return hang(ctx)
			}
			return echo(n, keys), nil
		}
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window})
		var group sync.WaitGroup
		for i := range 2 {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i)*time.Second)
				defer cancel()
				_, _, err := b.Get(ctx, fmt.Sprint(i))
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		}
		time.Sleep(1500 * time.Millisecond)
		if err := r.seen()[0].ctx.Err(); err != nil {
			t.Errorf("the batch ended with its first caller: %v", err)
		}
		mustGet(t, b, "next", "next@2") // waits for the batch in flight, which ends with its callers
		group.Wait()
		equal(t, "fetches", r.times(), []time.Duration{window, 2 * time.Second})
	})
}

func TestBatcher_nothingIsFetchedForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window})
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := b.Get(ended, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		ctx, cancel2 := context.WithTimeout(t.Context(), window/2)
		defer cancel2()
		if _, _, err := b.Get(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Minute)
		equal(t, "fetches", r.times(), nil)
		mustGet(t, b, "b", "b@1")
	})
}

func TestBatcher_carriesTheFirstCallersValues(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		b := poll.NewBatcher(r.fetch, poll.BatchOptions{Window: window})
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, i), time.Minute)
				defer cancel()
				if _, _, err := b.Get(ctx, fmt.Sprint(i)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		got := r.seen()[0].ctx
		if got.Value(key{}) != 0 {
			t.Errorf("got the values of caller %v", got.Value(key{}))
		}
		if _, ok := got.Deadline(); ok {
			t.Error("the fetch has a caller's deadline")
		}
	})
}
