// SPDX-License-Identifier: MPL-2.0

package vmpower

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestRunWithTicks checks that a long run has a tick in each interval, and that
// its end is noticed at once.
func TestRunWithTicks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("no more")
		var ticks []time.Duration
		begin := time.Now()
		err := runWithTicks(t.Context(), 30*time.Second, func(elapsed time.Duration) { ticks = append(ticks, elapsed) }, func(context.Context) error {
			time.Sleep(100 * time.Second)
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("error %v, want that of the run", err)
		}
		if want := []time.Duration{30 * time.Second, time.Minute, 90 * time.Second}; !slices.Equal(ticks, want) {
			t.Errorf("ticks after %v, want %v", ticks, want)
		}
		if took := time.Since(begin); took != 100*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
