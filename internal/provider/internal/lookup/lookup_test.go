// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// box is an object of a kind for tests.
type box struct {
	id, name, room string
	size           int
	made           time.Time
	tags           []string
	labels         map[string]string
	open           bool
}

// boxes is a kind of which Tower has what list returns.
func boxes(list func(tower.Where) ([]box, error)) Kind[box] {
	return Kind[box]{
		Name: "elf_box", Plural: "elf_boxes", Object: "box", Objects: "boxes",
		List: func(_ *tower.Client, _ context.Context, where tower.Where) ([]box, error) { return list(where) },
		Key:  func(b box) (id, name string) { return b.id, b.name },
		Attributes: []Attribute[box]{
			Text("room", "Room.", func(b box) string { return b.room }).Filter(ByID("floor", "room")),
			Text[box]("owner", "Owner.", nil).Filter(Equal("owner")),
			Int("size", "Size.", func(b box) int { return b.size }).Filter(Equal("size")),
			IntOrNull("weight", "Weight.", func(b box) int { return b.size }),
			Bool("open", "Open.", func(b box) bool { return b.open }),
			Texts("tags", "Tags.", func(b box) []string { return b.tags }),
			Map("labels", "Labels.", func(b box) map[string]string { return b.labels }),
			Time("made", "Made.", func(b box) time.Time { return b.made }),
		},
	}
}

func having(found ...box) Kind[box] {
	return boxes(func(tower.Where) ([]box, error) { return found, nil })
}

func TestKind_values(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   box
		want map[string]attr.Value
	}{
		"all": {
			box{
				id: "1", name: "a", room: "r", size: 3, open: true, tags: []string{"x"}, labels: map[string]string{"k": "v"},
				made: time.Date(2026, 1, 2, 5, 4, 5, 6, time.FixedZone("", 2*3600)),
			},
			map[string]attr.Value{
				"id": types.StringValue("1"), "name": types.StringValue("a"), "room": types.StringValue("r"), "size": types.Int64Value(3),
				"weight": types.Int64Value(3), "open": types.BoolValue(true), "tags": attrs.StringList([]string{"x"}),
				"labels": attrs.StringMap(map[string]string{"k": "v"}), "made": types.StringValue("2026-01-02T03:04:05Z"),
			},
		},
		"least": {
			box{id: "1", name: "a"},
			map[string]attr.Value{
				"id": types.StringValue("1"), "name": types.StringValue("a"), "room": types.StringNull(), "size": types.Int64Value(0),
				"weight": types.Int64Null(), "open": types.BoolValue(false), "tags": attrs.StringList(nil),
				"labels": attrs.StringMap(nil), "made": types.StringNull(),
			},
		},
	}
	for name, tc := range cases {
		if diff := cmp.Diff(tc.want, having().Values(tc.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestKind_Find(t *testing.T) {
	t.Parallel()
	var asked tower.Where
	k := boxes(func(where tower.Where) ([]box, error) { asked = where; return nil, nil })
	if _, err := k.Find(t.Context(), nil, Filters{"room": "r", "name_in": []string{"a", "b"}}); err != nil {
		t.Fatal(err)
	}
	want := tower.All(tower.Where{"name_in": []string{"a", "b"}}, tower.Where{"floor": tower.Where{"room": tower.AnyID("r")}})
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("where (-want +got):\n%s", diff)
	}
	for _, name := range []string{"weight", "colour"} {
		asked = nil
		if _, err := k.Find(t.Context(), nil, Filters{"name": "a", name: "x"}); err == nil || asked != nil {
			t.Errorf("%s, which is no filter, is left out: asked for %v, %v", name, asked, err)
		}
	}
}

func TestKind_FindSaysWhatForItFailed(t *testing.T) {
	t.Parallel()
	cause := errors.New("no connection")
	k := boxes(func(tower.Where) ([]box, error) { return nil, cause })
	_, err := k.Find(t.Context(), nil, Filters{"name": "a"})
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), `looking for name = "a"`) {
		t.Errorf("error %v", err)
	}
}

func TestKind_none(t *testing.T) {
	t.Parallel()
	name := criterion{"name", "Web-1", Equal("name")}
	part := criterion{"name_contains", "APP", Equal("name_contains")}
	list := criterion{"name_in", []string{"db", "cache"}, Equal("name_in")}
	room := criterion{"room", "r", ByID("room")}
	const check = "Check the filters, and that this user can see the box."
	cases := map[string]struct {
		c     criteria
		found []box
		want  string
	}{
		"without filters": {nil, nil, "Tower has no box that this user can see."},
		"nearest first": {
			criteria{name},
			[]box{{name: "app"}, {name: "web-1-old"}, {name: "web-1"}, {name: "web-2"}, {name: "zzzzzzzzz"}, {name: "mail"}, {name: "web-2"}},
			`Tower has no box with name = "Web-1". The nearest names: "web-1", "web-1-old", "web-2", "app", "mail". ` + check,
		},
		"part of a name": {
			criteria{part},
			[]box{{name: "database"}, {name: "my-app-1"}},
			`Tower has no box with name_contains = "APP". The nearest names: "my-app-1", "database". ` + check,
		},
		"one of several names": {
			criteria{list},
			[]box{{name: "cached"}, {name: "firewall"}, {name: "DB"}},
			`Tower has no box with name_in = ["db", "cache"]. The nearest names: "DB", "cached", "firewall". ` + check,
		},
		"under the other filters": {
			criteria{name, room},
			[]box{{name: "web"}},
			`Tower has no box with name = "Web-1" and room = "r". The nearest names with room = "r": "web". ` + check,
		},
		"the other filters are to blame": {
			criteria{name, room},
			nil,
			`Tower has no box with name = "Web-1" and room = "r". It has none with room = "r" at all. ` + check,
		},
		"none at all":   {criteria{name}, nil, `Tower has no box with name = "Web-1". It has none at all. ` + check},
		"not by a name": {criteria{room}, []box{{name: "web"}}, `Tower has no box with room = "r". ` + check},
	}
	for name, tc := range cases {
		if diff := cmp.Diff(tc.want, having(tc.found...).none(t.Context(), nil, tc.c)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestKind_noneAsksForNoNames makes sure that what only makes an error better is
// asked for without the filters by name, and never hides the error.
func TestKind_noneAsksForNoNames(t *testing.T) {
	t.Parallel()
	var asked []tower.Where
	k := boxes(func(where tower.Where) ([]box, error) {
		asked = append(asked, where)
		return nil, errors.New("too slow")
	})
	got := k.none(t.Context(), nil, criteria{{"name", "a", Equal("name")}, {"owner", "me", Equal("owner")}})
	want := `Tower has no box with name = "a" and owner = "me". Check the filters, and that this user can see the box.`
	if got != want {
		t.Errorf("none = %s, want %s", got, want)
	}
	if diff := cmp.Diff([]tower.Where{{"owner": "me"}}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

func TestKind_several(t *testing.T) {
	t.Parallel()
	many := make([]box, 0, 23)
	list := ""
	for i := range 23 {
		many = append(many, box{name: "n", id: fmt.Sprintf("id%02d", i)})
		if i < 20 {
			list += fmt.Sprintf("  - \"n\" (id id%02d)\n", i)
		}
	}
	cases := map[string]struct {
		c     criteria
		found []box
		want  string
	}{
		"of one name": {
			criteria{{"name", "n", nil}},
			[]box{{id: "1", name: "n", room: "r"}, {id: "2", name: "n", room: "s"}},
			`Tower has 2 boxes with name = "n", but exactly one must be found:` + "\n\n" +
				`  - "n" (id 1)` + "\n" + `  - "n" (id 2)` + "\n\n" + `Narrow the search with room, owner or id.`,
		},
		"of many names": {
			criteria{{"room", "r", nil}, {"owner", "me", nil}},
			[]box{{id: "1", name: "n", size: 1}, {id: "2", name: "o", size: 2}},
			`Tower has 2 boxes with room = "r" and owner = "me", but exactly one must be found:` + "\n\n" +
				`  - "n" (id 1)` + "\n" + `  - "o" (id 2)` + "\n\n" + `Narrow the search with name, size or id.`,
		},
		"that only the id tells apart": {
			criteria{{"owner", "me", nil}},
			[]box{{id: "1", name: "n"}, {id: "2", name: "n"}},
			`Tower has 2 boxes with owner = "me", but exactly one must be found:` + "\n\n" +
				`  - "n" (id 1)` + "\n" + `  - "n" (id 2)` + "\n\n" + `Narrow the search with id.`,
		},
		"more than a person reads": {
			nil, many,
			"Tower has 23 boxes and no filter is set, but exactly one must be found:\n\n" + list + "  - and 3 more\n\nNarrow the search with owner or id.",
		},
	}
	for name, tc := range cases {
		if diff := cmp.Diff(tc.want, having().several(tc.c, tc.found)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	noted := having()
	noted.Note = func(b box) string { return "room " + b.room }
	if got := noted.several(nil, []box{{id: "1", name: "n", room: "r"}, {}}); !strings.Contains(got, `"n" (id 1), room r`) {
		t.Errorf("the note is missing: %s", got)
	}
}

func TestCriteria_String(t *testing.T) {
	t.Parallel()
	c := criteria{
		{"name", `a"b`, nil},
		{"vlan_id", int64(0), nil},
		{"enabled", true, nil},
		{"name_in", []string{"a", "b"}, nil},
		{"labels", map[string]string{"k": "v", "a": ""}, nil},
	}
	want := `name = "a\"b" and vlan_id = 0 and enabled = true and name_in = ["a", "b"] and labels = {"a":"","k":"v"}`
	if got := c.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLowered(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Id of the cluster.": "id of the cluster.", "VLAN tag.": "VLAN tag.", "Tower's id of it.": "Tower's id of it.", "A part.": "a part.", "": "",
	} {
		if got := lowered(in); got != want {
			t.Errorf("lowered(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestKind_schema(t *testing.T) {
	t.Parallel()
	k := having()
	both, filters, results := k.schema(true, true), k.schema(true, false), k.schema(false, true)
	for name, want := range map[string][3]string{
		"room":          {"Room. Also a filter.", "Filter: room.", "Room."},
		"owner":         {"Filter: owner.", "Filter: owner.", ""},
		"open":          {"Open.", "", "Open."},
		"name_contains": {"Filter: a part of the name.", "Filter: a part of the name.", ""},
		"id":            {"Tower's id of the box. Also a filter.", "Filter: Tower's id of the box.", "Tower's id of the box."},
	} {
		var got [3]string
		for i, attributes := range []map[string]interface{ GetMarkdownDescription() string }{describe(both), describe(filters), describe(results)} {
			if a := attributes[name]; a != nil {
				got[i] = a.GetMarkdownDescription()
			}
		}
		if got != want {
			t.Errorf("%s is described by %q, want %q", name, got, want)
		}
	}
	for name, a := range filters {
		if !a.IsOptional() || a.IsComputed() {
			t.Errorf("%s is a filter, but optional %t and computed %t", name, a.IsOptional(), a.IsComputed())
		}
	}
	for name, a := range results {
		if a.IsOptional() || !a.IsComputed() {
			t.Errorf("%s is a result, but optional %t and computed %t", name, a.IsOptional(), a.IsComputed())
		}
	}
}

func describe[A interface{ GetMarkdownDescription() string }](attributes map[string]A) map[string]interface{ GetMarkdownDescription() string } {
	out := map[string]interface{ GetMarkdownDescription() string }{}
	for name, a := range attributes {
		out[name] = a
	}
	return out
}
