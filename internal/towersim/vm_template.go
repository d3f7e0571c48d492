// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (t *template) mark(status *wire.EntityAsyncStatus) { t.row.EntityAsyncStatus = status }

func cloneVMTemplateFromVM(c *call, in *[]wire.VMTemplateCreationParams) (any, error) {
	return c.templatesFromVMs(*in, "cloneVmTemplateFromVm", false)
}

// convertVMTemplateFromVM makes templates that take the place of their VMs.
func convertVMTemplateFromVM(c *call, in *[]wire.VMTemplateCreationParams) (any, error) {
	return c.templatesFromVMs(*in, "convertVmTemplateFromVm", true)
}

func (c *call) templatesFromVMs(params []wire.VMTemplateCreationParams, mutation string, consume bool) (any, error) {
	if err := atLeastOne(params); err != nil {
		return nil, err
	}

	vms := make([]*vm, len(params))

	for i := range params {
		v, ok := c.vms.get(params[i].VMID)
		if !ok {
			return nil, notFound("There is no VM %s", params[i].VMID)
		}

		if err := nonEmpty("name", &params[i].Name); err != nil {
			return nil, err
		}

		if err := c.sameCluster(params[i].ClusterID, v.cluster, "VM"); err != nil {
			return nil, err
		}

		vms[i] = v
	}

	if err := c.free(mapped(vms, func(v *vm) lockable { return v })...); err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VMTemplate], len(params))
	for i := range params {
		replies[i] = c.templateFromVM(vms[i], &params[i], mutation, consume)
	}

	return replies, nil
}

func (c *call) templateFromVM(v *vm, p *wire.VMTemplateCreationParams, mutation string, consume bool) wire.WithTask[*wire.VMTemplate] {
	t := c.newTemplate(v, p.Name, valueOf(p.Description), p.CloudInitSupported)
	t.row.LocalID = placeholderPrefix + t.row.LocalID
	k := c.begin(work{
		mutation: mutation, resource: "VmTemplate", id: t.row.ID, cluster: v.cluster,
		about:  text{en: "Create a VM template " + p.Name + " from VM " + v.row.Name, zh: "从虚拟机 " + v.row.Name + " 创建模板 " + p.Name},
		status: wire.EntityAsyncStatusCreating, holds: []markable{t, markedAs{v, wire.EntityAsyncStatusUpdating}},
		apply: func() *taskFailure {
			if failed := c.templatable(v, p.Name, t); failed != nil {
				return failed
			}

			t.row.LocalID = c.ids.uuid()

			if consume {
				c.destroy(v)
			}

			return nil
		},
		undo: func() { c.templates.remove(t) },
	})
	shown := t.row

	return wire.WithTask[*wire.VMTemplate]{TaskID: wire.Ptr(k.row.ID), Data: &shown}
}

// templatable refuses to make a template of a VM that is gone or runs, or under
// a name that is taken.
func (w *world) templatable(v *vm, name string, t *template) *taskFailure {
	if v.deleted() {
		return failure("VM_NOT_FOUND", "The VM %s is gone.", v.row.Name)
	}

	if v.row.Status != wire.VMStatusStopped {
		return failure("VM_STATUS_NOT_ALLOWED", "The VM %s is %s.", v.row.Name, v.row.Status)
	}

	if t == nil {
		return nil
	}

	return w.templateNameTaken(t, name, true)
}

func (w *world) templateNameTaken(t *template, name string, making bool) *taskFailure {
	for _, other := range w.templates.list {
		if other == t {
			// Of two that are being made, the one that was asked for first gets the name.
			if making {
				return nil
			}

			continue
		}

		if other.cluster == t.cluster && other.library == nil && t.library == nil && other.row.Name == name {
			return failure("VM_TEMPLATE_DUPLICATED_NAME", "The name %s is used by another VM template.", name)
		}
	}

	return nil
}

// newTemplate enters a template of a VM's hardware.
func (w *world) newTemplate(v *vm, name, description string, cloudInit bool) *template {
	t := &template{cluster: v.cluster, shape: v.shape()}
	t.shape.cloudInit = cloudInit
	t.row = wire.VMTemplate{
		ID: w.ids.cuid(), LocalID: w.ids.uuid(), Name: name, Description: description, Cluster: v.cluster.nested(),
		LocalCreatedAt: stampPtr(w.current),
	}

	for i := range t.shape.disks {
		if d := &t.shape.disks[i]; d.kind == wire.VMDiskTypeDisk {
			d.name = name
		}
	}

	t.showShape()
	t.showLabels()
	w.templates.add(t)

	return t
}

func convertVMTemplateToVM(c *call, in *[]wire.ConvertVMTemplateToVMParams) (any, error) {
	return createEach(c, *in, func(p *wire.ConvertVMTemplateToVMParams) (*blueprint, error) {
		t, ok := c.templates.get(p.ConvertedFromTemplateID)
		if !ok {
			return nil, notFound("There is no VM template %s", p.ConvertedFromTemplateID)
		}

		b := &blueprint{
			shape: t.shape.clone(), mutation: "convertVmTemplateToVm", cluster: t.cluster, description: t.row.Description,
			about:   text{en: "Convert VM template " + t.row.Name + " to VM " + p.Name, zh: "将模板 " + t.row.Name + " 转化为虚拟机 " + p.Name},
			consume: func() { c.templates.remove(t) },
		}

		for i := range b.disks {
			b.disks[i].name = ""
		}

		return b, c.complete(b, p)
	})
}

func updateVMTemplate(c *call, in *wire.VMTemplateUpdationParams) (any, error) {
	templates, err := match(c.world, &c.templates, wire.EntityVMTemplate, in.Where)
	if err != nil {
		return nil, err
	}

	d := in.Data
	if d == nil {
		d = &wire.VMTemplateUpdationParamsData{}
	}

	if err := nonEmpty("body.data.name", d.Name); err != nil {
		return nil, err
	}

	return changed(c, templates, change[*template]{
		mutation: "updateVmTemplate", resource: "VmTemplate",
		about:   plainly("Edit VM template", "编辑虚拟机模板", func(t *template) string { return t.row.Name }),
		cluster: func(t *template) *cluster { return t.cluster },
		apply: func(t *template) *taskFailure {
			if d.Name != nil && *d.Name != t.row.Name {
				if failed := c.templateNameTaken(t, *d.Name, false); failed != nil {
					return failed
				}
			}

			assign(&t.row.Name, d.Name)
			assign(&t.row.Description, d.Description)
			assign(&t.shape.cloudInit, d.CloudInitSupported)
			t.showShape()

			return nil
		},
	}, func(t *template) *wire.VMTemplate { return wire.Ptr(t.row) }), nil
}

func deleteVMTemplate(c *call, in *wire.VMTemplateDeletionParams) (any, error) {
	templates, err := match(c.world, &c.templates, wire.EntityVMTemplate, in.Where)
	if err != nil {
		return nil, err
	}

	return changed(c, templates, change[*template]{
		mutation: "deleteVmTemplate", resource: "VmTemplate", status: wire.EntityAsyncStatusDeleting,
		about:   plainly("Delete VM template", "删除虚拟机模板", func(t *template) string { return t.row.Name }),
		cluster: func(t *template) *cluster { return t.cluster },
		apply: func(t *template) *taskFailure {
			c.dropTemplate(t)

			return nil
		},
	}, deleted), nil
}

func (w *world) dropTemplate(t *template) {
	w.templates.remove(t)

	if l := t.library; l != nil {
		l.copies = slices.DeleteFunc(l.copies, func(x *template) bool { return x == t })
		l.showCopies()
	}
}
