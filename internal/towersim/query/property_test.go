// SPDX-License-Identifier: MPL-2.0

package query

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

type jsonRow = map[string]any

// naive is a simple second implementation: it works on rows as they appear in a
// reply, follows relations by comparing ids, and evaluates a filter anew for
// each row. It shares only the source's rows with the engine.
type naive struct {
	rows map[string][]jsonRow
}

func newNaive(t *rapid.T, s *inventory) *naive {
	n := &naive{rows: map[string][]jsonRow{}}
	for _, entity := range []string{"Vm", "VmNic", "Host", "Cluster", "Label"} {
		for _, row := range s.Rows(entity) {
			raw, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			var out jsonRow
			if err := json.Unmarshal(raw, &out); err != nil {
				t.Fatal(err)
			}
			n.rows[entity] = append(n.rows[entity], out)
		}
	}
	return n
}

// relations says where each relation leads and whether to many rows.
var relations = map[string]struct {
	target string
	many   bool
}{
	"Vm.host": {"Host", false}, "Vm.cluster": {"Cluster", false}, "Vm.vm_nics": {"VmNic", true}, "Vm.labels": {"Label", true},
	"VmNic.vm": {"Vm", false}, "Host.cluster": {"Cluster", false}, "Host.vms": {"Vm", true}, "Cluster.hosts": {"Host", true},
}

func (n *naive) related(entity string, row jsonRow, field string) []jsonRow {
	target := relations[entity+"."+field].target
	refers := func(from jsonRow, member string, to jsonRow) bool {
		nested, ok := from[member].(map[string]any)
		return ok && nested["id"] == to["id"]
	}
	var out []jsonRow
	for _, other := range n.rows[target] {
		hit := false
		switch entity + "." + field {
		case "Vm.vm_nics":
			hit = refers(other, "vm", row)
		case "Host.vms":
			hit = refers(other, "host", row)
		case "Cluster.hosts":
			hit = refers(other, "cluster", row)
		case "Vm.labels":
			list, _ := row["labels"].([]any)
			hit = slices.ContainsFunc(list, func(l any) bool { return l.(map[string]any)["id"] == other["id"] })
		default:
			hit = refers(row, field, other)
		}
		if hit {
			out = append(out, other)
		}
	}
	return out
}

// eval returns "true", "false" or "unknown".
func (n *naive) eval(entity string, row, filter jsonRow) string {
	var results []string
	for key, arg := range filter {
		results = append(results, n.evalMember(entity, row, key, arg))
	}
	return conj(results)
}

func conj(results []string) string {
	switch {
	case slices.Contains(results, "false"):
		return "false"
	case slices.Contains(results, "unknown"):
		return "unknown"
	default:
		return "true"
	}
}

func negate(result string) string {
	return map[string]string{"true": "false", "false": "true", "unknown": "unknown"}[result]
}

func boolText(b bool) string { return fmt.Sprint(b) }

func (n *naive) evalMember(entity string, row jsonRow, key string, arg any) string {
	switch key {
	case "AND", "OR", "NOT":
		var results []string
		for _, sub := range arg.([]any) {
			result := n.eval(entity, row, sub.(map[string]any))
			if key != "AND" {
				result = negate(result)
			}
			results = append(results, result)
		}
		if key == "OR" { // by De Morgan
			return negate(conj(results))
		}
		return conj(results)
	}
	if rel, ok := relations[entity+"."+key]; ok && !rel.many {
		others := n.related(entity, row, key)
		if arg == nil {
			return boolText(len(others) == 0)
		}
		return boolText(len(others) == 1 && n.eval(rel.target, others[0], arg.(map[string]any)) == "true")
	}
	for _, quantifier := range []string{"_some", "_every", "_none"} {
		field, ok := strings.CutSuffix(key, quantifier)
		rel, known := relations[entity+"."+field]
		if !ok || !known {
			continue
		}
		holding, violating := 0, 0
		for _, other := range n.related(entity, row, field) {
			switch n.eval(rel.target, other, arg.(map[string]any)) {
			case "true":
				holding++
			case "false":
				violating++
			}
		}
		return boolText(map[string]bool{"_some": holding > 0, "_every": violating == 0, "_none": holding == 0}[quantifier])
	}
	return evalScalar(row, key, arg)
}

func evalScalar(row jsonRow, key string, arg any) string {
	field, op := key, ""
	for _, suffix := range []string{"_not_in", "_not_contains", "_not_starts_with", "_not_ends_with"} {
		if base, ok := strings.CutSuffix(key, suffix); ok {
			return negate(evalScalar(row, base+strings.TrimPrefix(suffix, "_not"), arg))
		}
	}
	if base, ok := strings.CutSuffix(key, "_not"); ok {
		return negate(evalScalar(row, base, arg))
	}
	for _, suffix := range []string{"_in", "_lt", "_lte", "_gt", "_gte", "_contains", "_starts_with", "_ends_with"} {
		if base, ok := strings.CutSuffix(key, suffix); ok {
			field, op = base, suffix
		}
	}
	have := row[field]
	list, isList := arg.([]any)
	switch {
	case isList && len(list) == 0:
		return "false"
	case arg == nil && (op == "" || op == "_in"):
		return boolText(have == nil)
	case arg == nil || have == nil:
		return "unknown"
	case op == "":
		return boolText(have == arg)
	case op == "_in":
		return boolText(slices.Contains(list, have))
	}
	if text, ok := have.(string); ok {
		want := arg.(string)
		return boolText(map[string]bool{
			"_lt": text < want, "_lte": text <= want, "_gt": text > want, "_gte": text >= want,
			"_contains": strings.Contains(text, want), "_starts_with": strings.HasPrefix(text, want),
			"_ends_with": strings.HasSuffix(text, want),
		}[op])
	}
	number, want := have.(float64), arg.(float64)
	return boolText(map[string]bool{"_lt": number < want, "_lte": number <= want, "_gt": number > want, "_gte": number >= want}[op])
}

// scalars lists the scalar fields in generated filters, with their kinds.
var scalars = map[string]map[string]string{
	"Vm":      {"id": "s", "local_id": "s", "name": "s", "hostname": "s", "vcpu": "i", "size": "i", "cpu_usage": "f", "ha": "b", "status": "e", "local_created_at": "t"},
	"VmNic":   {"id": "s", "ip_address": "s", "order": "i", "enabled": "b"},
	"Host":    {"id": "s", "local_id": "s", "name": "s", "vm_num": "i"},
	"Cluster": {"id": "s", "local_id": "s", "name": "s"},
	"Label":   {"id": "s", "key": "s", "value": "s"},
}

var operatorsOf = map[string][]string{
	"s": {
		"", "_not", "_in", "_not_in", "_lt", "_lte", "_gt", "_gte", "_contains", "_not_contains",
		"_starts_with", "_not_starts_with", "_ends_with", "_not_ends_with",
	},
	"t": {"", "_not", "_in", "_not_in", "_lt", "_lte", "_gt", "_gte"},
	"i": {"", "_not", "_in", "_not_in", "_lt", "_lte", "_gt", "_gte"},
	"f": {"", "_not", "_in", "_not_in", "_lt", "_lte", "_gt", "_gte"},
	"e": {"", "_not", "_in", "_not_in"},
	"b": {"", "_not"},
}

func drawText(t *rapid.T) string {
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 2, -1).Draw(t, "text")
}

func drawTime(t *rapid.T) string {
	return fmt.Sprintf("2024-01-0%dT00:00:00.000Z", rapid.IntRange(1, 3).Draw(t, "day"))
}

func drawScalar(t *rapid.T, kind string) any {
	switch kind {
	case "i":
		return float64(rapid.IntRange(0, 3).Draw(t, "integer"))
	case "f":
		return float64(rapid.IntRange(0, 4).Draw(t, "number")) / 4
	case "b":
		return rapid.Bool().Draw(t, "boolean")
	case "e":
		return rapid.SampledFrom([]string{"RUNNING", "STOPPED"}).Draw(t, "enum")
	case "t":
		return drawTime(t)
	default:
		return drawText(t)
	}
}

func drawFilter(t *rapid.T, entity string, depth int) jsonRow {
	out := jsonRow{}
	for range rapid.IntRange(0, 2).Draw(t, "members") {
		choice := rapid.IntRange(0, 9).Draw(t, "choice")
		switch {
		case depth > 0 && choice < 3:
			list := []any{}
			for range rapid.IntRange(0, 3).Draw(t, "length") {
				list = append(list, drawFilter(t, entity, depth-1))
			}
			out[[]string{"AND", "OR", "NOT"}[choice]] = list
		case depth > 0 && choice < 6:
			drawRelation(t, entity, depth, out)
		default:
			drawComparison(t, entity, out)
		}
	}
	return out
}

func drawRelation(t *rapid.T, entity string, depth int, out jsonRow) {
	var own []string
	for name := range relations {
		if strings.HasPrefix(name, entity+".") {
			own = append(own, name)
		}
	}
	if len(own) == 0 {
		return
	}
	slices.Sort(own)
	name := rapid.SampledFrom(own).Draw(t, "relation")
	rel := relations[name]
	_, field, _ := strings.Cut(name, ".")
	switch {
	case rel.many:
		field += rapid.SampledFrom([]string{"_some", "_every", "_none"}).Draw(t, "quantifier")
	case rapid.IntRange(0, 4).Draw(t, "null") == 0:
		out[field] = nil
		return
	}
	out[field] = drawFilter(t, rel.target, depth-1)
}

func drawComparison(t *rapid.T, entity string, out jsonRow) {
	field := rapid.SampledFrom(slices.Sorted(maps.Keys(scalars[entity]))).Draw(t, "field")
	kind := scalars[entity][field]
	op := rapid.SampledFrom(operatorsOf[kind]).Draw(t, "operator")
	switch {
	case rapid.IntRange(0, 5).Draw(t, "null") == 0:
		out[field+op] = nil
	case strings.HasSuffix(op, "_in"):
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawScalar(t, kind))
		}
		out[field+op] = list
	default:
		out[field+op] = drawScalar(t, kind)
	}
}

func maybe[T any](t *rapid.T, draw func() T) *T {
	if rapid.Bool().Draw(t, "absent") {
		return nil
	}
	v := draw()
	return &v
}

func drawInventory(t *rapid.T) *inventory {
	s := &inventory{}
	id := func(n int) string { return []string{"", "a", "b", "ab", "ba", "aa"}[n] }
	text := func() string { return drawText(t) }
	for i := range rapid.IntRange(0, 2).Draw(t, "clusters") {
		s.clusters = append(s.clusters, &wire.Cluster{ID: id(i), LocalID: maybe(t, text), Name: text()})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "hosts") {
		host := &wire.Host{ID: id(i), LocalID: text(), Name: text(), VMNum: maybe(t, func() int { return i })}
		host.Cluster.ID = id(rapid.IntRange(0, 3).Draw(t, "cluster"))
		s.hosts = append(s.hosts, host)
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "labels") {
		s.labels = append(s.labels, &wire.Label{ID: id(i), Key: text(), Value: maybe(t, text)})
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "vms") {
		vm := &wire.VM{
			ID: id(i), LocalID: text(), Name: text(), Hostname: maybe(t, text), HA: rapid.Bool().Draw(t, "ha"),
			VCPU: rapid.IntRange(0, 3).Draw(t, "vcpu"), Status: wire.VMStatus(drawScalar(t, "e").(string)),
			Size:           maybe(t, func() int64 { return int64(rapid.IntRange(0, 3).Draw(t, "size")) }),
			CPUUsage:       maybe(t, func() float64 { return drawScalar(t, "f").(float64) }),
			LocalCreatedAt: maybe(t, func() string { return drawTime(t) }),
			Host:           maybe(t, func() wire.NestedHost { return wire.NestedHost{ID: id(rapid.IntRange(0, 3).Draw(t, "host"))} }),
			Cluster:        maybe(t, func() wire.NestedCluster { return wire.NestedCluster{ID: id(rapid.IntRange(0, 2).Draw(t, "cluster"))} }),
		}
		for range rapid.IntRange(0, 2).Draw(t, "labels") {
			vm.Labels = append(vm.Labels, wire.NestedLabel{ID: id(rapid.IntRange(0, 2).Draw(t, "label"))})
		}
		s.vms = append(s.vms, vm)
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "nics") {
		nic := &wire.VMNic{
			ID: id(i), IPAddress: maybe(t, text), Order: maybe(t, func() int { return i }),
			Enabled: maybe(t, func() bool { return i > 2 }),
		}
		nic.VM.ID = id(rapid.IntRange(0, 5).Draw(t, "vm"))
		s.nics = append(s.nics, nic)
	}
	return s
}

// TestEngineAgreesWithANaiveImplementation compares the rows that the engine finds,
// with and without indexes, with those that the naive implementation finds.
func TestEngineAgreesWithANaiveImplementation(t *testing.T) {
	t.Parallel()
	entities := slices.Sorted(maps.Keys(scalars))
	rapid.Check(t, func(t *rapid.T) {
		src := drawInventory(t)
		model := newNaive(t, src)
		for range 20 {
			entity := rapid.SampledFrom(entities).Draw(t, "entity")
			compareWithNaive(t, src, model, entity, drawFilter(t, entity, 3))
		}
	})
}

func compareWithNaive(t *rapid.T, src *inventory, model *naive, entity string, filter jsonRow) {
	raw, err := json.Marshal(filter)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for _, row := range model.rows[entity] {
		if model.eval(entity, row, filter) == "true" {
			want = append(want, row["id"].(string))
		}
	}
	slices.Sort(want)
	for _, s := range []Source{src, &indexed{inventory: src}} {
		rows, err := Match(s, entity, raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if got := ids(rows); !slices.Equal(got, want) {
			t.Fatalf("%T: %s where %s\n got %q\nwant %q", s, entity, raw, got, want)
		}
	}
}

// TestPagesAreSlicesOfTheList reads a list page by page in both directions: all
// pages together are the list.
func TestPagesAreSlicesOfTheList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := drawInventory(t)
		order := rapid.SampledFrom([]string{"id_ASC", "id_DESC", "vcpu_ASC", "vcpu_DESC", "name_ASC", "status_DESC"}).Draw(t, "order")
		size := rapid.IntRange(1, 4).Draw(t, "size")
		whole := find(t, src, Request{OrderBy: &order})
		var forward, backward []string
		for cursor := (*string)(nil); ; {
			page := find(t, src, Request{OrderBy: &order, First: &size, After: cursor})
			if len(page) == 0 {
				break
			}
			forward = append(forward, page...)
			cursor = &page[len(page)-1]
		}
		for cursor := (*string)(nil); ; {
			page := find(t, src, Request{OrderBy: &order, Last: &size, Before: cursor})
			if len(page) == 0 {
				break
			}
			backward = append(slices.Clone(page), backward...)
			cursor = &page[0]
		}
		if !slices.Equal(forward, whole) || !slices.Equal(backward, whole) {
			t.Fatalf("by %s: %q\nforward %q\nbackward %q", order, whole, forward, backward)
		}
	})
}

// naivePage returns a page of ordered ids as the API describes it: it applies
// the cursors first, then skip and first from the front, or skip and last from
// the back.
func naivePage(ordered []string, req Request) []string {
	page := slices.Clone(ordered)
	if req.After != nil {
		page = page[min(slices.Index(ordered, *req.After)+1, len(page)):]
	}
	if req.Before != nil {
		if end := slices.Index(page, *req.Before); end >= 0 {
			page = page[:end]
		} else {
			page = nil // the cursors are in the wrong order, or the same
		}
	}
	skip := 0
	if req.Skip != nil {
		skip = min(*req.Skip, len(page))
	}
	if req.Last != nil {
		page = page[:len(page)-skip]
		return page[max(len(page)-*req.Last, 0):]
	}
	page = page[skip:]
	if req.First != nil {
		page = page[:min(*req.First, len(page))]
	}
	return page
}

// TestPagesAgreeWithANaiveImplementation draws cursors, counts and filters in all
// combinations. The count must be the number of rows.
func TestPagesAgreeWithANaiveImplementation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := drawInventory(t)
		model := newNaive(t, src)
		order := rapid.SampledFrom([]string{"id_ASC", "id_DESC", "vcpu_ASC", "vcpu_DESC", "name_ASC", "name_DESC", "status_ASC"}).Draw(t, "order")
		everything := find(t, src, Request{OrderBy: &order})
		for range 10 {
			filter := drawFilter(t, "Vm", 1)
			raw, err := json.Marshal(filter)
			if err != nil {
				t.Fatal(err)
			}
			req := Request{OrderBy: &order, Where: raw, Skip: maybe(t, func() int { return rapid.IntRange(0, 6).Draw(t, "skip") })}
			size := rapid.IntRange(0, 6).Draw(t, "size")
			switch rapid.IntRange(0, 2).Draw(t, "end") {
			case 0:
				req.First = &size
			case 1:
				req.Last = &size
			}
			if len(everything) > 0 {
				req.After = maybe(t, func() string { return rapid.SampledFrom(everything).Draw(t, "after") })
				req.Before = maybe(t, func() string { return rapid.SampledFrom(everything).Draw(t, "before") })
			}
			// Cursors are places in the whole list, whether the filter matches
			// their rows or not.
			within := naivePage(everything, Request{After: req.After, Before: req.Before})
			matching := slices.DeleteFunc(within, func(id string) bool {
				row := model.rows["Vm"][slices.IndexFunc(model.rows["Vm"], func(r jsonRow) bool { return r["id"] == id })]
				return model.eval("Vm", row, filter) != "true"
			})
			want := naivePage(matching, Request{First: req.First, Last: req.Last, Skip: req.Skip})
			for _, s := range []Source{src, &indexed{inventory: src}} {
				got := find(t, s, req)
				if !slices.Equal(got, want) {
					t.Fatalf("%T: %s %+v\n got %q\nwant %q", s, raw, req, got, want)
				}
			}
		}
	})
}

func find(t *rapid.T, src Source, req Request) []string {
	rows, err := Find(src, wire.EntityVM, req)
	if err != nil {
		t.Fatal(err)
	}
	return ids(rows)
}
