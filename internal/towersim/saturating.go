// SPDX-License-Identifier: MPL-2.0

package towersim

import "math"

// mulSaturating multiplies two numbers that are not negative. A product that
// does not fit is the largest number, which is more than any cluster has.
func mulSaturating(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}

	return a * b
}

// addSaturating adds two numbers in the same way.
func addSaturating(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}

	return a + b
}
