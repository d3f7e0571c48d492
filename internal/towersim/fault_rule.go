// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"regexp"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// graphQLName is the name of the GraphQL endpoint in statistics and faults: the
// last part of its path, as for all operations.
const graphQLName = "api"

// faultRule is a fault with its counters.
type faultRule struct {
	Fault

	skipped     int // requests that have passed because of Skip
	applied     int // requests that the fault has hit; for LockedFor, spans
	lockedUntil time.Time

	// For events:
	match     *regexp.Regexp
	notBefore time.Time // of an event without an operation
	hitVMs    map[*vm]bool
}

func knownOperation(name string) bool {
	if name == graphQLName {
		return true
	}

	_, ok := wire.OperationAt("/" + name)

	return ok
}

// startsTasks reports whether requests of an operation can start tasks. An
// operation that only reads starts none.
func startsTasks(name string) bool {
	operation, _ := wire.OperationAt("/" + name)

	return name == graphQLName || isMutation(operation)
}

// nextFault counts a request, runs the events that it causes, and returns the
// fault that hits it, or nil. If several faults match, the first one wins that
// neither lets the request pass nor is used up.
func (w *world) nextFault(operation string) *Fault {
	w.runFaultEvents(operation)

	for _, rule := range w.faults {
		if rule.Operation != operation || rule.Happens != "" {
			continue
		}

		if rule.skipped < rule.Skip {
			rule.skipped++

			continue
		}

		if rule.applies(w.now) {
			return &rule.Fault
		}
	}

	return nil
}

func (r *faultRule) applies(now time.Time) bool {
	if r.LockedFor > 0 {
		return r.lockLasts(now)
	}

	if r.Times > 0 && r.applied >= r.Times {
		return false
	}

	r.applied++

	return true
}

// lockLasts reports whether the lock of a fault lasts at an instant. The first
// request starts it.
func (r *faultRule) lockLasts(now time.Time) bool {
	if now.Before(r.lockedUntil) {
		return true
	}

	if r.applied >= max(r.Times, 1) {
		return false
	}

	r.applied++
	r.lockedUntil = now.Add(time.Duration(r.LockedFor))

	return true
}
