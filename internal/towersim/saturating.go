// SPDX-License-Identifier: MPL-2.0

package towersim

import "math"

// times multiplies two amounts that are not negative. What does not fit is
// the largest number, which is more than anything has.
func mulSaturating(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}

	return a * b
}

// plus adds amounts that are not negative, as times multiplies them.
func addSaturating(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}

	return a + b
}
