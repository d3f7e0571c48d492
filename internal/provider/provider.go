// SPDX-License-Identifier: MPL-2.0

// Package provider implements the elf provider: its configuration, and the list
// of its objects.
package provider

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/cluster"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/contentlibraryvmtemplate"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/functions"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/vlan"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/vm"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/vmfolder"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/vmnetworkreadiness"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/vmpower"
)

// registryURL is part of the user agent, for administrators of Tower who see it in
// a log.
const registryURL = "https://registry.terraform.io/providers/smartxworks/elf"

var (
	_ provider.Provider                   = (*elfProvider)(nil)
	_ provider.ProviderWithValidateConfig = (*elfProvider)(nil)
	_ provider.ProviderWithFunctions      = (*elfProvider)(nil)
	_ provider.ProviderWithActions        = (*elfProvider)(nil)
	_ provider.ProviderWithListResources  = (*elfProvider)(nil)
)

// New returns a constructor for the provider with the given version.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &elfProvider{version: version, lookupEnv: os.LookupEnv} }
}

type elfProvider struct {
	version   string
	lookupEnv func(string) (string, bool)
}

func (p *elfProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "elf"
	resp.Version = p.version
}

func (p *elfProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

func (p *elfProvider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var c config
	resp.Diagnostics.Append(req.Config.Get(ctx, &c)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(c.validate()...)
	network.ValidateKubernetes(ctx, path.Root(attrKubernetes), c.Kubernetes, &resp.Diagnostics)
}

func (p *elfProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var c config
	resp.Diagnostics.Append(req.Config.Get(ctx, &c)...)
	if resp.Diagnostics.HasError() {
		return
	}
	data := &providerdata.Data{Version: p.version, DefaultLabels: c.DefaultLabels}
	resp.ResourceData = data
	resp.DataSourceData = data
	resp.ActionData = data
	resp.ListResourceData = data
	if !c.known() {
		// A plan must still be possible: planning to create a resource needs no
		// client, and whatever needs one reports why there is none.
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
		}
		return
	}

	cfg, diags := c.towerConfig(ctx, p.lookupEnv)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	cfg.UserAgent = fmt.Sprintf("terraform-provider-elf/%s (+%s) Terraform/%s", p.version, registryURL, req.TerraformVersion)
	cfg.Log = towerLog(cfg.Password, cfg.APIToken)

	client := connect(ctx, cfg, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	data.Tower = client
	data.PollInterval = cfg.PollInterval
	data.Nodes = kubenode.NewDirectories(kubenode.Options{Interval: cfg.PollInterval, UserAgent: cfg.UserAgent})
	data.Kubernetes, diags = network.KubernetesOf(ctx, c.Kubernetes)
	data.KubernetesUnknown = !c.Kubernetes.IsNull() && data.Kubernetes == nil
	resp.Diagnostics.Append(diags...)
}

func (p *elfProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		vm.NewResource,
		vmfolder.NewResource,
		vmnetworkreadiness.NewResource,
	}
}

func (p *elfProvider) DataSources(context.Context) []func() datasource.DataSource {
	return slices.Concat(
		cluster.Kind.DataSources(),
		contentlibraryvmtemplate.Kind.DataSources(),
		vlan.Kind.DataSources(),
		vmfolder.Kind.DataSources(),
	)
}

func (p *elfProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		functions.NewLocalID,
		functions.NewProviderID,
	}
}

func (p *elfProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		vmpower.NewAction,
	}
}

func (p *elfProvider) ListResources(ctx context.Context) []func() list.ListResource {
	lists := []func() list.ListResource{vm.NewListResource}
	for _, newResource := range p.Resources(ctx) {
		if listed, ok := newResource().(interface{ NewListResource() list.ListResource }); ok {
			lists = append(lists, listed.NewListResource)
		}
	}
	return lists
}
