// SPDX-License-Identifier: MPL-2.0

package vlan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func TestModel_fromTower(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   tower.VLAN
		want model
	}{
		"all": {
			in: tower.VLAN{ID: "v1", LocalID: "l1", Name: "default", VlanID: 12, Type: "VM", VDSID: "s1", VDSName: "switch"},
			want: model{
				Filters: filters("v1", "default"),
				VDSID:   types.StringValue("s1"),
				VlanID:  types.Int64Value(12),
				Type:    types.StringValue("VM"),
				LocalID: types.StringValue("l1"),
				VDSName: types.StringValue("switch"),
			},
		},
		"least": {
			in:   tower.VLAN{ID: "v1", Name: "default"},
			want: model{Filters: filters("v1", "default"), VlanID: types.Int64Value(0)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := model{Filters: filters("", "")}
			got.fromTower(tc.in)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("model (-want +got):\n%s", diff)
			}
			checkSchema(t, &got)
		})
	}
}

func TestModel_filter(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in       model
		want     tower.Where
		criteria string
	}{
		"none": {in: model{Filters: lookup.Filters{NameIn: types.ListNull(types.StringType)}}},
		"all": {
			in: model{
				Filters:   filters("v1", "default"),
				ClusterID: types.StringValue("c1"),
				VDSID:     types.StringValue("s1"),
				VlanID:    types.Int64Value(0),
				Type:      types.StringValue("VM"),
			},
			want: tower.All(
				tower.Where{"name": "default", "vlan_id": int64(0), "type": "VM"}, tower.AnyID("v1"),
				tower.Where{"vds": tower.AnyID("s1")}, tower.Where{"vds": tower.Where{"cluster": tower.AnyID("c1")}},
			),
			criteria: `id = "v1" and name = "default" and cluster_id = "c1" and vds_id = "s1" and vlan_id = 0 and type = "VM"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := tc.in.filter(t.Context())
			if len(diags) != 0 {
				t.Errorf("diagnostics %v", diags)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("filter (-want +got):\n%s", diff)
			}
			query := tc.in.query(t.Context())
			if got := query.Criteria.String(); got != tc.criteria {
				t.Errorf("criteria %s, want %s", got, tc.criteria)
			}
		})
	}
}

func TestCandidate(t *testing.T) {
	t.Parallel()
	got := candidate(tower.VLAN{ID: "v1", Name: "default", VlanID: 12, Type: "VM", VDSID: "s1", VDSName: "switch"})
	want := lookup.Candidate{Name: "default", ID: "v1", Note: `type VM, VLAN 12, switch "switch" (vds_id s1)`}
	if got != want {
		t.Errorf("candidate %v, want %v", got, want)
	}
}

func filters(id, name string) lookup.Filters {
	return lookup.Filters{ID: types.StringValue(id), Name: types.StringValue(name), NameIn: types.ListNull(types.StringType)}
}

// checkSchema makes sure that the model fits the schema.
func checkSchema(t *testing.T, m *model) {
	t.Helper()
	var resp datasource.SchemaResponse
	NewDataSource().Schema(t.Context(), datasource.SchemaRequest{}, &resp)
	if diags := resp.Schema.ValidateImplementation(t.Context()); diags.HasError() {
		t.Fatalf("schema: %v", diags)
	}
	state := tfsdk.State{Schema: resp.Schema, Raw: tftypes.NewValue(resp.Schema.Type().TerraformType(t.Context()), nil)}
	if diags := state.Set(t.Context(), m); diags.HasError() {
		t.Fatalf("the model does not fit the schema: %v", diags)
	}
}
