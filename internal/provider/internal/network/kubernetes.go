// SPDX-License-Identifier: MPL-2.0

package network

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
)

// Kubernetes is the argument kubernetes of the provider and of kubernetes_node.
type Kubernetes struct {
	ConfigPath           types.String `tfsdk:"config_path"`
	ConfigContent        types.String `tfsdk:"config_content"`
	ConfigContext        types.String `tfsdk:"config_context"`
	Host                 types.String `tfsdk:"host"`
	Token                types.String `tfsdk:"token"`
	ClientCertificate    types.String `tfsdk:"client_certificate"`
	ClientKey            types.String `tfsdk:"client_key"`
	ClusterCACertificate types.String `tfsdk:"cluster_ca_certificate"`
	Insecure             types.Bool   `tfsdk:"insecure"`
}

// kubernetesTexts are the string arguments: their descriptions, and whether they
// are sensitive.
var kubernetesTexts = map[string]struct {
	description string
	sensitive   bool
}{
	"config_path":            {"Path of a kubeconfig file, which need not exist yet when the apply begins.", false},
	"config_content":         {"Text of a kubeconfig, instead of `config_path`.", true},
	"config_context":         {"Context in the kubeconfig. Default: its current context.", false},
	"host":                   {"URL or host:port of the API server. It replaces the kubeconfig's.", false},
	"token":                  {"Bearer token. It replaces the kubeconfig's credentials.", true},
	"client_certificate":     {"Client certificate in PEM. It replaces the kubeconfig's credentials. Requires `client_key`.", false},
	"client_key":             {"Key of the client certificate in PEM.", true},
	"cluster_ca_certificate": {"Certificates in PEM of the authorities that sign the API server's certificate.", false},
}

const (
	insecureDescription   = "Whether to accept any certificate from the API server. Default `false`."
	kubernetesDescription = "Kubernetes cluster in which the VM's node is looked up, so that the node's address can make the network ready before Tower knows it. " +
		"A problem with Kubernetes never fails a create. The arguments have the names that the kubernetes and helm providers use."
)

// KubernetesArgument returns the schema of kubernetes in a resource.
func KubernetesArgument() schema.Attribute {
	attributes := map[string]schema.Attribute{
		"insecure": schema.BoolAttribute{Optional: true, MarkdownDescription: insecureDescription},
	}
	for name, text := range kubernetesTexts {
		attributes[name] = schema.StringAttribute{Optional: true, Sensitive: text.sensitive, MarkdownDescription: text.description}
	}
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: kubernetesDescription + " Default: the provider's `kubernetes`.",
		Attributes:          attributes,
	}
}

// KubernetesProviderArgument returns the schema of kubernetes in the provider
// block.
func KubernetesProviderArgument() providerschema.Attribute {
	attributes := map[string]providerschema.Attribute{
		"insecure": providerschema.BoolAttribute{Optional: true, MarkdownDescription: insecureDescription},
	}
	for name, text := range kubernetesTexts {
		attributes[name] = providerschema.StringAttribute{Optional: true, Sensitive: text.sensitive, MarkdownDescription: text.description}
	}
	return providerschema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: kubernetesDescription + " A resource can use another cluster, in its `network_readiness.kubernetes_node`. Default: the provider looks up no nodes.",
		Attributes:          attributes,
	}
}

// KubernetesOf reads the argument. It returns nil if the argument is null or has
// values that are not known yet.
func KubernetesOf(ctx context.Context, object types.Object) (*kubenode.Config, diag.Diagnostics) {
	if !attrs.IsKnown(object) || !Known(object) {
		return nil, nil
	}
	var in Kubernetes
	diags := object.As(ctx, &in, basetypes.ObjectAsOptions{})
	return &kubenode.Config{
		ConfigPath:           in.ConfigPath.ValueString(),
		ConfigContent:        in.ConfigContent.ValueString(),
		ConfigContext:        in.ConfigContext.ValueString(),
		Host:                 in.Host.ValueString(),
		Token:                in.Token.ValueString(),
		ClientCertificate:    in.ClientCertificate.ValueString(),
		ClientKey:            in.ClientKey.ValueString(),
		ClusterCACertificate: in.ClusterCACertificate.ValueString(),
		Insecure:             in.Insecure.ValueBool(),
	}, diags
}

// Known reports whether no member of an object is unknown.
func Known(object types.Object) bool {
	for _, member := range object.Attributes() {
		if member.IsUnknown() {
			return false
		}
		if nested, ok := member.(types.Object); ok && attrs.IsKnown(nested) && !Known(nested) {
			return false
		}
	}
	return true
}

// ValidateKubernetes refuses a configuration that can't work. It reads the
// kubeconfig if that exists, but does not connect to the API server.
func ValidateKubernetes(ctx context.Context, at path.Path, object types.Object, diags *diag.Diagnostics) {
	cfg, d := KubernetesOf(ctx, object)
	diags.Append(d...)
	if cfg == nil || d.HasError() {
		return
	}
	err := cfg.Check()
	if err == nil {
		return
	}
	var fault *kubenode.ConfigError
	if errors.As(err, &fault) {
		at, err = at.AtName(fault.Field), fault.Err
	}
	diags.AddAttributeError(at, "Invalid Kubernetes configuration", "The configuration can't be used: "+err.Error()+".")
}

// CheckKubernetesNode refuses a planned kubernetes_node for which no cluster is
// configured. Data is nil if the provider is not configured yet.
func CheckKubernetesNode(ctx context.Context, readiness types.Object, data *providerdata.Data, diags *diag.Diagnostics) {
	if _, configured := data.TryClient(); !configured || data.Kubernetes != nil || data.KubernetesUnknown || !attrs.IsKnown(readiness) {
		return
	}
	var in Readiness
	diags.Append(readiness.As(ctx, &in, basetypes.ObjectAsOptions{})...)
	if !attrs.IsKnown(in.KubernetesNode) {
		return
	}
	var node KubernetesNode
	diags.Append(in.KubernetesNode.As(ctx, &node, basetypes.ObjectAsOptions{})...)
	if node.Kubernetes.IsNull() {
		diags.AddAttributeError(path.Root("network_readiness").AtName("kubernetes_node"), "Missing Kubernetes configuration",
			"kubernetes_node names a node, but no Kubernetes cluster is configured: set kubernetes in the provider block, or kubernetes_node.kubernetes.")
	}
}

// KubernetesNode is the argument network_readiness.kubernetes_node.
type KubernetesNode struct {
	Name       types.String `tfsdk:"name"`
	Kubernetes types.Object `tfsdk:"kubernetes"`
}

func kubernetesNodeArgument() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Kubernetes node that runs on the VM. The provider finds it by its provider id, `elf://<local_id>`, even without this argument; " +
			"set it for a node that has no such id, or that is in another cluster than the provider's `kubernetes`.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the node, which is used if no node has the VM's provider id. Default: the name of the VM, " +
					"but only for a node that has no provider id and was created after the VM.",
			},
			"kubernetes": KubernetesArgument(),
		},
	}
}
