// SPDX-License-Identifier: MPL-2.0

// Package providerdata has the data that the configured provider passes to its
// resources, data sources and actions.
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
	// Tower is the logged-in client. It is nil while the provider's configuration
	// is not known; see Client.
	Tower *tower.Client
	// PollInterval is the time between two looks at Tower while waiting.
	PollInterval time.Duration
	// Version is the provider's version, "dev" for a local build.
	Version string
	// Kubernetes is the cluster in which nodes are looked up unless an object names
	// another one. It is nil if none is configured, or if it is not known yet;
	// KubernetesUnknown is true in the second case.
	Kubernetes        *kubenode.Config
	KubernetesUnknown bool
	// DefaultLabels are the labels that every object with labels gets: null if
	// there are none, unknown if they are not known yet.
	DefaultLabels types.Map
	// Nodes has the directories of nodes for all Kubernetes clusters, which all
	// waits share.
	Nodes *kubenode.Directories
	// StaticIPs are the static addresses that the VMs of this run are planned to
	// have, by all the plans so far.
	StaticIPs staticips.Book
}

// TryClient returns the client, or false if the provider's configuration is not
// known yet. It is for plans, which can do without a client; Client is for
// operations that need one. It is safe on nil.
func (d *Data) TryClient() (*tower.Client, bool) {
	if d == nil || d.Tower == nil {
		return nil, false
	}
	return d.Tower, true
}

// Directory returns the directory of nodes for own, or for the provider's Kubernetes
// cluster if own is nil, or nil if there is neither.
func (d *Data) Directory(own *kubenode.Config) *kubenode.Directory {
	if own == nil {
		own = d.Kubernetes
	}
	if own == nil || d.Nodes == nil {
		return nil
	}
	return d.Nodes.Directory(*own)
}

// Client returns the client. If there is none, because values in the provider's
// configuration are known only after another object has been created, it adds an
// error and returns false. It is safe on nil.
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

// FromResource returns the data that was passed to Configure of a resource. It
// returns nil while the provider is not configured, since the framework calls
// Configure before that, too. If the value has an impossible type, it adds an error
// and returns nil.
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
		diagx.AddBug(diags, "Unexpected provider data", fmt.Sprintf("The provider passed a %T instead of its own data.", value))
		return nil
	}
	return data
}
