// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"iter"
	"slices"

	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// vmPage is how many VMs a page of VMPages has at most.
const vmPage = 200

// VMFilter narrows a list of VMs. What is empty does not narrow.
type VMFilter struct {
	ListFilter

	FolderID string            // also matches the local id
	Status   string            // RUNNING, STOPPED, SUSPENDED
	Labels   map[string]string // the VM has all of these; "" = without a value
}

// VMPages lists VMs page by page, by their ids: an order in which nothing that happens meanwhile shifts a page, so that no
// VM comes twice and none that is there all the time is missed. Tower's own VMs and those in the recycle bin are left out.
// A limit above 0 is how many come at most, and no more are asked for. The list ends after an error.
func (c *Client) VMPages(ctx context.Context, filter VMFilter, limit int) iter.Seq2[[]VM, error] {
	return func(yield func([]VM, error) bool) {
		after, size := "", vmPage
		for left := limit; ; {
			if limit > 0 {
				size = min(vmPage, left)
			}
			body := &models.GetVmsRequestBody{Where: filter.where(after), OrderBy: models.VMOrderByInputIDASC.Pointer(), First: ptr(int32(size))}
			page, err := c.callGetVMs(ctx, kindRead, body)
			if err != nil {
				yield(nil, err)
				return
			}
			more := len(page) >= size && page[len(page)-1].ID != after
			if more {
				after = page[len(page)-1].ID
			}
			page = slices.DeleteFunc(page, func(v VM) bool { return !filter.admits(v) })
			if len(page) > 0 && !yield(page, nil) {
				return
			}
			if left -= len(page); !more || limit > 0 && left <= 0 {
				return
			}
		}
	}
}

// where is the filter for the VMs behind the one with the id.
func (f VMFilter) where(after string) *models.VMWhereInput {
	w := &models.VMWhereInput{
		IDGt: optional(after), Name: optional(f.Name), NameContains: optional(f.NameContains), NameIn: f.NameIn,
		Status: enum[models.VMStatus](&f.Status), Internal: ptr(false), InRecycleBin: ptr(false),
	}
	if f.ID != "" {
		w.OR = []*models.VMWhereInput{{ID: ptr(f.ID)}, {LocalID: ptr(f.ID)}}
	}
	if f.ClusterID != "" {
		w.Cluster = clusterByAnyID(f.ClusterID)
	}
	if f.FolderID != "" {
		w.Folder = &models.VMFolderWhereInput{OR: []*models.VMFolderWhereInput{{ID: ptr(f.FolderID)}, {LocalID: ptr(f.FolderID)}}}
	}
	for key, value := range f.Labels {
		// Whether a label without a value has none or an empty one is looked at afterwards.
		w.AND = append(w.AND, &models.VMWhereInput{LabelsSome: &models.LabelWhereInput{Key: ptr(key), Value: optional(value)}})
	}
	return w
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
