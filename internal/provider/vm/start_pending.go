// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// startPendingKey holds, in the private state, whether the next apply has to
// start the VM.
const startPendingKey = "owes_start"

// errStopping marks the failure of a stop that a change needs: the guest may
// still go down after it.
var errStopping = errors.New("stopping the VM")

// startRecord says whether a failed change has left the VM off, or about to go
// off, although nobody wanted it off. The next apply then starts it, whatever
// else it does, unless it has run meanwhile. Its values are JSON, as the private
// state wants them.
type startRecord string

const (
	startPending   startRecord = `true`
	noStartPending startRecord = `false`
)

func startPendingFrom(ctx context.Context, private privateState) (bool, diag.Diagnostics) {
	value, diags := private.GetKey(ctx, startPendingKey)
	return startRecord(value) == startPending, diags
}

func (s startRecord) save(ctx context.Context, private keySetter) diag.Diagnostics {
	return private.SetKey(ctx, startPendingKey, []byte(s))
}

// startPendingAfter reports whether the next apply has to start the VM, now that
// the change has ended with err.
func (c *change) startPendingAfter(err error, applied *model) startRecord {
	mayBeOff := errors.Is(err, errStopping) || applied.PowerState.ValueString() == tower.StatusStopped
	if err != nil && mayBeOff && (len(c.stops) > 0 || c.startPending) {
		return startPending
	}
	return noStartPending
}
