// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const gpus = `
inventory:
  clusters: [{name: cluster-1, hosts: 2, gpus: [{host: 1, model: A16}, {host: 1, model: A40, usage: VGPU}]}]`

func (x *tower) gpu(model string) wire.GPUDevice {
	x.t.Helper()

	return first[wire.GPUDevice](x, "get-gpu-devices", object{"model": model})
}

func TestGPUNeedsAHostAndNoHA(t *testing.T) {
	x := start(t, gpus)
	g := x.gpu("A16")
	devices := []object{{"gpu_id": g.ID}}
	x.refused("create-vm-from-content-library-template", x.params(object{"gpu_devices": devices, "ha": false}), http.StatusBadRequest)
	x.refused("create-vm-from-content-library-template",
		x.params(object{"gpu_devices": devices, "ha": true, "host_id": g.Host.ID}), http.StatusBadRequest)

	vm := x.newVM(object{"gpu_devices": devices, "ha": false, "host_id": g.Host.ID})
	if len(vm.GPUDevices) != 1 || vm.Host.ID != g.Host.ID || x.gpu("A16").VMs[0].ID != vm.ID {
		t.Errorf("got %+v", vm)
	}
}

func TestGPUOfARunningVMIsInUse(t *testing.T) {
	x := start(t, gpus)
	g := x.gpu("A16")
	params := object{"name": "a", "gpu_devices": []object{{"gpu_id": g.ID}}, "ha": false, "host_id": g.Host.ID}
	one := x.newVM(params)

	params["name"] = "b"
	reply := x.create(params)[0]
	x.finishTasks()
	x.failed(reply.TaskID, "GPU_ASSIGN_FAILED")

	x.mustOperate("poweroff-vm", one.ID)

	params["name"] = "c"
	x.newVM(params)
	x.failed(x.operate("start-vm", one.ID).TaskID, "GPU_ASSIGN_FAILED")
}

func TestVirtualGPUsAreCounted(t *testing.T) {
	x := start(t, gpus)
	g := x.gpu("A40")
	params := func(name string, amount int) object {
		return object{"name": name, "gpu_devices": []object{{"gpu_id": g.ID, "amount": amount}}, "ha": false, "host_id": g.Host.ID}
	}
	vm := x.newVM(params("a", 3))

	if got := x.gpu("A40"); *got.AssignedVGPUsNum != 3 || *got.AvailableVGPUsNum != 1 {
		t.Errorf("%d are assigned, %d are left", *got.AssignedVGPUsNum, *got.AvailableVGPUsNum)
	}

	reply := x.create(params("b", 2))[0]
	x.finishTasks()
	x.failed(reply.TaskID, "PRECHECK_REQUEST_VGPU_COUNT_MORE_THAN_AVAILABLE")

	infos := post[[]wire.VMGPUInfo](x, "get-vm-gpu-device-info", byID(vm.ID))
	if len(infos) != 1 || *infos[0].GPUDevices[0].VGPUInstanceOnVMNum != 3 {
		t.Errorf("got %+v", infos)
	}

	details := post[[]wire.GPUVMInfo](x, "get-detail-vm-info-by-gpu-devices", byID(g.ID))
	if len(details) != 1 || len(details[0].VMs) != 1 || *details[0].VMs[0].VGPUInstanceOnVMNum != 3 {
		t.Errorf("got %+v", details)
	}
}

func TestGPUsAreAttachedToStoppedVMs(t *testing.T) {
	x := start(t, gpus)
	g := x.gpu("A16")
	vm := x.newVM(object{"ha": false})
	body := object{"where": object{"id": vm.ID}, "data": []object{{"gpu_id": g.ID}}}
	change := func(operation string) *string {
		id := post[[]vmReply](x, operation, body)[0].TaskID
		x.finishTasks()

		return id
	}

	x.failed(change("add-vm-gpu-device"), "VM_STATUS_NOT_ALLOWED")
	x.mustOperate("poweroff-vm", vm.ID)
	x.succeeded(change("add-vm-gpu-device"))

	if got := x.vm(vm.ID); len(got.GPUDevices) != 1 {
		t.Errorf("got %+v", got.GPUDevices)
	}

	x.succeeded(change("remove-vm-gpu-device"))

	if got := x.vm(vm.ID); len(got.GPUDevices) != 0 {
		t.Errorf("got %+v", got.GPUDevices)
	}
}

func TestVirtualGPUsAreAddedAndRemovedByAmount(t *testing.T) {
	x := start(t, gpus)
	g := x.gpu("A40")
	vm := x.newVM(object{"ha": false})
	x.mustOperate("poweroff-vm", vm.ID)

	change := func(operation string, amount int) *string {
		id := post[[]vmReply](x, operation, object{"where": object{"id": vm.ID}, "data": []object{{"gpu_id": g.ID, "amount": amount}}})[0].TaskID
		x.finishTasks()

		return id
	}
	has := func(want int) {
		t.Helper()

		devices := post[[]wire.VMGPUInfo](x, "get-vm-gpu-device-info", byID(vm.ID))[0].GPUDevices
		if want == 0 && len(devices) == 0 {
			return
		}

		if len(devices) != 1 || *devices[0].VGPUInstanceOnVMNum != want {
			t.Errorf("the VM has %+v, want %d", devices, want)
		}
	}

	x.succeeded(change("add-vm-gpu-device", 1))
	x.succeeded(change("add-vm-gpu-device", 2))
	has(3)
	x.failed(change("add-vm-gpu-device", 2), "PRECHECK_REQUEST_VGPU_COUNT_MORE_THAN_AVAILABLE")
	has(3)
	x.succeeded(change("remove-vm-gpu-device", 1))
	has(2)

	x.failed(x.operate("update-vm-basic-info", vm.ID, object{"ha": true}).TaskID, "VM_GPU_HA_CONFLICT")
	x.failed(x.operate("start-vm", vm.ID).TaskID, "GPU_ASSIGN_FAILED")
	x.mustOperate("start-vm", vm.ID, object{"host_id": g.Host.ID})
	x.mustOperate("poweroff-vm", vm.ID)
	x.succeeded(change("remove-vm-gpu-device", 2))
	has(0)
}

func TestAGPUIsAssignedOnceAndWithItsHost(t *testing.T) {
	x := start(t, `
inventory:
  clusters: [{name: cluster-1, hosts: 2, gpus: [{host: 0, model: A2}, {host: 1, model: A16}]}]`)
	vm := x.newVM(object{"ha": false})
	x.mustOperate("poweroff-vm", vm.ID)

	add := func(model string, amount int) object {
		return object{"where": object{"id": vm.ID}, "data": []object{{"gpu_id": x.gpu(model).ID, "amount": amount}}}
	}
	x.refused("add-vm-gpu-device", add("A16", 2), http.StatusBadRequest)

	for _, tc := range []struct{ model, code string }{{"A16", ""}, {"A16", "GPU_ASSIGN_FAILED"}, {"A2", "GPU_ASSIGN_FAILED"}} {
		id := post[[]vmReply](x, "add-vm-gpu-device", add(tc.model, 1))[0].TaskID
		x.finishTasks()

		if tc.code == "" {
			x.succeeded(id)
		} else {
			x.failed(id, tc.code)
		}
	}
}
