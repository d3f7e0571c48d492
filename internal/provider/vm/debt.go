// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// owesStartKey holds, in the private state, whether a start is owed to the VM.
const owesStartKey = "owes_start"

// errStopping marks the failure of a stop that a change needs: the guest may
// still go down after it.
var errStopping = errors.New("stopping the VM")

// owesStart tells whether a failed change has left the VM off, or about to go
// off, that nobody else wanted off: the next apply then starts it, whatever
// else it does, unless it has run meanwhile. Its values are JSON, as the private state wants them.
type owesStart string

const (
	owesStartYes owesStart = `true`
	owesStartNo  owesStart = `false`
)

func owesStartFrom(ctx context.Context, private privateState) (bool, diag.Diagnostics) {
	value, diags := private.GetKey(ctx, owesStartKey)
	return owesStart(value) == owesStartYes, diags
}

func (o owesStart) save(ctx context.Context, private keySetter) diag.Diagnostics {
	return private.SetKey(ctx, owesStartKey, []byte(o))
}

// owedAfter tells what the change owes to the VM after it has ended with err.
func (c *change) owedAfter(err error, done *model) owesStart {
	mayBeOff := errors.Is(err, errStopping) || done.PowerState.ValueString() == powerStopped
	if err != nil && mayBeOff && (len(c.stops) > 0 || c.owed) {
		return owesStartYes
	}
	return owesStartNo
}
