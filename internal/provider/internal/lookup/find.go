// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"context"
	"errors"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// maxPause is the longest time between the two looks of Twice.
const maxPause = 5 * time.Second

// ByIDs reads an object by the first of its ids that Tower knows: Tower may give an
// object a new id, while its local id stays. It ignores others that are "". It
// looks only once and returns tower.ErrNotFound if Tower knows none of the ids.
func ByIDs[T any](ctx context.Context, read func(context.Context, string) (*T, error), id string, others ...string) (*T, error) {
	object, err := read(ctx, id)
	for _, other := range others {
		if errors.Is(err, tower.ErrNotFound) && other != "" {
			object, err = read(ctx, other)
		}
	}
	return object, err
}

// Twice is ByIDs that looks a second time, after pause or at most 5 s, before it
// returns tower.ErrNotFound: now and then Tower does not show an object for a
// moment.
func Twice[T any](ctx context.Context, pause time.Duration, read func(context.Context, string) (*T, error), id string, others ...string) (*T, error) {
	object, err := ByIDs(ctx, read, id, others...)
	if !errors.Is(err, tower.ErrNotFound) {
		return object, err
	}
	timer := time.NewTimer(min(pause, maxPause))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
	}
	return ByIDs(ctx, read, id, others...)
}
