// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// labelKind is a kind of object that can have labels.
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
		objects: func() []labelled { return mapSlice(t.list, wide) },
		match: func(where json.RawMessage) ([]labelled, error) {
			found, err := matching(w, t, entity, where)

			return mapSlice(found, wide), err
		},
		show: show,
	}
}

// labelList returns a function that fills one list of a label's row and its
// count.
func labelList[T labelled, N any](list func(*wire.Label) *[]N, number func(*wire.Label) **int, nested func(T) N) func(*wire.Label, []labelled) {
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

// labelKinds returns the kinds by their names in the rows of labels and in the
// requests of the labelling operations.
func (w *world) labelKinds() map[string]labelKind {
	return map[string]labelKind{
		"vms": kindOf(w, &w.vms, wire.EntityVM, labelList(
			func(r *wire.Label) *[]wire.NestedVM { return &r.VMs }, func(r *wire.Label) **int { return &r.VMNum }, (*vm).nested)),
		"clusters": kindOf(w, &w.clusters, wire.EntityCluster, labelList(
			func(r *wire.Label) *[]wire.NestedCluster { return &r.Clusters },
			func(r *wire.Label) **int { return &r.ClusterNum }, (*cluster).nested)),
		"hosts": kindOf(w, &w.hosts, wire.EntityHost, labelList(
			func(r *wire.Label) *[]wire.NestedHost { return &r.Hosts },
			func(r *wire.Label) **int { return &r.HostNum }, (*host).nested)),
		"vlans": kindOf(w, &w.vlans, wire.EntityVlan, labelList(
			func(r *wire.Label) *[]wire.NestedVlan { return &r.Vlans },
			func(r *wire.Label) **int { return &r.VMVlanNum }, (*vlan).nested)),
		"vdses": kindOf(w, &w.vdses, wire.EntityVds, labelList(
			func(r *wire.Label) *[]wire.NestedVds { return &r.Vdses }, func(r *wire.Label) **int { return &r.VdsNum },
			func(v *vds) wire.NestedVds { return wire.NestedVds{ID: v.row.ID, Name: v.row.Name} })),
		"datacenters": kindOf(w, &w.datacenters, wire.EntityDatacenter, labelList(
			func(r *wire.Label) *[]wire.NestedDatacenter { return &r.Datacenters },
			func(r *wire.Label) **int { return &r.DatacenterNum },
			func(d *datacenter) wire.NestedDatacenter {
				return wire.NestedDatacenter{ID: d.row.ID, Name: d.row.Name}
			})),
		"vm_templates": kindOf(w, &w.templates, wire.EntityVMTemplate, labelList(
			func(r *wire.Label) *[]wire.NestedVMTemplate { return &r.VMTemplates },
			func(r *wire.Label) **int { return &r.VMTemplateNum },
			func(t *template) wire.NestedVMTemplate { return wire.NestedVMTemplate{ID: t.row.ID, Name: t.row.Name} })),
		"content_library_vm_templates": kindOf(w, &w.libraryTemplates, wire.EntityContentLibraryVMTemplate, labelList(
			func(r *wire.Label) *[]wire.NestedContentLibraryVMTemplate { return &r.ContentLibraryVMTemplates },
			func(r *wire.Label) **int { return &r.ContentLibraryVMTemplateNum },
			func(t *libraryTemplate) wire.NestedContentLibraryVMTemplate {
				return wire.NestedContentLibraryVMTemplate{ID: t.row.ID, Name: t.row.Name}
			})),
		"vm_snapshots": kindOf(w, &w.snapshots, wire.EntityVMSnapshot, labelList(
			func(r *wire.Label) *[]wire.NestedVMSnapshot { return &r.VMSnapshots },
			func(r *wire.Label) **int { return &r.VMSnapshotNum }, (*snapshot).nested)),
		"vm_volumes": kindOf(w, &w.volumes, wire.EntityVMVolume, labelList(
			func(r *wire.Label) *[]wire.NestedVMVolume { return &r.VMVolumes },
			func(r *wire.Label) **int { return &r.VMVolumeNum },
			func(v *volume) wire.NestedVMVolume { return wire.NestedVMVolume{ID: v.row.ID, Name: v.row.Name} })),
		"nics": kindOf(w, &w.hostNICs, entityHostNIC, labelList(
			func(r *wire.Label) *[]wire.NestedNic { return &r.Nics },
			func(r *wire.Label) **int { return &r.NicNum }, (*hostNIC).nested)),
		"content_library_images": kindOf(w, &w.libraryImages, wire.EntityContentLibraryImage, labelList(
			func(r *wire.Label) *[]wire.NestedContentLibraryImage { return &r.ContentLibraryImages },
			func(r *wire.Label) **int { return &r.ContentLibraryImageNum },
			func(l *libraryImage) wire.NestedContentLibraryImage {
				return wire.NestedContentLibraryImage{ID: l.row.ID, Name: l.row.Name}
			})),
		"gpu_devices": kindOf(w, &w.gpus, wire.EntityGPUDevice, labelList(
			func(r *wire.Label) *[]wire.NestedGPUDevice { return &r.GPUDevices },
			func(r *wire.Label) **int { return &r.GPUDeviceNum },
			func(g *gpu) wire.NestedGPUDevice { return wire.NestedGPUDevice{ID: g.row.ID, Name: g.row.Name} })),
		"elf_images": kindOf(w, &w.images, wire.EntityElfImage, labelList(
			func(r *wire.Label) *[]wire.NestedElfImage { return &r.ElfImages },
			func(r *wire.Label) **int { return &r.ElfImageNum },
			func(i *image) wire.NestedElfImage { return wire.NestedElfImage{ID: i.row.ID, Name: i.row.Name} })),
		"iscsi_targets": kindOf(w, &w.iscsiTargets, wire.EntityIscsiTarget, labelList(
			func(r *wire.Label) *[]wire.NestedIscsiTarget { return &r.IscsiTargets },
			func(r *wire.Label) **int { return &r.IscsiTargetNum }, (*iscsiTarget).nested)),
		"iscsi_luns": kindOf(w, &w.iscsiLuns, wire.EntityIscsiLun, labelList(
			func(r *wire.Label) *[]wire.NestedIscsiLun { return &r.IscsiLuns },
			func(r *wire.Label) **int { return &r.IscsiLunNum },
			func(l *iscsiLun) wire.NestedIscsiLun { return wire.NestedIscsiLun{ID: l.row.ID, Name: l.row.Name} })),
		"iscsi_lun_snapshots": kindOf(w, &w.iscsiSnapshots, wire.EntityIscsiLunSnapshot, labelList(
			func(r *wire.Label) *[]wire.NestedIscsiLunSnapshot { return &r.IscsiLunSnapshots },
			func(r *wire.Label) **int { return &r.IscsiLunSnapshotNum },
			func(s *iscsiSnapshot) wire.NestedIscsiLunSnapshot {
				return wire.NestedIscsiLunSnapshot{ID: s.row.ID, Name: s.row.Name}
			})),
	}
}
