// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// vmChange is the change that an operation makes to each VM that its filter
// selects.
type vmChange struct {
	mutation    string
	description func(v *vm) localizedText
	status      wire.EntityAsyncStatus
	// allowedFrom lists the power states in which the change is possible; nil
	// means all.
	allowedFrom []wire.VMStatus
	apply       func(v *vm) *taskFailure
	// onIdle runs when the VM is idle again.
	onIdle func(v *vm)
}

// changeMatchingVMs starts a change of the VMs that a filter selects, and
// replies with their rows. If one of them is locked, it starts nothing.
func (c *call) changeMatchingVMs(where json.RawMessage, k vmChange) (any, error) {
	vms, err := matching(c.world, &c.vms, wire.EntityVM, where)
	if err != nil {
		return nil, err
	}

	return c.changeVMs(vms, k)
}

func (c *call) changeVMs(vms []*vm, k vmChange) (any, error) {
	if err := c.checkVMs(vms, k); err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VM], len(vms))
	for i, v := range vms {
		t := c.startVMTask(v, k)
		shown := v.row
		replies[i] = wire.WithTask[*wire.VM]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
	}

	return replies, nil
}

// changeMatchingVMsByID is changeMatchingVMs for operations that reply with ids
// only.
func (c *call) changeMatchingVMsByID(where json.RawMessage, k vmChange) (any, error) {
	vms, err := matching(c.world, &c.vms, wire.EntityVM, where)
	if err != nil {
		return nil, err
	}

	if err := c.checkVMs(vms, k); err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[wire.Deleted], len(vms))
	for i, v := range vms {
		t := c.startVMTask(v, k)
		replies[i] = wire.WithTask[wire.Deleted]{TaskID: wire.Ptr(t.row.ID), Data: wire.Deleted{ID: v.row.ID}}
	}

	return replies, nil
}

// checkVMs refuses to change locked VMs and, since 4.7, VMs in a wrong power
// state. In older Towers only the task finds the wrong power state.
func (c *call) checkVMs(vms []*vm, k vmChange) error {
	if err := c.checkUnlocked(mapSlice(vms, func(v *vm) lockable { return v })...); err != nil {
		return err
	}

	if !c.version.atLeast(4, 7) {
		return nil
	}

	for _, v := range vms {
		if failed := k.check(v); failed != nil {
			return badRequest("%s", failed.message)
		}
	}

	return nil
}

func (k *vmChange) check(v *vm) *taskFailure {
	switch {
	case v.deleted():
		return failure("VM_NOT_FOUND", "The VM %s is gone.", v.row.Name)
	case k.allowedFrom == nil:
		return nil
	case v.row.InRecycleBin:
		return failure("VM_STATUS_NOT_ALLOWED", "The VM %s is in the recycle bin.", v.row.Name)
	case slices.Contains(k.allowedFrom, v.row.Status):
		return nil
	}

	return failure("VM_STATUS_NOT_ALLOWED", "The VM %s is %s.", v.row.Name, v.row.Status)
}

func (c *call) startVMTask(v *vm, k vmChange) *task {
	status := k.status
	if status == "" {
		status = wire.EntityAsyncStatusUpdating
	}

	return c.startTask(taskWork{
		mutation: k.mutation, description: k.description(v), resource: "Vm", id: v.row.ID, cluster: v.cluster,
		status: status, objects: []asyncObject{v},
		apply: func() *taskFailure {
			if failed := k.check(v); failed != nil {
				return failed
			}

			return k.apply(v)
		},
		onIdle: func() {
			if k.onIdle != nil {
				k.onIdle(v)
			}
		},
	})
}

// describeVM returns a function that describes a task on a VM.
func describeVM(en, zh string) func(v *vm) localizedText {
	return func(v *vm) localizedText { return localizedText{en: en + " " + v.row.Name, zh: zh + " " + v.row.Name} }
}

func startVM(c *call, in *wire.VMStartParams) (any, error) {
	var wanted *host

	if in.Data != nil {
		h, err := c.hostByID(in.Data.HostID, nil)
		if err != nil {
			return nil, err
		}

		wanted = h
	}

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "startVm", description: describeVM("Start VM", "开启虚拟机"), allowedFrom: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure {
			placed, failed := c.pickHost(v, wanted)
			if failed != nil {
				return failed
			}

			if len(v.gpus) > 0 && wanted == nil {
				return failure("GPU_ASSIGN_FAILED", "The VM %s has GPU devices; it starts only if the request names a host.", v.row.Name)
			}

			v.host = placed
			c.refreshVM(v)
			c.powerOn(v)

			return nil
		},
	})
}

var statusRunning = []wire.VMStatus{wire.VMStatusRunning}

func shutDownVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "shutDownVm", description: describeVM("Shut down VM", "关闭虚拟机"), allowedFrom: statusRunning,
		apply: func(v *vm) *taskFailure {
			if acpi := v.guestRun.guest.ACPI; acpi != nil && !*acpi {
				return failure("JOB_VM_SHUTDOWN_TIMEOUT", "The guest of the VM did not shut down in time.")
			}

			c.powerOff(v)

			return nil
		},
	})
}

func powerOffVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "powerOffVm", description: describeVM("Power off VM", "强制关闭虚拟机"),
		allowedFrom: []wire.VMStatus{wire.VMStatusRunning, wire.VMStatusSuspended},
		apply: func(v *vm) *taskFailure {
			c.powerOff(v)

			return nil
		},
	})
}

func restartVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "restartVm", description: describeVM("Restart VM", "重启虚拟机"), allowedFrom: statusRunning,
		apply: func(v *vm) *taskFailure {
			if acpi := v.guestRun.guest.ACPI; acpi != nil && !*acpi {
				return failure("JOB_VM_SHUTDOWN_TIMEOUT", "The guest of the VM did not restart in time.")
			}

			c.powerOn(v)

			return nil
		},
	})
}

func forceRestartVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "forceRestartVm", description: describeVM("Force restart VM", "强制重启虚拟机"), allowedFrom: statusRunning,
		apply: func(v *vm) *taskFailure {
			c.powerOn(v)

			return nil
		},
	})
}

func suspendVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "suspendVm", description: describeVM("Suspend VM", "暂停虚拟机"), allowedFrom: statusRunning,
		apply: func(v *vm) *taskFailure {
			c.suspend(v)

			return nil
		},
	})
}

func resumeVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "resumeVm", description: describeVM("Resume VM", "恢复虚拟机"), allowedFrom: []wire.VMStatus{wire.VMStatusSuspended},
		apply: func(v *vm) *taskFailure {
			c.resume(v)

			return nil
		},
	})
}
