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

// VMTemplate reads a VM template by id or local id.
func (c *Client) VMTemplate(ctx context.Context, id string) (*VMTemplate, error) {
	return readOne(ctx, c.reads.vmTemplates, opGetVMTemplates, "VM template", id)
}

const opGetVMTemplates = "get-vm-templates"

// getVMTemplates calls get-vm-templates.
func (c *Client) getVMTemplates(ctx context.Context, where *models.VMTemplateWhereInput) ([]VMTemplate, error) {
	body := &models.GetVMTemplatesRequestBody{Where: where}
	return invoke(ctx, c, operation{opGetVMTemplates, kindRead}, func(ctx context.Context) ([]VMTemplate, error) {
		reply, err := c.api.vmTemplates.GetVMTemplates(vm_template.NewGetVMTemplatesParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := make([]VMTemplate, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, vmTemplateOf(m))
			}
		}
		return out, nil
	})
}

// fetchVMTemplates reads VM templates by id or local id.
func (c *Client) fetchVMTemplates(ctx context.Context, keys []string) (map[string]VMTemplate, error) {
	list, err := c.getVMTemplates(ctx, &models.VMTemplateWhereInput{OR: []*models.VMTemplateWhereInput{{IDIn: keys}, {LocalIDIn: keys}}})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v VMTemplate) []string { return []string{v.ID, v.LocalID} }), nil
}

// vmTemplateOf converts a VM template of the SDK.
func vmTemplateOf(m *models.VMTemplate) VMTemplate {
	out := VMTemplate{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Description: deref(m.Description), Firmware: text(m.Firmware),
		CloudInitSupported: deref(m.CloudInitSupported), HA: deref(m.Ha), VCPU: number(m.Vcpu), MemoryBytes: deref(m.Memory), SizeBytes: deref(m.Size),
		EntityAsyncStatus: text(m.EntityAsyncStatus), CreatedAt: instant(m.LocalCreatedAt), Labels: labelsOf(m.Labels),
	}
	if m.CPU != nil {
		out.CPUCores, out.CPUSockets = number(m.CPU.Cores), number(m.CPU.Sockets)
	}
	if m.Cluster != nil {
		out.ClusterID, out.ClusterName = deref(m.Cluster.ID), deref(m.Cluster.Name)
	}
	for _, d := range m.VMDisks {
		if d != nil {
			out.Disks = append(out.Disks, TemplateDisk{Type: text(d.Type), Bus: text(d.Bus), Boot: number(d.Boot), SizeBytes: deref(d.Size)})
		}
	}
	if m.ContentLibraryVMTemplate != nil {
		out.ContentLibraryVMTemplateID = deref(m.ContentLibraryVMTemplate.ID)
	}
	return out
}
