// SPDX-License-Identifier: MPL-2.0

package vlan

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

type model struct {
	lookup.Filters

	ClusterID types.String `tfsdk:"cluster_id"`
	VDSID     types.String `tfsdk:"vds_id"`
	VlanID    types.Int64  `tfsdk:"vlan_id"`
	Type      types.String `tfsdk:"type"`
	LocalID   types.String `tfsdk:"local_id"`
	VDSName   types.String `tfsdk:"vds_name"`
}

func (m *model) filter(ctx context.Context) (tower.Where, diag.Diagnostics) {
	where, diags := m.Where(ctx)
	if attrs.IsKnown(m.VlanID) {
		where["vlan_id"] = m.VlanID.ValueInt64()
	}
	if attrs.IsKnown(m.Type) {
		where["type"] = m.Type.ValueString()
	}
	filters := []tower.Where{where}
	if attrs.IsKnown(m.ID) {
		filters = append(filters, tower.AnyID(m.ID.ValueString()))
	}
	if attrs.IsKnown(m.VDSID) {
		filters = append(filters, tower.Where{"vds": tower.AnyID(m.VDSID.ValueString())})
	}
	// A VM network knows its cluster through its switch only.
	if attrs.IsKnown(m.ClusterID) {
		filters = append(filters, tower.Where{"vds": tower.Where{"cluster": tower.AnyID(m.ClusterID.ValueString())}})
	}
	return tower.All(filters...), diags
}

func (m *model) fromTower(v tower.VLAN) {
	m.ID = types.StringValue(v.ID)
	m.Name = types.StringValue(v.Name)
	m.VDSID = attrs.StringOrNull(v.VDSID)
	m.VlanID = types.Int64Value(int64(v.VlanID))
	m.Type = attrs.StringOrNull(v.Type)
	m.LocalID = attrs.StringOrNull(v.LocalID)
	m.VDSName = attrs.StringOrNull(v.VDSName)
}

func (m *model) query(ctx context.Context) lookup.Query {
	criteria := m.Criteria(ctx).
		AddString("cluster_id", m.ClusterID).
		AddString("vds_id", m.VDSID).
		AddInt64("vlan_id", m.VlanID).
		AddString("type", m.Type)
	return lookup.Query{
		Object: "network", Objects: "networks",
		Criteria:  criteria,
		Narrowing: []string{"name", "cluster_id", "vds_id", "vlan_id", "type", "id"},
	}
}

func candidate(v tower.VLAN) lookup.Candidate {
	return lookup.Candidate{
		Name: v.Name, ID: v.ID,
		Note: fmt.Sprintf("type %s, VLAN %d, switch %q (vds_id %s)", v.Type, v.VlanID, v.VDSName, v.VDSID),
	}
}
