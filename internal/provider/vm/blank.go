// SPDX-License-Identifier: MPL-2.0

package vm

import "github.com/smartxworks/terraform-provider-elf/internal/tower"

// What a VM without a source gets where nothing else is configured.
const (
	blankMemoryMiB = 1024
	blankFirmware  = "BIOS"
)

// completeBlank fills what Tower wants to be told of a VM that has no source.
func (m *model) completeBlank(in *tower.VMCreate) {
	one, ha, firmware, memory := 1, true, blankFirmware, int64(blankMemoryMiB)*mebibyte
	if in.CPUCores == nil {
		in.CPUCores = &one
	}
	if in.CPUSockets == nil {
		in.CPUSockets = &one
	}
	if in.MemoryBytes == nil {
		in.MemoryBytes = &memory
	}
	if in.Firmware == nil {
		in.Firmware = &firmware
	}
	if in.HA == nil {
		in.HA = &ha
	}
}
