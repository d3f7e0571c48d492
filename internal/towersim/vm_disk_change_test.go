// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// createVolume creates a volume that is attached to no VM.
func (x *tower) createVolume(name string, gib int) wire.VMVolume {
	x.t.Helper()

	cluster := x.idOf("get-clusters", "cluster-1")
	reply := post[[]wire.WithTask[wire.VMVolume]](x, "create-vm-volume", []object{{
		"cluster_id": cluster, "name": name, "size": int64(gib) << 30, "sharing": false, "elf_storage_policy": "REPLICA_2_THIN_PROVISION",
	}})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	return post[[]wire.VMVolume](x, "get-vm-volumes", byID(reply.Data.ID))[0]
}

func TestAddAndRemoveDisks(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	given := x.createVolume("given", 5)

	x.mustOperate("add-vm-disk", vm.ID, object{"vm_disks": object{
		"mount_disks": []object{{"boot": 2, "bus": "SCSI", "vm_volume_id": given.ID}},
		"mount_new_create_disks": []object{{
			"boot": 3, "bus": "VIRTIO", "vm_volume": object{"name": "made", "size": int64(7) << 30, "elf_storage_policy": "REPLICA_3_THIN_PROVISION"},
		}},
	}})

	disks := x.disks(vm.ID)
	if len(disks) != 3 || disks[1].VMVolume.ID != given.ID || disks[1].Bus != wire.BusScsi || disks[2].VMVolume.Name != "made" {
		t.Fatalf("got %+v", disks)
	}

	other := x.newVM(object{"name": "other"})
	reply := x.operate("add-vm-disk", other.ID, object{"vm_disks": object{
		"mount_disks": []object{{"boot": 2, "bus": "SCSI", "vm_volume_id": given.ID}},
	}})
	x.finishTasks()
	x.failed(reply.TaskID, "VM_VOLUME_IN_USE")
	x.refused("delete-vm-volume", byID(given.ID), http.StatusBadRequest)
	x.refused("remove-vm-disk", object{"where": object{"id": other.ID}, "data": object{"disk_ids": []string{disks[1].ID}}}, http.StatusBadRequest)

	x.mustOperate("remove-vm-disk", vm.ID, object{"disk_ids": []string{disks[1].ID, disks[2].ID}})

	if left := x.disks(vm.ID); len(left) != 1 {
		t.Errorf("disks are left: %+v", left)
	}

	kept := post[[]wire.VMVolume](x, "get-vm-volumes", object{"where": object{"mounting": false}})
	if len(kept) != 2 {
		t.Errorf("the volumes should stay: %+v", kept)
	}

	deleted := post[[]wire.WithTask[wire.Deleted]](x, "delete-vm-volume", byID(given.ID))
	x.finishTasks()
	x.succeeded(deleted[0].TaskID)

	if left := post[[]wire.VMVolume](x, "get-vm-volumes", byID(given.ID)); len(left) != 0 {
		t.Errorf("the volume is left: %+v", left)
	}
}

func TestBusChangesOnlyWhileStopped(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "RUNNING"})
	change := func() object {
		return object{"vm_disk_id": x.disks(vm.ID)[0].ID, "bus": "SCSI"}
	}

	reply := x.operate("update-vm-disk", vm.ID, change())
	x.finishTasks()
	x.failed(reply.TaskID, "VM_STATUS_NOT_ALLOWED")

	x.mustOperate("poweroff-vm", vm.ID)
	x.mustOperate("update-vm-disk", vm.ID, change())

	if disk := x.disks(vm.ID)[0]; disk.Bus != wire.BusScsi {
		t.Errorf("the bus is %s", disk.Bus)
	}
}

func TestCDROMDrives(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	iso := x.idOf("get-elf-images", "rocky-8.iso")

	x.mustOperate("add-vm-cd-rom", vm.ID, object{"vm_cd_roms": []object{{"boot": 2, "elf_image_id": iso}, {"boot": 3}}})

	drive := func(i int) wire.VMDisk { return x.disks(vm.ID)[i] }
	if d := drive(1); d.ElfImage == nil || d.ElfImage.ID != iso || drive(2).ElfImage != nil {
		t.Fatalf("got %+v and %+v", d, drive(2))
	}

	post[[]vmReply](x, "eject-iso-from-vm-cd-rom", byID(drive(1).ID))
	x.finishTasks()
	x.mustOperate("update-vm-disk", vm.ID, object{"vm_disk_id": drive(2).ID, "elf_image_id": iso})

	if drive(1).ElfImage != nil || drive(2).ElfImage == nil {
		t.Errorf("got %+v and %+v", drive(1), drive(2))
	}

	x.mustOperate("remove-vm-cd-rom", vm.ID, object{"cd_rom_ids": []string{drive(1).ID, drive(2).ID}})

	if left := x.disks(vm.ID); len(left) != 1 {
		t.Errorf("drives are left: %+v", left)
	}
}

func TestBlankVM(t *testing.T) {
	x := start(t, "")
	reply := post[[]vmReply](x, "create-vm", []object{{
		"cluster_id": x.idOf("get-clusters", "cluster-1"), "name": "blank", "status": "RUNNING", "firmware": "UEFI", "ha": false,
		"cpu_cores": 2, "cpu_sockets": 1, "memory": int64(1) << 30, "vm_nics": []object{{"connect_vlan_id": x.idOf("get-vlans", "default")}},
		"vm_disks": object{
			"mount_cd_roms":          []object{{"boot": 2, "elf_image_id": x.idOf("get-elf-images", "rocky-8.iso")}},
			"mount_new_create_disks": []object{{"boot": 1, "bus": "VIRTIO", "vm_volume": object{"name": "root", "size": int64(9) << 30, "elf_storage_policy": "REPLICA_2_THIN_PROVISION"}}},
		},
	}})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	vm := x.vm(reply.Data.ID)
	if vm.Status != wire.VMStatusRunning || vm.VCPU != 2 || vm.HA || vm.Firmware != wire.VMFirmwareUefi || len(x.nics(vm.ID)) != 1 {
		t.Errorf("got %+v", vm)
	}

	if disks := x.disks(vm.ID); len(disks) != 2 || disks[0].VMVolume.Name != "root" || disks[1].ElfImage == nil {
		t.Errorf("got %+v", disks)
	}
}
