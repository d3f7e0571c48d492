// SPDX-License-Identifier: MPL-2.0

// Package contentlibraryvmtemplate is the data source
// elf_content_library_vm_template.
package contentlibraryvmtemplate

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
)

// DataSourceType is the name of the data source in a configuration.
const DataSourceType = "elf_content_library_vm_template"

var (
	_ datasource.DataSource              = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*DataSource)(nil)
)

// DataSource finds one VM template of the content library.
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

// Schema describes the filters and what is known of a template.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"cluster_id": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Filter: id of a cluster that the template is distributed to.",
			Validators:          []validator.String{lookup.NotEmpty()},
		},
		"description": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Description of the template. Null where it has none.",
		},
		"os": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Operating system in the template. Null where Tower does not tell.",
		},
		"architecture": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Processor architecture: `X86_64` or `AARCH64`.",
		},
		"firmware": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Firmware: `BIOS` or `UEFI`. Null before Tower 4.5.",
		},
		"cloud_init_supported": schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether cloud-init runs in VMs made from the template. It must, for static addresses and `cloud_init` of `elf_vm`.",
		},
		"num_cpus": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Number of virtual CPUs.",
		},
		"num_cores_per_socket": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Number of cores in each socket. Null before Tower 4.5.",
		},
		"memory_mib": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Memory in MiB.",
		},
		"size_bytes": schema.Int64Attribute{
			Computed:            true,
			MarkdownDescription: "Size of the template's disks in the content library, in bytes.",
		},
		"cluster_ids": schema.ListAttribute{
			Computed:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Ids of the clusters that the template is distributed to, by the clusters' names.",
		},
		"created_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "When the template was made, in RFC 3339 form.",
		},
	}
	maps.Copy(attributes, lookup.FilterAttributes("template"))
	resp.Schema = schema.Schema{
		MarkdownDescription: "Finds a VM template of the content library. Exactly one must match the filters; " +
			"without any, there must be only one that the user can see.",
		Attributes: attributes,
	}
}

// Read finds the template.
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
	found, err := client.ContentLibraryVMTemplates(ctx, filter)
	if err != nil {
		diagx.AddError(&resp.Diagnostics, "read", "content library VM template", m.Name.ValueString(), err)
		return
	}
	object, ok := lookup.ExactlyOne(&resp.Diagnostics, m.query(ctx), found, candidate)
	if !ok {
		return
	}
	m.fromTower(object)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
