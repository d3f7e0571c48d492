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

func (v ContentLibraryVMTemplate) identity() identity {
	return identity{id: v.ID, name: v.Name, async: v.EntityAsyncStatus}
}

// ContentLibraryVMTemplate reads a template of the content library by id.
func (c *Client) ContentLibraryVMTemplate(ctx context.Context, id string) (*ContentLibraryVMTemplate, error) {
	return c.libraryTemplates.get(ctx, id)
}

// ContentLibraryVMTemplates lists templates of the content library, by name, then id.
func (c *Client) ContentLibraryVMTemplates(ctx context.Context, where Where) ([]ContentLibraryVMTemplate, error) {
	return c.libraryTemplates.list(ctx, where)
}

func newContentLibraryVMTemplates(c *Client) *objects[ContentLibraryVMTemplate] {
	return newObjects(c, "get-content-library-vm-templates", "content library VM template", libraryTemplateOf,
		func(ctx context.Context, body *models.GetContentLibraryVMTemplatesRequestBody) ([]*models.ContentLibraryVMTemplate, error) {
			params := content_library_vm_template.NewGetContentLibraryVMTemplatesParamsWithContext(ctx).WithRequestBody(body)
			return payload(content_library_vm_template.New(c.sdk()).GetContentLibraryVMTemplates(params))
		})
}

func libraryTemplateOf(m *models.ContentLibraryVMTemplate) ContentLibraryVMTemplate {
	out := ContentLibraryVMTemplate{
		ID: deref(m.ID), Name: deref(m.Name), Description: deref(m.Description), OS: deref(m.Os), Architecture: text(m.Architecture),
		Firmware: text(m.Firmware), CloudInitSupported: deref(m.CloudInitSupported), VCPU: number(m.Vcpu), MemoryBytes: deref(m.Memory),
		SizeBytes: deref(m.Size), EntityAsyncStatus: text(m.EntityAsyncStatus), CreatedAt: instant(m.CreatedAt), Labels: labelsOf(m.Labels),
	}
	cpu := deref(m.CPU)
	out.CPUCores, out.CPUSockets = number(cpu.Cores), number(cpu.Sockets)
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
