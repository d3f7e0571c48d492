// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"strings"
	"testing"
)

func TestJournalIsBounded(t *testing.T) {
	small, large := rowChange{new: "x"}, rowChange{new: strings.Repeat("x", 1<<20)}

	for name, c := range map[string]struct {
		event rowChange
		n     int
	}{
		"many events": {small, 3 * maxJournalEvents}, "large events": {large, 3 * maxJournalBytes >> 20},
		"one beyond": {small, maxJournalEvents + 1}, "just full": {small, maxJournalEvents},
	} {
		j := &journal{}
		for range c.n {
			j.write(c.event)

			if len(j.events.list) > maxJournalEvents || j.events.bytes > maxJournalBytes || len(j.events.list) == 0 {
				t.Fatalf("%s: %d events of %d bytes", name, len(j.events.list), j.events.bytes)
			}
		}

		bytes := 0
		for i := range j.events.list {
			bytes += j.events.list[i].size()
		}

		if j.revision != uint64(c.n) || j.compacted+1 != j.events.list[0].revision || bytes != j.events.bytes || j.events.list[len(j.events.list)-1].revision != j.revision {
			t.Errorf("%s: revision %d, compacted %d, first %d, %d bytes counted, %d there", name, j.revision, j.compacted, j.events.list[0].revision, j.events.bytes, bytes)
		}

		if kept := max(len(j.events.list)*10/maxJournalEvents, j.events.bytes*10/maxJournalBytes); kept < 8 {
			t.Errorf("%s: %d events of %d bytes are kept", name, len(j.events.list), j.events.bytes)
		}

		if name == "just full" && j.compacted != 0 {
			t.Error("the history was compacted before it was full")
		}
	}
}

func TestJournalKeepsAnEventThatIsTooLarge(t *testing.T) {
	j := &journal{}
	j.write(rowChange{new: strings.Repeat("x", maxJournalBytes+1)})

	if len(j.events.list) != 1 || j.compacted != 0 {
		t.Errorf("%d events are kept, compacted %d", len(j.events.list), j.compacted)
	}

	j.write(rowChange{new: "x"})

	if len(j.events.list) != 1 || j.compacted != 1 {
		t.Errorf("%d events are kept, compacted %d", len(j.events.list), j.compacted)
	}
}
