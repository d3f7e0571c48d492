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

// Kubernetes is the argument kubernetes, of the provider and of a VM's
// kubernetes_node.
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

// kubernetesTexts are the text members: description, and whether they are
// secrets.
var kubernetesTexts = map[string]struct {
	description string
	sensitive   bool
}{
	"config_path":            {"Path of a kubeconfig file. It need not exist yet when the apply begins.", false},
	"config_content":         {"Text of a kubeconfig, instead of `config_path`.", true},
	"config_context":         {"Context of the kubeconfig to use. Default: its current one.", false},
	"host":                   {"URL or host:port of the API server, in place of the kubeconfig's.", false},
	"token":                  {"Bearer token, in place of the kubeconfig's credentials.", true},
	"client_certificate":     {"Client certificate in PEM, in place of the kubeconfig's. Needs `client_key`.", false},
	"client_key":             {"Key of the client certificate in PEM.", true},
	"cluster_ca_certificate": {"Certificate in PEM that the API server's certificate is checked with.", false},
}

const (
	insecureDescription   = "Whether to accept any certificate of the API server. Default `false`."
	kubernetesDescription = "Where the Kubernetes node of a VM is looked up, so that its address can make the network ready before Tower knows it. " +
		"Nothing that Kubernetes does or fails to do fails a create. The names are those of the kubernetes and helm providers."
)

// KubernetesArgument is the schema of kubernetes in a resource.
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

// KubernetesProviderArgument is the schema of kubernetes in the provider block.
func KubernetesProviderArgument() providerschema.Attribute {
	attributes := map[string]providerschema.Attribute{
		"insecure": providerschema.BoolAttribute{Optional: true, MarkdownDescription: insecureDescription},
	}
	for name, text := range kubernetesTexts {
		attributes[name] = providerschema.StringAttribute{Optional: true, Sensitive: text.sensitive, MarkdownDescription: text.description}
	}
	return providerschema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: kubernetesDescription + " A VM can name another cluster in its `network_readiness.kubernetes_node`. Default: Kubernetes is not asked.",
		Attributes:          attributes,
	}
}

// KubernetesOf reads the argument; nil where it is null, not yet known, or has
// members that are not.
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

// Known tells whether all members of an object that are set are known.
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

// ValidateKubernetes refuses a configuration that can be known not to work. It
// reads a kubeconfig that exists, and asks nobody.
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

// CheckKubernetesNode refuses, in a plan, a kubernetes_node of which nobody says
// in which cluster it is. Data is nil where the provider is not configured yet.
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
		MarkdownDescription: "The Kubernetes node that runs on the VM. It is found by its provider id, `elf://<local_id>`, without any of this; " +
			"these are for nodes and clusters that need help.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the node, used where no node has the VM's provider id. Default: a node called as the VM, " +
					"if its provider id is empty and it was created after the VM.",
			},
			"kubernetes": KubernetesArgument(),
		},
	}
}
