// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// updateVMMutation is the document that GraphQL clients send.
const updateVMMutation = `mutation updateVm($data:VmUpdateInput!$effect:UpdateVmEffect!$where:VmWhereUniqueInput!)` +
	`{updateVm(data: $data, effect: $effect,where:$where){id}}`

// updateVM changes a VM over GraphQL and waits for the task, which can only be
// found by its resource and mutation.
func (x *tower) updateVM(vmID string, data object) wire.Task {
	x.t.Helper()

	reply := x.graphQL(updateVMMutation, object{"data": data, "effect": object{}, "where": object{"id": vmID}})
	if got := reply["updateVm"].(object); got["id"] != vmID || len(got) != 1 {
		x.t.Fatalf("the reply is %v", reply)
	}

	x.finishTasks()

	tasks := post[[]wire.Task](x, "get-tasks", object{
		"where": object{"resource_id": vmID, "resource_mutation": "updateVm"}, "orderBy": "local_created_at_DESC", "first": 1,
	})
	if len(tasks) != 1 {
		x.t.Fatalf("%d tasks are found", len(tasks))
	}

	return tasks[0]
}

// mustUpdateVM calls updateVM and checks that the task succeeds.
func (x *tower) mustUpdateVM(vmID string, data object) {
	x.t.Helper()

	if task := x.updateVM(vmID, data); task.Status != wire.TaskStatusSuccessed {
		x.t.Fatalf("the task is %s: %s", task.Status, text(task.ErrorMessage))
	}
}

func TestGraphQLEditsAVM(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a", "status": "STOPPED"})

	x.mustUpdateVM(vm.ID, object{
		"name": "b", "description": "d", "memory": int64(8) << 30, "vcpu": 6, "cpu": object{"sockets": 2, "cores": 3}, "ha": false,
	})

	got := x.vm(vm.ID)
	if got.Name != "b" || got.Description != "d" || got.Memory != 8<<30 || got.VCPU != 6 || got.CPU.Cores != 3 || got.HA {
		t.Errorf("got %+v", got)
	}

	// What is left out stays, so an empty edit changes nothing.
	x.mustUpdateVM(vm.ID, object{"description": "e"})
	x.mustUpdateVM(vm.ID, object{})

	if after := x.vm(vm.ID); after.Name != "b" || after.Description != "e" || len(after.VMNics) != 1 || len(after.VMDisks) != 1 {
		t.Errorf("got %+v", after)
	}

	x.updateVMFails(vm.ID, object{"cpu": object{"cores": 1, "sockets": 1}, "vcpu": 4}, "VM_CPU_CONFIG_ERROR]vcpu: 4 is not cpu_cores x cpu_sockets, 1 x 1")
	x.graphQL(updateVMMutation, object{"data": object{"name": "c"}, "effect": object{}, "where": object{"local_id": got.LocalID}})
	x.finishTasks()

	if name := x.vm(vm.ID).Name; name != "c" {
		t.Errorf("the VM is called %q", name)
	}
}

func (x *tower) updateVMFails(vmID string, data object, code string) {
	x.t.Helper()

	task := x.updateVM(vmID, data)
	if !strings.Contains(text(task.ErrorMessage), "["+code) {
		x.t.Errorf("the task is %s: %s", task.Status, text(task.ErrorMessage))
	}
}

func TestGraphQLReplacesNICs(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})
	old := x.nics(vm.ID)[0]

	x.mustUpdateVM(vm.ID, object{"vm_nics": object{
		"delete": []object{{"id": old.ID}},
		"create": []object{{
			"enabled": true, "gateway": "", "ip_address": "", "subnet_mask": "", "mac_address": "52:54:00:aa:bb:cc", "local_id": "",
			"model": "E1000", "vlan": object{"connect": object{"id": x.idOf("get-vlans", "ecp")}},
		}},
	}})

	nics := x.nics(vm.ID)
	if len(nics) != 1 || text(nics[0].MACAddress) != "52:54:00:aa:bb:cc" || nics[0].Vlan.Name != "ecp" || *nics[0].Model != "E1000" {
		t.Errorf("got %+v", nics)
	}
}

// TestGraphQLTakesTheWholeListOfDisks sends the disks of a VM like SmartX's
// older Terraform provider: the disks to keep with all their settings, the new
// ones, and of those to remove only the disks.
func TestGraphQLTakesTheWholeListOfDisks(t *testing.T) {
	s := newFixture(t)
	x := s.tower
	vm := x.newObject("create-vm", []object{s.blankParams(object{"name": "c", "vm_disks": object{
		"mount_cd_roms": []object{{"boot": 2}, {"boot": 3, "elf_image_id": s.image}},
		"mount_new_create_disks": []object{
			{"boot": 0, "bus": "VIRTIO", "vm_volume": object{"name": "root", "size": 10 << 30, "elf_storage_policy": "REPLICA_2_THIN_PROVISION"}},
			{"boot": 1, "bus": "VIRTIO", "vm_volume": object{"name": "data", "size": 1 << 30, "elf_storage_policy": "REPLICA_2_THIN_PROVISION"}},
		},
	}})})
	x.finishTasks()

	disks := x.disks(vm)
	root, data, empty := disks[0], disks[1], disks[2]

	if empty.Key == nil || root.Key == nil || *empty.Key == *root.Key || empty.Disabled == nil {
		t.Fatalf("clients expect a different key for each disk: %+v, %+v", root, empty)
	}

	x.mustUpdateVM(vm, object{"vm_disks": object{
		"update": []object{
			{"where": object{"id": empty.ID}, "data": object{
				"boot": 0, "bus": "IDE", "key": *empty.Key, "type": "CD_ROM", "elf_image": object{"connect": object{"id": s.image}},
			}},
			{"where": object{"id": root.ID}, "data": object{
				"boot": 1, "bus": "SCSI", "type": "DISK", "vm_volume": object{"create": volumeInput("root", int64(20)<<30)},
			}},
		},
		"create": []object{
			{"boot": 2, "bus": "VIRTIO", "type": "DISK", "vm_volume": object{"create": volumeInput("more", int64(2)<<30)}},
			{"boot": 3, "bus": "VIRTIO", "type": "DISK", "vm_volume": object{"connect": object{"id": s.spare}}},
			{"boot": 4, "bus": "IDE", "type": "CD_ROM"},
		},
		"delete": []object{{"id": data.ID}},
	}})

	var got []string
	for _, d := range x.disks(vm) {
		line := fmt.Sprintf("%d %s %s", d.Boot, d.Type, d.Bus)

		if d.VMVolume != nil {
			size := post[[]wire.VMVolume](x, "get-vm-volumes", byID(d.VMVolume.ID))[0].Size
			line += fmt.Sprintf(" %s %d", d.VMVolume.Name, size>>30)
		}

		if d.ElfImage != nil {
			line += " " + d.ElfImage.Name
		}

		got = append(got, line)
	}

	wantStrings(t, "disks", got, []string{
		"0 CD_ROM IDE rocky-8.iso", "1 DISK SCSI root 20", "2 DISK VIRTIO more 2", "3 DISK VIRTIO spare 1", "4 CD_ROM IDE",
	})

	// The volume of the removed disk stays.
	if left := post[[]wire.VMVolume](x, "get-vm-volumes", byID(data.VMVolume.ID)); len(left) != 1 || left[0].Mounting {
		t.Errorf("got %+v", left)
	}

	drive := x.disks(vm)[0]
	x.mustUpdateVM(vm, object{"vm_disks": object{"update": []object{{
		"where": object{"id": drive.ID}, "data": object{"boot": 5, "elf_image": object{"disconnect": true}, "disabled": true},
	}}}})

	if left := x.disks(vm); len(left) != 1 || left[0].ElfImage != nil || left[0].Boot != 5 || !*left[0].Disabled {
		t.Errorf("got %+v", left)
	}
}

// volumeInput is a new or existing volume as the older provider describes it.
func volumeInput(name string, size int64) object {
	return object{
		"name": name, "path": "", "size": size, "elf_storage_policy": "REPLICA_2_THIN_PROVISION", "local_created_at": "",
		"local_id": "", "mounting": true, "sharing": false, "cluster": object{"connect": object{"id": ""}},
	}
}

func TestGraphQLEditOfDisksIsAllOrNothing(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a", "status": "STOPPED"})
	disk := x.disks(vm.ID)[0]

	x.updateVMFails(vm.ID, object{"name": "b", "vm_disks": object{"update": []object{{
		"where": object{"id": disk.ID}, "data": object{"boot": 1, "vm_volume": object{"create": volumeInput("x", 1)}},
	}}}}, "VM_VOLUME_SIZE_ERROR")

	if got := x.vm(vm.ID); got.Name != "a" || len(got.VMDisks) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestGraphQLEditIsLockedAndRefused(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a"})
	post[[]vmReply](x, "update-vm-basic-info", edit(vm.ID, object{"description": "d"}))

	ask := func(where, data object) (int, string) {
		t.Helper()

		response, raw, err := x.send(http.MethodPost, "/api", object{
			"query": updateVMMutation, "variables": object{"where": where, "data": data, "effect": object{}},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}

		return response.StatusCode, string(raw)
	}

	if status, raw := ask(object{"id": vm.ID}, object{"name": "b"}); status != http.StatusBadRequest || !strings.Contains(raw, "ResourceLocked") {
		t.Errorf("status %d: %s", status, raw)
	}

	x.finishTasks()

	for name, test := range map[string]struct {
		where, data object
		status      int
	}{
		"no VM":            {object{"id": "none"}, object{}, http.StatusNotFound},
		"no where":         {object{}, object{}, http.StatusBadRequest},
		"unknown member":   {object{"id": vm.ID}, object{"colour": "red"}, http.StatusBadRequest},
		"wrong type":       {object{"id": vm.ID}, object{"memory": "much"}, http.StatusBadRequest},
		"empty name":       {object{"id": vm.ID}, object{"name": ""}, http.StatusBadRequest},
		"no network":       {object{"id": vm.ID}, object{"vm_nics": object{"create": []object{{"vlan": object{"connect": object{"id": ""}}}}}}, http.StatusNotFound},
		"no NIC":           {object{"id": vm.ID}, object{"vm_nics": object{"delete": []object{{"id": "none"}}}}, http.StatusNotFound},
		"no disk":          {object{"id": vm.ID}, object{"vm_disks": object{"delete": []object{{"id": "none"}}}}, http.StatusNotFound},
		"no disk to edit":  {object{"id": vm.ID}, object{"vm_disks": object{"update": []object{{"where": object{"id": "none"}, "data": object{}}}}}, http.StatusNotFound},
		"no volume":        {object{"id": vm.ID}, object{"vm_disks": object{"create": []object{{"type": "DISK", "bus": "VIRTIO"}}}}, http.StatusBadRequest},
		"no image":         {object{"id": vm.ID}, object{"vm_disks": object{"create": []object{{"type": "CD_ROM", "elf_image": object{"connect": object{"id": "none"}}}}}}, http.StatusNotFound},
		"no such old disk": {object{"id": vm.ID}, object{"vm_disks": object{"create": []object{{"type": "DISK", "bus": "VIRTIO", "vm_volume": object{"connect": object{"id": "none"}}}}}}, http.StatusNotFound},
	} {
		if status, raw := ask(test.where, test.data); status != test.status || !strings.Contains(raw, `"errors":[{"message":`) {
			t.Errorf("%s: status %d: %s", name, status, raw)
		}
	}

	if got := x.vm(vm.ID); got.Name != "a" || len(got.VMDisks) != 1 || len(got.VMNics) != 1 {
		t.Errorf("got %+v", got)
	}

	x.token = ""
	if status, _ := ask(object{"id": vm.ID}, object{}); status != http.StatusUnauthorized {
		t.Errorf("status %d without a token", status)
	}
}
