// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (t *libraryTemplate) setAsyncStatus(status *wire.EntityAsyncStatus) {
	t.row.EntityAsyncStatus = status
}

func cloneContentLibraryVMTemplateFromVM(c *call, in *[]wire.ContentLibraryVMTemplateCreationParams) (any, error) {
	return c.libraryTemplatesFromVMs(*in, "cloneContentLibraryVmTemplateFromVm", false)
}

// convertContentLibraryVMTemplateFromVM makes templates of VMs and deletes the
// VMs.
func convertContentLibraryVMTemplateFromVM(c *call, in *[]wire.ContentLibraryVMTemplateCreationParams) (any, error) {
	return c.libraryTemplatesFromVMs(*in, "convertContentLibraryVmTemplateFromVm", true)
}

// libraryPlan is a new template of the content library.
type libraryPlan struct {
	params   *wire.ContentLibraryVMTemplateCreationParams
	vm       *vm
	clusters []*cluster
}

func (c *call) libraryTemplatesFromVMs(params []wire.ContentLibraryVMTemplateCreationParams, mutation string, consume bool) (any, error) {
	plans, err := planEach(params, func(_ int, p *wire.ContentLibraryVMTemplateCreationParams) (libraryPlan, error) {
		v, err := c.uniqueVM(&p.VM)
		if err != nil {
			return libraryPlan{}, err
		}

		if err := checkNotEmpty("name", &p.Name); err != nil {
			return libraryPlan{}, err
		}

		clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, p.Clusters)
		if err != nil {
			return libraryPlan{}, err
		}

		if len(clusters) == 0 {
			return libraryPlan{}, notFound("There is no cluster that matches")
		}

		return libraryPlan{params: p, vm: v, clusters: clusters}, nil
	})
	if err != nil {
		return nil, err
	}

	if err := c.checkUnlocked(mapSlice(plans, func(p libraryPlan) lockable { return p.vm })...); err != nil {
		return nil, err
	}

	return mapSlice(plans, func(p libraryPlan) wire.WithTask[*wire.ContentLibraryVMTemplate] {
		return c.libraryTemplateFromVM(&p, mutation, consume)
	}), nil
}

func (c *call) uniqueVM(where *wire.VMWhereUniqueInput) (*vm, error) {
	for _, v := range c.visible() {
		if where.ID.Ptr() != nil && v.row.ID == where.ID.Value || where.LocalID.Ptr() != nil && v.row.LocalID == where.LocalID.Value {
			return v, nil
		}
	}

	return nil, notFound("There is no such VM")
}

func (c *call) libraryTemplateFromVM(p *libraryPlan, mutation string, consume bool) wire.WithTask[*wire.ContentLibraryVMTemplate] {
	v := p.vm
	l := &libraryTemplate{}
	l.row = wire.ContentLibraryVMTemplate{
		ID: c.ids.cuid(), Name: p.params.Name, Description: deref(p.params.Description), CreatedAt: formatTime(c.now),
		Architecture: v.cluster.row.Architecture, OS: v.row.OS, Memory: v.row.Memory, VCPU: v.row.VCPU,
	}
	l.refreshLabels()
	l.refreshCopies()
	c.libraryTemplates.add(l)

	cloudInit := v.row.CloudInitSupported != nil && *v.row.CloudInitSupported
	setIfSent(&cloudInit, p.params.CloudInitSupported)

	t := c.startTask(taskWork{
		mutation: mutation, resource: "ContentLibraryVmTemplate", id: l.row.ID, cluster: v.cluster,
		description: localizedText{en: "Create a VM template " + p.params.Name + " from VM " + v.row.Name, zh: "从虚拟机 " + v.row.Name + " 创建模板 " + p.params.Name},
		status:      wire.EntityAsyncStatusCreating, objects: []asyncObject{l, withAsyncStatus{v, wire.EntityAsyncStatusUpdating}},
		apply: func() *taskFailure {
			if failed := c.checkTemplateSource(v, p.params.Name, nil); failed != nil {
				return failed
			}

			if failed := c.checkLibraryTemplateName(l, p.params.Name, true); failed != nil {
				return failed
			}

			original := v.hardware()
			original.cloudInit = cloudInit
			c.distributeTemplate(l, original, p.clusters)

			if consume {
				c.removeVM(v)
			}

			return nil
		},
		undo: func() { c.libraryTemplates.remove(l) },
	})
	shown := l.row

	return wire.WithTask[*wire.ContentLibraryVMTemplate]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
}

func (w *world) checkLibraryTemplateName(l *libraryTemplate, name string, creating bool) *taskFailure {
	clashes := func(other *libraryTemplate) bool { return other.row.Name == name }

	return checkName(w.libraryTemplates.list, l, creating, clashes,
		failure("CONTENT_LIBRARY_VM_TEMPLATE_DUPLICATED_NAME", "The name %s is used by another VM template.", name))
}

// distributeTemplate copies a template's hardware to those of the clusters that
// do not have the template. NICs are connected to the network with the same
// name there, or to the first network.
func (w *world) distributeTemplate(l *libraryTemplate, original hardware, clusters []*cluster) {
	for _, c := range clusters {
		if l.in(c) != nil {
			continue
		}

		t := &template{cluster: c, library: l, hardware: original.clone()}
		t.row = wire.VMTemplate{
			ID: w.ids.cuid(), LocalID: w.ids.uuid(), Name: l.row.Name, Description: l.row.Description, Cluster: c.nested(),
			LocalCreatedAt:           formatTimePtr(w.now),
			ContentLibraryVMTemplate: &wire.NestedContentLibraryVMTemplate{ID: l.row.ID, Name: l.row.Name},
		}

		for i := range t.hardware.nics {
			if n := &t.hardware.nics[i]; n.vpc == nil || n.vpc.subnet.vpc.cluster != c {
				n.vlan, n.vpc = w.networkFor(c, n.network()), nil
			}
		}

		t.hardware.nics = slices.DeleteFunc(t.hardware.nics, func(n nicConfig) bool { return n.vlan == nil && n.vpc == nil })

		// A drive cannot hold an image of another cluster.
		for i := range t.hardware.disks {
			if d := &t.hardware.disks[i]; d.image != nil && d.image.cluster != c {
				d.image = nil
			}
		}

		t.refreshHardware()
		t.refreshLabels()
		w.templates.add(t)
		l.copies = append(l.copies, t)
	}

	l.refreshCopies()
}

// editLibraryTemplates starts a change of the templates that a filter selects.
func (c *call) editLibraryTemplates(where json.RawMessage, mutation string, apply func(*libraryTemplate) *taskFailure) (any, error) {
	templates, err := matching(c.world, &c.libraryTemplates, wire.EntityContentLibraryVMTemplate, where)
	if err != nil {
		return nil, err
	}

	return startChanges(c, templates, change[*libraryTemplate]{
		mutation: mutation, resource: "ContentLibraryVmTemplate",
		description: describe("Edit VM template", "编辑虚拟机模板", func(l *libraryTemplate) string { return l.row.Name }),
		cluster:     func(*libraryTemplate) *cluster { return nil },
		apply:       apply,
	}, func(l *libraryTemplate) *wire.ContentLibraryVMTemplate { return wire.Ptr(l.row) }), nil
}

func updateContentLibraryVMTemplate(c *call, in *wire.ContentLibraryVMTemplateUpdationParams) (any, error) {
	d := &in.Data
	if err := checkNotEmpty("body.data.name", d.Name); err != nil {
		return nil, err
	}

	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, d.Clusters)
	if err != nil {
		return nil, err
	}

	return c.editLibraryTemplates(in.Where, "updateContentLibraryVmTemplate", func(l *libraryTemplate) *taskFailure {
		if d.Name != nil && *d.Name != l.row.Name {
			if failed := c.checkLibraryTemplateName(l, *d.Name, false); failed != nil {
				return failed
			}
		}

		setIfSent(&l.row.Name, d.Name)
		setIfSent(&l.row.Description, d.Description)

		for _, t := range l.copies {
			t.row.Name, t.row.Description = l.row.Name, l.row.Description
			t.row.ContentLibraryVMTemplate.Name = l.row.Name
			setIfSent(&t.hardware.cloudInit, d.CloudInitSupported)
			t.refreshHardware()
		}

		if len(l.copies) > 0 {
			c.distributeTemplate(l, l.copies[0].hardware, clusters)
		}

		return nil
	})
}

func distributeContentLibraryVMTemplate(c *call, in *wire.ContentLibraryVMTemplateUpdationClusterParams) (any, error) {
	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, in.Data.Clusters)
	if err != nil {
		return nil, err
	}

	return c.editLibraryTemplates(in.Where, "distributeContentLibraryVmTemplate", func(l *libraryTemplate) *taskFailure {
		if len(l.copies) == 0 {
			return failure("CONTENT_LIBRARY_VM_TEMPLATE_EMPTY", "The VM template %s is in no cluster.", l.row.Name)
		}

		c.distributeTemplate(l, l.copies[0].hardware, clusters)

		return nil
	})
}

func removeContentLibraryVMTemplate(c *call, in *wire.ContentLibraryVMTemplateUpdationClusterParams) (any, error) {
	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, in.Data.Clusters)
	if err != nil {
		return nil, err
	}

	return c.editLibraryTemplates(in.Where, "removeContentLibraryVmTemplate", func(l *libraryTemplate) *taskFailure {
		for _, from := range clusters {
			if t := l.in(from); t != nil {
				c.dropTemplate(t)
			}
		}

		return nil
	})
}

func deleteContentLibraryVMTemplate(c *call, in *wire.ContentLibraryVMTemplateDeletionParams) (any, error) {
	return deleteMatching(c, &c.libraryTemplates, wire.EntityContentLibraryVMTemplate, in.Where, change[*libraryTemplate]{
		mutation: "deleteContentLibraryVmTemplate", resource: "ContentLibraryVmTemplate",
		description: describe("Delete VM template", "删除虚拟机模板", func(l *libraryTemplate) string { return l.row.Name }),
		cluster:     func(*libraryTemplate) *cluster { return nil },
		apply: func(l *libraryTemplate) *taskFailure {
			for _, t := range slices.Clone(l.copies) {
				c.dropTemplate(t)
			}

			c.libraryTemplates.remove(l)

			return nil
		},
	})
}
