// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const (
	maxChanges = 1000
	// defaultChanges is the number of changes in a reply if the request has no
	// limit.
	defaultChanges = 100

	codeOK        = "EOK"
	codeCompacted = "REVISION_COMPACTED"
)

// changesQuery is a request for changes.
type changesQuery struct {
	actions, types []string // nil means all
	id             string   // "" means all
	start          *uint64  // nil means from the oldest that is kept
	limit          int
}

// getResourceChanges lists the changes after a revision, the oldest first. If
// some of them are not kept any more, it returns the rest, with a code that
// says so and the compactRevision. A watcher compares that revision with its
// own.
func getResourceChanges(c *call) (any, error) {
	q, err := readChangesQuery(c.request.URL.Query())
	if err != nil {
		return nil, err
	}

	j := c.journal
	out := &wire.ResourceChangeResponse{
		CurrentRevision: fmt.Sprint(j.revision), CompactRevision: fmt.Sprint(j.compacted), Ec: codeOK,
	}

	from := 0

	if q.start != nil {
		from = sort.Search(len(j.events.list), func(i int) bool { return j.events.list[i].revision > *q.start })

		if *q.start < j.compacted {
			out.Ec = codeCompacted
			out.Error = map[string]string{"msg": fmt.Sprintf("The revision %d has been compacted, the oldest is %d.", *q.start, j.compacted)}
		}
	}

	for i := from; i < len(j.events.list) && len(out.Data) < q.limit; i++ {
		if e := &j.events.list[i]; q.wants(e) {
			out.Data = append(out.Data, e.shown())
		}
	}

	return out, nil
}

func readChangesQuery(values url.Values) (*changesQuery, error) {
	q := &changesQuery{
		actions: listOf(values.Get("action")), types: listOf(values.Get("resource_type")), id: values.Get("resource_id"),
		limit: defaultChanges,
	}

	if text := values.Get("limit"); values.Has("limit") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxChanges {
			return nil, badRequest("query.limit: expected an integer from 1 to %d, not %q", maxChanges, text)
		}

		q.limit = n
	}

	if text := values.Get("start_revision"); values.Has("start_revision") {
		revision, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, badRequest("query.start_revision: expected a revision, not %q", text)
		}

		q.start = &revision
	}

	return q, nil
}

// listOf splits a list at commas. An empty list is nil.
func listOf(text string) []string {
	if text == "" {
		return nil
	}

	return strings.Split(text, ",")
}

func (q *changesQuery) wants(e *rowChange) bool {
	return (q.actions == nil || slices.Contains(q.actions, e.action)) &&
		(q.types == nil || slices.Contains(q.types, e.kind)) && (q.id == "" || q.id == e.id)
}

func (e *rowChange) shown() wire.ResourceChangeEvent {
	out := wire.ResourceChangeEvent{
		Action: wire.Ptr(e.action), CreatedAt: formatTimePtr(e.at), ResourceID: wire.Ptr(e.id), ResourceType: wire.Ptr(e.kind),
		Revision: fmt.Sprint(e.revision), OldValue: nilIfEmpty(e.old), NewValue: nilIfEmpty(e.new),
	}

	if e.previous > 0 {
		out.PrevRevision = wire.Ptr(fmt.Sprint(e.previous))
	}

	return out
}

// CompactChanges deletes the history of changes. A watcher that has not read
// all of them learns that it has missed some.
func (s *Server) CompactChanges() {
	s.withWorld((*world).compactChanges)
}

func (w *world) compactChanges() {
	if j := w.journal; j != nil {
		j.events, j.compacted = history[rowChange]{}, j.revision
	}
}
