// SPDX-License-Identifier: MPL-2.0

package managed

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// ImportState takes over an object by Tower's id, by its local id, by cluster
// name and name with a slash between them, or by its identity. The read that
// follows fills the state.
func (r *Base[T]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	client, ok := r.Data.Client(&resp.Diagnostics)
	given := ImportID(ctx, req, &resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	found, err := r.find(ctx, client, given)
	if err == nil && len(found) > 1 {
		var ids []string
		for _, object := range found {
			id, _ := r.kind.Key(object)
			ids = append(ids, id)
		}
		err = fmt.Errorf("the cluster has %d of this name; import the one that is meant by its id: %s", len(found), strings.Join(ids, ", "))
	}
	if err != nil {
		r.AddImportError(&resp.Diagnostics, given, r.kind.Has("local_id"), r.kind.Has("cluster_id"), err)
		return
	}
	id, _ := r.kind.Key(found[0])
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(Identify(ctx, resp.Identity, types.StringValue(id))...)
}

// ImportID is the id that an import gives, be it as such or as an identity.
func ImportID(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) string {
	if req.ID != "" {
		return req.ID
	}
	var id types.String
	diags.Append(req.Identity.GetAttribute(ctx, path.Root("id"), &id)...)
	return id.ValueString()
}

// AddImportError says that an import failed and, where nothing was found, what
// its id has to be: Tower's id, and for some the local id or the names.
func (r *Resource) AddImportError(diags *diag.Diagnostics, id string, local, named bool, err error) {
	if errors.Is(err, tower.ErrNotFound) {
		forms := "the " + r.Object + "'s id in Tower"
		if local {
			forms += ", its local id (a UUID)"
		}
		if named {
			forms += ", or the names of its cluster and its own with a slash between them"
		}
		err = fmt.Errorf("the import id has to be %s: %w", forms, err)
	}
	diagx.AddError(diags, "import", r.Object, id, err)
}

// find returns what the id of an import leads to.
func (r *Base[T]) find(ctx context.Context, client *tower.Client, id string) ([]T, error) {
	filters := lookup.Filters{"id": id}
	if clusterName, name, qualified := strings.Cut(id, "/"); qualified && r.kind.Has("cluster_id") {
		cluster, err := ClusterByName(ctx, client, clusterName)
		if err != nil {
			return nil, err
		}
		filters = lookup.Filters{"cluster_id": cluster.ID, "name": name}
	}
	found, err := r.kind.Find(ctx, client, filters)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s %q: %w", r.Object, id, tower.ErrNotFound)
	}
	return found, err
}

// ClusterByName finds the cluster that an import names. tower.ErrNotFound: there
// is none.
func ClusterByName(ctx context.Context, client *tower.Client, name string) (*tower.Cluster, error) {
	clusters, err := client.Clusters(ctx, tower.Where{"name": name})
	switch {
	case err != nil:
		return nil, fmt.Errorf("looking up the cluster %q: %w", name, err)
	case len(clusters) == 0:
		return nil, fmt.Errorf("cluster %q: %w", name, tower.ErrNotFound)
	case len(clusters) > 1:
		return nil, fmt.Errorf("there are %d clusters named %q; import by an id", len(clusters), name)
	}
	return &clusters[0], nil
}
