// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (t *template) setAsyncStatus(status *wire.EntityAsyncStatus) { t.row.EntityAsyncStatus = status }

func cloneVMTemplateFromVM(c *call, in *[]wire.VMTemplateCreationParams) (any, error) {
	return c.templatesFromVMs(*in, "cloneVmTemplateFromVm", false)
}

// convertVMTemplateFromVM makes templates of VMs and deletes the VMs.
func convertVMTemplateFromVM(c *call, in *[]wire.VMTemplateCreationParams) (any, error) {
	return c.templatesFromVMs(*in, "convertVmTemplateFromVm", true)
}

func (c *call) templatesFromVMs(params []wire.VMTemplateCreationParams, mutation string, consume bool) (any, error) {
	vms, err := planEach(params, func(_ int, p *wire.VMTemplateCreationParams) (*vm, error) {
		v, ok := c.vms.get(p.VMID)
		if !ok {
			return nil, notFound("There is no VM %s", p.VMID)
		}

		if err := checkNotEmpty("name", &p.Name); err != nil {
			return nil, err
		}

		if err := c.sameCluster(p.ClusterID, v.cluster, "VM"); err != nil {
			return nil, err
		}

		return v, nil
	})
	if err != nil {
		return nil, err
	}

	if err := c.checkUnlocked(mapSlice(vms, func(v *vm) lockable { return v })...); err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VMTemplate], len(params))
	for i := range params {
		replies[i] = c.templateFromVM(vms[i], &params[i], mutation, consume)
	}

	return replies, nil
}

func (c *call) templateFromVM(v *vm, p *wire.VMTemplateCreationParams, mutation string, consume bool) wire.WithTask[*wire.VMTemplate] {
	t := c.newTemplate(v, p.Name, deref(p.Description), p.CloudInitSupported)
	t.row.LocalID = placeholderPrefix + t.row.LocalID
	k := c.startTask(taskWork{
		mutation: mutation, resource: "VmTemplate", id: t.row.ID, cluster: v.cluster,
		description: localizedText{en: "Create a VM template " + p.Name + " from VM " + v.row.Name, zh: "从虚拟机 " + v.row.Name + " 创建模板 " + p.Name},
		status:      wire.EntityAsyncStatusCreating, objects: []asyncObject{t, withAsyncStatus{v, wire.EntityAsyncStatusUpdating}},
		apply: func() *taskFailure {
			if failed := c.checkTemplateSource(v, p.Name, t); failed != nil {
				return failed
			}

			t.row.LocalID = c.ids.uuid()

			if consume {
				c.removeVM(v)
			}

			return nil
		},
		undo: func() { c.templates.remove(t) },
	})
	shown := t.row

	return wire.WithTask[*wire.VMTemplate]{TaskID: wire.Ptr(k.row.ID), Data: &shown}
}

// checkTemplateSource refuses to make a template of a VM that was deleted or is
// not stopped, and a name that another template has.
func (w *world) checkTemplateSource(v *vm, name string, t *template) *taskFailure {
	if v.deleted() {
		return failure("VM_NOT_FOUND", "The VM %s is gone.", v.row.Name)
	}

	if v.row.Status != wire.VMStatusStopped {
		return failure("VM_STATUS_NOT_ALLOWED", "The VM %s is %s.", v.row.Name, v.row.Status)
	}

	if t == nil {
		return nil
	}

	return w.checkTemplateName(t, name, true)
}

func (w *world) checkTemplateName(t *template, name string, creating bool) *taskFailure {
	clashes := func(other *template) bool {
		return other.cluster == t.cluster && other.library == nil && t.library == nil && other.row.Name == name
	}

	return checkName(w.templates.list, t, creating, clashes,
		failure("VM_TEMPLATE_DUPLICATED_NAME", "The name %s is used by another VM template.", name))
}

// newTemplate adds a template with the hardware of a VM.
func (w *world) newTemplate(v *vm, name, description string, cloudInit bool) *template {
	t := &template{cluster: v.cluster, hardware: v.hardware()}
	t.hardware.cloudInit = cloudInit
	t.row = wire.VMTemplate{
		ID: w.ids.cuid(), LocalID: w.ids.uuid(), Name: name, Description: description, Cluster: v.cluster.nested(),
		LocalCreatedAt: formatTimePtr(w.now),
	}

	for i := range t.hardware.disks {
		if d := &t.hardware.disks[i]; d.kind == wire.VMDiskTypeDisk {
			d.name = name
		}
	}

	t.refreshHardware()
	t.refreshLabels()
	w.templates.add(t)

	return t
}

func convertVMTemplateToVM(c *call, in *[]wire.ConvertVMTemplateToVMParams) (any, error) {
	return createVMs(c, *in, func(p *wire.ConvertVMTemplateToVMParams) (*blueprint, error) {
		t, ok := c.templates.get(p.ConvertedFromTemplateID)
		if !ok {
			return nil, notFound("There is no VM template %s", p.ConvertedFromTemplateID)
		}

		b := &blueprint{
			hardware: t.hardware.clone(), mutation: "convertVmTemplateToVm", cluster: t.cluster, description: t.row.Description,
			taskDescription: localizedText{en: "Convert VM template " + t.row.Name + " to VM " + p.Name, zh: "将模板 " + t.row.Name + " 转化为虚拟机 " + p.Name},
			removeSource:    func() { c.templates.remove(t) },
		}

		for i := range b.disks {
			b.disks[i].name = ""
		}

		return b, c.applyParams(b, p)
	})
}

func updateVMTemplate(c *call, in *wire.VMTemplateUpdationParams) (any, error) {
	templates, err := matching(c.world, &c.templates, wire.EntityVMTemplate, in.Where)
	if err != nil {
		return nil, err
	}

	d := in.Data
	if d == nil {
		d = &wire.VMTemplateUpdationParamsData{}
	}

	if err := checkNotEmpty("body.data.name", d.Name); err != nil {
		return nil, err
	}

	return startChanges(c, templates, change[*template]{
		mutation: "updateVmTemplate", resource: "VmTemplate",
		description: describe("Edit VM template", "编辑虚拟机模板", func(t *template) string { return t.row.Name }),
		cluster:     func(t *template) *cluster { return t.cluster },
		apply: func(t *template) *taskFailure {
			if d.Name != nil && *d.Name != t.row.Name {
				if failed := c.checkTemplateName(t, *d.Name, false); failed != nil {
					return failed
				}
			}

			setIfSent(&t.row.Name, d.Name)
			setIfSent(&t.row.Description, d.Description)
			setIfSent(&t.hardware.cloudInit, d.CloudInitSupported)
			t.refreshHardware()

			return nil
		},
	}, func(t *template) *wire.VMTemplate { return wire.Ptr(t.row) }), nil
}

func deleteVMTemplate(c *call, in *wire.VMTemplateDeletionParams) (any, error) {
	return deleteMatching(c, &c.templates, wire.EntityVMTemplate, in.Where, change[*template]{
		mutation: "deleteVmTemplate", resource: "VmTemplate",
		description: describe("Delete VM template", "删除虚拟机模板", func(t *template) string { return t.row.Name }),
		cluster:     func(t *template) *cluster { return t.cluster },
		apply: func(t *template) *taskFailure {
			c.dropTemplate(t)

			return nil
		},
	})
}

func (w *world) dropTemplate(t *template) {
	w.templates.remove(t)

	if l := t.library; l != nil {
		l.copies = slices.DeleteFunc(l.copies, func(x *template) bool { return x == t })
		l.refreshCopies()
	}
}
