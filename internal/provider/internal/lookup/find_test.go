// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// shown reads from what Tower shows from some time on, by id.
func shown(from map[string]time.Time) func(context.Context, string) (*string, error) {
	return func(_ context.Context, id string) (*string, error) {
		at, ok := from[id]
		if !ok || time.Now().Before(at) {
			return nil, tower.ErrNotFound
		}
		return &id, nil
	}
}

func TestByIDs(t *testing.T) {
	t.Parallel()
	read := shown(map[string]time.Time{"local": {}, "new": {}})
	for name, tc := range map[string]struct {
		ids  []string
		want string
	}{
		"the id":        {[]string{"new", "local"}, "new"},
		"the local id":  {[]string{"old", "local"}, "local"},
		"no local id":   {[]string{"old", ""}, ""},
		"none of them":  {[]string{"old", "other"}, ""},
		"the only id":   {[]string{"new"}, "new"},
		"the third one": {[]string{"old", "", "local"}, "local"},
	} {
		got, err := lookup.ByIDs(t.Context(), read, tc.ids[0], tc.ids[1:]...)
		switch {
		case tc.want == "" && !errors.Is(err, tower.ErrNotFound):
			t.Errorf("%s: error %v, want %v", name, err, tower.ErrNotFound)
		case tc.want != "" && (err != nil || *got != tc.want):
			t.Errorf("%s: %v, %v, want %s", name, got, err, tc.want)
		}
	}
}

func TestTwice(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		appears, pause, took time.Duration
		err                  error
	}{
		"there":                          {0, time.Second, 0, nil},
		"hidden for a moment":            {900 * time.Millisecond, time.Second, time.Second, nil},
		"hidden for longer than a pause": {2 * time.Second, time.Second, time.Second, tower.ErrNotFound},
		"never more than five seconds":   {4 * time.Second, time.Minute, 5 * time.Second, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := lookup.Twice(t.Context(), tc.pause, shown(map[string]time.Time{"a": start.Add(tc.appears)}), "a")
				if took := time.Since(start); !errors.Is(err, tc.err) || took != tc.took {
					t.Errorf("error %v after %s, want %v after %s", err, took, tc.err, tc.took)
				}
			})
		})
	}
}

func TestTwice_obeysItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := lookup.Twice(ctx, 3*time.Second, shown(nil), "a")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
		}
	})
}
