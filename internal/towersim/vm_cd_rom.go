// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func addVMCDROM(c *call, in *wire.VMAddCdRomParams) (any, error) {
	return c.addDisks(in.Where, &wire.VMDiskParams{MountCdRoms: in.Data.VMCdRoms})
}

func removeVMCDROM(c *call, in *wire.VMRemoveCdRomParams) (any, error) {
	return c.removeDisks(in.Where, "body.data.cd_rom_ids", in.Data.CdRomIDs, wire.VMDiskTypeCdRom)
}

func ejectISO(c *call, in *wire.VMEjectCdRomParams) (any, error) {
	vms, chosen, err := c.matchDisks(in.Where)
	if err != nil {
		return nil, err
	}

	for _, disks := range chosen {
		for _, d := range disks {
			if d.row.Type != wire.VMDiskTypeCdRom {
				return nil, badRequest("body.where: the disk %s is no CD-ROM drive", d.row.ID)
			}
		}
	}

	return c.changeVMs(vms, vmWork{
		mutation: "updateVm", about: editDisk,
		apply: func(v *vm) *taskFailure {
			for _, d := range chosen[v] {
				d.image = nil
				d.showImage()
			}

			c.renew(v)

			return nil
		},
	})
}
