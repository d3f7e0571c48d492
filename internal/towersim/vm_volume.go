// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func createVMVolume(c *call, in *[]wire.VMVolumeCreationParams) (any, error) {
	clusters := make([]*cluster, len(*in))

	for i := range *in {
		p := &(*in)[i]

		of, err := c.clusterNamed(p.ClusterID)
		if err != nil {
			return nil, err
		}

		if p.Name == "" || p.Size <= 0 {
			return nil, badRequest("body[%d]: a volume needs a name and a size", i)
		}

		clusters[i] = of
	}

	replies := make([]wire.WithTask[*wire.VMVolume], len(*in))

	for i := range *in {
		p := &(*in)[i]
		size := bytesOf(p.Size, p.SizeUnit)
		v := c.newVolume(clusters[i], p.Name, "", size, p.ElfStoragePolicy)
		v.row.Sharing = p.Sharing

		t := c.begin(work{
			mutation: "createVmVolume", about: text{en: "Create virtual volume " + p.Name, zh: "创建虚拟卷 " + p.Name},
			resource: "VmVolume", id: v.row.ID, cluster: clusters[i],
			status: wire.EntityAsyncStatusCreating, holds: []lockable{v},
			// What the volume takes is counted from its acceptance.
			apply: func() *taskFailure { return c.hasSpace(v.cluster, 1) },
			undo:  func() { c.volumes.remove(v) },
		})
		shown := v.row
		replies[i] = wire.WithTask[*wire.VMVolume]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
	}

	return replies, nil
}

func deleteVMVolume(c *call, in *wire.VMVolumeDeletionParams) (any, error) {
	volumes, err := match(c.world, &c.volumes, wire.EntityVMVolume, in.Where)
	if err != nil {
		return nil, err
	}

	if err := c.free(mapped(volumes, func(v *volume) lockable { return v })...); err != nil {
		return nil, err
	}

	for _, v := range volumes {
		if len(v.disks) > 0 {
			return nil, badRequest("The volume %s is attached to the VM %s", v.row.Name, v.disks[0].vm.row.Name)
		}
	}

	replies := make([]wire.WithTask[wire.Deleted], len(volumes))
	for i, v := range volumes {
		t := c.begin(work{
			mutation: "deleteVmVolume", about: text{en: "Delete virtual volume " + v.row.Name, zh: "删除虚拟卷 " + v.row.Name},
			resource: "VmVolume", id: v.row.ID, cluster: v.cluster,
			status: wire.EntityAsyncStatusDeleting, holds: []lockable{v},
			apply: func() *taskFailure {
				if len(v.disks) > 0 {
					return failure("VM_VOLUME_IN_USE", "The volume %s is attached to the VM %s.", v.row.Name, v.disks[0].vm.row.Name)
				}

				c.volumes.remove(v)

				return nil
			},
		})
		replies[i] = wire.WithTask[wire.Deleted]{TaskID: wire.Ptr(t.row.ID), Data: wire.Deleted{ID: v.row.ID}}
	}

	return replies, nil
}
