// SPDX-License-Identifier: MPL-2.0

package vm_test

// drives are the ids of the VM's CD-ROM drives just now.
func (d *drifter) drives() []string {
	d.t.Helper()
	var ids []string
	for _, found := range d.api.disks(d.name) {
		if found.Volume == nil {
			ids = append(ids, found.ID)
		}
	}
	return ids
}

func (d *drifter) eject(place int) {
	d.t.Helper()
	d.api.change("eject-iso-from-vm-cd-rom", body{"where": body{"id": d.drives()[place]}})
}

// gpu adds or removes a GPU device while the VM is off, and leaves it off.
func (d *drifter) gpu(operation, local string, amount int) {
	d.t.Helper()
	d.change("shutdown-vm", nil)
	d.api.change(operation, body{"where": body{"id": d.id}, "data": []body{{"gpu_id": d.world.locals[local], "amount": amount}}})
}

// driftOfDrives is that of CD-ROM drives and GPU devices.
func driftOfDrives() []driftRow {
	const insert, addGPU, removeGPU = "update-vm-disk elf_image_id,vm_disk_id", "add-vm-gpu-device", "remove-vm-gpu-device"
	both := args{"cd_roms": "[{ iso_id = local.iso_a }, { iso_id = local.iso_b }]"}
	gpu := func(list string) args {
		return args{"host_id": "local.h1", "ha": "false", "power_state": `"RUNNING"`, "gpu_devices": "[" + list + "]"}
	}
	return []driftRow{
		{
			name: "cd_roms ejected", args: both, change: func(d *drifter) { d.eject(1) },
			effect: inPlace, calls: []string{insert}, tower: map[string]any{"disks.#": 3, "disks.1.elf_image.id": "local.iso_a", "disks.2.elf_image.id": "local.iso_b"},
		},
		{
			name: "cd_roms inserted", args: args{"cd_roms": "[{}, { iso_id = local.iso_a }]"}, change: func(d *drifter) {
				d.change("update-vm-disk", body{"vm_disk_id": d.drives()[0], "elf_image_id": d.world.locals["iso_b"]})
			},
			effect: inPlace, calls: []string{"eject-iso-from-vm-cd-rom"}, tower: map[string]any{"disks.1.elf_image": nil, "disks.2.elf_image.id": "local.iso_a"},
		},
		{
			name: "cd_roms added", args: args{"cd_roms": "[]"}, change: func(d *drifter) {
				d.change("add-vm-cd-rom", body{"vm_cd_roms": []body{{"boot": 9}}})
			},
			effect: inPlace, calls: []string{"remove-vm-cd-rom cd_rom_ids"}, tower: map[string]any{"disks.#": 1},
		},
		{
			name: "cd_roms removed", args: both, change: func(d *drifter) { d.change("remove-vm-cd-rom", body{"cd_rom_ids": d.drives()[:1]}) },
			effect: inPlace, calls: []string{"add-vm-cd-rom vm_cd_roms"},
			tower: map[string]any{"disks.#": 3, "disks.1.elf_image.id": "local.iso_b", "disks.2.elf_image.id": "local.iso_a"},
		},
		{
			name: "gpu_devices removed", args: gpu("{ gpu_id = local.gpu_a }"), change: func(d *drifter) { d.gpu(removeGPU, "gpu_a", 1) },
			effect: inPlace, calls: []string{addGPU, "start-vm host_id"}, tower: map[string]any{"gpu_devices.0.id": "local.gpu_a", "status": "RUNNING"},
		},
		{
			name: "gpu_devices added", args: gpu(""), change: func(d *drifter) {
				d.gpu(addGPU, "gpu_b", 1)
				d.change("start-vm", body{"host_id": d.world.locals["h1"]})
			},
			effect: restarts, calls: []string{"shutdown-vm", removeGPU, "start-vm host_id"}, tower: map[string]any{"gpu_devices.#": 0, "status": "RUNNING"},
		},
		{
			name: "gpu_devices amount", args: gpu("{ gpu_id = local.vgpu_a, amount = 2 }"), change: func(d *drifter) { d.gpu(addGPU, "vgpu_a", 1) },
			effect: inPlace, calls: []string{removeGPU, addGPU, "start-vm host_id"}, tower: map[string]any{"gpu_devices.#": 1, "status": "RUNNING"},
		},
	}
}

// driftOfDrivesThatIsNone is what a plan must not show of drives.
func driftOfDrivesThatIsNone() []driftRow {
	return []driftRow{
		{
			name: "drives that change places", args: args{"cd_roms": "[{ iso_id = local.iso_a }, {}]"}, change: func(d *drifter) {
				d.change("update-vm-disk", body{"vm_disk_id": d.drives()[1], "elf_image_id": d.world.locals["iso_a"]})
				d.eject(0)
			},
		},
		{
			name: "VM tools being installed", args: args{"cd_roms": "[{}]"}, change: func(d *drifter) { d.change("install-vmtools", nil) },
		},
		{
			name: "a drive for VM tools", args: args{"cd_roms": "[]"}, change: func(d *drifter) { d.change("install-vmtools", nil) },
			tower: map[string]any{"disks.#": 2},
		},
		{
			name: "drives that are not configured", change: func(d *drifter) {
				d.change("add-vm-cd-rom", body{"vm_cd_roms": []body{{"boot": 9, "elf_image_id": d.world.locals["iso_a"]}}})
			},
			tower: map[string]any{"disks.#": 2},
		},
		{
			name: "GPU devices that are not configured", args: args{"host_id": "local.h1", "ha": "false"}, change: func(d *drifter) {
				d.gpu("add-vm-gpu-device", "vgpu_b", 1)
				d.change("start-vm", body{"host_id": d.world.locals["h1"]})
			},
			tower: map[string]any{"gpu_devices.#": 1},
		},
	}
}
