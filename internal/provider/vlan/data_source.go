// SPDX-License-Identifier: MPL-2.0

// Package vlan is the data source elf_vlan.
package vlan

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
)

// DataSourceType is the name of the data source in a configuration.
const DataSourceType = "elf_vlan"

var (
	_ datasource.DataSource              = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*DataSource)(nil)
)

// DataSource finds one network.
type DataSource struct{ data *providerdata.Data }

// NewDataSource returns the data source, not configured yet.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata tells the name of the data source.
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = DataSourceType
}

// Configure takes the client.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.data = providerdata.FromDataSource(req, resp)
}

// Schema describes the filters and what is known of a network.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"cluster_id": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Filter: id of the cluster that the network belongs to.",
			Validators:          []validator.String{lookup.NotEmpty()},
		},
		"vds_id": schema.StringAttribute{
			Optional:            true,
			Computed:            true,
			MarkdownDescription: "Id of the distributed switch that the network belongs to. Also a filter.",
			Validators:          []validator.String{lookup.NotEmpty()},
		},
		"vlan_id": schema.Int64Attribute{
			Optional:            true,
			Computed:            true,
			MarkdownDescription: "VLAN tag, from 0 (none) to 4095. Also a filter.",
			Validators:          []validator.Int64{int64validator.Between(0, 4095)},
		},
		"type": schema.StringAttribute{
			Optional: true,
			Computed: true,
			MarkdownDescription: "What the network is for: `VM` for the networks that VMs are attached to, `MANAGEMENT`, `STORAGE`, `ACCESS`, " +
				"`MIGRATION` or another that newer Towers know. Also a filter.",
			Validators: []validator.String{lookup.NotEmpty()},
		},
		"local_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Id of the network inside its cluster.",
		},
		"vds_name": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Name of the distributed switch that the network belongs to.",
		},
	}
	maps.Copy(attributes, lookup.FilterAttributes("network"))
	resp.Schema = schema.Schema{
		MarkdownDescription: "Finds a network that network cards of VMs can be attached to. Exactly one must match the filters; " +
			"without any, there must be only one that the user can see. Names are unique only inside a cluster, so set `cluster_id` where there are several.",
		Attributes: attributes,
	}
}

// Read finds the network.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	client, ok := d.data.Client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	filter, diags := m.filter(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := client.VLANs(ctx, filter)
	if err != nil {
		diagx.AddError(&resp.Diagnostics, "read", "network", m.Name.ValueString(), err)
		return
	}
	object, ok := lookup.ExactlyOne(&resp.Diagnostics, m.query(ctx), found, candidate)
	if !ok {
		return
	}
	m.fromTower(object)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
