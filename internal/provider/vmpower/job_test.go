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

// TestDuring checks that what takes its time is heard of at each interval, and
// that its end is noticed at once.
func TestDuring(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("no more")
		var ticks []time.Duration
		begin := time.Now()
		err := during(t.Context(), 30*time.Second, func(elapsed time.Duration) { ticks = append(ticks, elapsed) }, func(context.Context) error {
			time.Sleep(100 * time.Second)
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("error %v, want that of what ran", err)
		}
		if want := []time.Duration{30 * time.Second, time.Minute, 90 * time.Second}; !slices.Equal(ticks, want) {
			t.Errorf("told after %v, want %v", ticks, want)
		}
		if took := time.Since(begin); took != 100*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
