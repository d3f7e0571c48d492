// SPDX-License-Identifier: MPL-2.0

//go:build race

package towersim_test

// raceStride shortens what a single goroutine does: only each n-th case runs,
// because the race detector finds nothing there and slows it down.
const raceStride = 10
