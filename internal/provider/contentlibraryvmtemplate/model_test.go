// SPDX-License-Identifier: MPL-2.0

package contentlibraryvmtemplate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func TestModel_fromTower(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   tower.ContentLibraryVMTemplate
		want model
	}{
		"all": {
			in: tower.ContentLibraryVMTemplate{
				ID: "t1", Name: "rocky-8", Description: "golden", OS: "Rocky Linux 8", Architecture: "X86_64", Firmware: "UEFI",
				CloudInitSupported: true, VCPU: 4, CPUCores: 2, CPUSockets: 2, MemoryBytes: 4 << 30, SizeBytes: 12345,
				Clusters:  []tower.ClusterRef{{ID: "c2", Name: "beta"}, {ID: "c1", Name: "alpha"}},
				CreatedAt: time.Date(2026, 1, 2, 5, 4, 5, 6, time.FixedZone("", 2*3600)),
			},
			want: model{
				Filters:            filters("t1", "rocky-8"),
				Description:        types.StringValue("golden"),
				OS:                 types.StringValue("Rocky Linux 8"),
				Architecture:       types.StringValue("X86_64"),
				Firmware:           types.StringValue("UEFI"),
				CloudInitSupported: types.BoolValue(true),
				NumCPUs:            types.Int64Value(4),
				NumCoresPerSocket:  types.Int64Value(2),
				MemoryMiB:          types.Int64Value(4096),
				SizeBytes:          types.Int64Value(12345),
				ClusterIDs:         attrs.StringList([]string{"c1", "c2"}),
				CreatedAt:          types.StringValue("2026-01-02T03:04:05Z"),
			},
		},
		"before Tower 4.5": {
			in: tower.ContentLibraryVMTemplate{ID: "t1", Name: "rocky-8", VCPU: 2, MemoryBytes: 1 << 30, SizeBytes: 1},
			want: model{
				Filters:            filters("t1", "rocky-8"),
				CloudInitSupported: types.BoolValue(false),
				NumCPUs:            types.Int64Value(2),
				MemoryMiB:          types.Int64Value(1024),
				SizeBytes:          types.Int64Value(1),
				ClusterIDs:         attrs.StringList(nil),
			},
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
	m := model{Filters: filters("t1", "rocky-8"), ClusterID: types.StringValue("c1")}
	got, diags := m.filter(t.Context())
	if len(diags) != 0 {
		t.Errorf("diagnostics %v", diags)
	}
	if diff := cmp.Diff(tower.Where{"id": "t1", "name": "rocky-8", "clusters_some": tower.AnyID("c1")}, got); diff != "" {
		t.Errorf("filter (-want +got):\n%s", diff)
	}
	query := m.query(t.Context())
	if got, want := query.Criteria.String(), `id = "t1" and name = "rocky-8" and cluster_id = "c1"`; got != want {
		t.Errorf("criteria %s, want %s", got, want)
	}
}

func TestCandidate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   tower.ContentLibraryVMTemplate
		want lookup.Candidate
	}{
		"nowhere": {
			tower.ContentLibraryVMTemplate{ID: "t1", Name: "rocky-8"},
			lookup.Candidate{Name: "rocky-8", ID: "t1", Note: "on no cluster"},
		},
		"two clusters": {
			tower.ContentLibraryVMTemplate{ID: "t1", Name: "rocky-8", Clusters: []tower.ClusterRef{{ID: "2", Name: "b"}, {ID: "1", Name: "a"}}},
			lookup.Candidate{Name: "rocky-8", ID: "t1", Note: "on a, b"},
		},
	}
	for name, tc := range cases {
		if got := candidate(tc.in); got != tc.want {
			t.Errorf("%s: candidate %v, want %v", name, got, tc.want)
		}
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
