// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agext/levenshtein"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

const (
	// maxCandidates and maxNearest are how many objects and names an error lists at
	// most; a person reads no more.
	maxCandidates = 20
	maxNearest    = 5
	// nearestTimeout bounds the search for names that only make an error better.
	nearestTimeout = 10 * time.Second
)

// none says that nothing was found, and which names are near to what was looked
// for.
func (k Kind[T]) none(ctx context.Context, client *tower.Client, c criteria) string {
	if len(c) == 0 {
		return fmt.Sprintf("Tower has no %s that this user can see.", k.Object)
	}
	return fmt.Sprintf("Tower has no %s with %s. %sCheck the filters, and that this user can see the %s.",
		k.Object, c, k.hint(ctx, client, c), k.Object)
}

// hint says what Tower has under the other filters where a name was looked for.
func (k Kind[T]) hint(ctx context.Context, client *tower.Client, c criteria) string {
	wanted, others := c.names()
	if len(wanted) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, nearestTimeout)
	defer cancel()
	found, err := k.List(client, ctx, others.where())
	if err != nil {
		return "" // that nothing was found is the error to tell
	}
	scope := ""
	if len(others) > 0 {
		scope = " with " + others.String()
	}
	if len(found) == 0 {
		return fmt.Sprintf("It has none%s at all. ", scope)
	}
	names := make([]string, 0, len(found))
	for _, object := range found {
		_, name := k.Key(object)
		names = append(names, name)
	}
	return fmt.Sprintf("The nearest names%s: %s. ", scope, quoted(nearest(names, wanted)))
}

// nearest returns the names that are most like one of the wanted texts, the
// nearest first. Capitals count for little, and a part of a name for a name.
func nearest(names, wanted []string) []string {
	distance := func(name string) int {
		best := len(name)
		for _, want := range wanted {
			folded, part := strings.ToLower(name), strings.ToLower(want)
			d := levenshtein.Distance(folded, part, nil)
			if strings.Contains(folded, part) || strings.Contains(part, folded) {
				d = min(d, 1)
			}
			best = min(best, d)
		}
		return best
	}
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b)) })
	names = slices.Compact(names)
	return names[:min(len(names), maxNearest)]
}

// several says that more than one was found, which they are, and which filters
// tell them apart.
func (k Kind[T]) several(c criteria, found []T) string {
	var b strings.Builder
	if len(c) == 0 {
		fmt.Fprintf(&b, "Tower has %d %s and no filter is set, but exactly one must be found:\n\n", len(found), k.Many())
	} else {
		fmt.Fprintf(&b, "Tower has %d %s with %s, but exactly one must be found:\n\n", len(found), k.Many(), c)
	}
	for _, object := range found[:min(len(found), maxCandidates)] {
		id, name := k.Key(object)
		fmt.Fprintf(&b, "  - %q (id %s)", name, id)
		if k.Note != nil {
			fmt.Fprintf(&b, ", %s", k.Note(object))
		}
		b.WriteString("\n")
	}
	if rest := len(found) - maxCandidates; rest > 0 {
		fmt.Fprintf(&b, "  - and %d more\n", rest)
	}
	fmt.Fprintf(&b, "\nNarrow the search with %s.", k.narrowing(c, found))
	return b.String()
}

// narrowing lists the filters that are not set and tell the objects apart, the
// id last: "name, cluster_id or id".
func (k Kind[T]) narrowing(c criteria, found []T) string {
	var free []string
	for _, a := range k.attributes() {
		switch {
		case a.condition == nil || c.has(a.name) || a.name == "id" || strings.HasPrefix(a.name, "name_"):
		case a.value != nil && !slices.ContainsFunc(found, func(v T) bool { return !a.value(v).Equal(a.value(found[0])) }):
		default:
			free = append(free, a.name)
		}
	}
	return strings.TrimPrefix(strings.Join(free, ", ")+" or id", " or ")
}
