// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"maps"
)

// Rows returns all stored rows, by resource type and id, without the members
// that are derived from other rows.
func (s *Server) Rows() map[string]string {
	rows := map[string]string{}

	s.withWorld(func(w *world) {
		for _, t := range append(w.vmTables(), w.otherTables()...) {
			for _, x := range t.objects() {
				if row := w.readRow(x, nil); row != nil {
					rows[row.kind+" "+row.id] = row.ownMembers
				}
			}
		}
	})

	return rows
}

// Replayed returns rows after the changes since a revision were applied to
// them.
func (s *Server) Replayed(rows map[string]string, since uint64) map[string]string {
	after := maps.Clone(rows)

	s.withWorld(func(w *world) {
		for _, e := range w.journal.events.list {
			key := e.kind + " " + e.id

			switch {
			case e.revision <= since:
			case e.action == actionDelete:
				delete(after, key)
			default:
				after[key] = e.new
				if follows := derivedMembers[e.kind]; follows != nil {
					after[key] = without([]byte(e.new), follows)
				}
			}
		}
	})

	return after
}

// RemoveNodes registers and removes a number of Kubernetes nodes.
func (s *Server) RemoveNodes(n int) {
	s.withWorld(func(w *world) {
		for range n {
			w.nodes.byName["passing"] = &node{name: "passing"}
			w.nodes.touch(w.nodes.byName["passing"], true, w.now)
			w.nodes.remove(w.nodes.byName["passing"])
		}
	})
}

// Revision returns the revision of the last change.
func (s *Server) Revision() uint64 {
	var revision uint64

	s.withWorld(func(w *world) { revision = w.journal.revision })

	return revision
}
