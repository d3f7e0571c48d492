// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"time"
)

// visibleAt reports whether the API shows the VM and its parts at an instant.
func (v *vm) visibleAt(instant time.Time) bool { return !v.hiddenUntil.After(instant) }

func (w *world) vmEntity() *entity {
	e := newEntity(&w.vms, false, map[string]func(*vm) []any{
		"cluster":            func(v *vm) []any { return toOne(v.cluster) },
		"host":               func(v *vm) []any { return toOne(v.host) },
		"folder":             func(v *vm) []any { return toOne(v.folder) },
		"labels":             func(v *vm) []any { return rowPtrs(v.labels) },
		"vm_nics":            func(v *vm) []any { return rowPtrs(v.nics) },
		"pci_nics":           func(v *vm) []any { return rowPtrs(v.hostNICs) },
		"vm_disks":           func(v *vm) []any { return rowPtrs(v.disks) },
		"snapshots":          func(v *vm) []any { return rowPtrs(w.snapshotsOf(v)) },
		"vm_placement_group": func(v *vm) []any { return rowPtrs(w.groupsOf(v)) },
		"gpu_devices": func(v *vm) []any {
			return rowPtrs(mapSlice(v.gpus, func(claim gpuClaim) *gpu { return claim.gpu }))
		},
	})
	e.rows = func() []any { return rowPtrs(w.visible()) }
	e.byID = func(id string) (any, bool) {
		v, ok := w.vms.get(id)
		if !ok || !v.visibleAt(w.now) {
			return nil, false
		}

		return v.rowPtr(), true
	}

	return e
}

func (w *world) nicEntity() *entity {
	shown := func(n *nic) bool { return n.vm.visibleAt(w.now) }
	e := newEntity(&w.nics, false, map[string]func(*nic) []any{
		"vm":      func(n *nic) []any { return toOne(n.vm) },
		"vlan":    func(n *nic) []any { return toOne(n.vlan) },
		"vpc_nic": func(n *nic) []any { return toOne(n.vpc) },
	})

	return restrict(e, &w.nics, shown)
}

func (w *world) diskEntity() *entity {
	shown := func(d *disk) bool { return d.vm.visibleAt(w.now) }
	e := newEntity(&w.disks, false, map[string]func(*disk) []any{
		"vm":        func(d *disk) []any { return toOne(d.vm) },
		"vm_volume": func(d *disk) []any { return toOne(d.volume) },
		"elf_image": func(d *disk) []any { return toOne(d.image) },
		"svt_image": func(d *disk) []any { return toOne(d.tools) },
	})

	return restrict(e, &w.disks, shown)
}

// restrict makes an entity show only some of its objects.
func restrict[T object](e *entity, t *table[T], shown func(T) bool) *entity {
	e.rows = func() []any { return rowPtrs(filterSlice(t.list, shown)) }
	e.byID = func(id string) (any, bool) {
		x, ok := t.get(id)
		if !ok || !shown(x) {
			return nil, false
		}

		return x.rowPtr(), true
	}

	return e
}

func (w *world) labelRelations() map[string]func(*label) []any {
	ways := map[string]func(*label) []any{}

	for field, kind := range w.labelKinds() {
		ways[field] = func(l *label) []any {
			return rowPtrs(filterSlice(kind.objects(), func(x labelled) bool { return x.labelsOf().has(l) }))
		}
	}

	return ways
}
