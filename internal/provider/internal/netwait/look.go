// SPDX-License-Identifier: MPL-2.0

package netwait

import (
	"context"
	"errors"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Reader is the part of the Tower client that a single look needs.
type Reader interface {
	// VM reads a VM. It returns tower.ErrNotFound if there is none.
	VM(ctx context.Context, id string) (*tower.VM, error)
	// VMNICs reads the NICs of a VM in their order.
	VMNICs(ctx context.Context, vmID string) ([]tower.VMNIC, error)
}

// Look replaces the wait if the configuration disables it or the VM is not to run:
// it finds the addresses that Tower reports. The result ends with NotAwaited or
// Deleted. It looks a second time before it takes the VM for deleted.
func Look(ctx context.Context, reader Reader, pause time.Duration, req Request) Result {
	result := Result{End: NotAwaited, At: time.Now()}
	vm, err := lookup.Twice(ctx, pause, reader.VM, req.VMID)
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
