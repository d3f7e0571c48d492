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

const second = time.Second

// collect waits for key until it has n observations.
func collect(ctx context.Context, p *poll.Poller[string], key string, n int) ([]poll.Observation[string], error) {
	var out []poll.Observation[string]
	err := p.Wait(ctx, key, func(obs poll.Observation[string]) bool {
		out = append(out, obs)
		return len(out) == n
	})
	return out, err
}

func TestPoller_firstTickIsImmediateThenEveryInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second})
		got, err := collect(t.Context(), p, "a", 3)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "ticks", r.times(), []time.Duration{0, 5 * second, 10 * second})
		for i, obs := range got {
			if want := fmt.Sprintf("a@%d", i+1); obs.Value != want || !obs.Found || obs.Err != nil {
				t.Errorf("observation %d: got %+v, want %s", i, obs, want)
			}
			if at := obs.At.Sub(r.start); at != time.Duration(i)*5*second {
				t.Errorf("observation %d: at %v", i, at)
			}
		}
	})
}

func TestPoller_keyThatTheFetchDoesNotKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(_ context.Context, n int, _ []string) (map[string]string, error) {
			return echo(n, []string{"other"}), nil
		}
		got, err := collect(t.Context(), poll.New(r.fetch, poll.Options{Interval: second}), "a", 1)
		if err != nil || got[0].Found || got[0].Err != nil || got[0].Value != "" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestPoller_gathersThoseWhoArriveTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, Gather: 100 * time.Millisecond})
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				if _, err := collect(t.Context(), p, fmt.Sprintf("vm-%02d", i), 1); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		equal(t, "ticks", r.times(), []time.Duration{100 * time.Millisecond})
		if n := len(r.seen()[0].keys); n != 50 {
			t.Errorf("got %d keys in the first tick, want 50", n)
		}
	})
}

func TestPoller_lateWaiterIsServedByTheNextTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second})
		var group sync.WaitGroup
		group.Go(func() { _, _ = collect(t.Context(), p, "a", 2) })
		time.Sleep(1 * second)
		got, err := collect(t.Context(), p, "b", 1)
		group.Wait()
		if err != nil || got[0].Value != "b@2" {
			t.Errorf("got %+v, %v", got, err)
		}
		equal(t, "ticks", r.times(), []time.Duration{0, 5 * second})
		equal(t, "keys", r.seen()[1].keys, []string{"a", "b"})
	})
}

func TestPoller_restartKeepsTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, Gather: 100 * time.Millisecond})
		wait := func() {
			t.Helper()
			if _, err := collect(t.Context(), p, "a", 1); err != nil {
				t.Fatal(err)
			}
		}
		wait()                  // 0.1 s
		time.Sleep(2 * second)  // stopped
		wait()                  // not before 5.1 s
		time.Sleep(10 * second) // stopped again
		wait()                  // at 15.1 s plus Gather
		equal(t, "ticks", r.times(), []time.Duration{100 * time.Millisecond, 5100 * time.Millisecond, 15200 * time.Millisecond})
	})
}

// Waiters that come and go at any time, with fetches of any length, never cause two ticks within one interval.
func TestPoller_neverTwoTicksWithinOneInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(ctx context.Context, n int, keys []string) (map[string]string, error) {
			return slowly(ctx, time.Duration(n*n%9)*second, n, keys)
		}
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, Jitter: 0.5, Gather: 50 * time.Millisecond})
		var group sync.WaitGroup
		for i := range 200 {
			group.Go(func() {
				time.Sleep(time.Duration(i*i%977) * 311 * time.Millisecond)
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%23)*second)
				defer cancel()
				_, _ = collect(ctx, p, fmt.Sprint(i), 1+i%3)
			})
		}
		group.Wait()
		if n := r.overlap(); n != 1 {
			t.Errorf("%d fetches overlapped", n)
		}
		at := r.times()
		if len(at) < 20 {
			t.Fatalf("only %d ticks", len(at))
		}
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; gap < 5*second {
				t.Errorf("tick %d came %v after the one before", i, gap)
			}
		}
	})
}

func TestPoller_jitterOnlyLengthens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 10 * second, Jitter: 0.2})
		if _, err := collect(t.Context(), p, "a", 100); err != nil {
			t.Fatal(err)
		}
		at := r.times()
		gaps := map[time.Duration]bool{}
		for i := 1; i < len(at); i++ {
			gap := at[i] - at[i-1]
			gaps[gap] = true
			if gap < 10*second || gap > 12*second {
				t.Errorf("gap %v is not within 10 s and 12 s", gap)
			}
		}
		if len(gaps) < 50 {
			t.Errorf("only %d different gaps", len(gaps))
		}
	})
}

// A waiter that arrives when nothing but jitter holds back the next tick starts it at once.
func TestPoller_newcomerCutsJitterShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 10 * second, Jitter: 1e8, Gather: second})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _, _ = collect(ctx, p, "a", 2) }()
		time.Sleep(20 * second)
		if got, err := collect(t.Context(), p, "b", 1); err != nil || got[0].Value != "b@2" {
			t.Errorf("got %+v, %v", got, err)
		}
		equal(t, "ticks", r.times(), []time.Duration{second, 21 * second})
	})
}

func TestPoller_chunksKeysAndSharesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, ChunkSize: 100, Gather: second})
		var group sync.WaitGroup
		for i := range 500 {
			group.Go(func() {
				key := fmt.Sprint(i % 250) // two waiters on each key
				got, err := collect(t.Context(), p, key, 1)
				if err != nil || !got[0].Found {
					t.Errorf("%s: got %+v, %v", key, got, err)
				}
			})
		}
		group.Wait()
		var sizes []int
		all := map[string]int{}
		for _, c := range r.seen() {
			sizes = append(sizes, len(c.keys))
			for _, k := range c.keys {
				all[k]++
			}
		}
		slices.Sort(sizes)
		equal(t, "chunk sizes", sizes, []int{50, 100, 100})
		if len(all) != 250 {
			t.Errorf("got %d different keys, want 250", len(all))
		}
	})
}

func TestPoller_failedChunkReachesItsWaitersOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		r := newRecorder()
		r.answer = func(_ context.Context, n int, keys []string) (map[string]string, error) {
			if slices.Contains(keys, "bad") && time.Since(r.start) < 4*second {
				return echo(n, keys), boom
			}
			return echo(n, keys), nil
		}
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, ChunkSize: 1, Gather: second})
		var bad []poll.Observation[string]
		var group sync.WaitGroup
		group.Go(func() { bad, _ = collect(t.Context(), p, "bad", 2) })
		for _, key := range []string{"a", "b", "c"} {
			group.Go(func() {
				got, err := collect(t.Context(), p, key, 2)
				if err != nil {
					t.Error(err)
				}
				for _, obs := range got {
					if obs.Err != nil || !obs.Found {
						t.Errorf("%s: got %+v", key, obs)
					}
				}
			})
		}
		group.Wait()
		if !errors.Is(bad[0].Err, boom) || bad[0].Found || bad[0].Value != "" || bad[0].At.IsZero() {
			t.Errorf("first: got %+v", bad[0])
		}
		if bad[1].Err != nil || !bad[1].Found {
			t.Errorf("second: got %+v", bad[1])
		}
	})
}

// A chunk that hangs does not delay the results of the other chunks, and takes one slot only.
func TestPoller_slowChunkDoesNotHoldUpTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(ctx context.Context, n int, keys []string) (map[string]string, error) {
			if keys[0] == "slow" {
				return slowly(ctx, 20*second, n, keys)
			}
			return echo(n, keys), nil
		}
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, ChunkSize: 1, Gather: second})
		var group sync.WaitGroup
		group.Go(func() { _, _ = collect(t.Context(), p, "slow", 1) })
		for i := range 9 {
			group.Go(func() {
				if _, err := collect(t.Context(), p, fmt.Sprint(i), 1); err != nil {
					t.Error(err)
				}
				if d := time.Since(r.start); d != second {
					t.Errorf("served after %v", d)
				}
			})
		}
		group.Wait()
		if n := r.overlap(); n > 4 {
			t.Errorf("%d fetches at a time", n)
		}
	})
}

func TestPoller_cancelReturnsAtOnceAndDisturbsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(ctx context.Context, n int, keys []string) (map[string]string, error) {
			return slowly(ctx, 3*second, n, keys)
		}
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, Gather: second})
		var group sync.WaitGroup
		group.Go(func() {
			got, err := collect(t.Context(), p, "stays", 2)
			if err != nil || got[0].Value != "stays@1" || got[1].Value != "stays@2" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		group.Go(func() {
			_, err := collect(ctx, p, "leaves", 1)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if d := time.Since(r.start); d != 3*second {
				t.Errorf("returned after %v, cancelled after 3 s", d)
			}
		})
		time.Sleep(3 * second)
		cancel()
		group.Wait()
		equal(t, "ticks", r.times(), []time.Duration{second, 6 * second})
		equal(t, "keys of the second tick", r.seen()[1].keys, []string{"stays"})
	})
}

func TestPoller_endedContextIsNotRegistered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: second})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := collect(ctx, p, "a", 1); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		time.Sleep(10 * second)
		equal(t, "ticks", r.times(), nil)
	})
}

// Once ctx has ended, observe is not called any more, not even with an observation that arrived at the same moment.
func TestPoller_deadlineIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second})
		ctx, cancel := context.WithTimeout(t.Context(), 12*second)
		defer cancel()
		got, err := collect(ctx, p, "a", 100)
		if !errors.Is(err, context.DeadlineExceeded) || len(got) != 3 {
			t.Errorf("got %d observations, %v", len(got), err)
		}
	})
}

func TestPoller_stopsWithoutWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second})
		for range 3 {
			if _, err := collect(t.Context(), p, "a", 1); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
		equal(t, "ticks", r.times(), []time.Duration{0, time.Hour, 2 * time.Hour})
	})
}

// The last waiter that leaves cancels the fetch. A waiter that arrives meanwhile is served by a fetch of its own and
// sees nothing of the cancelled one.
func TestPoller_fetchEndsWithItsLastWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		r.answer = func(ctx context.Context, n int, keys []string) (map[string]string, error) {
			if n > 1 {
				return echo(n, keys), nil
			}
			<-ctx.Done()
			time.Sleep(second) // a fetch takes its time to give up
			return nil, ctx.Err()
		}
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, Gather: second})
		first, cancelFirst := context.WithTimeout(t.Context(), 2*second)
		other, cancelOther := context.WithTimeout(t.Context(), 3*second)
		defer cancelFirst()
		defer cancelOther()
		var group sync.WaitGroup
		group.Go(func() { _, _ = collect(first, p, "a", 1) })
		group.Go(func() { _, _ = collect(other, p, "b", 1) })
		time.Sleep(2500 * time.Millisecond)
		if err := r.seen()[0].ctx.Err(); err != nil {
			t.Errorf("the fetch ended with its first waiter: %v", err)
		}
		time.Sleep(time.Second)
		if err := r.seen()[0].ctx.Err(); !errors.Is(err, context.Canceled) {
			t.Errorf("the fetch goes on without waiters: %v", err)
		}
		got, err := collect(t.Context(), p, "c", 1)
		if err != nil || got[0].Err != nil || got[0].Value != "c@2" {
			t.Errorf("got %+v, %v", got, err)
		}
		group.Wait()
		equal(t, "ticks", r.times(), []time.Duration{time.Second, 6 * time.Second})
	})
}

func TestPoller_fetchContextHasValuesButNoDeadline(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: second})
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "mine"), time.Minute)
		defer cancel()
		if _, err := collect(ctx, p, "a", 1); err != nil {
			t.Fatal(err)
		}
		got := r.seen()[0].ctx
		if got.Value(key{}) != "mine" {
			t.Error("the fetch does not see the waiter's values")
		}
		if _, ok := got.Deadline(); ok {
			t.Error("the fetch has the waiter's deadline")
		}
	})
}

func TestPoller_slowObserverDelaysNobodyAndSeesTheLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second, Gather: second})
		var slow []string
		var group sync.WaitGroup
		group.Go(func() {
			_ = p.Wait(t.Context(), "a", func(obs poll.Observation[string]) bool {
				slow = append(slow, obs.Value)
				time.Sleep(23 * second)
				return len(slow) == 2
			})
		})
		group.Go(func() {
			if _, err := collect(t.Context(), p, "b", 5); err != nil {
				t.Error(err)
			}
			if d := time.Since(r.start); d != 21*second {
				t.Errorf("five observations took %v", d)
			}
		})
		group.Wait()
		equal(t, "slow observer", slow, []string{"a@1", "a@5"})
	})
}

func TestPoller_panickingObserverIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Interval: 5 * second})
		func() {
			defer func() { _ = recover() }()
			_ = p.Wait(t.Context(), "a", func(poll.Observation[string]) bool { panic("observer") })
		}()
		time.Sleep(time.Hour)
		equal(t, "ticks", r.times(), []time.Duration{0})
	})
}

func TestPoller_defaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		p := poll.New(r.fetch, poll.Options{Jitter: -1, Gather: -second, ChunkSize: -1})
		var group sync.WaitGroup
		for i := range 101 {
			group.Go(func() { _, _ = collect(t.Context(), p, fmt.Sprint(i), 2) })
		}
		group.Wait()
		for _, at := range r.times() {
			if at%(5*second) != 0 {
				t.Errorf("a tick came at %v, want one every 5 s", at)
			}
		}
		most := 0
		for _, c := range r.seen() {
			most = max(most, len(c.keys))
		}
		if most != 100 {
			t.Errorf("the largest chunk has %d keys, want 100", most)
		}
	})
}
