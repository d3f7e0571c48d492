// SPDX-License-Identifier: MPL-2.0

package cluster

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
		in   tower.Cluster
		want model
	}{
		"all": {
			in: tower.Cluster{
				ID: "c1", LocalID: "uuid", Name: "prod", Type: "SMTX_OS", Version: "6.2.0", Architecture: "X86_64",
				Hypervisor: "ELF", ConnectState: "CONNECTED", IP: "10.0.0.1", ManagementIP: "10.0.0.2", HostCount: 3,
			},
			want: model{
				Filters:      noFilters("c1", "prod"),
				LocalID:      types.StringValue("uuid"),
				Type:         types.StringValue("SMTX_OS"),
				Version:      types.StringValue("6.2.0"),
				Architecture: types.StringValue("X86_64"),
				Hypervisor:   types.StringValue("ELF"),
				ConnectState: types.StringValue("CONNECTED"),
				IP:           types.StringValue("10.0.0.1"),
				ManagementIP: types.StringValue("10.0.0.2"),
				HostCount:    types.Int64Value(3),
			},
		},
		"least": {
			in:   tower.Cluster{ID: "c1", Name: "prod"},
			want: model{Filters: noFilters("c1", "prod"), HostCount: types.Int64Value(0)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := model{Filters: noFilters("", "")}
			got.fromTower(tc.in)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("model (-want +got):\n%s", diff)
			}
			checkSchema(t, &got)
		})
	}
}

func TestModel_query(t *testing.T) {
	t.Parallel()
	m := model{Filters: noFilters("", "prod")}
	m.ID = types.StringNull()
	query := m.query(t.Context())
	if got, want := query.Criteria.String(), `name = "prod"`; got != want {
		t.Errorf("criteria %s, want %s", got, want)
	}
	got := candidate(tower.Cluster{ID: "c1", Name: "prod", IP: "10.0.0.1"})
	if want := (lookup.Candidate{Name: "prod", ID: "c1", Note: "10.0.0.1"}); got != want {
		t.Errorf("candidate %v, want %v", got, want)
	}
}

func noFilters(id, name string) lookup.Filters {
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
