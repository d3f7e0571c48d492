// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/query"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// entity is one kind of row that can be listed, with the relations that a
// filter can follow to rows of other kinds.
type entity struct {
	rows    func() []any
	byID    func(id string) (any, bool)
	related map[string]func(row any) []any
	// derived is true if derive must run before the rows are read.
	derived bool
}

func newEntity[T object](t *table[T], derived bool, related map[string]func(T) []any) *entity {
	e := &entity{rows: t.rows, byID: t.rowByID, derived: derived, related: map[string]func(any) []any{}}

	for field, follow := range related {
		e.related[field] = relation(t, follow)
	}

	return e
}

// Rows implements [query.Source].
func (w *world) Rows(name string) []any {
	e, ok := w.entities[name]
	if !ok {
		return nil
	}

	if e.derived {
		w.derive()
	}

	return e.rows()
}

// ByID implements [query.IDIndex].
func (w *world) ByID(name, id string) (any, bool) {
	e, ok := w.entities[name]
	if !ok {
		return nil, false
	}

	if e.derived {
		w.derive()
	}

	return e.byID(id)
}

// Related implements [query.Source].
func (w *world) Related(name string, row any, field string) []any {
	e, ok := w.entities[name]
	if !ok {
		return nil
	}

	follow, ok := e.related[field]
	if !ok {
		return nil
	}

	return follow(row)
}

// Referring implements [query.RelationIndex] for NICs and disks, which clients
// look up by their VM.
func (w *world) Referring(name, field string, target any) ([]any, bool) {
	if field != "vm" {
		return nil, false
	}

	v, ok := w.vms.objectOf(target)

	switch name {
	case wire.EntityVMNic:
		if !ok {
			return nil, true
		}

		return rowPtrs(v.nics), true
	case wire.EntityVMDisk:
		if !ok {
			return nil, true
		}

		return rowPtrs(v.disks), true
	default:
		return nil, false
	}
}

// TowerVersion implements [query.Versioned].
func (w *world) TowerVersion() string { return w.version.String() }

// findRows returns the rows that the request of a list operation selects.
func (w *world) findRows(name string, request wire.ListRequest) ([]any, error) {
	rows, err := query.Find(w, name, request)

	return rows, queryError(err)
}

// matching returns the objects that the filter of a mutation selects. If the
// request has no filter, it selects nothing.
func matching[T object](w *world, t *table[T], name string, where json.RawMessage) ([]T, error) {
	if len(where) == 0 {
		return nil, nil
	}

	rows, err := query.Match(w, name, where)
	if err != nil {
		return nil, queryError(err)
	}

	objects := make([]T, 0, len(rows))

	for _, row := range rows {
		if x, ok := t.objectOf(row); ok {
			objects = append(objects, x)
		}
	}

	return objects, nil
}

func queryError(err error) error {
	var refusal *query.BadRequest
	if errors.As(err, &refusal) {
		return badRequest("%s", refusal.Error())
	}

	return err
}

// newEntities returns the entities of the world by name.
func (w *world) newEntities() map[string]*entity {
	all := map[string]*entity{
		wire.EntityOrganization: newEntity(&w.organizations, true, map[string]func(*organization) []any{
			"datacenters": func(o *organization) []any {
				return rowPtrs(filterSlice(w.datacenters.list, func(d *datacenter) bool { return d.organization == o }))
			},
		}),
		wire.EntityDatacenter:               newEntity(&w.datacenters, true, w.datacenterRelations()),
		wire.EntityCluster:                  newEntity(&w.clusters, true, w.clusterRelations()),
		wire.EntityHost:                     newEntity(&w.hosts, true, w.hostRelations()),
		wire.EntityVds:                      newEntity(&w.vdses, true, w.vdsRelations()),
		wire.EntityVlan:                     newEntity(&w.vlans, true, w.vlanRelations()),
		wire.EntityVMTemplate:               newEntity(&w.templates, false, w.templateRelations()),
		wire.EntityContentLibraryVMTemplate: newEntity(&w.libraryTemplates, false, w.libraryTemplateRelations()),
		wire.EntityElfImage:                 newEntity(&w.images, true, w.imageRelations()),
		wire.EntitySvtImage:                 newEntity(&w.toolsImages, true, w.toolsImageRelations()),
		wire.EntityContentLibraryImage:      newEntity(&w.libraryImages, true, w.libraryImageRelations()),
		wire.EntityVMSnapshot:               newEntity(&w.snapshots, false, w.snapshotRelations()),
		wire.EntityVMPlacementGroup:         newEntity(&w.groups, false, w.groupRelations()),
		wire.EntityGPUDevice:                newEntity(&w.gpus, true, w.gpuRelations()),
		wire.EntityElfStoragePolicy:         newEntity(&w.policies, false, w.policyRelations()),
		wire.EntityClusterSettings:          newEntity(&w.clusterSettings, false, w.clusterSettingsRelations()),
		wire.EntityGlobalSettings:           newEntity(&w.globalSettings, false, nil),
		wire.EntityZone:                     emptyEntity(),
		wire.EntityVMEntityFilterResult:     emptyEntity(),
		wire.EntityVM:                       w.vmEntity(),
		wire.EntityVMNic:                    w.nicEntity(),
		wire.EntityVMDisk:                   w.diskEntity(),
		wire.EntityVMVolume:                 newEntity(&w.volumes, true, w.volumeRelations()),
		wire.EntityVMFolder:                 newEntity(&w.folders, true, w.folderRelations()),
		wire.EntityLabel:                    newEntity(&w.labels, true, w.labelRelations()),
		wire.EntityUser:                     newEntity(&w.users, false, userRelations()),
		wire.EntityTask: newEntity(&w.tasks, true, map[string]func(*task) []any{
			"cluster": func(t *task) []any { return toOne(t.cluster) },
			"user":    func(t *task) []any { return toOne(t.user) },
		}),
	}

	all[entityHostNIC] = w.hostNICEntity()

	maps.Copy(all, w.vpcEntities())
	maps.Copy(all, w.iscsiEntities())

	return all
}

// toOne returns the row of x as the result of a to-one relation, or no row if x
// is nil.
func toOne[T interface {
	comparable
	object
}](x T) []any {
	var none T
	if x == none {
		return nil
	}

	return []any{x.rowPtr()}
}

func (w *world) datacenterRelations() map[string]func(*datacenter) []any {
	return map[string]func(*datacenter) []any{
		"organization": func(d *datacenter) []any { return toOne(d.organization) },
		"clusters":     func(d *datacenter) []any { return rowPtrs(d.clusters) },
		"labels":       func(d *datacenter) []any { return rowPtrs(d.labels) },
	}
}

func (w *world) clusterRelations() map[string]func(*cluster) []any {
	return map[string]func(*cluster) []any{
		"labels":   func(c *cluster) []any { return rowPtrs(c.labels) },
		"settings": func(c *cluster) []any { return toOne(w.settingsOf(c)) },
		"hosts":    func(c *cluster) []any { return rowPtrs(w.clusterHosts(c)) },
		"vms": func(c *cluster) []any {
			return rowPtrs(filterSlice(w.visible(), func(v *vm) bool { return v.cluster == c }))
		},
		"vdses": func(c *cluster) []any {
			return rowPtrs(filterSlice(w.vdses.list, func(v *vds) bool { return v.cluster == c }))
		},
		"datacenters": func(c *cluster) []any {
			return rowPtrs(filterSlice(w.datacenters.list, func(d *datacenter) bool { return slices.Contains(d.clusters, c) }))
		},
		"vm_folders": func(c *cluster) []any {
			return rowPtrs(filterSlice(w.folders.list, func(f *folder) bool { return f.cluster == c }))
		},
		"vm_templates": func(c *cluster) []any {
			return rowPtrs(filterSlice(w.templates.list, func(t *template) bool { return t.cluster == c }))
		},
	}
}

func (w *world) hostRelations() map[string]func(*host) []any {
	return map[string]func(*host) []any{
		"cluster": func(h *host) []any { return toOne(h.cluster) },
		"labels":  func(h *host) []any { return rowPtrs(h.labels) },
		"nics":    func(h *host) []any { return rowPtrs(w.nicsOf(h)) },
		"gpu_devices": func(h *host) []any {
			return rowPtrs(filterSlice(w.gpus.list, func(g *gpu) bool { return g.host == h }))
		},
		"vms": func(h *host) []any {
			return rowPtrs(filterSlice(w.visible(), func(v *vm) bool { return v.host == h }))
		},
	}
}

func (w *world) vdsRelations() map[string]func(*vds) []any {
	return map[string]func(*vds) []any{
		"cluster": func(v *vds) []any { return toOne(v.cluster) },
		"labels":  func(v *vds) []any { return rowPtrs(v.labels) },
		"vlans": func(v *vds) []any {
			return rowPtrs(filterSlice(w.vlans.list, func(l *vlan) bool { return l.vds == v }))
		},
	}
}

func (w *world) vlanRelations() map[string]func(*vlan) []any {
	return map[string]func(*vlan) []any{
		"vds":    func(v *vlan) []any { return toOne(v.vds) },
		"labels": func(v *vlan) []any { return rowPtrs(v.labels) },
		"vm_nics": func(v *vlan) []any {
			return rowPtrs(filterSlice(w.nics.list, func(n *nic) bool { return n.vlan == v && n.vm.visibleAt(w.now) }))
		},
	}
}

func (w *world) templateRelations() map[string]func(*template) []any {
	return map[string]func(*template) []any{
		"cluster":                     func(t *template) []any { return toOne(t.cluster) },
		"content_library_vm_template": func(t *template) []any { return toOne(t.library) },
		"labels":                      func(t *template) []any { return rowPtrs(t.labels) },
	}
}

func (w *world) libraryTemplateRelations() map[string]func(*libraryTemplate) []any {
	return map[string]func(*libraryTemplate) []any{
		"vm_templates": func(t *libraryTemplate) []any { return rowPtrs(t.copies) },
		"clusters": func(t *libraryTemplate) []any {
			return rowPtrs(mapSlice(t.copies, func(c *template) *cluster { return c.cluster }))
		},
		"labels": func(t *libraryTemplate) []any { return rowPtrs(t.labels) },
	}
}

func (w *world) volumeRelations() map[string]func(*volume) []any {
	return map[string]func(*volume) []any{
		"cluster":  func(v *volume) []any { return toOne(v.cluster) },
		"vm_disks": func(v *volume) []any { return rowPtrs(v.disks) },
		"labels":   func(v *volume) []any { return rowPtrs(v.labels) },
	}
}

func (w *world) folderRelations() map[string]func(*folder) []any {
	return map[string]func(*folder) []any{
		"cluster": func(f *folder) []any { return toOne(f.cluster) },
		"vms": func(f *folder) []any {
			return rowPtrs(filterSlice(w.visible(), func(v *vm) bool { return v.folder == f }))
		},
	}
}

func userRelations() map[string]func(*user) []any {
	return map[string]func(*user) []any{
		// Roles are no entity of their own: they exist only in the rows of
		// users.
		"roles": func(u *user) []any {
			rows := make([]any, len(u.row.Roles))
			for i := range u.row.Roles {
				rows[i] = &u.row.Roles[i]
			}

			return rows
		},
	}
}
