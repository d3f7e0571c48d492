// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"strings"
	"testing"
)

func TestJournalIsBounded(t *testing.T) {
	small, large := revised{new: "x"}, revised{new: strings.Repeat("x", 1<<20)}

	for name, c := range map[string]struct {
		event revised
		n     int
	}{
		"many events": {small, 3 * maxJournalEvents}, "large events": {large, 3 * maxJournalBytes >> 20},
		"one beyond": {small, maxJournalEvents + 1}, "just full": {small, maxJournalEvents},
	} {
		j := &journal{}
		for range c.n {
			j.write(c.event)

			if len(j.events) > maxJournalEvents || j.bytes > maxJournalBytes || len(j.events) == 0 {
				t.Fatalf("%s: %d events of %d bytes", name, len(j.events), j.bytes)
			}
		}

		bytes := 0
		for i := range j.events {
			bytes += j.events[i].size()
		}

		if j.revision != uint64(c.n) || j.compacted+1 != j.events[0].revision || bytes != j.bytes || j.events[len(j.events)-1].revision != j.revision {
			t.Errorf("%s: revision %d, compacted %d, first %d, %d bytes counted, %d there", name, j.revision, j.compacted, j.events[0].revision, j.bytes, bytes)
		}

		if name == "just full" && j.compacted != 0 {
			t.Error("the history was compacted before it was full")
		}
	}
}
