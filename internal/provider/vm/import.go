// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// ImportState takes over a VM by Tower's id, by its local id, or by
// cluster-name/vm-name, or by its identity.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	client, ok := r.data.Client(&resp.Diagnostics)
	if !ok {
		return
	}
	// An import has no configuration, and so no timeouts argument.
	ctx, cancel := context.WithTimeout(ctx, defaultReadTimeout)
	defer cancel()

	id := req.ID
	if id == "" {
		var given types.String
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("id"), &given)...)
		if resp.Diagnostics.HasError() {
			return
		}
		id = given.ValueString()
	}
	vm, err := findForImport(ctx, client, id)
	if err == nil && vm.InRecycleBin {
		err = errors.New("the VM is in the recycle bin; restore it in Tower first")
	}
	if err != nil {
		if errors.Is(err, tower.ErrNotFound) {
			err = fmt.Errorf("the import id has to be the VM's id in Tower, its local id (a UUID), or cluster-name/vm-name: %w", err)
		}
		diagx.AddError(&resp.Diagnostics, "import", object, id, err)
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), vm.ID)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, types.StringValue(vm.ID))...)
	resp.Diagnostics.Append(record{Takeover: takeoverUnread}.save(ctx, resp.Private)...)
}

func findForImport(ctx context.Context, client *tower.Client, id string) (*tower.VM, error) {
	clusterName, vmName, qualified := strings.Cut(id, "/")
	if !qualified {
		return client.VM(ctx, id)
	}
	clusters, err := client.Clusters(ctx, tower.Where{"name": clusterName})
	if err != nil {
		return nil, fmt.Errorf("looking up the cluster %q: %w", clusterName, err)
	}
	switch len(clusters) {
	case 0:
		return nil, fmt.Errorf("cluster %q: %w", clusterName, tower.ErrNotFound)
	case 1:
		return findByName(ctx, client, clusters[0].ID, vmName)
	}
	return nil, fmt.Errorf("there are %d clusters named %q: import the VM by its id", len(clusters), clusterName)
}

func findByName(ctx context.Context, client *tower.Client, clusterID, name string) (*tower.VM, error) {
	vms, err := client.VMsByName(ctx, clusterID, name)
	switch {
	case err != nil:
		return nil, err
	case len(vms) == 0:
		return nil, fmt.Errorf("VM %q of the cluster: %w", name, tower.ErrNotFound)
	case len(vms) == 1:
		return &vms[0], nil
	}
	ids := make([]string, 0, len(vms))
	for _, vm := range vms {
		ids = append(ids, fmt.Sprintf("%s (%s, created %s)", vm.ID, vm.Status, vm.CreatedAt.UTC().Format(time.RFC3339)))
	}
	return nil, fmt.Errorf("the cluster has %d VMs named %q: import the one that is meant by its id: %s", len(vms), name, strings.Join(ids, ", "))
}
