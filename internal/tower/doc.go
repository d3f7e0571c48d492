// SPDX-License-Identifier: MPL-2.0

// Package tower is a client of SmartX CloudTower ("Tower") for Go programs.
//
// It hides what is awkward about the API: log-in and its renewal, transport security, retries that never repeat
// a mutation which may have happened, tasks, locks, reads that many callers share, and the several shapes in
// which errors arrive. The types of the generated SDK do not leave the package.
//
// A Client is safe for concurrent use. Every method obeys its context; nothing waits longer than it.
package tower
