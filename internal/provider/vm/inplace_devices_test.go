// SPDX-License-Identifier: MPL-2.0

package vm_test

import "slices"

// deviceRows are the changes of CD-ROM drives and GPU devices.
func deviceRows() []inPlaceRow { return append(cdROMRows(), gpuRows()...) }

func cdROMRows() []inPlaceRow {
	const insert, eject = "update-vm-disk elf_image_id,vm_disk_id", "eject-iso-from-vm-cd-rom"
	drives := func(list string) args { return args{"cd_roms": "[" + list + "]"} }
	return []inPlaceRow{
		{
			argument: "cd_roms", when: "one added", effect: inPlace, before: drives("{}"), after: drives("{ iso_id = local.iso_a }, {}"),
			calls: []string{"add-vm-cd-rom vm_cd_roms"}, tower: map[string]any{"disks.#": 3, "disks.1.elf_image": nil, "disks.2.elf_image.id": "local.iso_a"},
			advice: "It comes last in the boot order.",
		},
		{
			argument: "cd_roms", when: "one removed", effect: inPlace, before: drives("{}, { iso_id = local.iso_a }"), after: drives("{ iso_id = local.iso_a }"),
			calls: []string{"remove-vm-cd-rom cd_rom_ids"}, tower: map[string]any{"disks.#": 2, "disks.1.elf_image.id": "local.iso_a"},
		},
		{
			argument: "cd_roms", when: "in another order", effect: recorded, before: drives("{}, { iso_id = local.iso_a }"), after: drives("{ iso_id = local.iso_a }, {}"),
			tower: map[string]any{"disks.1.elf_image": nil, "disks.2.elf_image.id": "local.iso_a"}, advice: "The boot order stays.",
		},
		{
			argument: "cd_roms", when: "the argument removed", effect: recorded, before: drives("{}"), after: args{"cd_roms": ""},
			tower: map[string]any{"disks.#": 2}, advice: "The drives stay, and are no longer managed.",
		},
		{
			argument: "cd_roms.iso_id", when: "set", effect: inPlace, before: drives("{}"), after: drives("{ iso_id = local.iso_a }"),
			calls: []string{insert}, tower: map[string]any{"disks.1.elf_image.id": "local.iso_a", "status": "RUNNING"},
		},
		{
			argument: "cd_roms.iso_id", when: "changed", effect: inPlace, before: drives("{ iso_id = local.iso_a }"), after: drives("{ iso_id = local.iso_b }"),
			calls: []string{insert}, tower: map[string]any{"disks.1.elf_image.id": "local.iso_b", "status": "RUNNING"},
		},
		{
			argument: "cd_roms.iso_id", when: "removed", effect: inPlace, before: drives("{ iso_id = local.iso_a }"), after: drives("{}"),
			calls: []string{eject}, tower: map[string]any{"disks.#": 2, "disks.1.elf_image": nil, "status": "RUNNING"},
		},
	}
}

func gpuRows() []inPlaceRow {
	const add, remove = "add-vm-gpu-device", "remove-vm-gpu-device"
	// With its host, a VM starts there again.
	off := func(calls ...string) []string {
		return slices.Concat([]string{"shutdown-vm"}, calls, []string{"start-vm host_id"})
	}
	with := func(list string) args {
		return args{"host_id": "local.h1", "ha": "false", "gpu_devices": "[" + list + "]"}
	}
	return []inPlaceRow{
		{
			argument: "gpu_devices", when: "one added", effect: restarts, before: with(""), after: with("{ gpu_id = local.vgpu_a }"),
			calls: off(add), tower: map[string]any{"gpu_devices.#": 1, "gpu_devices.0.id": "local.vgpu_a", "status": "RUNNING", "host.id": "local.h1"},
		},
		{
			argument: "gpu_devices", when: "one removed", effect: restarts, before: with("{ gpu_id = local.vgpu_a }"), after: with(""),
			calls: off(remove), tower: map[string]any{"gpu_devices.#": 0, "status": "RUNNING", "host.id": "local.h1"},
		},
		{
			argument: "gpu_devices", when: "the argument removed", effect: recorded, before: with("{ gpu_id = local.vgpu_a }"), after: args{"gpu_devices": ""},
			tower: map[string]any{"gpu_devices.#": 1}, advice: "The devices stay, and are no longer managed.",
		},
		{
			argument: "gpu_devices", when: "of a VM with HA", effect: refused, after: args{"host_id": "local.h1", "gpu_devices": "[{ gpu_id = local.vgpu_b }]"},
			refusal: []string{"GPU devices with HA", "Set ha = false"}, advice: "Set `ha = false` together with them.",
		},
		{
			argument: "gpu_devices.gpu_id", effect: restarts, before: with("{ gpu_id = local.gpu_a }"), after: with("{ gpu_id = local.gpu_b }"),
			calls: off(remove, add), tower: map[string]any{"gpu_devices.#": 1, "gpu_devices.0.id": "local.gpu_b", "status": "RUNNING"},
			advice: "For a device on another host, change `host_id`, too: the VM moves there while it is off.",
		},
		{
			argument: "gpu_devices.amount", effect: restarts, before: with("{ gpu_id = local.vgpu_b }"), after: with("{ gpu_id = local.vgpu_b, amount = 2 }"),
			calls: off(remove, add), tower: map[string]any{"gpu_devices.#": 1, "gpu_devices.0.id": "local.vgpu_b", "status": "RUNNING"},
		},
	}
}
