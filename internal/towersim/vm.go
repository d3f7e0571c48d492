// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func updateVM(c *call, in *wire.VMUpdateParams) (any, error) {
	d := in.Data
	if err := checkBasic(&d); err != nil {
		return nil, err
	}

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "updateVm", description: describeVM("Edit VM", "编辑虚拟机"),
		apply: func(v *vm) *taskFailure { return c.editVM(v, &d) },
	})
}

// checkBasic refuses data that is invalid for any VM.
func checkBasic(d *wire.VMUpdateParamsData) error {
	if d.Name != nil && *d.Name == "" {
		return badRequest("body.data.name: must not be empty")
	}

	if d.Memory != nil && *d.Memory <= 0 {
		return badRequest("body.data.memory: must be more than 0")
	}

	// These numbers can be checked before any VM is looked up.
	if d.CPUCores != nil && d.CPUSockets != nil {
		example := hardware{cores: 1, sockets: 1}

		return example.setCPUs(d.VCPU, d.CPUCores, d.CPUSockets)
	}

	return nil
}

// editVM changes a VM's basic data, completely or not at all.
func (w *world) editVM(v *vm, d *wire.VMUpdateParamsData) *taskFailure {
	edited := hardware{cores: v.row.CPU.Cores, sockets: v.row.CPU.Sockets, memory: v.row.Memory}
	if err := edited.setCPUs(d.VCPU, d.CPUCores, d.CPUSockets); err != nil {
		return failure("VM_CPU_CONFIG_ERROR", "%s", refusalMessage(err))
	}

	if d.Memory != nil {
		edited.memory = bytesOf(*d.Memory, d.MemoryUnit)
	}

	if d.Name != nil && *d.Name != v.row.Name {
		if failed := w.checkVMName(v, *d.Name); failed != nil {
			return failed
		}
	}

	if failed := w.checkResize(v, &edited); failed != nil {
		return failed
	}

	if d.HA != nil && *d.HA && len(v.gpus) > 0 {
		return failure(codeGPUAndHA, "A VM with GPU devices cannot be highly available.")
	}

	v.row.CPU = wire.NestedCPU{Cores: edited.cores, Sockets: edited.sockets}
	v.row.VCPU, v.row.Memory = edited.vcpu(), edited.memory
	setIfSent(&v.row.Name, d.Name)
	setIfSent(&v.row.Description, d.Description)
	setIfSent(&v.row.HA, d.HA)
	w.renewPartIDs(v)

	return nil
}

// checkResize refuses to remove CPUs or memory from a VM that is not stopped,
// and to add more memory than its host has.
func (w *world) checkResize(v *vm, to *hardware) *taskFailure {
	if !v.holdsMemory() {
		return nil
	}

	if to.vcpu() < v.row.VCPU || to.memory < v.row.Memory {
		return failure("VM_STATUS_NOT_ALLOWED", "CPUs and memory of the VM %s can be reduced only while it is stopped.", v.row.Name)
	}

	free := v.host.row.TotalMemoryBytes - v.host.row.OSMemoryBytes - w.memoryInUse(v.host)
	if to.memory-v.row.Memory > free {
		return scheduleFailure(filterMemory)
	}

	return nil
}

// setIfSent sets a value if it was sent.
func setIfSent[T any](to *T, sent *T) {
	if sent != nil {
		*to = *sent
	}
}

func deleteVM(c *call, in *wire.VMDeleteParams) (any, error) {
	withSnapshots := in.Effect != nil && in.Effect.IncludeSnapshots != nil && *in.Effect.IncludeSnapshots

	return c.changeMatchingVMsByID(in.Where, vmChange{
		mutation: "deleteVm", description: describeVM("Delete VM", "删除虚拟机"), status: wire.EntityAsyncStatusDeleting,
		apply: func(v *vm) *taskFailure {
			if failed := c.checkDeletable(v); failed != nil {
				return failed
			}

			snapshots := c.snapshotsOf(v)
			c.removeVM(v)

			if withSnapshots {
				for _, s := range snapshots {
					c.snapshots.remove(s)
				}
			}

			return nil
		},
	})
}

// checkDeletable refuses to delete a running VM if the scenario says so.
func (w *world) checkDeletable(v *vm) *taskFailure {
	if v.holdsMemory() && !w.scenario.DeleteRunning {
		return failure("VM_STATUS_NOT_ALLOWED", "The VM %s is %s and cannot be deleted.", v.row.Name, v.row.Status)
	}

	return nil
}

func moveVMToRecycleBin(c *call, in *wire.VMOperateParams) (any, error) {
	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	for _, v := range vms {
		if !c.recycleBinEnabled(v.cluster) {
			return nil, badRequest("The recycle bin is not enabled in the cluster %s", v.cluster.row.Name)
		}
	}

	return c.changeMatchingVMsByID(in.Where, vmChange{
		mutation: "moveVmToRecycleBin", description: describeVM("Move VM to the recycle bin", "移动虚拟机到回收站"),
		apply: func(v *vm) *taskFailure {
			if failed := c.checkDeletable(v); failed != nil {
				return failed
			}

			c.moveToRecycleBin(v)

			return nil
		},
	})
}

// moveToRecycleBin moves a VM to the recycle bin. It keeps its disks and its
// name.
func (w *world) moveToRecycleBin(v *vm) {
	if v.row.InRecycleBin {
		return
	}

	if v.holdsMemory() {
		w.powerOff(v)
	}

	v.row.InRecycleBin = true
	v.row.DeletedAt = formatTimePtr(w.now)
	v.row.OriginalName = wire.Ptr(v.row.Name)
}

func recoverVMFromRecycleBin(c *call, in *wire.VMOperateParams) (any, error) {
	return c.changeMatchingVMsByID(in.Where, vmChange{
		mutation: "recoverVmFromRecycleBin", description: describeVM("Recover VM", "恢复虚拟机"),
		apply: func(v *vm) *taskFailure {
			if !v.row.InRecycleBin {
				return nil
			}

			if failed := c.checkVMName(v, v.row.Name); failed != nil {
				return failed
			}

			if failed := c.checkMACsFree(v, v.cluster); failed != nil {
				return failed
			}

			v.row.InRecycleBin, v.row.DeletedAt, v.row.OriginalName = false, nil, nil

			return nil
		},
	})
}

func updateVMOwner(c *call, in *wire.VMUpdateOwnerParams) (any, error) {
	owner, err := c.findUser(string(in.Data.SearchFor), in.Data.Value)
	if err != nil {
		return nil, err
	}

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "updateVmOwner", description: describeVM("Change the owner of VM", "更改虚拟机所有者"),
		apply: func(v *vm) *taskFailure {
			v.owner = owner
			c.renewPartIDs(v)

			return nil
		},
	})
}
