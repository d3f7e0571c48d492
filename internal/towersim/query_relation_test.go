// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// newFullFixture returns a fixture in which every possible relation is set.
func newFullFixture(t *testing.T) *fixture {
	t.Helper()

	s := newFixture(t)
	on := func(where object) object { return object{"cluster": where} }
	here := object{"id": s.cluster}
	everything := object{}

	s.mustOperate("add-vm-to-folder", s.vm, object{"folder_id": s.folder})
	post[[]vmReply](s.tower, "add-vm-gpu-device", object{"where": object{"id": s.stopped}, "data": []object{{"gpu_id": s.gpu}}})
	s.mustOperate("add-vm-cd-rom", s.vm, object{"vm_cd_roms": []object{{"boot": 5, "content_library_image_id": s.libraryImage}}})
	s.mustOperate("install-vmtools", s.stopped)
	post[listReply](s.tower, "create-vm-snapshot", object{"data": []object{{"vm_id": s.vm, "name": "of-a"}}})
	s.mustOperate("poweroff-vm", s.vm)
	s.newObject("clone-vm-template-from-vm", []object{{"vm_id": s.vm, "name": "with-image", "cloud_init_supported": false}})
	post[listReply](s.tower, "update-vm-placement-group", edit(s.group, object{
		"vms": object{"id": s.vm}, "vm_host_must_enabled": true, "vm_host_must_policy": true, "must_hosts": everything,
		"vm_host_prefer_enabled": true, "vm_host_prefer_policy": true, "prefer_hosts": everything,
	}))
	post[listReply](s.tower, "add-clusters-to-datacenter", []object{{"where": object{"id": s.datacenter}, "data": object{"clusters": here}}})
	post[listReply](s.tower, "add-labels-to-resources", edit(s.label, object{
		"vms": everything, "clusters": everything, "hosts": everything, "vlans": everything, "vdses": everything, "datacenters": everything, "vm_templates": everything,
		"content_library_vm_templates": everything, "vm_snapshots": everything, "vm_volumes": everything, "content_library_images": everything,
		"nics": everything, "gpu_devices": everything, "elf_images": on(here), "iscsi_targets": everything, "iscsi_luns": everything, "iscsi_lun_snapshots": everything,
	}))
	s.finishTasks()

	return s
}

type listReply = []object

// emptyRelations are the relations between simulated kinds that are never set
// here, and the reason.
var emptyRelations = map[string]string{
	"Cluster.zones":                  "no cluster is stretched",
	"Host.zone":                      "no cluster is stretched",
	"Vm.entity_filter_results":       "there are no entity filters",
	"VmVolume.lun":                   "volumes of VMs are no units of targets that clients see",
	"ContentLibraryImage.iscsi_luns": "images are in no unit",
}

// relation is a filter field that leads from an entity to another one: to any
// number of rows, or to at most one.
type relation struct {
	field, target string
	many          bool
}

// TestEveryRelationCanBeFollowed filters by each relation between simulated
// kinds: by the id of a related row, the filter must find the rows that show
// it.
func TestEveryRelationCanBeFollowed(t *testing.T) {
	s := newFullFixture(t)
	h := s.Handler()
	operations := map[string]string{}

	for i := range wire.Operations {
		if o := &wire.Operations[i]; o.List {
			operations[o.Entity] = o.Path[1:]
		}
	}

	for entity, operation := range operations {
		_, rows, _ := list(t, s.tower, h, operation, object{})

		for _, relation := range relations[entity] {
			target, simulated := operations[relation.target]
			if !simulated || emptyKinds[operation] || emptyKinds[target] {
				continue
			}

			s.follow(t, h, entity, operation, target, relation, rows)
		}
	}
}

func (s *fixture) follow(t *testing.T, h http.Handler, entity, operation, target string, to relation, rows []row) {
	t.Helper()

	name := entity + "." + to.field
	key := to.field

	if to.many {
		key += "_some"
	}

	_, found, _ := list(t, s.tower, h, operation, object{"where": object{key: object{}}})
	if reason, known := emptyRelations[name]; known != (len(found) == 0) {
		t.Errorf("%s leads to something from %d rows; exception: %q", name, len(found), reason)
	}

	_, others, _ := list(t, s.tower, h, target, object{})

	for _, r := range rows {
		shown, listsThem := nestedIDs(r, to.field)
		if !listsThem {
			continue
		}

		reached := map[string]bool{}

		for _, other := range others {
			_, hit, _ := list(t, s.tower, h, operation, object{"where": object{"id": r["id"], key: object{"id": other["id"]}}})
			if len(hit) == 1 {
				reached[other["id"].(string)] = true
			}
		}

		if len(reached) != len(shown) {
			t.Errorf("%s: the row shows %d, filters reach %d", name, len(shown), len(reached))
		}

		for _, id := range shown {
			if !reached[id] {
				t.Errorf("%s: no filter reaches %s", name, id)
			}
		}
	}
}

// nestedIDs returns the ids of the objects that a row shows in a member.
func nestedIDs(r row, field string) (ids []string, shows bool) {
	switch member := r[field].(type) {
	case []any:
		for _, x := range member {
			if nested, ok := x.(row); ok {
				id, _ := nested["id"].(string)
				ids = append(ids, id)
			}
		}

		return ids, true
	case row:
		id, _ := member["id"].(string)

		return []string{id}, true
	default:
		_, shows = r[field]

		return nil, shows
	}
}
