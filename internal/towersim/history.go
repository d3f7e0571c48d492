// SPDX-License-Identifier: MPL-2.0

package towersim

// history is a list that drops its oldest elements when it becomes too long or
// too large. It always keeps the last element.
type history[T interface{ size() int }] struct {
	list  []T
	bytes int
}

// add appends an element. It returns how many elements it has dropped, and the
// last one of them.
func (h *history[T]) add(x T, maxLength, maxBytes int) (forgotten int, last T) {
	h.list = append(h.list, x)
	h.bytes += x.size()

	if len(h.list) <= maxLength && h.bytes <= maxBytes {
		return 0, last
	}

	// Drop a tenth at once, so that the rest is not moved for each element.
	for forgotten < len(h.list)-1 && (len(h.list)-forgotten > maxLength*9/10 || h.bytes > maxBytes*9/10) {
		last = h.list[forgotten]
		h.bytes -= last.size()
		forgotten++
	}

	h.list = append([]T(nil), h.list[forgotten:]...)

	return forgotten, last
}
