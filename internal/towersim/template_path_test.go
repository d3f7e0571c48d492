// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// If a client wants a template's disk with other settings, it leaves out that
// disk and requests a new one that starts from the disk's path.
func TestDiskFromATemplatesPath(t *testing.T) {
	x := start(t, "inventory: {vm_templates: [{name: local, cluster: cluster-1}]}")
	source := x.blankWithDisks("source", 0, 1)
	x.mustOperate("add-vm-cd-rom", source.ID, object{"vm_cd_roms": []object{{"boot": 2, "index": 1}}})

	reply := post[[]vmReply](x, "clone-vm-template-from-vm", []object{{
		"vm_id": source.ID, "name": "made", "description": "", "cloud_init_supported": false,
	}})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	paths := map[string]bool{}

	for _, template := range post[[]wire.VMTemplate](x, "get-vm-templates", object{}) {
		for _, disk := range template.VMDisks {
			if disk.Type != wire.VMDiskTypeDisk {
				continue
			}

			if disk.Path == "" || paths[disk.Path] {
				t.Errorf("%s: the path %q is empty or another disk's", template.Name, disk.Path)
			}

			paths[disk.Path] = true
		}
	}

	if len(paths) != 4 {
		t.Fatalf("the templates show the paths %v", paths)
	}

	made := first[wire.VMTemplate](x, "get-vm-templates", object{"name": "made"})

	for _, name := range []string{"a", "b"} {
		reply := post[[]vmReply](x, "create-vm-from-template", []object{{
			"name": name, "template_id": made.ID, "is_full_copy": false,
			"disk_operate": object{
				"remove_disks": object{"disk_index": []int{0, 1, 2}},
				"new_disks": object{"mount_new_create_disks": []object{{
					"boot": 0, "bus": "VIRTIO", "index": 1, "vm_volume": object{
						"name": name, "size": 2 << 30, "path": made.VMDisks[1].Path, "elf_storage_policy": "REPLICA_3_THIN_PROVISION",
					},
				}}},
			},
		}})[0]
		x.finishTasks()
		x.succeeded(reply.TaskID)

		volume := first[wire.VMVolume](x, "get-vm-volumes", object{"name": name})
		if paths[volume.Path] || volume.Size != 2<<30 || volume.ElfStoragePolicy != "REPLICA_3_THIN_PROVISION" {
			t.Errorf("%s: got %+v, which has the path of another disk", name, volume)
		}

		paths[volume.Path] = true
	}
}
