// SPDX-License-Identifier: MPL-2.0

package contentlibraryvmtemplate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

const bytesPerMiB = 1 << 20

type model struct {
	lookup.Filters

	ClusterID          types.String `tfsdk:"cluster_id"`
	Description        types.String `tfsdk:"description"`
	OS                 types.String `tfsdk:"os"`
	Architecture       types.String `tfsdk:"architecture"`
	Firmware           types.String `tfsdk:"firmware"`
	CloudInitSupported types.Bool   `tfsdk:"cloud_init_supported"`
	NumCPUs            types.Int64  `tfsdk:"num_cpus"`
	NumCoresPerSocket  types.Int64  `tfsdk:"num_cores_per_socket"`
	MemoryMiB          types.Int64  `tfsdk:"memory_mib"`
	SizeBytes          types.Int64  `tfsdk:"size_bytes"`
	ClusterIDs         types.List   `tfsdk:"cluster_ids"`
	CreatedAt          types.String `tfsdk:"created_at"`
}

func (m *model) filter(ctx context.Context) (tower.Where, diag.Diagnostics) {
	where, diags := m.Where(ctx)
	if attrs.IsKnown(m.ID) {
		where["id"] = m.ID.ValueString()
	}
	if attrs.IsKnown(m.ClusterID) {
		where["clusters_some"] = tower.AnyID(m.ClusterID.ValueString())
	}
	return where, diags
}

func (m *model) fromTower(t tower.ContentLibraryVMTemplate) {
	m.ID = types.StringValue(t.ID)
	m.Name = types.StringValue(t.Name)
	m.Description = attrs.StringOrNull(t.Description)
	m.OS = attrs.StringOrNull(t.OS)
	m.Architecture = attrs.StringOrNull(t.Architecture)
	m.Firmware = attrs.StringOrNull(t.Firmware)
	m.CloudInitSupported = types.BoolValue(t.CloudInitSupported)
	m.NumCPUs = types.Int64Value(int64(t.VCPU))
	m.NumCoresPerSocket = types.Int64Null()
	if t.CPUCores > 0 {
		m.NumCoresPerSocket = types.Int64Value(int64(t.CPUCores))
	}
	m.MemoryMiB = types.Int64Value(t.MemoryBytes / bytesPerMiB)
	m.SizeBytes = types.Int64Value(t.SizeBytes)
	m.ClusterIDs = attrs.StringList(clusterIDs(t.Clusters))
	m.CreatedAt = types.StringNull()
	if !t.CreatedAt.IsZero() {
		m.CreatedAt = types.StringValue(t.CreatedAt.UTC().Format(time.RFC3339))
	}
}

// clusterIDs sorts by name, Tower promises no order.
func clusterIDs(clusters []tower.ClusterRef) []string {
	sorted := slices.SortedFunc(slices.Values(clusters), func(a, b tower.ClusterRef) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	ids := make([]string, 0, len(sorted))
	for _, c := range sorted {
		ids = append(ids, c.ID)
	}
	return ids
}

func (m *model) query(ctx context.Context) lookup.Query {
	return lookup.Query{
		Object: "content library VM template", Objects: "content library VM templates",
		Criteria:  m.Criteria(ctx).AddString("cluster_id", m.ClusterID),
		Narrowing: []string{"name", "cluster_id", "id"},
	}
}

func candidate(t tower.ContentLibraryVMTemplate) lookup.Candidate {
	if len(t.Clusters) == 0 {
		return lookup.Candidate{Name: t.Name, ID: t.ID, Note: "on no cluster"}
	}
	names := make([]string, 0, len(t.Clusters))
	for _, c := range t.Clusters {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return lookup.Candidate{Name: t.Name, ID: t.ID, Note: "on " + strings.Join(names, ", ")}
}
