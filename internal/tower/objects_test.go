// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// asJSON returns v as it looks after a trip through JSON.
func asJSON(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAll(t *testing.T) {
	a, b := Where{"name": "a"}, Where{"id": "b"}
	for _, tc := range []struct {
		got  Where
		want any
	}{
		{All(), nil},
		{All(nil, Where{}), nil},
		{All(nil, a), map[string]any{"name": "a"}},
		{All(a, Where{}, b), map[string]any{"AND": []any{map[string]any{"name": "a"}, map[string]any{"id": "b"}}}},
	} {
		if got := asJSON(t, tc.got); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("got %v, want %v", got, tc.want)
		}
	}
}

// A filter reaches Tower as it is.
func TestList_sendsTheFilter(t *testing.T) {
	f := newFake(t)
	f.on("get-vlans", func(int, request) answer { return answer{body: []any{}} })
	where := All(Where{"name_in": []string{"x", "y"}, "vlan_id": 0, "type": "VM"}, AnyID("i"), Where{"vds": Where{"cluster": AnyID("cl")}})
	if _, err := f.client().VLANs(short(t), where); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"where": asJSON(t, where), "orderBy": "id_ASC", "first": 200.0}
	if got := f.seen("get-vlans")[0].body; !reflect.DeepEqual(got, want) {
		t.Errorf("asked %v\nwant  %v", got, want)
	}
}

// What the generated client would leave out of a filter would make it match more than was meant.
func TestList_refusesWhatWouldNotBeSent(t *testing.T) {
	f := newFake(t)
	c := f.client()
	for name, where := range map[string]Where{
		"unknown":        {"colour": "red"},
		"unknown inside": {"vds": Where{"colour": "red"}},
		"wrong case":     {"Name": "x"},
		"wrong type":     {"name": 7},
		"null":           {"name": nil},
		"null inside":    {"vds": Where{"name": nil}},
		"empty list":     {"name_in": []string{}},
		"empty choice":   {"OR": []Where{}},
	} {
		_, err := c.VLANs(short(t), where)
		if err == nil || !strings.Contains(err.Error(), "VM network") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if n := f.count("get-vlans"); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestFetch_refusesNoFilter(t *testing.T) {
	f := newFake(t)
	for _, where := range []Where{nil, {}} {
		if _, err := f.client().vms.fetch(short(t), kindRead, where); err == nil || f.count("get-vms") != 0 {
			t.Errorf("got %v after %d requests", err, f.count("get-vms"))
		}
	}
}

// More objects than a page holds come page by page, and in the end by name, then id.
func TestList_readsAllPages(t *testing.T) {
	const n = 401
	f := newFake(t)
	f.on("get-vlans", func(_ int, r request) answer {
		var out []any
		raw, _ := json.Marshal(r.body["where"])
		for i := range n {
			id := fmt.Sprintf("%04d", i)
			if len(out) < int(r.body["first"].(float64)) && id > between(string(raw), `"id_gt":"`, `"`) {
				out = append(out, map[string]any{"id": id, "name": fmt.Sprint("network-", 9-i%10)})
			}
		}
		return answer{body: out}
	})
	vlans, err := f.client().VLANs(short(t), Where{"name_contains": "network"})
	if err != nil || len(vlans) != n {
		t.Fatalf("%d VM networks, %v", len(vlans), err)
	}
	for i, v := range vlans[1:] {
		if before := vlans[i]; before.Name > v.Name || before.Name == v.Name && before.ID >= v.ID {
			t.Fatalf("%+v comes before %+v", before, v)
		}
	}
	if requests := f.count("get-vlans"); requests != 3 {
		t.Errorf("%d requests, want 3", requests)
	}
	for _, r := range f.seen("get-vlans") {
		if raw, _ := json.Marshal(r.body["where"]); !strings.Contains(string(raw), `"name_contains":"network"`) {
			t.Errorf("a page was asked for with the filter %s", raw)
		}
	}
}

// between returns what stands between two texts, "" where they are not in s.
func between(s, before, after string) string {
	_, rest, _ := strings.Cut(s, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}

// Kinds without local ids are asked for by id alone: their filters know no other.
func TestGet_asksByTheIDsThatAKindHas(t *testing.T) {
	f := newFake(t)
	for _, op := range []string{"get-vlans", "get-content-library-vm-templates"} {
		f.on(op, func(int, request) answer { return answer{body: []any{map[string]any{"id": "a", "local_id": "b"}}} })
	}
	c, ctx := f.client(), short(t)
	for _, id := range []string{"a", "b"} {
		if v, err := c.VLAN(ctx, id); err != nil || v.ID != "a" {
			t.Errorf("%s: %+v, %v", id, v, err)
		}
	}
	if v, err := c.ContentLibraryVMTemplate(ctx, "a"); err != nil || v.ID != "a" {
		t.Errorf("got %+v, %v", v, err)
	}
	for op, want := range map[string]any{
		"get-vlans":                        Where{"OR": []Where{{"id_in": []string{"a"}}, {"local_id_in": []string{"a"}}}},
		"get-content-library-vm-templates": Where{"id_in": []string{"a"}},
	} {
		if got := f.seen(op)[0].body["where"]; !reflect.DeepEqual(got, asJSON(t, want)) {
			t.Errorf("%s asked %v, want %v", op, got, want)
		}
	}
}
