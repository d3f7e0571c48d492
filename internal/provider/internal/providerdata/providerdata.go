// SPDX-License-Identifier: MPL-2.0

// Package providerdata is what the configured provider hands to its resources
// and data sources.
package providerdata

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/staticips"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Data is the configured provider as its objects see it.
type Data struct {
	// Tower is the logged-in client. It is nil where Terraform does not know
	// the provider's configuration yet; see Client.
	Tower *tower.Client
	// PollInterval is how often running waits look at Tower.
	PollInterval time.Duration
	// Version is the provider's version, "dev" for a local build.
	Version string
	// Kubernetes is where nodes are looked up unless an object says otherwise,
	// nil where the provider has no such configuration. KubernetesUnknown tells
	// that it has one that is not known yet.
	Kubernetes        *kubenode.Config
	KubernetesUnknown bool
	// DefaultLabels are the labels that every labelled object gets: null where
	// there are none, unknown where they are not known yet.
	DefaultLabels types.Map
	// Nodes are the directories of nodes of all clusters, so that all objects
	// that wait share the lists.
	Nodes *kubenode.Directories
	// StaticIPs are the static addresses that the VMs of this run are planned to
	// have, by all the plans so far.
	StaticIPs staticips.Book
}

// TryClient returns the client; false where the provider's configuration is not
// known yet. It is for plans, which check less then; Client is for operations
// that can't do without. It is safe on nil.
func (d *Data) TryClient() (*tower.Client, bool) {
	if d == nil || d.Tower == nil {
		return nil, false
	}
	return d.Tower, true
}

// Directory returns the directory of nodes to ask: that of own, else of the
// provider's configuration, else nil.
func (d *Data) Directory(own *kubenode.Config) *kubenode.Directory {
	if own == nil {
		own = d.Kubernetes
	}
	if own == nil || d.Nodes == nil {
		return nil
	}
	return d.Nodes.Directory(*own)
}

// Client returns the client, or adds an error that says why there is none:
// values of the provider's configuration are known only after another object
// has been created. It reports whether the caller may go on. It is safe on nil.
func (d *Data) Client(diags *diag.Diagnostics) (*tower.Client, bool) {
	client, ok := d.TryClient()
	if !ok {
		diags.AddError("Provider configuration not known yet",
			"The elf provider can't talk to Tower yet: values in its configuration (the server or the credentials) "+
				"are known only after apply. Create the objects that they come from first, for example with "+
				"terraform apply -target, or set these values from variables or the environment.")
	}
	return client, ok
}

// FromResource returns what Configure of a resource has been given. It is nil
// without a diagnostic while the provider is not configured (the framework
// calls Configure early, too), and nil with a diagnostic where the value has an
// impossible type.
func FromResource(req resource.ConfigureRequest, resp *resource.ConfigureResponse) *Data {
	return from(req.ProviderData, &resp.Diagnostics)
}

// FromDataSource is FromResource for data sources.
func FromDataSource(req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) *Data {
	return from(req.ProviderData, &resp.Diagnostics)
}

// FromAction is FromResource for actions.
func FromAction(req action.ConfigureRequest, resp *action.ConfigureResponse) *Data {
	return from(req.ProviderData, &resp.Diagnostics)
}

func from(value any, diags *diag.Diagnostics) *Data {
	if value == nil {
		return nil
	}
	data, ok := value.(*Data)
	if !ok {
		diagx.AddBug(diags, "Unexpected provider data", fmt.Sprintf("The provider handed over %T instead of its own data.", value))
		return nil
	}
	return data
}
