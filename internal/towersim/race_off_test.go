// SPDX-License-Identifier: MPL-2.0

//go:build !race

package towersim_test

// sparse is how much of what one goroutine does alone is left out: nothing.
const sparse = 1
