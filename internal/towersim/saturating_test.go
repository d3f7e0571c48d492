// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// No number is so large that it overflows and fits again.
func TestHugeVolumesDoNotFit(t *testing.T) {
	x := start(t, "")
	cluster := x.idOf("get-clusters", "cluster-1")

	for _, params := range []object{
		{"size": int64(9_000_000_000_000_000_000)},
		{"size": int64(1) << 62},
		{"size": 16384, "size_unit": "PB"},
		{"size": 20_000_000, "size_unit": "PB"},
		{"size": int64(1) << 54, "size_unit": "KB"},
	} {
		for key, value := range (object{
			"cluster_id": cluster, "name": "huge", "sharing": false, "elf_storage_policy": "REPLICA_2_THIN_PROVISION",
		}) {
			params[key] = value
		}

		reply := post[[]wire.WithTask[wire.VMVolume]](x, "create-vm-volume", []object{params})[0]
		if reply.Data.Size <= 0 {
			t.Errorf("%v makes a volume of %d bytes", params, reply.Data.Size)
		}

		x.finishTasks()
		x.failed(reply.TaskID, "EAllocSpace")
	}

	vm := x.blankWithDisks("a", 0)
	reply := post[[]vmReply](x, "expand-vm-disk", object{
		"where": object{"vm": object{"id": vm.ID}}, "size": int64(1) << 62,
	})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "EAllocSpace")
}

func TestHugeMachinesAreRefused(t *testing.T) {
	x := start(t, "")

	reply := x.create(object{"name": "a", "memory": 16384, "memory_unit": "PB"})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VM_SCHEDULE_FAILED")

	for want, cpus := range map[string]object{
		"are more than": {"cpu_cores": 2000, "cpu_sockets": 2000}, "cpu_cores: must be at most": {"cpu_cores": 1<<31 - 1},
		"vcpu: must be at most": {"vcpu": 1<<31 - 1},
	} {
		cpus["name"] = "a"
		if got := x.refused("create-vm-from-content-library-template", x.params(cpus), 400); !strings.Contains(got.Message, want) {
			t.Errorf("%v: got %s", cpus, got.Message)
		}
	}

	vm := x.newVM(object{"status": "STOPPED"})
	x.failed(x.operate("update-vm-basic-info", vm.ID, object{"vcpu": 1<<31 - 1}).TaskID, "VM_CPU_CONFIG_ERROR")
}

func TestExpansionOfDisksThatDoNotAllFitExpandsNone(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, storage_tib: 1}]}")
	vm := x.blankWithDisks("a", 0, 1)
	reply := post[[]vmReply](x, "expand-vm-disk", object{
		"where": object{"vm": object{"id": vm.ID}}, "size": int64(300) << 30,
	})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "EAllocSpace")

	for _, volume := range post[[]wire.VMVolume](x, "get-vm-volumes", object{"where": object{"name_starts_with": "a-"}}) {
		if volume.Size != 1<<30 {
			t.Errorf("%s has %d bytes", volume.Name, volume.Size)
		}
	}
}

func TestAVolumeIsNotTwoDisksOfOneRequest(t *testing.T) {
	x := start(t, "")
	vm := x.blankWithDisks("a", 0)
	volume := x.createVolume("given", 5)
	mount := object{"bus": "VIRTIO", "vm_volume_id": volume.ID, "boot": 1}

	x.failed(x.operate("add-vm-disk", vm.ID, object{"vm_disks": object{"mount_disks": []object{mount, mount}}}).TaskID, "VM_VOLUME_IN_USE")

	x.updateVMFails(vm.ID, object{"vm_disks": object{
		"update": []object{{"where": object{"id": x.disks(vm.ID)[0].ID}, "data": object{"vm_volume": connected(volume.ID)}}},
		"create": []object{{"boot": 1, "bus": "VIRTIO", "type": "DISK", "vm_volume": connected(volume.ID)}},
	}}, "VM_VOLUME_IN_USE")

	if got := x.disks(vm.ID); len(got) != 1 || got[0].VMVolume.ID == volume.ID {
		t.Errorf("the VM has %+v", got)
	}
}
