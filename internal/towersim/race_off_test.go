// SPDX-License-Identifier: MPL-2.0

//go:build !race

package towersim_test

// raceStride is 1: nothing is left out.
const raceStride = 1
