// SPDX-License-Identifier: MPL-2.0

// Package cluster is the data source elf_cluster.
package cluster

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
)

// DataSourceType is the name of the data source in a configuration.
const DataSourceType = "elf_cluster"

var (
	_ datasource.DataSource              = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*DataSource)(nil)
)

// DataSource finds one cluster.
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

// Schema describes the filters and what is known of a cluster.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"local_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Id that the cluster has given itself, a UUID. Null while Tower does not know it.",
		},
		"type": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Product that runs the cluster: `SMTX_OS`, `SMTX_ELF`, `SMTX_ZBS` or another that newer Towers know.",
		},
		"version": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Version of the cluster's software, such as `6.2.0`.",
		},
		"architecture": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Processor architecture: `X86_64` or `AARCH64`.",
		},
		"hypervisor": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Hypervisor: `ELF`, `VMWARE` or `XENSERVER`. Null where Tower does not tell.",
		},
		"connect_state": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Tower's connection to the cluster: `CONNECTED`, `DISCONNECTED`, `INITIALIZING` or `REMOVING`.",
		},
		"ip": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Address at which Tower reaches the cluster.",
		},
		"management_ip": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Virtual management address of the cluster. Null where it has none.",
		},
		"host_count": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Number of hosts.",
		},
	}
	maps.Copy(attributes, lookup.FilterAttributes("cluster"))
	resp.Schema = schema.Schema{
		MarkdownDescription: "Finds a cluster. Exactly one must match the filters; without any, there must be only one that the user can see.",
		Attributes:          attributes,
	}
}

// Read finds the cluster.
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
	found, err := client.Clusters(ctx, filter)
	if err != nil {
		diagx.AddError(&resp.Diagnostics, "read", "cluster", m.Name.ValueString(), err)
		return
	}
	object, ok := lookup.ExactlyOne(&resp.Diagnostics, m.query(ctx), found, candidate)
	if !ok {
		return
	}
	m.fromTower(object)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
