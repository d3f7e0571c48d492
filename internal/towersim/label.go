// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

type label struct {
	row wire.Label
}

func (l *label) key() string { return l.row.ID }
func (l *label) record() any { return &l.row }

// labelKind is a kind of objects that labels can be put on.
type labelKind struct {
	entity  string
	objects func() []labelled
	match   func(where json.RawMessage) ([]labelled, error)
	// show writes the objects of a label and their number into its row.
	show func(row *wire.Label, objects []labelled)
}

func kindOf[T labelled](w *world, t *table[T], entity string, show func(*wire.Label, []labelled)) labelKind {
	wide := func(x T) labelled { return x }

	return labelKind{
		entity:  entity,
		objects: func() []labelled { return mapped(t.list, wide) },
		match: func(where json.RawMessage) ([]labelled, error) {
			found, err := match(w, t, entity, where)

			return mapped(found, wide), err
		},
		show: show,
	}
}

// shown makes the function that fills one list of a label's row and its count.
func shown[T labelled, N any](list func(*wire.Label) *[]N, number func(*wire.Label) **int, nested func(T) N) func(*wire.Label, []labelled) {
	return func(row *wire.Label, objects []labelled) {
		out := []N{}

		for _, x := range objects {
			if typed, ok := x.(T); ok {
				out = append(out, nested(typed))
			}
		}

		*list(row) = out
		*number(row) = wire.Ptr(len(out))
	}
}

// labelKinds lists the kinds by the name that a label's row and the labelling
// operations have for them.
func (w *world) labelKinds() map[string]labelKind {
	return map[string]labelKind{
		"vms": kindOf(w, &w.vms, wire.EntityVM, shown(
			func(r *wire.Label) *[]wire.NestedVM { return &r.VMs }, func(r *wire.Label) **int { return &r.VMNum }, (*vm).nested)),
		"clusters": kindOf(w, &w.clusters, wire.EntityCluster, shown(
			func(r *wire.Label) *[]wire.NestedCluster { return &r.Clusters },
			func(r *wire.Label) **int { return &r.ClusterNum }, (*cluster).nested)),
		"hosts": kindOf(w, &w.hosts, wire.EntityHost, shown(
			func(r *wire.Label) *[]wire.NestedHost { return &r.Hosts },
			func(r *wire.Label) **int { return &r.HostNum }, (*host).nested)),
		"vlans": kindOf(w, &w.vlans, wire.EntityVlan, shown(
			func(r *wire.Label) *[]wire.NestedVlan { return &r.Vlans },
			func(r *wire.Label) **int { return &r.VMVlanNum }, (*vlan).nested)),
		"vdses": kindOf(w, &w.vdses, wire.EntityVds, shown(
			func(r *wire.Label) *[]wire.NestedVds { return &r.Vdses }, func(r *wire.Label) **int { return &r.VdsNum },
			func(v *vds) wire.NestedVds { return wire.NestedVds{ID: v.row.ID, Name: v.row.Name} })),
		"datacenters": kindOf(w, &w.datacenters, wire.EntityDatacenter, shown(
			func(r *wire.Label) *[]wire.NestedDatacenter { return &r.Datacenters },
			func(r *wire.Label) **int { return &r.DatacenterNum },
			func(d *datacenter) wire.NestedDatacenter {
				return wire.NestedDatacenter{ID: d.row.ID, Name: d.row.Name}
			})),
		"vm_templates": kindOf(w, &w.templates, wire.EntityVMTemplate, shown(
			func(r *wire.Label) *[]wire.NestedVMTemplate { return &r.VMTemplates },
			func(r *wire.Label) **int { return &r.VMTemplateNum },
			func(t *template) wire.NestedVMTemplate { return wire.NestedVMTemplate{ID: t.row.ID, Name: t.row.Name} })),
		"content_library_vm_templates": kindOf(w, &w.libraryTemplates, wire.EntityContentLibraryVMTemplate, shown(
			func(r *wire.Label) *[]wire.NestedContentLibraryVMTemplate { return &r.ContentLibraryVMTemplates },
			func(r *wire.Label) **int { return &r.ContentLibraryVMTemplateNum },
			func(t *libraryTemplate) wire.NestedContentLibraryVMTemplate {
				return wire.NestedContentLibraryVMTemplate{ID: t.row.ID, Name: t.row.Name}
			})),
		"vm_snapshots": kindOf(w, &w.snapshots, wire.EntityVMSnapshot, shown(
			func(r *wire.Label) *[]wire.NestedVMSnapshot { return &r.VMSnapshots },
			func(r *wire.Label) **int { return &r.VMSnapshotNum }, (*snapshot).nested)),
		"vm_volumes": kindOf(w, &w.volumes, wire.EntityVMVolume, shown(
			func(r *wire.Label) *[]wire.NestedVMVolume { return &r.VMVolumes },
			func(r *wire.Label) **int { return &r.VMVolumeNum },
			func(v *volume) wire.NestedVMVolume { return wire.NestedVMVolume{ID: v.row.ID, Name: v.row.Name} })),
		"content_library_images": kindOf(w, &w.libraryImages, wire.EntityContentLibraryImage, shown(
			func(r *wire.Label) *[]wire.NestedContentLibraryImage { return &r.ContentLibraryImages },
			func(r *wire.Label) **int { return &r.ContentLibraryImageNum },
			func(l *libraryImage) wire.NestedContentLibraryImage {
				return wire.NestedContentLibraryImage{ID: l.row.ID, Name: l.row.Name}
			})),
		"gpu_devices": kindOf(w, &w.gpus, wire.EntityGPUDevice, shown(
			func(r *wire.Label) *[]wire.NestedGPUDevice { return &r.GPUDevices },
			func(r *wire.Label) **int { return &r.GPUDeviceNum },
			func(g *gpu) wire.NestedGPUDevice { return wire.NestedGPUDevice{ID: g.row.ID, Name: g.row.Name} })),
		"elf_images": kindOf(w, &w.images, wire.EntityElfImage, shown(
			func(r *wire.Label) *[]wire.NestedElfImage { return &r.ElfImages },
			func(r *wire.Label) **int { return &r.ElfImageNum },
			func(i *image) wire.NestedElfImage { return wire.NestedElfImage{ID: i.row.ID, Name: i.row.Name} })),
		"iscsi_targets": kindOf(w, &w.iscsiTargets, wire.EntityIscsiTarget, shown(
			func(r *wire.Label) *[]wire.NestedIscsiTarget { return &r.IscsiTargets },
			func(r *wire.Label) **int { return &r.IscsiTargetNum }, (*iscsiTarget).nested)),
		"iscsi_luns": kindOf(w, &w.iscsiLuns, wire.EntityIscsiLun, shown(
			func(r *wire.Label) *[]wire.NestedIscsiLun { return &r.IscsiLuns },
			func(r *wire.Label) **int { return &r.IscsiLunNum },
			func(l *iscsiLun) wire.NestedIscsiLun { return wire.NestedIscsiLun{ID: l.row.ID, Name: l.row.Name} })),
		"iscsi_lun_snapshots": kindOf(w, &w.iscsiSnapshots, wire.EntityIscsiLunSnapshot, shown(
			func(r *wire.Label) *[]wire.NestedIscsiLunSnapshot { return &r.IscsiLunSnapshots },
			func(r *wire.Label) **int { return &r.IscsiLunSnapshotNum },
			func(s *iscsiSnapshot) wire.NestedIscsiLunSnapshot {
				return wire.NestedIscsiLunSnapshot{ID: s.row.ID, Name: s.row.Name}
			})),
	}
}

// deriveLabels writes into each label what it is on.
func (w *world) deriveLabels() {
	kinds := w.labelKinds()

	for _, l := range w.labels.list {
		total := 0

		for _, kind := range kinds {
			on := filtered(kind.objects(), func(x labelled) bool { return x.labelsOf().has(l) })
			kind.show(&l.row, on)
			total += len(on)
		}

		l.row.TotalNum = wire.Ptr(total)
	}
}

// done wraps what is finished already in a reply: labels need no task.
func done[T any](data T) wire.WithTask[T] {
	return wire.WithTask[T]{Data: data}
}

func (w *world) labelTaken(key string, value *string, except *label) bool {
	for _, l := range w.labels.list {
		if l != except && l.row.Key == key && valueOf(l.row.Value) == valueOf(value) {
			return true
		}
	}

	return false
}

func createLabel(c *call, in *[]wire.LabelCreationParams) (any, error) {
	if len(*in) == 0 {
		return nil, badRequest("body: expected at least 1 element")
	}

	wanted := map[[2]string]bool{}

	for i, p := range *in {
		if p.Key == "" {
			return nil, badRequest("body[%d].key: must not be empty", i)
		}

		pair := [2]string{p.Key, valueOf(p.Value)}
		if wanted[pair] || c.labelTaken(p.Key, p.Value, nil) {
			return nil, badRequest("LABEL_DUPLICATED: there is a label %s: %s already", p.Key, valueOf(p.Value))
		}

		wanted[pair] = true
	}

	replies := make([]wire.WithTask[*wire.Label], len(*in))

	for i, p := range *in {
		l := &label{row: wire.Label{ID: c.ids.cuid(), Key: p.Key, Value: wire.Ptr(valueOf(p.Value)), CreatedAt: stamp(c.current)}}
		c.labels.add(l)

		replies[i] = done(&l.row)
	}

	c.dirty = true
	c.derive()

	return replies, nil
}

func updateLabel(c *call, in *wire.LabelUpdationParams) (any, error) {
	labels, err := match(c.world, &c.labels, wire.EntityLabel, in.Where)
	if err != nil {
		return nil, err
	}

	wanted := map[[2]string]bool{}

	for _, l := range labels {
		key, value := l.row.Key, l.row.Value
		assign(&key, in.Data.Key)

		if in.Data.Value != nil {
			value = in.Data.Value
		}

		if key == "" {
			return nil, badRequest("body.data.key: must not be empty")
		}

		pair := [2]string{key, valueOf(value)}
		if wanted[pair] || c.labelTaken(key, value, l) {
			return nil, badRequest("LABEL_DUPLICATED: there is a label %s: %s already", key, valueOf(value))
		}

		wanted[pair] = true
	}

	for _, l := range labels {
		assign(&l.row.Key, in.Data.Key)

		if in.Data.Value != nil {
			l.row.Value = in.Data.Value
		}

		c.reshow(l)
	}

	return mapped(labels, func(l *label) wire.WithTask[*wire.Label] { return done(&l.row) }), nil
}

// reshow rewrites the labels in the rows of what a label is on.
func (w *world) reshow(l *label) {
	for _, kind := range w.labelKinds() {
		for _, x := range kind.objects() {
			if x.labelsOf().has(l) {
				x.showLabels()
				w.journal.touch(x)
			}
		}
	}
}

func deleteLabel(c *call, in *wire.LabelDeletionParams) (any, error) {
	labels, err := match(c.world, &c.labels, wire.EntityLabel, in.Where)
	if err != nil {
		return nil, err
	}

	for _, l := range labels {
		c.labels.remove(l)

		for _, kind := range c.labelKinds() {
			for _, x := range kind.objects() {
				if x.labelsOf().has(l) {
					x.labelsOf().take(l)
					x.showLabels()
					c.journal.touch(x)
				}
			}
		}
	}

	return mapped(labels, func(l *label) wire.WithTask[wire.Deleted] {
		return done(wire.Deleted{ID: l.row.ID})
	}), nil
}

func addLabelsToResources(c *call, in *wire.AddLabelsToResourcesParams) (any, error) {
	return c.relabel(in, (*labelSet).put)
}

func removeLabelsFromResources(c *call, in *wire.RemoveLabelsFromResourcesParams) (any, error) {
	return c.relabel(in, (*labelSet).take)
}

// relabel changes the labels of all objects that the request's filters find.
func (c *call) relabel(in *wire.AddLabelsToResourcesParams, change func(*labelSet, *label)) (any, error) {
	labels, err := match(c.world, &c.labels, wire.EntityLabel, in.Where)
	if err != nil {
		return nil, err
	}

	filters, err := filtersOf(&in.Data)
	if err != nil {
		return nil, err
	}

	var targets []labelled

	kinds := c.labelKinds()
	for name, where := range filters {
		kind, ok := kinds[name]
		if !ok {
			return nil, notSimulated("labels on " + name)
		}

		found, err := kind.match(where)
		if err != nil {
			return nil, err
		}

		targets = append(targets, found...)
	}

	for _, x := range targets {
		for _, l := range labels {
			change(x.labelsOf(), l)
		}

		x.showLabels()
		c.journal.touch(x)
	}

	c.dirty = true
	c.derive()

	return mapped(labels, func(l *label) wire.WithTask[*wire.Label] { return done(&l.row) }), nil
}

// filtersOf returns the filters that were sent by the names of their members.
func filtersOf(data *wire.AddLabelsToResourcesParamsData) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, badRequest("body.data: %s", err)
	}

	filters := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &filters); err != nil {
		return nil, badRequest("body.data: %s", err)
	}

	return filters, nil
}
