// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// maxCandidates is how many objects an error lists at most; a person reads no
// more.
const maxCandidates = 20

// Query tells what was looked up, for the messages.
type Query struct {
	// Object and Objects name what is looked up: "cluster", "clusters".
	Object, Objects string
	// Criteria are the filters that the configuration sets.
	Criteria Criteria
	// Narrowing are all filters of the data source that narrow a search, the
	// most telling first.
	Narrowing []string
}

// Candidate is an object as an error lists it.
type Candidate struct {
	Name, ID string
	// Note tells objects of the same name apart, such as the cluster. May be
	// empty.
	Note string
}

// ExactlyOne returns the only element of found. Where there is none, or more
// than one, it adds an error that names the filters, the candidates and what
// would narrow the search, and returns false.
func ExactlyOne[T any](diags *diag.Diagnostics, query Query, found []T, candidate func(T) Candidate) (T, bool) {
	var none T
	switch len(found) {
	case 1:
		return found[0], true
	case 0:
		diags.AddError(title(query.Object)+" Not Found", query.notFound())
		return none, false
	}
	candidates := make([]Candidate, 0, maxCandidates)
	for _, object := range found[:min(len(found), maxCandidates)] {
		candidates = append(candidates, candidate(object))
	}
	diags.AddError("More than one "+query.Object+" found", query.ambiguous(candidates, len(found)))
	return none, false
}

func (q Query) notFound() string {
	if len(q.Criteria) == 0 {
		return fmt.Sprintf("Tower has no %s that this user can see.", q.Object)
	}
	return fmt.Sprintf("Tower has no %s with %s. Check the filters, and that this user can see the %s.",
		q.Object, q.Criteria, q.Object)
}

func (q Query) ambiguous(candidates []Candidate, total int) string {
	var b strings.Builder
	if len(q.Criteria) == 0 {
		fmt.Fprintf(&b, "Tower has %d %s and no filter is set, but exactly one must be found:\n\n", total, q.Objects)
	} else {
		fmt.Fprintf(&b, "Tower has %d %s with %s, but exactly one must be found:\n\n", total, q.Objects, q.Criteria)
	}
	for _, c := range candidates {
		fmt.Fprintf(&b, "  - %q (id %s)", c.Name, c.ID)
		if c.Note != "" {
			fmt.Fprintf(&b, ", %s", c.Note)
		}
		b.WriteString("\n")
	}
	if rest := total - len(candidates); rest > 0 {
		fmt.Fprintf(&b, "  - and %d more\n", rest)
	}
	fmt.Fprintf(&b, "\nNarrow the search with %s.", q.narrowing())
	return b.String()
}

// narrowing lists the filters that are not set yet: "name, cluster_id or id".
func (q Query) narrowing() string {
	var free []string
	for _, name := range q.Narrowing {
		if !q.Criteria.has(name) {
			free = append(free, name)
		}
	}
	switch len(free) {
	case 0:
		return "other values of the filters"
	case 1:
		return free[0]
	}
	last := len(free) - 1
	return strings.Join(free[:last], ", ") + " or " + free[last]
}

func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
