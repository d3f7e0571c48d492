// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"errors"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// errStopping marks the failure of a stop that a change needs: the guest may
// still go down after it.
var errStopping = errors.New("stopping the VM")

// startPendingAfter reports whether the next apply has to start the VM, now that
// the change has ended with err.
func (c *change) startPendingAfter(err error, applied *model) bool {
	mayBeOff := errors.Is(err, errStopping) || applied.PowerState.ValueString() == tower.StatusStopped
	return err != nil && mayBeOff && (len(c.stops) > 0 || c.startPending)
}
