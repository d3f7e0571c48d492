// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// validateGPUs refuses devices that no VM can have.
func validateGPUs(ctx context.Context, config *model, diags *diag.Diagnostics) {
	gpus, d := gpusFrom(ctx, config.GPUDevices)
	diags.Append(d...)
	if len(gpus) == 0 {
		return
	}
	seen := map[string]int{}
	for i, g := range gpus {
		if first, taken := noteFirst(seen, g.GPUID, i); taken {
			diags.AddAttributeError(path.Root("gpu_devices").AtListIndex(i).AtName("gpu_id"), "Duplicate GPU device",
				fmt.Sprintf("Element %d is the GPU device %s already. Set its amount for more virtual GPUs of it.", first, g.GPUID.ValueString()))
		}
	}
	if config.HostID.IsNull() {
		diags.AddAttributeError(path.Root("gpu_devices"), "GPU devices without a host",
			"A VM with GPU devices runs on the host that they are in. Set host_id to that host.")
	}
	if attrs.BoolOr(config.HA, false) {
		diags.AddAttributeError(path.Root("ha"), "GPU devices with HA", "A VM with GPU devices can't be started on another host when its host fails. Set ha = false.")
	}
}

// checkHA refuses GPU devices of a VM that is, or may be, highly available
// because the configuration does not say.
func checkHA(ctx context.Context, config, plan *model, diags *diag.Diagnostics) {
	gpus, d := gpusFrom(ctx, config.GPUDevices)
	diags.Append(d...)
	if len(gpus) == 0 || !config.HA.IsNull() || attrs.IsKnown(plan.HA) && !plan.HA.ValueBool() {
		return
	}
	diags.AddAttributeError(path.Root("gpu_devices"), "GPU devices with HA",
		"A VM with GPU devices can't be highly available, and without ha the VM is what it is or what its source is. Set ha = false.")
}

// gpuCheck finds out whether a VM can have GPU devices.
type gpuCheck struct {
	client      *tower.Client
	plan, state *model
	vmID        string // "" for a VM that is to be created
	strict      bool   // a VM of the same name counts: it is none that this one replaces
}

// checkGPUs refuses devices that the VM is to get and can't have: those that do
// not exist, are in another host, or are taken by others. vmID is "" for a VM that
// is to be created; a VM of its name is then the one that it replaces, unless
// strict says that this one must be gone.
func (r *Resource) checkGPUs(ctx context.Context, plan, state *model, vmID string, strict bool) diag.Diagnostics {
	wanted, diags := gpusFrom(ctx, plan.GPUDevices)
	before, d := state.gpus(ctx)
	diags.Append(d...)
	client, ok := r.data.TryClient()
	if !ok {
		return diags
	}
	check := gpuCheck{client: client, plan: plan, state: state, vmID: vmID, strict: strict}
	for i, g := range wanted {
		if !attrs.IsKnown(g.GPUID) || plan.HostID.Equal(state.HostID) && amountOf(before, g.GPUID.ValueString()) == int(g.Amount.ValueInt64()) {
			continue
		}
		at := path.Root("gpu_devices").AtListIndex(i)
		member, problem, err := check.problem(ctx, g, amountOf(before, g.GPUID.ValueString()))
		switch {
		case err != nil:
			diagx.AddAttributeError(&diags, at.AtName("gpu_id"), "read", "GPU device", g.GPUID.ValueString(), err)
		case problem != "":
			diags.AddAttributeError(at.AtName(member), "GPU device can't be assigned", problem)
		}
	}
	return diags
}

// problem says why the VM, which has some of a device, can't have it as wanted,
// and which member is at fault; "" where it can.
func (c gpuCheck) problem(ctx context.Context, wanted gpuModel, has int) (member, problem string, err error) {
	id := wanted.GPUID.ValueString()
	device, err := c.client.GPUDevice(ctx, id)
	const self = "gpu_id"
	switch {
	case errors.Is(err, tower.ErrNotFound):
		return self, fmt.Sprintf("Tower has no GPU device with the id %q, or this user may not see it. Check the id.", id), nil
	case err != nil:
		return self, "", err
	case device.ID != id:
		return self, fmt.Sprintf("%q is not Tower's id of the GPU device, but its id inside the cluster. Use %q.", id, device.ID), nil
	case attrs.IsKnown(c.plan.HostID) && device.HostID != c.plan.HostID.ValueString():
		return self, fmt.Sprintf("The GPU device %q (%s) is in the host %q (%s), but host_id is %s. Set host_id to that host, or choose a device of the VM's host.",
			device.Name, id, device.HostName, device.HostID, c.plan.HostID.ValueString()), nil
	case device.Status != "" && device.Status != tower.GPUReady:
		return self, fmt.Sprintf("The GPU device %q (%s) is %s. Make it ready in Tower first, or choose another one.", device.Name, id, device.Status), nil
	case wanted.Amount.IsUnknown():
		return self, "", nil
	}
	amount := int(attrs.Int64Or(wanted.Amount, 1))
	if device.Usage == tower.GPUVirtual {
		problem, err = c.tooFew(ctx, device, amount, has)
		return "amount", problem, err
	}
	if amount > 1 {
		return "amount", fmt.Sprintf("The GPU device %q (%s) is passed through as a whole, so that amount can only be 1.", device.Name, id), nil
	}
	problem, err = c.taken(ctx, device)
	return self, problem, err
}

// replaced reports whether a VM that has the device is the one that is replaced.
func (c gpuCheck) replaced(user tower.GPUUser) bool {
	return !c.strict && c.vmID == "" && (c.plan.Name.IsUnknown() || user.VMName == c.plan.Name.ValueString())
}

// taken says which other VM has a device that only one can have. A VM that is
// stopped leaves its devices to others.
func (c gpuCheck) taken(ctx context.Context, device *tower.GPUDevice) (string, error) {
	for _, user := range device.Users {
		if user.VMID == c.vmID || c.replaced(user) {
			continue
		}
		occupies, err := c.occupies(ctx, user)
		if err != nil {
			return "", err
		}
		if occupies {
			return fmt.Sprintf("The GPU device %q (%s) is taken by the VM %q (%s). Stop that VM or take the device from it first, or choose another one.",
				device.Name, device.ID, user.VMName, user.VMID), nil
		}
	}
	return "", nil
}

// tooFew says that a device has less left than is wanted. What the VM itself
// has of it, or the one that it replaces, comes free.
func (c gpuCheck) tooFew(ctx context.Context, device *tower.GPUDevice, amount, has int) (string, error) {
	if device.VGPUs != nil && amount > *device.VGPUs {
		return fmt.Sprintf("The GPU device %q (%s) is cut into %d virtual GPUs, and amount is %d. Lower amount.", device.Name, device.ID, *device.VGPUs, amount), nil
	}
	if device.Available == nil {
		return "", nil
	}
	left := *device.Available
	if c.vmID != "" && c.state.Status.ValueString() != tower.StatusStopped {
		left += has
	}
	var others []string
	for _, user := range device.Users {
		switch occupies, err := c.occupies(ctx, user); {
		case err != nil:
			return "", err
		case user.VMID == c.vmID || !occupies:
		case c.replaced(user):
			gpus, err := c.client.VMGPUs(ctx, user.VMID)
			if err != nil {
				return "", err
			}
			left += amountOf(gpus, device.ID)
		default:
			others = append(others, fmt.Sprintf("%q", user.VMName))
		}
	}
	if amount <= left {
		return "", nil
	}
	return fmt.Sprintf("The GPU device %q (%s) has %d virtual GPUs left, and amount is %d. Lower amount, or free some that others use (%s), or choose another device.",
		device.Name, device.ID, max(left, 0), amount, strings.Join(others, ", ")), nil
}

// occupies reports whether a VM that has a device keeps others from using it.
func (c gpuCheck) occupies(ctx context.Context, user tower.GPUUser) (bool, error) {
	vm, err := c.client.VM(ctx, user.VMID)
	switch {
	case errors.Is(err, tower.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("reading the VM %q (%s), which has the GPU device: %w", user.VMName, user.VMID, err)
	}
	return vm.Status != tower.StatusStopped && !vm.InRecycleBin, nil
}
