// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// grow gives a volume a new size.
func (w *world) grow(v *volume, size int64) *taskFailure {
	space, failed := v.growth(size)
	if failed != nil {
		return failed
	}

	if failed := w.checkSpace(v.cluster, space); failed != nil {
		return failed
	}

	w.setSize(v, size)

	return nil
}

// growth returns the additional space that a volume takes with a new size.
func (v *volume) growth(size int64) (int64, *taskFailure) {
	if size < v.row.Size {
		return 0, failure("VM_VOLUME_SIZE_ERROR", "The volume %s cannot be reduced.", v.row.Name)
	}

	return mulSaturating(size-v.row.Size, replicas(v.row.ElfStoragePolicy)), nil
}

func (w *world) setSize(v *volume, size int64) {
	v.row.Size = size

	for _, d := range v.disks {
		w.refreshVM(d.vm)
	}
}

func updateVMVolume(c *call, in *wire.UpdateVMVolumeParams) (any, error) {
	volumes, err := matching(c.world, &c.volumes, wire.EntityVMVolume, in.Where)
	if err != nil {
		return nil, err
	}

	if err := c.checkUnlocked(mapSlice(volumes, func(v *volume) lockable { return v })...); err != nil {
		return nil, err
	}

	d := &in.Data

	for _, v := range volumes {
		if d.Size != nil && bytesOf(*d.Size, d.SizeUnit) < v.row.Size {
			return nil, badRequest("body.data.size: is less than the size of the volume, %d", v.row.Size)
		}
	}

	replies := make([]wire.WithTask[*wire.VMVolume], len(volumes))
	for i, v := range volumes {
		t := c.startTask(taskWork{
			mutation: "updateVmVolume", description: localizedText{en: "Update virtual volume", zh: "编辑虚拟卷"},
			resource: "VmVolume", id: v.row.ID, cluster: v.cluster,
			status: wire.EntityAsyncStatusUpdating, objects: []asyncObject{v},
			apply: func() *taskFailure { return c.editVolume(v, d) },
		})
		shown := v.row
		replies[i] = wire.WithTask[*wire.VMVolume]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
	}

	return replies, nil
}

func (w *world) editVolume(v *volume, d *wire.UpdateVMVolumeParamsData) *taskFailure {
	if d.Size != nil {
		if failed := w.grow(v, bytesOf(*d.Size, d.SizeUnit)); failed != nil {
			return failed
		}
	}

	setIfSent(&v.row.Name, d.Name)

	if d.Description != nil {
		v.row.Description = d.Description
	}

	for _, attached := range v.disks {
		attached.row.VMVolume = &wire.NestedVMVolume{ID: v.row.ID, Name: v.row.Name}
		w.journal.touch(attached)
	}

	return nil
}

func (w *world) volumeByID(id string, in *cluster) (*volume, error) {
	v, ok := w.volumes.get(id)
	if !ok {
		return nil, notFound("There is no VM volume %s", id)
	}

	if v.cluster != in {
		return nil, badRequest("The VM volume %s is not in the cluster %s", id, in.row.ID)
	}

	return v, nil
}

func createVMVolume(c *call, in *[]wire.VMVolumeCreationParams) (any, error) {
	clusters, err := planEach(*in, func(i int, p *wire.VMVolumeCreationParams) (*cluster, error) {
		if p.Size <= 0 {
			return nil, badRequest("body[%d].size: must be more than 0", i)
		}

		if err := checkNotEmpty("name", &p.Name); err != nil {
			return nil, err
		}

		if err := c.checkKnownValue(fmt.Sprintf("body[%d].elf_storage_policy", i), string(p.ElfStoragePolicy)); err != nil {
			return nil, err
		}

		found, err := c.clusterByID(p.ClusterID)
		if err != nil {
			return nil, err
		}

		return found, nil
	})
	if err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VMVolume], len(*in))
	for i := range *in {
		p := &(*in)[i]
		replies[i] = c.startVolume(clusters[i], p.Name, bytesOf(p.Size, p.SizeUnit), p.ElfStoragePolicy, p.Sharing, "createVmVolume")
	}

	return replies, nil
}

// startVolume adds a volume as a placeholder and starts the task that creates
// it.
func (c *call) startVolume(in *cluster, name string, size int64, policy wire.VMVolumeElfStoragePolicyType, sharing bool, mutation string) wire.WithTask[*wire.VMVolume] {
	v := c.newVolume(in, name, size, policy)
	localID := v.row.LocalID
	v.row.LocalID, v.row.Sharing, v.linked = placeholderPrefix+localID, sharing, true

	t := c.startTask(taskWork{
		mutation: mutation, description: localizedText{en: "Create virtual volume " + name, zh: "创建虚拟卷 " + name},
		resource: "VmVolume", id: v.row.ID, cluster: in, status: wire.EntityAsyncStatusCreating, objects: []asyncObject{v},
		apply: func() *taskFailure {
			if failed := c.checkSpace(in, mulSaturating(size, replicas(policy))); failed != nil {
				return failed
			}

			// From now on the volume takes its space.
			v.row.LocalID, v.linked = localID, false

			return nil
		},
		undo: func() { c.removeVolume(v) },
	})
	shown := v.row

	return wire.WithTask[*wire.VMVolume]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
}

func cloneVMVolume(c *call, in *[]wire.CloneVMVolumeParams) (any, error) {
	sources, err := planEach(*in, func(_ int, p *wire.CloneVMVolumeParams) (*volume, error) {
		source, err := c.uniqueVolume(&p.Where)
		if err != nil {
			return nil, err
		}

		if err := checkNotEmpty("data.name", &p.Data.Name); err != nil {
			return nil, err
		}

		return source, nil
	})
	if err != nil {
		return nil, err
	}

	replies := make([]wire.WithTask[*wire.VMVolume], len(*in))
	for i, source := range sources {
		data := &(*in)[i].Data
		replies[i] = c.startVolume(source.cluster, data.Name, source.row.Size, source.row.ElfStoragePolicy, source.row.Sharing, "cloneVmVolume")

		if made, ok := c.volumes.get(replies[i].Data.ID); ok && data.Description != nil {
			made.row.Description = data.Description
		}
	}

	return replies, nil
}

func (c *call) uniqueVolume(where *wire.VMVolumeWhereUniqueInput) (*volume, error) {
	for _, v := range c.volumes.list {
		if where.ID.Ptr() != nil && v.row.ID == where.ID.Value || where.LocalID.Ptr() != nil && v.row.LocalID == where.LocalID.Value {
			return v, nil
		}
	}

	return nil, notFound("There is no such VM volume")
}

func deleteVMVolume(c *call, in *wire.VMVolumeDeletionParams) (any, error) {
	volumes, err := matching(c.world, &c.volumes, wire.EntityVMVolume, in.Where)
	if err != nil {
		return nil, err
	}

	if err := c.checkUnlocked(mapSlice(volumes, func(v *volume) lockable { return v })...); err != nil {
		return nil, err
	}

	for _, v := range volumes {
		if len(v.disks) > 0 {
			return nil, badRequest("The volume %s is attached to the VM %s", v.row.Name, v.disks[0].vm.row.Name)
		}
	}

	return startChanges(c, volumes, change[*volume]{
		mutation: "deleteVmVolume", resource: "VmVolume", status: wire.EntityAsyncStatusDeleting,
		description: describe("Delete virtual volume", "删除虚拟卷", func(v *volume) string { return v.row.Name }),
		cluster:     func(v *volume) *cluster { return v.cluster },
		apply: func(v *volume) *taskFailure {
			if len(v.disks) > 0 {
				return failure("VM_VOLUME_IN_USE", "The volume %s is attached to the VM %s.", v.row.Name, v.disks[0].vm.row.Name)
			}

			c.removeVolume(v)

			return nil
		},
	}, deletedReply), nil
}
