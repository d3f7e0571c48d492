// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func TestExpandDisk(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	disk := x.disks(vm.ID)[0]

	reply := post[[]vmReply](x, "expand-vm-disk", object{"where": object{"id": disk.ID}, "size": 50, "size_unit": "GB"})
	x.finishTasks()
	x.succeeded(reply[0].TaskID)

	volume := post[[]wire.VMVolume](x, "get-vm-volumes", byID(disk.VMVolume.ID))[0]
	if volume.Size != 50<<30 || *x.vm(vm.ID).ProvisionedSize != 50<<30 {
		t.Errorf("the volume has %d bytes, the VM %d", volume.Size, *x.vm(vm.ID).ProvisionedSize)
	}

	x.refused("expand-vm-disk", object{"where": object{"vm": object{"id": vm.ID}}, "size": 1}, http.StatusBadRequest)
}

func TestExpandBeyondTheStorageFails(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, storage_tib: 1}]}")
	vm := x.newVM(object{"is_full_copy": true})

	reply := post[[]vmReply](x, "expand-vm-disk", object{"where": object{"vm": object{"id": vm.ID}}, "size": int64(600) << 30})
	x.finishTasks()
	x.failed(reply[0].TaskID, "EAllocSpace")
}

func TestCDROMCannotBeExpanded(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"cloud_init": object{}})
	x.refused("expand-vm-disk", object{"where": object{"vm": object{"id": vm.ID}, "type": "CD_ROM"}, "size": int64(1) << 40}, http.StatusBadRequest)
}

func TestUpdateVolume(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	id := x.disks(vm.ID)[0].VMVolume.ID

	reply := post[[]wire.WithTask[wire.VMVolume]](x, "update-vm-volume", object{
		"where": object{"id": id}, "data": object{"name": "n", "description": "d", "size": int64(41) << 30},
	})[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	volume := post[[]wire.VMVolume](x, "get-vm-volumes", byID(id))[0]
	if volume.Name != "n" || text(volume.Description) != "d" || volume.Size != 41<<30 || !volume.Mounting {
		t.Errorf("got %+v", volume)
	}

	if disk := x.disks(vm.ID)[0]; disk.VMVolume.Name != "n" {
		t.Errorf("the disk's volume is called %q", disk.VMVolume.Name)
	}

	x.refused("update-vm-volume", object{"where": object{"id": id}, "data": object{"size": 1}}, http.StatusBadRequest)
}
