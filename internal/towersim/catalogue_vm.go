// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"time"
)

// visibleAt tells whether the API shows the VM and its parts at an instant.
func (v *vm) visibleAt(instant time.Time) bool { return !v.hidden.After(instant) }

func (w *world) vmEntity() *entity {
	e := newEntity(&w.vms, false, map[string]func(*vm) []any{
		"cluster":            func(v *vm) []any { return some(v.cluster) },
		"host":               func(v *vm) []any { return some(v.host) },
		"folder":             func(v *vm) []any { return some(v.folder) },
		"labels":             func(v *vm) []any { return records(v.labels) },
		"vm_nics":            func(v *vm) []any { return records(v.nics) },
		"pci_nics":           func(v *vm) []any { return records(v.hostNICs) },
		"vm_disks":           func(v *vm) []any { return records(v.disks) },
		"snapshots":          func(v *vm) []any { return records(w.snapshotsOf(v)) },
		"vm_placement_group": func(v *vm) []any { return records(w.groupsOf(v)) },
		"gpu_devices": func(v *vm) []any {
			return records(mapped(v.gpus, func(claim gpuClaim) *gpu { return claim.gpu }))
		},
	})
	e.rows = func() []any { return records(w.visible()) }
	e.byID = func(id string) (any, bool) {
		v, ok := w.vms.get(id)
		if !ok || !v.visibleAt(w.current) {
			return nil, false
		}

		return v.record(), true
	}

	return e
}

func (w *world) nicEntity() *entity {
	shown := func(n *nic) bool { return n.vm.visibleAt(w.current) }
	e := newEntity(&w.nics, false, map[string]func(*nic) []any{
		"vm":      func(n *nic) []any { return some(n.vm) },
		"vlan":    func(n *nic) []any { return some(n.vlan) },
		"vpc_nic": func(n *nic) []any { return some(n.vpc) },
	})

	return limited(e, &w.nics, shown)
}

func (w *world) diskEntity() *entity {
	shown := func(d *disk) bool { return d.vm.visibleAt(w.current) }
	e := newEntity(&w.disks, false, map[string]func(*disk) []any{
		"vm":        func(d *disk) []any { return some(d.vm) },
		"vm_volume": func(d *disk) []any { return some(d.volume) },
		"elf_image": func(d *disk) []any { return some(d.image) },
		"svt_image": func(d *disk) []any { return some(d.tools) },
	})

	return limited(e, &w.disks, shown)
}

// limited makes an entity show some of its objects only.
func limited[T object](e *entity, t *table[T], shown func(T) bool) *entity {
	e.rows = func() []any { return records(filtered(t.list, shown)) }
	e.byID = func(id string) (any, bool) {
		x, ok := t.get(id)
		if !ok || !shown(x) {
			return nil, false
		}

		return x.record(), true
	}

	return e
}

func (w *world) labelWays() map[string]func(*label) []any {
	ways := map[string]func(*label) []any{}

	for field, kind := range w.labelKinds() {
		ways[field] = func(l *label) []any {
			return records(filtered(kind.objects(), func(x labelled) bool { return x.labelsOf().has(l) }))
		}
	}

	return ways
}
