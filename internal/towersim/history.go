// SPDX-License-Identifier: MPL-2.0

package towersim

// history is a list that forgets its oldest elements when there are too many of
// them, or when they take too much room. The last one is always kept.
type history[T interface{ size() int }] struct {
	list  []T
	bytes int
}

// add appends an element. It returns how many elements were forgotten for it,
// and the last of these.
func (h *history[T]) add(x T, maxLength, maxBytes int) (forgotten int, last T) {
	h.list = append(h.list, x)
	h.bytes += x.size()

	if len(h.list) <= maxLength && h.bytes <= maxBytes {
		return 0, last
	}

	// By a tenth at once, so that the rest need not move for each element.
	for forgotten < len(h.list)-1 && (len(h.list)-forgotten > maxLength*9/10 || h.bytes > maxBytes*9/10) {
		last = h.list[forgotten]
		h.bytes -= last.size()
		forgotten++
	}

	h.list = append([]T(nil), h.list[forgotten:]...)

	return forgotten, last
}
