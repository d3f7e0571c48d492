// SPDX-License-Identifier: MPL-2.0

package netwait

import (
	"context"
	"errors"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// maxPause is the longest time between the two looks of Find.
const maxPause = 5 * time.Second

// Reader is the part of the Tower client that a single look needs.
type Reader interface {
	// VM reads a VM. It returns tower.ErrNotFound if there is none.
	VM(ctx context.Context, id string) (*tower.VM, error)
	// VMNICs reads the NICs of a VM in their order.
	VMNICs(ctx context.Context, vmID string) ([]tower.VMNIC, error)
}

// Find reads a VM by the first of its ids that Tower knows: Tower may give a VM a
// new id, while its local id stays. Now and then Tower does not show a VM for a
// moment, so Find looks a second time, after pause or at most 5 s, before it
// returns tower.ErrNotFound.
func Find(ctx context.Context, reader Reader, pause time.Duration, id string, others ...string) (*tower.VM, error) {
	vm, err := ByIDs(ctx, reader, id, others...)
	if !errors.Is(err, tower.ErrNotFound) {
		return vm, err
	}
	timer := time.NewTimer(min(pause, maxPause))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
	}
	return ByIDs(ctx, reader, id, others...)
}

// ByIDs reads a VM by the first of its ids that Tower knows. It ignores others that
// are "". It looks only once and returns tower.ErrNotFound if Tower knows none of
// the ids.
func ByIDs(ctx context.Context, reader Reader, id string, others ...string) (*tower.VM, error) {
	vm, err := reader.VM(ctx, id)
	for _, other := range others {
		if errors.Is(err, tower.ErrNotFound) && other != "" {
			vm, err = reader.VM(ctx, other)
		}
	}
	return vm, err
}

// Look replaces the wait if the configuration disables it or the VM is not to run:
// it finds the addresses that Tower reports. The result ends with NotAwaited or
// Deleted. Like Find, it looks a second time before it takes the VM for deleted.
func Look(ctx context.Context, reader Reader, pause time.Duration, req Request) Result {
	result := Result{End: NotAwaited, At: time.Now()}
	vm, err := Find(ctx, reader, pause, req.VMID)
	if err == nil {
		result.VM = vm
		result.NICs, err = reader.VMNICs(ctx, req.VMID)
	}
	if errors.Is(err, tower.ErrNotFound) {
		result.End = Deleted
		return result
	}
	result.Err = err
	if err == nil {
		result.Verdict = readiness.Evaluate(req.Rule, Observe(result.NICs))
	}
	return result
}
