// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

type model struct {
	lookup.Filters

	LocalID      types.String `tfsdk:"local_id"`
	Type         types.String `tfsdk:"type"`
	Version      types.String `tfsdk:"version"`
	Architecture types.String `tfsdk:"architecture"`
	Hypervisor   types.String `tfsdk:"hypervisor"`
	ConnectState types.String `tfsdk:"connect_state"`
	IP           types.String `tfsdk:"ip"`
	ManagementIP types.String `tfsdk:"management_ip"`
	HostCount    types.Int64  `tfsdk:"host_count"`
}

func (m *model) filter(ctx context.Context) (tower.Where, diag.Diagnostics) {
	where, diags := m.Where(ctx)
	if !attrs.IsKnown(m.ID) {
		return where, diags
	}
	return tower.All(where, tower.AnyID(m.ID.ValueString())), diags
}

func (m *model) fromTower(c tower.Cluster) {
	m.ID = types.StringValue(c.ID)
	m.Name = types.StringValue(c.Name)
	m.LocalID = attrs.StringOrNull(c.LocalID)
	m.Type = attrs.StringOrNull(c.Type)
	m.Version = attrs.StringOrNull(c.Version)
	m.Architecture = attrs.StringOrNull(c.Architecture)
	m.Hypervisor = attrs.StringOrNull(c.Hypervisor)
	m.ConnectState = attrs.StringOrNull(c.ConnectState)
	m.IP = attrs.StringOrNull(c.IP)
	m.ManagementIP = attrs.StringOrNull(c.ManagementIP)
	m.HostCount = types.Int64Value(int64(c.HostCount))
}

func (m *model) query(ctx context.Context) lookup.Query {
	return lookup.Query{
		Object: "cluster", Objects: "clusters",
		Criteria:  m.Criteria(ctx),
		Narrowing: []string{"name", "id"},
	}
}

func candidate(c tower.Cluster) lookup.Candidate {
	return lookup.Candidate{Name: c.Name, ID: c.ID, Note: c.IP}
}
