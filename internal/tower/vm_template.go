// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_template"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// VMTemplate is a VM template of one cluster as Tower shows it.
type VMTemplate struct {
	ID                         string
	LocalID                    string
	Name                       string
	Description                string
	ClusterID                  string
	ClusterName                string
	ContentLibraryVMTemplateID string // "" where it is no copy of the content library's
	Firmware                   string
	CloudInitSupported         bool
	HA                         bool
	VCPU                       int
	CPUCores                   int // in each socket
	CPUSockets                 int
	MemoryBytes                int64
	SizeBytes                  int64
	Disks                      []TemplateDisk
	EntityAsyncStatus          string
	CreatedAt                  time.Time
	Labels                     []Label
}

func (v VMTemplate) identity() identity {
	return identity{id: v.ID, localID: v.LocalID, name: v.Name, async: v.EntityAsyncStatus}
}

// VMTemplate reads a VM template by id or local id.
func (c *Client) VMTemplate(ctx context.Context, id string) (*VMTemplate, error) {
	return c.templates.get(ctx, id)
}

func newVMTemplates(c *Client) *objects[VMTemplate] {
	return newObjects(c, "get-vm-templates", "VM template", vmTemplateOf, func(ctx context.Context, body *models.GetVMTemplatesRequestBody) ([]*models.VMTemplate, error) {
		return payload(vm_template.New(c.sdk()).GetVMTemplates(vm_template.NewGetVMTemplatesParamsWithContext(ctx).WithRequestBody(body)))
	})
}

func vmTemplateOf(m *models.VMTemplate) VMTemplate {
	cpu, cluster := deref(m.CPU), deref(m.Cluster)
	out := VMTemplate{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Description: deref(m.Description), Firmware: text(m.Firmware),
		CloudInitSupported: deref(m.CloudInitSupported), HA: deref(m.Ha), VCPU: number(m.Vcpu), MemoryBytes: deref(m.Memory), SizeBytes: deref(m.Size),
		EntityAsyncStatus: text(m.EntityAsyncStatus), CreatedAt: instant(m.LocalCreatedAt), Labels: labelsOf(m.Labels),
		CPUCores: number(cpu.Cores), CPUSockets: number(cpu.Sockets), ClusterID: deref(cluster.ID), ClusterName: deref(cluster.Name),
		ContentLibraryVMTemplateID: deref(deref(m.ContentLibraryVMTemplate).ID),
	}
	for _, d := range m.VMDisks {
		if d != nil {
			out.Disks = append(out.Disks, TemplateDisk{Type: text(d.Type), Bus: text(d.Bus), Boot: number(d.Boot), SizeBytes: deref(d.Size)})
		}
	}
	return out
}
