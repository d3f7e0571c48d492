// SPDX-License-Identifier: MPL-2.0

//go:build race

package towersim_test

// sparse is how much of what one goroutine does alone is left out under the race
// detector, which finds nothing there and takes its time: all but each n-th.
const sparse = 10
