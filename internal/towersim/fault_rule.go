// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"regexp"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// graphQLName is what the statistics and the faults call the GraphQL endpoint:
// the last part of its path, as with all operations.
const graphQLName = "api"

// faultRule is a fault and how far it has come.
type faultRule struct {
	Fault

	skipped     int // requests that Skip let through
	applied     int // requests, or for LockedFor spans, that were struck
	lockedUntil time.Time

	// Of an event:
	match     *regexp.Regexp
	notBefore time.Time // not before then, if it waits for no request
	hitVMs    map[*vm]bool
}

func knownOperation(name string) bool {
	if name == graphQLName {
		return true
	}

	_, ok := wire.OperationAt("/" + name)

	return ok
}

// startsTasks tells whether a request of an operation may start a task. What
// only reads starts none.
func startsTasks(name string) bool {
	operation, _ := wire.OperationAt("/" + name)

	return name == graphQLName || isMutation(operation)
}

// strike counts a request, lets happen what it brings about, and returns the
// fault that befalls it, or nil. The
// first rule for the operation that is neither still passing requests nor used
// up wins.
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

// locks tells whether the span of a lock lasts, which the first request begins.
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
