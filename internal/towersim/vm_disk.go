// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// matchDisks returns the disks that a filter selects, by their VMs.
func (c *call) matchDisks(where json.RawMessage) ([]*vm, map[*vm][]*disk, error) {
	disks, err := matching(c.world, &c.disks, wire.EntityVMDisk, where)
	if err != nil {
		return nil, nil, err
	}

	var vms []*vm

	chosen := map[*vm][]*disk{}

	for _, d := range disks {
		if chosen[d.vm] == nil {
			vms = append(vms, d.vm)
		}

		chosen[d.vm] = append(chosen[d.vm], d)
	}

	return vms, chosen, nil
}

func expandVMDisk(c *call, in *wire.VMExpandVMDiskParams) (any, error) {
	vms, chosen, err := c.matchDisks(in.Where)
	if err != nil {
		return nil, err
	}

	size := bytesOf(in.Size, in.SizeUnit)

	for _, disks := range chosen {
		for _, d := range disks {
			if d.volume == nil {
				return nil, badRequest("body.where: a CD-ROM drive cannot be expanded")
			}

			if size < d.volume.row.Size {
				return nil, badRequest("body.size: %d is less than the size of the disk, %d", size, d.volume.row.Size)
			}
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: "updateVm",
		description: func(v *vm) localizedText {
			return localizedText{en: "Edit VM " + v.row.Name + " disk", zh: "编辑虚拟机 " + v.row.Name + " 磁盘"}
		},
		apply: func(v *vm) *taskFailure {
			var space int64

			for _, d := range chosen[v] {
				more, failed := d.volume.growth(size)
				if failed != nil {
					return failed
				}

				space = addSaturating(space, more)
			}

			if failed := c.checkSpace(v.cluster, space); failed != nil {
				return failed
			}

			for _, d := range chosen[v] {
				c.setSize(d.volume, size)
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}
