// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// The tests below send the requests of the older Terraform provider,
// smartxworks/cloudtower. graphql_vm_test.go tests its changes of VMs.

// TestOlderProviderLogsIn sends the provider's first requests: it puts a scheme
// before the token, asks for the organizations without a body, and uses the
// first one.
func TestOlderProviderLogsIn(t *testing.T) {
	x := startLoggedOut(t, "")
	x.token = "Bearer " + post[wire.WithTask[wire.LoginResponse]](x, "login", object{
		"username": x.Username(), "password": x.Password(), "source": "LOCAL",
	}).Data.Token

	response, raw, err := x.send(http.MethodPost, "/v2/api/get-organizations", nil, nil)
	if err != nil || response.StatusCode != http.StatusOK || !strings.HasPrefix(string(raw), `[{`) {
		t.Errorf("%v: %s", err, raw)
	}
}

// read reads a VM as the provider does after each step. It reads the host, the
// cluster and the CPUs without checking for null.
func (x *tower) read(id string) (wire.VM, []wire.VMNic, []wire.VMDisk, map[string]wire.VMVolume) {
	x.t.Helper()

	vm := first[wire.VM](x, "get-vms", object{"id": id})
	if vm.Host == nil || vm.Cluster == nil {
		x.t.Fatalf("the VM has no host or cluster: %+v", vm)
	}

	where := object{"type": "DISK", "vm": object{"id": id}}
	volumes := map[string]wire.VMVolume{}

	for _, volume := range post[[]wire.VMVolume](x, "get-vm-volumes", object{"where": object{"vm_disks_some": where}}) {
		volumes[volume.ID] = volume
	}

	disks := post[[]wire.VMDisk](x, "get-vm-disks", object{"where": where})
	for _, disk := range disks {
		if _, ok := volumes[disk.VMVolume.ID]; !ok {
			x.t.Fatalf("the disk %+v has no volume", disk)
		}
	}

	return vm, x.nics(id), disks, volumes
}

func TestOlderProviderCreatesAndDeletesAVM(t *testing.T) {
	x := start(t, "")
	cluster := x.idOf("get-clusters", "cluster-1")
	vlan := first[wire.Vlan](x, "get-vlans", object{"name": "default", "type": "VM", "vds": object{"cluster": object{"id": cluster}}})

	if vdses := post[[]wire.Vds](x, "get-vdses", object{"where": object{"id_in": []string{vlan.Vds.ID}}}); vdses[0].Cluster.ID != cluster {
		t.Errorf("the network is in the cluster %s", vdses[0].Cluster.ID)
	}

	disk := func(boot int, name, policy string) object {
		return object{"boot": boot, "bus": "VIRTIO", "vm_volume": object{"name": name, "size": 1 << 30, "elf_storage_policy": policy}}
	}
	reply := post[[]vmReply](x, "create-vm", []object{{
		"name": "a", "cluster_id": cluster, "vcpu": 4, "cpu_cores": 1, "cpu_sockets": 4, "memory": 4 << 30, "ha": true, "firmware": "BIOS",
		"status": "STOPPED", "guest_os_type": "UNKNOWN", "host_id": x.idOf("get-hosts", "cluster-1-host-2"),
		"vm_disks": object{
			"mount_cd_roms":          []object{{"boot": 1, "elf_image_id": x.idOf("get-elf-images", "rocky-8.iso")}, {"boot": 4}},
			"mount_new_create_disks": []object{disk(2, "d1", "REPLICA_2_THIN_PROVISION"), disk(3, "d2", "REPLICA_3_THICK_PROVISION")},
			"mount_disks":            []object{},
		},
		"vm_nics": []object{{"connect_vlan_id": vlan.ID, "mirror": false}},
	}})[0]
	x.finishTasks()

	tasks := post[[]wire.Task](x, "get-tasks", object{"where": object{"id_in": []string{*reply.TaskID}}})
	if len(tasks) != 1 || tasks[0].Status != wire.TaskStatusSuccessed {
		t.Fatalf("the tasks are %+v", tasks)
	}

	vm, nics, disks, volumes := x.read(reply.Data.ID)
	if vm.Host.Name != "cluster-1-host-2" || vm.VCPU != 4 || vm.GuestOSType == nil || vm.Firmware != wire.VMFirmwareBios {
		t.Errorf("the VM is %+v", vm)
	}

	// A NIC is enabled unless told otherwise, and the disks are in order.
	if len(nics) != 1 || !*nics[0].Enabled || *nics[0].Mirror || *nics[0].Model != wire.VMNicModelVirtio {
		t.Errorf("the NICs are %+v", nics)
	}

	if len(disks) != 2 || volumes[disks[0].VMVolume.ID].Name != "d1" || volumes[disks[1].VMVolume.ID].ElfStoragePolicy != "REPLICA_3_THICK_PROVISION" {
		t.Errorf("the disks are %+v", disks)
	}

	drives := post[[]wire.VMDisk](x, "get-vm-disks", object{"where": object{"type": "CD_ROM", "vm": object{"id": vm.ID}}})
	if len(drives) != 2 || drives[0].ElfImage == nil || drives[1].ElfImage != nil {
		t.Errorf("the drives are %+v", drives)
	}

	deleted := post[[]wire.WithTask[wire.Deleted]](x, "delete-vm", byID(vm.ID))[0]
	x.finishTasks()
	x.succeeded(deleted.TaskID)

	if left := x.vms(object{"id": vm.ID}); len(left) != 0 {
		t.Errorf("left is %+v", left)
	}
}

// TestOlderProviderTranslatesFrozenDisks finds the objects that templates and
// snapshots refer to in their disks and NICs, by local ids.
func TestOlderProviderTranslatesFrozenDisks(t *testing.T) {
	x := start(t, "")
	source := x.blankWithDisks("source", 0, 1)
	x.mustOperate("add-vm-cd-rom", source.ID, object{"vm_cd_roms": []object{
		{"boot": 2, "index": 2, "elf_image_id": x.idOf("get-elf-images", "rocky-8.iso")}, {"boot": 3, "index": 3},
	}})
	x.addNIC(source.ID, object{})

	library := post[[]wire.WithTask[wire.ContentLibraryVMTemplate]](x, "clone-content-library-vm-template-from-vm", []object{{
		"vm": object{"id": source.ID}, "name": "library", "cloud_init_supported": true,
		"clusters": object{"id_in": []string{x.idOf("get-clusters", "cluster-1")}},
	}})[0]
	x.finishTasks()
	x.succeeded(library.TaskID)

	taken := post[[]wire.WithTask[wire.VMSnapshot]](x, "create-vm-snapshot", object{"data": []object{{"vm_id": source.ID, "name": "snapshot"}}})[0]
	x.finishTasks()
	x.succeeded(taken.TaskID)

	template := first[wire.VMTemplate](x, "get-vm-templates", object{"content_library_vm_template": object{"id": library.Data.ID}})
	snapshot := first[wire.VMSnapshot](x, "get-vm-snapshots", object{"id": taken.Data.ID})

	for name, frozen := range map[string][]wire.NestedFrozenDisks{"template": template.VMDisks, "snapshot": snapshot.VMDisks} {
		if len(frozen) != 4 {
			t.Fatalf("%s: the disks are %+v", name, frozen)
		}

		for _, disk := range frozen {
			switch {
			case disk.Type == wire.VMDiskTypeDisk:
				policy := first[wire.ElfStoragePolicy](x, "get-elf-storage-policies", object{"local_id_ends_with": disk.StoragePolicyUUID})
				if policy.ReplicaNum != 2 || !policy.ThinProvision || disk.Path == "" {
					t.Errorf("%s: the disk %+v has the policy %+v", name, disk, policy)
				}
			case disk.Boot == 2:
				if image := first[wire.ElfImage](x, "get-elf-images", object{"local_id": disk.ElfImageLocalID}); image.Name != "rocky-8.iso" {
					t.Errorf("%s: the drive has the image %+v", name, image)
				}
			}
		}
	}

	for name, id := range map[string]string{"template": template.VMNics[0].Vlan.VlanLocalID, "snapshot": snapshot.VMNics[0].Vlan.VlanLocalID} {
		if vlan := first[wire.Vlan](x, "get-vlans", object{"local_id": id}); vlan.Name != "default" {
			t.Errorf("%s: the NIC is in the network %+v", name, vlan)
		}
	}

	// A disk of the snapshot with another size is sent as a new disk that
	// starts from it.
	rebuilt := post[[]vmReply](x, "rebuild-vm-from-snapshot", []object{{
		"name": "rebuilt", "rebuild_from_snapshot_id": snapshot.ID, "cluster_id": x.idOf("get-clusters", "cluster-1"), "guest_os_type": "UNKNOWN",
		"vm_disks": object{"mount_new_create_disks": []object{{
			"boot": 0, "bus": "VIRTIO", "index": 0, "vm_volume": object{
				"name": "rebuilt-1", "size": 9 << 30, "path": snapshot.VMDisks[0].Path, "elf_storage_policy": "REPLICA_3_THIN_PROVISION",
			},
		}}},
	}})[0]
	x.finishTasks()
	x.succeeded(rebuilt.TaskID)

	vm, nics, disks, volumes := x.read(rebuilt.Data.ID)
	if vm.Status != wire.VMStatusStopped || len(nics) != 1 || len(disks) != 1 {
		t.Fatalf("the VM is %+v", vm)
	}

	if volume := volumes[disks[0].VMVolume.ID]; volume.Size != 9<<30 || volume.Path == snapshot.VMDisks[0].Path {
		t.Errorf("the volume is %+v", volume)
	}
}
