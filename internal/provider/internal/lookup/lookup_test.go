// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

type network struct{ name, id, note string }

func candidate(n network) lookup.Candidate {
	return lookup.Candidate{Name: n.name, ID: n.id, Note: n.note}
}

func TestExactlyOne(t *testing.T) {
	t.Parallel()
	filters := lookup.Filters{Name: types.StringValue("default"), NameIn: types.ListNull(types.StringType)}
	query := lookup.Query{
		Object: "network", Objects: "networks",
		Narrowing: []string{"name", "cluster_id", "id"},
	}
	filtered := query
	filtered.Criteria = filters.Criteria(t.Context()).
		AddString("cluster_id", types.StringNull()).
		AddInt64("vlan_id", types.Int64Value(0))

	many := make([]network, 0, 23)
	for i := range 23 {
		many = append(many, network{name: "n", id: fmt.Sprintf("id%02d", i)})
	}
	list := ""
	for i := range 20 {
		list += fmt.Sprintf("  - \"n\" (id id%02d)\n", i)
	}

	cases := map[string]struct {
		query           lookup.Query
		found           []network
		want            network
		summary, detail string
	}{
		"one": {query: query, found: []network{{name: "a", id: "1"}}, want: network{name: "a", id: "1"}},
		"none without filter": {
			query: query, summary: "Network Not Found",
			detail: "Tower has no network that this user can see.",
		},
		"none": {
			query: filtered, summary: "Network Not Found",
			detail: `Tower has no network with name = "default" and vlan_id = 0. ` +
				`Check the filters, and that this user can see the network.`,
		},
		"several": {
			query: filtered, found: []network{{"default", "1", "cluster c1"}, {"default", "2", ""}},
			summary: "More than one network found",
			detail: `Tower has 2 networks with name = "default" and vlan_id = 0, but exactly one must be found:` + "\n\n" +
				`  - "default" (id 1), cluster c1` + "\n" + `  - "default" (id 2)` + "\n\n" +
				`Narrow the search with cluster_id or id.`,
		},
		"many without filter": {
			query: query, found: many,
			summary: "More than one network found",
			detail: "Tower has 23 networks and no filter is set, but exactly one must be found:\n\n" + list +
				"  - and 3 more\n\nNarrow the search with name, cluster_id or id.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got, want diag.Diagnostics
			if tc.summary != "" {
				want.AddError(tc.summary, tc.detail)
			}
			object, ok := lookup.ExactlyOne(&got, tc.query, tc.found, candidate)
			if object != tc.want || ok != (tc.summary == "") {
				t.Errorf("ExactlyOne = %v, %t, want %v", object, ok, tc.want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in       lookup.Filters
		want     tower.Where
		criteria string
	}{
		"none": {
			in:   lookup.Filters{NameIn: types.ListNull(types.StringType)},
			want: tower.Where{},
		},
		"all": {
			in: lookup.Filters{
				ID: types.StringValue("i"), Name: types.StringValue("n"), NameContains: types.StringValue("c"),
				NameIn: attrs.StringList([]string{"a", "b"}),
			},
			want:     tower.Where{"name": "n", "name_contains": "c", "name_in": []string{"a", "b"}},
			criteria: `id = "i" and name = "n" and name_contains = "c" and name_in = ["a", "b"]`,
		},
		"unknown": {
			in: lookup.Filters{
				ID: types.StringUnknown(), Name: types.StringUnknown(), NameContains: types.StringUnknown(),
				NameIn: types.ListUnknown(types.StringType),
			},
			want: tower.Where{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := tc.in.Where(t.Context())
			if len(diags) != 0 {
				t.Errorf("diagnostics %v", diags)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Where (-want +got):\n%s", diff)
			}
			if got := tc.in.Criteria(t.Context()).String(); got != tc.criteria {
				t.Errorf("Criteria = %q, want %q", got, tc.criteria)
			}
		})
	}
}

func TestFilterAttributes(t *testing.T) {
	t.Parallel()
	for name, attribute := range lookup.FilterAttributes("cluster") {
		if attribute.GetMarkdownDescription() == "" {
			t.Errorf("%s has no description", name)
		}
		if !attribute.IsOptional() {
			t.Errorf("%s is not optional", name)
		}
	}
}
