// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"slices"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/gpu_device"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// GPUVirtual is the usage of a GPU that is cut into virtual ones.
const GPUVirtual = "VGPU"

// GPUReady is the status of a GPU that VMs can use.
const GPUReady = "READY"

// GPUDevice is a GPU of a host as Tower shows it.
type GPUDevice struct {
	ID          string
	LocalID     string
	Name        string
	Model       string
	Brand       string
	Description string
	BusLocation string
	HostID      string
	HostName    string
	Usage       string // PASS_THROUGH, VGPU; "" where Tower does not tell
	Status      string // READY, NOT_READY, NEED_REBOOT, …
	VGPUs       *int   // into how many virtual GPUs it is cut, nil where it is not
	Available   *int   // how many of them are left
	Labels      []Label
	Users       []GPUUser // the VMs that it is assigned to, running or not
}

// GPUUser is a VM that a GPU is assigned to.
type GPUUser struct {
	VMID   string
	VMName string
}

// VMGPU is a GPU, or a number of virtual GPUs of one, that a VM has.
type VMGPU struct {
	DeviceID string
	Amount   int // of virtual GPUs; 1 for a GPU that is passed through
}

func (v GPUDevice) identity() identity { return identity{id: v.ID, localID: v.LocalID, name: v.Name} }

// GPUDevice reads a GPU by id or local id.
func (c *Client) GPUDevice(ctx context.Context, id string) (*GPUDevice, error) {
	return c.gpus.get(ctx, id)
}

// VMGPUs reads the GPUs of a VM by Tower's id. A VM that does not exist has none.
func (c *Client) VMGPUs(ctx context.Context, vmID string) ([]VMGPU, error) {
	if vmID == "" {
		return nil, notFound(opGetVMGPUs, "GPUs are looked for without the id of their VM")
	}
	gpus, _, err := c.vmGPUs.Get(ctx, vmID)
	if err != nil {
		return nil, asError(opGetVMGPUs, err)
	}
	return gpus, nil
}

const (
	opGetVMGPUs = "get-vm-gpu-device-info"
	opAddGPU    = "add-vm-gpu-device"
	opRemoveGPU = "remove-vm-gpu-device"
)

func newGPUDevices(c *Client) *objects[GPUDevice] {
	return newObjects(c, "get-gpu-devices", "GPU device", gpuOf, func(ctx context.Context, body *models.GetGpuDevicesRequestBody) ([]*models.GpuDevice, error) {
		return payload(gpu_device.New(c.sdk()).GetGpuDevices(gpu_device.NewGetGpuDevicesParamsWithContext(ctx).WithRequestBody(body)))
	})
}

// fetchVMGPUs reads the GPUs of VMs. Before Tower 4.0 only the VMs themselves tell of them, and not of amounts.
func (c *Client) fetchVMGPUs(ctx context.Context, vmIDs []string) (map[string][]VMGPU, error) {
	if versionBefore(c.Version(), 4, 0) {
		vms, err := c.vms.fetch(ctx, kindRead, Where{"id_in": vmIDs})
		out := map[string][]VMGPU{}
		for _, v := range vms {
			for _, id := range v.GPUIDs {
				out[v.ID] = append(out[v.ID], VMGPU{DeviceID: id, Amount: 1})
			}
		}
		return out, err
	}
	return invoke(ctx, c, operation{opGetVMGPUs, kindRead}, func(ctx context.Context) (map[string][]VMGPU, error) {
		body := &models.GetVmsRequestBody{Where: &models.VMWhereInput{IDIn: vmIDs}}
		list, err := payload(vm.New(c.sdk()).GetVMGpuDeviceInfo(vm.NewGetVMGpuDeviceInfoParamsWithContext(ctx).WithRequestBody(body)))
		out := map[string][]VMGPU{}
		for _, m := range list {
			for _, g := range deref(m).GpuDevices {
				if g != nil {
					out[deref(m.ID)] = append(out[deref(m.ID)], VMGPU{DeviceID: deref(g.ID), Amount: max(number(g.VgpuInstanceOnVMNum), 1)})
				}
			}
		}
		return out, err
	})
}

// gpuParams names GPUs as Tower's parameters do.
func gpuParams(gpus []VMGPU) []*models.VMGpuOperationParams {
	out := make([]*models.VMGpuOperationParams, 0, len(gpus))
	for _, g := range gpus {
		out = append(out, &models.VMGpuOperationParams{GpuID: ptr(g.DeviceID), Amount: int32s(&g.Amount)})
	}
	return out
}

// AddVMGPUs assigns GPUs to a stopped VM, all in one call. Nothing to add is nothing to do.
func (c *Client) AddVMGPUs(ctx context.Context, vmID string, gpus []VMGPU) error {
	if len(gpus) == 0 {
		return nil
	}
	return c.vms.apply(ctx, vmID, change[VM]{
		name: opAddGPU,
		reached: func(v *VM) bool {
			return v != nil && !slices.ContainsFunc(gpus, func(g VMGPU) bool { return !slices.Contains(v.GPUIDs, g.DeviceID) })
		},
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMAddGpuDeviceParams{Where: whereVM(id), Data: gpuParams(gpus)}
			return receipts(vm.New(c.sdk()).AddVMGpuDevice(vm.NewAddVMGpuDeviceParamsWithContext(ctx).WithRequestBody(body)))
		},
	})
}

// RemoveVMGPUs takes GPUs from a stopped VM, with the whole amount that it has of each, all in one call. Nothing to
// remove is nothing to do.
func (c *Client) RemoveVMGPUs(ctx context.Context, vmID string, gpus []VMGPU) error {
	if len(gpus) == 0 {
		return nil
	}
	return c.vms.apply(ctx, vmID, change[VM]{
		name: opRemoveGPU,
		reached: func(v *VM) bool {
			return v != nil && !slices.ContainsFunc(gpus, func(g VMGPU) bool { return slices.Contains(v.GPUIDs, g.DeviceID) })
		},
		submit: func(ctx context.Context, id string) ([]receipt, error) {
			body := &models.VMRemoveGpuDeviceParams{Where: whereVM(id), Data: gpuParams(gpus)}
			return receipts(vm.New(c.sdk()).RemoveVMGpuDevice(vm.NewRemoveVMGpuDeviceParamsWithContext(ctx).WithRequestBody(body)))
		},
	})
}

// gpuHost is the host that a VM with GPUs has to run on, "" for one without.
func (c *Client) gpuHost(ctx context.Context, v *VM) (string, error) {
	if len(v.GPUIDs) == 0 {
		return "", nil
	}
	device, err := c.GPUDevice(ctx, v.GPUIDs[0])
	if err != nil {
		return "", err
	}
	return device.HostID, nil
}

func gpuOf(m *models.GpuDevice) GPUDevice {
	host := deref(m.Host)
	out := GPUDevice{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Model: deref(m.Model), Brand: deref(m.Brand), Description: deref(m.Description),
		BusLocation: deref(m.BusLocation), Usage: text(m.UserUsage), Status: text(m.Status),
		VGPUs: ints(m.VgpuInstanceNum), Available: ints(m.AvailableVgpusNum), Labels: labelsOf(m.Labels),
		HostID: deref(host.ID), HostName: deref(host.Name),
	}
	for _, v := range m.Vms {
		if v != nil {
			out.Users = append(out.Users, GPUUser{VMID: deref(v.ID), VMName: deref(v.Name)})
		}
	}
	return out
}
