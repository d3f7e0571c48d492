// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/content_library_vm_template"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// ContentLibraryVMTemplate is a VM template of the content library as Tower shows it.
type ContentLibraryVMTemplate struct {
	ID                 string
	Name               string
	Description        string
	OS                 string
	Architecture       string
	Firmware           string // "" before Tower 4.5
	CloudInitSupported bool
	VCPU               int
	CPUCores           int // in each socket; 0 before Tower 4.5
	CPUSockets         int // 0 before Tower 4.5
	MemoryBytes        int64
	SizeBytes          int64
	Disks              []TemplateDisk // none before Tower 4.5
	Clusters           []ClusterRef   // where it is distributed to
	EntityAsyncStatus  string
	CreatedAt          time.Time
	Labels             []Label
}

// ClusterRef names a cluster.
type ClusterRef struct {
	ID   string
	Name string
}

// ContentLibraryVMTemplate reads a template of the content library by id.
func (c *Client) ContentLibraryVMTemplate(ctx context.Context, id string) (*ContentLibraryVMTemplate, error) {
	return readOne(ctx, c.reads.templates, opGetTemplates, "content library VM template", id)
}

// ContentLibraryVMTemplates lists templates of the content library, by name, then id. ClusterID keeps those that are
// distributed to that cluster.
func (c *Client) ContentLibraryVMTemplates(ctx context.Context, filter ListFilter) ([]ContentLibraryVMTemplate, error) {
	where := &models.ContentLibraryVMTemplateWhereInput{
		ID: optional(filter.ID), Name: optional(filter.Name), NameContains: optional(filter.NameContains), NameIn: filter.NameIn,
	}
	if filter.ClusterID != "" {
		where.ClustersSome = clusterByAnyID(filter.ClusterID)
	}
	list, err := c.getTemplates(ctx, where)
	sortNamed(list, func(v ContentLibraryVMTemplate) (string, string) { return v.Name, v.ID })
	return list, err
}

const opGetTemplates = "get-content-library-vm-templates"

// getTemplates calls get-content-library-vm-templates.
func (c *Client) getTemplates(ctx context.Context, where *models.ContentLibraryVMTemplateWhereInput) ([]ContentLibraryVMTemplate, error) {
	body := &models.GetContentLibraryVMTemplatesRequestBody{Where: where}
	return invoke(ctx, c, operation{opGetTemplates, kindRead}, func(ctx context.Context) ([]ContentLibraryVMTemplate, error) {
		params := content_library_vm_template.NewGetContentLibraryVMTemplatesParamsWithContext(ctx).WithRequestBody(body)
		reply, err := c.api.templates.GetContentLibraryVMTemplates(params)
		if err != nil {
			return nil, err
		}
		out := make([]ContentLibraryVMTemplate, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, templateOf(m))
			}
		}
		return out, nil
	})
}

// fetchTemplates reads templates by id; they have no local id.
func (c *Client) fetchTemplates(ctx context.Context, keys []string) (map[string]ContentLibraryVMTemplate, error) {
	list, err := c.getTemplates(ctx, &models.ContentLibraryVMTemplateWhereInput{IDIn: keys})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v ContentLibraryVMTemplate) []string { return []string{v.ID} }), nil
}

// templateOf converts a template of the SDK.
func templateOf(m *models.ContentLibraryVMTemplate) ContentLibraryVMTemplate {
	out := ContentLibraryVMTemplate{
		ID: deref(m.ID), Name: deref(m.Name), Description: deref(m.Description), OS: deref(m.Os), Architecture: text(m.Architecture),
		Firmware: text(m.Firmware), CloudInitSupported: deref(m.CloudInitSupported), VCPU: number(m.Vcpu), MemoryBytes: deref(m.Memory),
		SizeBytes: deref(m.Size), EntityAsyncStatus: text(m.EntityAsyncStatus), CreatedAt: instant(m.CreatedAt), Labels: labelsOf(m.Labels),
	}
	if m.CPU != nil {
		out.CPUCores, out.CPUSockets = number(m.CPU.Cores), number(m.CPU.Sockets)
	}
	for _, d := range m.VMDisks {
		if d != nil {
			out.Disks = append(out.Disks, TemplateDisk{Type: text(d.Type), Bus: text(d.Bus), Boot: number(d.Boot), SizeBytes: deref(d.Size)})
		}
	}
	for _, cl := range m.Clusters {
		if cl != nil {
			out.Clusters = append(out.Clusters, ClusterRef{ID: deref(cl.ID), Name: deref(cl.Name)})
		}
	}
	return out
}
