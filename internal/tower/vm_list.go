// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"iter"
	"slices"
)

// VMFilter narrows a list of VMs. What is empty does not narrow.
type VMFilter struct {
	ID           string // also matches the local id
	Name         string
	NameContains string
	NameIn       []string
	ClusterID    string            // also matches the local id
	FolderID     string            // also matches the local id
	Status       string            // RUNNING, STOPPED, SUSPENDED
	Labels       map[string]string // the VM has all of these; "" = without a value
}

// VMPages lists VMs page by page, by their ids: an order in which nothing that happens meanwhile shifts a page, so that no
// VM comes twice and none that is there all the time is missed. Tower's own VMs and those in the recycle bin are left out.
// A limit above 0 is how many come at most, and no more are asked for. The list ends after an error.
func (c *Client) VMPages(ctx context.Context, filter VMFilter, limit int) iter.Seq2[[]VM, error] {
	return c.vms.pages(ctx, filter.where(), limit, filter.admits)
}

func (f VMFilter) where() Where {
	w := Where{"internal": false, "in_recycle_bin": false}
	for field, value := range map[string]string{"name": f.Name, "name_contains": f.NameContains, "status": f.Status} {
		if value != "" {
			w[field] = value
		}
	}
	if len(f.NameIn) > 0 {
		w["name_in"] = f.NameIn
	}
	for field, id := range map[string]string{"cluster": f.ClusterID, "folder": f.FolderID} {
		if id != "" {
			w[field] = AnyID(id)
		}
	}
	filters := []Where{w}
	if f.ID != "" {
		filters = append(filters, AnyID(f.ID))
	}
	for key, value := range f.Labels {
		label := Where{"key": key}
		// Tower has no filter for a label without a value; admits looks at that.
		if value != "" {
			label["value"] = value
		}
		filters = append(filters, Where{"labels_some": label})
	}
	return All(filters...)
}

// admits checks what Tower's filter can't say.
func (f VMFilter) admits(v VM) bool {
	for key, value := range f.Labels {
		if !slices.ContainsFunc(v.Labels, func(l Label) bool { return l.Key == key && l.Value == value }) {
			return false
		}
	}
	return !v.Internal && !v.InRecycleBin
}
