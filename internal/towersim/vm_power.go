// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// vmWork is a change that an operation makes to each VM that its filter finds.
type vmWork struct {
	mutation string
	about    func(v *vm) text
	status   wire.EntityAsyncStatus
	// from lists the power states in which the change is possible; nil means any.
	from  []wire.VMStatus
	apply func(v *vm) *taskFailure
	// settle runs when the VM is idle again.
	settle func(v *vm)
}

// eachVM starts a change on the VMs that a filter finds and replies with their
// rows. If one of them is locked, nothing is started.
func (c *call) eachVM(where json.RawMessage, k vmWork) (any, error) {
	vms, err := match(c.world, &c.vms, wire.EntityVM, where)
	if err != nil {
		return nil, err
	}

	return c.changeVMs(vms, k)
}

func (c *call) changeVMs(vms []*vm, k vmWork) (any, error) {
	if err := c.acceptsVMs(vms, k); err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VM], len(vms))
	for i, v := range vms {
		t := c.beginVM(v, k)
		shown := v.row
		replies[i] = wire.WithTask[*wire.VM]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
	}

	return replies, nil
}

// removeVMs is eachVM for the operations that reply with ids alone.
func (c *call) removeVMs(where json.RawMessage, k vmWork) (any, error) {
	vms, err := match(c.world, &c.vms, wire.EntityVM, where)
	if err != nil {
		return nil, err
	}

	if err := c.acceptsVMs(vms, k); err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[wire.Deleted], len(vms))
	for i, v := range vms {
		t := c.beginVM(v, k)
		replies[i] = wire.WithTask[wire.Deleted]{TaskID: wire.Ptr(t.row.ID), Data: wire.Deleted{ID: v.row.ID}}
	}

	return replies, nil
}

// acceptsVMs refuses a change of locked VMs and, from 4.7 on, one that their
// power state does not allow. Older Towers let the task find that out.
func (c *call) acceptsVMs(vms []*vm, k vmWork) error {
	if err := c.free(mapped(vms, func(v *vm) lockable { return v })...); err != nil {
		return err
	}

	if !c.version.atLeast(4, 7) {
		return nil
	}

	for _, v := range vms {
		if failed := k.allowed(v); failed != nil {
			return badRequest("%s", failed.message)
		}
	}

	return nil
}

func (k *vmWork) allowed(v *vm) *taskFailure {
	switch {
	case v.deleted():
		return failure("VM_NOT_FOUND", "The VM %s is gone.", v.row.Name)
	case k.from == nil:
		return nil
	case v.row.InRecycleBin:
		return failure("VM_STATUS_NOT_ALLOWED", "The VM %s is in the recycle bin.", v.row.Name)
	case slices.Contains(k.from, v.row.Status):
		return nil
	}

	return failure("VM_STATUS_NOT_ALLOWED", "The VM %s is %s.", v.row.Name, v.row.Status)
}

func (c *call) beginVM(v *vm, k vmWork) *task {
	status := k.status
	if status == "" {
		status = wire.EntityAsyncStatusUpdating
	}

	return c.begin(work{
		mutation: k.mutation, about: k.about(v), resource: "Vm", id: v.row.ID, cluster: v.cluster,
		status: status, holds: []markable{v},
		apply: func() *taskFailure {
			if failed := k.allowed(v); failed != nil {
				return failed
			}

			return k.apply(v)
		},
		settle: func() {
			if k.settle != nil {
				k.settle(v)
			}
		},
	})
}

// named makes the description of a task on one VM.
func named(en, zh string) func(v *vm) text {
	return func(v *vm) text { return text{en: en + " " + v.row.Name, zh: zh + " " + v.row.Name} }
}

func startVM(c *call, in *wire.VMStartParams) (any, error) {
	var wanted *host

	if in.Data != nil {
		h, err := c.hostNamed(in.Data.HostID, nil)
		if err != nil {
			return nil, err
		}

		wanted = h
	}

	return c.eachVM(in.Where, vmWork{
		mutation: "startVm", about: named("Start VM", "开启虚拟机"), from: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure {
			placed, failed := c.place(v, wanted)
			if failed != nil {
				return failed
			}

			if len(v.gpus) > 0 && wanted == nil {
				return failure("GPU_ASSIGN_FAILED", "The VM %s has GPU devices and starts only on a host that is named.", v.row.Name)
			}

			v.host = placed
			c.show(v)
			c.powerOn(v)

			return nil
		},
	})
}

var running = []wire.VMStatus{wire.VMStatusRunning}

func shutDownVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.eachVM(in.Where, vmWork{
		mutation: "shutDownVm", about: named("Shut down VM", "关闭虚拟机"), from: running,
		apply: func(v *vm) *taskFailure {
			if acpi := v.story.guest.ACPI; acpi != nil && !*acpi {
				return failure("JOB_VM_SHUTDOWN_TIMEOUT", "The guest of the VM did not shut down in time.")
			}

			c.powerOff(v)

			return nil
		},
	})
}

func powerOffVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.eachVM(in.Where, vmWork{
		mutation: "powerOffVm", about: named("Power off VM", "强制关闭虚拟机"),
		from: []wire.VMStatus{wire.VMStatusRunning, wire.VMStatusSuspended},
		apply: func(v *vm) *taskFailure {
			c.powerOff(v)

			return nil
		},
	})
}

func restartVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.eachVM(in.Where, vmWork{
		mutation: "restartVm", about: named("Restart VM", "重启虚拟机"), from: running,
		apply: func(v *vm) *taskFailure {
			if acpi := v.story.guest.ACPI; acpi != nil && !*acpi {
				return failure("JOB_VM_SHUTDOWN_TIMEOUT", "The guest of the VM did not restart in time.")
			}

			c.powerOn(v)

			return nil
		},
	})
}

func forceRestartVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.eachVM(in.Where, vmWork{
		mutation: "forceRestartVm", about: named("Force restart VM", "强制重启虚拟机"), from: running,
		apply: func(v *vm) *taskFailure {
			c.powerOn(v)

			return nil
		},
	})
}

func suspendVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.eachVM(in.Where, vmWork{
		mutation: "suspendVm", about: named("Suspend VM", "暂停虚拟机"), from: running,
		apply: func(v *vm) *taskFailure {
			c.suspend(v)

			return nil
		},
	})
}

func resumeVM(c *call, in *wire.VMOperateParams) (any, error) {
	return c.eachVM(in.Where, vmWork{
		mutation: "resumeVm", about: named("Resume VM", "恢复虚拟机"), from: []wire.VMStatus{wire.VMStatusSuspended},
		apply: func(v *vm) *taskFailure {
			c.resume(v)

			return nil
		},
	})
}
