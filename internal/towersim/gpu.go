// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// vGPUsPerDevice is the number of virtual GPUs of a device with the usage VGPU.
const vGPUsPerDevice = 4

const codeGPUAndHA = "VM_GPU_HA_CONFLICT"

// gpu is one GPU of a host.
type gpu struct {
	row  wire.GPUDevice
	host *host
	labelSet
}

func (g *gpu) id() string     { return g.row.ID }
func (g *gpu) rowPtr() any    { return &g.row }
func (g *gpu) refreshLabels() { g.row.Labels = g.nestedLabels() }

func (g *gpu) virtual() bool { return *g.row.UserUsage == wire.GPUDeviceUsageVGPU }

// gpuClaim is a VM's share of a GPU device.
type gpuClaim struct {
	gpu    *gpu
	amount int
}

func (w *world) gpuRelations() map[string]func(*gpu) []any {
	return map[string]func(*gpu) []any{
		"host":   func(g *gpu) []any { return toOne(g.host) },
		"labels": func(g *gpu) []any { return rowPtrs(g.labels) },
		"vms":    func(g *gpu) []any { return rowPtrs(w.vmsWithGPU(g)) },
	}
}

// vmsWithGPU returns the VMs that a device is assigned to, running or not.
func (w *world) vmsWithGPU(g *gpu) []*vm {
	return filterSlice(w.visible(), func(v *vm) bool {
		return slices.ContainsFunc(v.gpus, func(claim gpuClaim) bool { return claim.gpu == g })
	})
}

func (w *world) addGPU(h *host, spec *GPUSpec, index int) {
	id := namedIDSource("gpu", fmt.Sprintf("%s/%s/%d", h.cluster.row.Name, h.row.Name, index))
	g := &gpu{host: h}
	g.row = wire.GPUDevice{
		ID: id.cuid(), LocalID: id.uuid(), Name: spec.Model, Model: spec.Model, Brand: "NVIDIA", Host: h.nested(),
		BusLocation: fmt.Sprintf("0000:%02x:00.0", 0x3b+index), Description: "NVIDIA " + spec.Model, Status: wire.GPUDeviceStatusReady,
		UserUsage: wire.Ptr(wire.GPUDeviceUsage(spec.Usage)), LocalCreatedAt: formatTime(w.now),
	}

	if g.virtual() {
		g.row.VGPUInstanceNum = wire.Ptr(vGPUsPerDevice)
		g.row.UserVGPUTypeName = wire.Ptr(spec.Model + "-4Q")
	}

	g.refreshLabels()
	w.gpus.add(g)
}

func (w *world) gpuClaims(params []wire.VMGPUOperationParams) ([]gpuClaim, error) {
	claims := make([]gpuClaim, len(params))

	for i, p := range params {
		g, ok := w.gpus.get(p.GPUID)
		if !ok {
			return nil, notFound("There is no GPU device %s", p.GPUID)
		}

		claims[i] = gpuClaim{gpu: g, amount: 1}
		setIfSent(&claims[i].amount, p.Amount)

		if claims[i].amount < 1 {
			return nil, badRequest("gpu_devices[%d].amount: must be at least 1", i)
		}

		if claims[i].amount > 1 && !g.virtual() {
			return nil, badRequest("gpu_devices[%d].amount: the GPU device %s is not divided into virtual GPUs", i, p.GPUID)
		}
	}

	return claims, nil
}

// gpuUse returns how much of a device is taken by other VMs than one. VMs that
// are stopped or in the recycle bin do not count.
func (w *world) gpuUse(g *gpu, except *vm) int {
	use := 0

	for _, v := range w.vms.list {
		if v == except || !v.holdsMemory() || v.row.InRecycleBin {
			continue
		}

		for _, claim := range v.gpus {
			if claim.gpu == g {
				use += claim.amount
			}
		}
	}

	return use
}

// checkGPUs refuses to run a VM on a host, or where it is, if other VMs use its
// devices or if the devices are on another host.
func (w *world) checkGPUs(v *vm, on *host) *taskFailure {
	for _, claim := range v.gpus {
		g := claim.gpu
		if on != nil && g.host != on {
			return failure("GPU_ASSIGN_FAILED", "The GPU device %s is not on the host %s.", g.row.Name, on.row.Name)
		}

		if g.virtual() {
			if w.gpuUse(g, v)+claim.amount > vGPUsPerDevice {
				return failure("PRECHECK_REQUEST_VGPU_COUNT_MORE_THAN_AVAILABLE", "The GPU device %s has too few vGPUs left.", g.row.Name)
			}
		} else if w.gpuUse(g, v) > 0 {
			return failure("GPU_ASSIGN_FAILED", "The GPU device %s is in use.", g.row.Name)
		}
	}

	return nil
}

func addVMGPUDevice(c *call, in *wire.VMAddGPUDeviceParams) (any, error) {
	claims, err := c.gpuClaims(in.Data)
	if err != nil {
		return nil, err
	}

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "addVmGpuDevice", description: describeVM("Edit VM", "编辑虚拟机"), allowedFrom: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure {
			if v.row.HA {
				return failure(codeGPUAndHA, "A VM with GPU devices cannot be highly available.")
			}

			for _, claim := range claims {
				if claim.gpu.host.cluster != v.cluster {
					return failure("GPU_ASSIGN_FAILED", "The GPU device %s is in another cluster.", claim.gpu.row.Name)
				}
			}

			return c.assignGPUs(v, claims)
		},
	})
}

// assignGPUs gives a VM new devices, or a larger share of devices that it has.
// All devices of a VM are on one host.
func (w *world) assignGPUs(v *vm, more []gpuClaim) *taskFailure {
	gpus, home := slices.Clone(v.gpus), more[0].gpu.host
	if len(gpus) > 0 {
		home = gpus[0].gpu.host
	}

	for _, claim := range more {
		g := claim.gpu
		if g.host != home {
			return failure("GPU_ASSIGN_FAILED", "The GPU device %s is not on the host %s.", g.row.Name, home.row.Name)
		}

		i := slices.IndexFunc(gpus, func(held gpuClaim) bool { return held.gpu == g })

		switch {
		case i < 0:
			gpus = append(gpus, claim)
		case g.virtual():
			gpus[i].amount += claim.amount
		default:
			return failure("GPU_ASSIGN_FAILED", "The VM %s already has the GPU device %s.", v.row.Name, g.row.Name)
		}
	}

	before := v.gpus
	v.gpus = gpus

	if failed := w.checkGPUs(v, home); failed != nil {
		v.gpus = before

		return failed
	}

	v.host = home
	w.renewPartIDs(v)

	return nil
}

// remainingGPUs returns the devices that a VM keeps after some were removed.
// Without an amount, a device is removed as a whole.
func (v *vm) remainingGPUs(params []wire.VMGPUOperationParams) []gpuClaim {
	var kept []gpuClaim

	for _, held := range v.gpus {
		for _, p := range params {
			switch {
			case p.GPUID != held.gpu.row.ID:
			case p.Amount == nil:
				held.amount = 0
			default:
				held.amount -= *p.Amount
			}
		}

		if held.amount > 0 {
			kept = append(kept, held)
		}
	}

	return kept
}

func removeVMGPUDevice(c *call, in *wire.VMRemoveGPUDeviceParams) (any, error) {
	if _, err := c.gpuClaims(in.Data); err != nil {
		return nil, err
	}

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "removeVmGpuDevice", description: describeVM("Edit VM", "编辑虚拟机"), allowedFrom: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure {
			v.gpus = v.remainingGPUs(in.Data)
			c.renewPartIDs(v)

			return nil
		},
	})
}

func (w *world) deriveGPUs() {
	for _, h := range w.hosts.list {
		h.row.GPUDevices = []wire.NestedGPUDevice{}
	}

	for _, g := range w.gpus.list {
		g.host.row.GPUDevices = append(g.host.row.GPUDevices, wire.NestedGPUDevice{ID: g.row.ID, Name: g.row.Name})
		g.row.VMs = mapSlice(w.vmsWithGPU(g), (*vm).nested)

		if g.virtual() {
			use := w.gpuUse(g, nil)
			g.row.AssignedVGPUsNum, g.row.AvailableVGPUsNum = wire.Ptr(use), wire.Ptr(max(vGPUsPerDevice-use, 0))
		}
	}
}

// getDetailVMInfoByGPUDevices lists devices with the VMs that have them.
func getDetailVMInfoByGPUDevices(c *call, in *wire.ListRequest) (any, error) {
	rows, err := c.findRows(wire.EntityGPUDevice, *in)
	if err != nil {
		return nil, err
	}

	infos := make([]*wire.GPUVMInfo, len(rows))

	for i, row := range rows {
		g, ok := c.gpus.objectOf(row)
		if !ok {
			continue
		}

		infos[i] = &wire.GPUVMInfo{}
		if err := copyByJSON(infos[i], withoutVMs(g.row)); err != nil {
			return nil, err
		}

		for _, v := range c.vmsWithGPU(g) {
			detail := wire.GPUVMDetail{}
			if err := copyByJSON(&detail, &v.row); err != nil {
				return nil, err
			}

			detail.VGPUInstanceOnVMNum = v.vgpusOf(g)
			infos[i].VMs = append(infos[i].VMs, detail)
		}
	}

	return infos, nil
}

func withoutVMs(row wire.GPUDevice) *wire.GPUDevice {
	row.VMs = nil

	return &row
}

// vgpusOf returns the number of a device's virtual GPUs that the VM has; nil if
// the device is passed through.
func (v *vm) vgpusOf(g *gpu) *int {
	for _, claim := range v.gpus {
		if claim.gpu == g && g.virtual() {
			return wire.Ptr(claim.amount)
		}
	}

	return nil
}

// getVMGPUDeviceInfo lists VMs with the devices that they have.
func getVMGPUDeviceInfo(c *call, in *wire.ListRequest) (any, error) {
	rows, err := c.findRows(wire.EntityVM, *in)
	if err != nil {
		return nil, err
	}

	c.derive()

	infos := make([]*wire.VMGPUInfo, len(rows))

	for i, row := range rows {
		v, ok := c.vms.objectOf(row)
		if !ok {
			continue
		}

		infos[i] = &wire.VMGPUInfo{ID: v.row.ID, LocalID: v.row.LocalID, Name: v.row.Name}

		for _, claim := range v.gpus {
			detail := wire.VMGPUDetail{}
			if err := copyByJSON(&detail, &claim.gpu.row); err != nil {
				return nil, err
			}

			detail.VGPUInstanceOnVMNum = v.vgpusOf(claim.gpu)
			infos[i].GPUDevices = append(infos[i].GPUDevices, detail)
		}
	}

	return infos, nil
}
