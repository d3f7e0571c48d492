// SPDX-License-Identifier: MPL-2.0

package vm_test

// diskRows are the changes of disks.
func diskRows() []inPlaceRow {
	const grow, add, detach, destroy = "expand-vm-disk", "add-vm-disk vm_disks", "remove-vm-disk disk_ids", "delete-vm-volume"
	blank := func(disk string) args { return args{"source": "", "system_disk": disk} }
	data := func(disks string) args { return args{"data_disks": "[" + disks + "]"} }
	return []inPlaceRow{
		{
			argument: "system_disk", when: "first configured as it is", effect: unseen, after: args{"system_disk": "{ size_gib = 40 }"},
			tower: map[string]any{"disks.0.volume.size": 40.0 * (1 << 30)},
		},
		{
			argument: "system_disk.size_gib", when: "raised", effect: inPlace, after: args{"system_disk": "{ size_gib = 50 }"},
			calls: []string{grow}, tower: map[string]any{"disks.0.volume.size": 50.0 * (1 << 30), "disks.#": 1},
			advice: "Grow the file system in the guest yourself.",
		},
		{
			argument: "system_disk.size_gib", when: "lowered", effect: refused, after: args{"system_disk": "{ size_gib = 39 }"},
			refusal: []string{"A disk can't shrink", "has 40 GiB"}, advice: "A disk can't shrink. Replace the VM.",
		},
		{
			argument: "system_disk.bus", effect: restarts, before: args{"system_disk": `{ bus = "SCSI" }`}, after: args{"system_disk": `{ bus = "VIRTIO" }`},
			calls: stopped("update-vm-disk bus,vm_disk_id"), tower: map[string]any{"disks.0.bus": "VIRTIO", "status": "RUNNING"},
		},
		{
			argument: "system_disk.storage_policy", effect: refused, before: blank("{ size_gib = 1 }"), after: blank(`{ size_gib = 1, storage_policy = "REPLICA_3_THIN_PROVISION" }`),
			refusal: []string{"A storage policy can't change", "REPLICA_2_THIN_PROVISION"}, advice: "It can't change once the disk exists. Replace the VM.",
		},
		{
			argument: "data_disks", when: "one added", effect: inPlace,
			before: data(`{ name = "a", size_gib = 1 }`), after: data(`{ name = "b", size_gib = 2 }, { name = "a", size_gib = 1 }`),
			calls: []string{add}, tower: map[string]any{"disks.#": 3, "disks.2.volume.name": "b", "disks.2.volume.size": 2.0 * (1 << 30)},
			advice: "A disk on an `IDE` bus stops and starts the VM.",
		},
		{
			argument: "data_disks", when: "one removed", effect: inPlace,
			before: data(`{ name = "a", size_gib = 1 }, { name = "b", size_gib = 1 }`), after: data(`{ name = "b", size_gib = 1 }`),
			calls: []string{detach, destroy}, tower: map[string]any{"disks.#": 2, "disks.1.volume.name": "b"},
			advice: "**Its volume is deleted with all data**, unless the configuration names it by `volume_id`. A disk on an `IDE` bus stops and starts the VM.",
		},
		{
			argument: "data_disks", when: "one with `volume_id` removed", effect: inPlace,
			before: data(`{ name = "given", volume_id = local.volume_a }`), after: data(""),
			calls: []string{detach}, tower: map[string]any{"disks.#": 1}, advice: "The volume stays.",
		},
		{
			argument: "data_disks", when: "in another order", effect: recorded,
			before: data(`{ name = "a", size_gib = 1 }, { name = "b", size_gib = 1 }`), after: data(`{ name = "b", size_gib = 1 }, { name = "a", size_gib = 1 }`),
			tower: map[string]any{"disks.1.volume.name": "a", "disks.2.volume.name": "b"},
		},
		{
			argument: "data_disks", when: "the argument removed", effect: recorded,
			before: data(`{ name = "a", size_gib = 1 }`), after: args{"data_disks": ""},
			tower: map[string]any{"disks.#": 2}, advice: "The disks stay, and are no longer managed.",
		},
		{
			argument: "data_disks.name", effect: inPlace, before: data(`{ name = "a", size_gib = 1 }`), after: data(`{ name = "b", size_gib = 1 }`),
			calls: []string{detach, destroy, add}, tower: map[string]any{"disks.#": 2, "disks.1.volume.name": "b"},
			advice: "A disk with another name is another disk: **the old one is removed with its data**, and a new one is created.",
		},
		{
			argument: "data_disks.size_gib", when: "raised", effect: inPlace, before: data(`{ name = "a", size_gib = 1 }`), after: data(`{ name = "a", size_gib = 3 }`),
			calls: []string{grow}, tower: map[string]any{"disks.1.volume.size": 3.0 * (1 << 30)},
		},
		{
			argument: "data_disks.size_gib", when: "lowered", effect: refused, before: data(`{ name = "a", size_gib = 2 }`), after: data(`{ name = "a", size_gib = 1 }`),
			refusal: []string{"A disk can't shrink", "has 2 GiB"}, advice: "A disk can't shrink. Add a disk with another name, and copy the data.",
		},
		{
			argument: "data_disks.volume_id", effect: inPlace,
			before: data(`{ name = "given", volume_id = local.volume_b }`), after: data(`{ name = "given", volume_id = local.volume_c }`),
			calls: []string{detach, add}, tower: map[string]any{"disks.#": 2, "disks.1.volume.id": "local.volume_c"},
			advice: "The old volume is detached and kept; the new one is attached.",
		},
		{
			argument: "data_disks.storage_policy", effect: refused,
			before: data(`{ name = "a", size_gib = 1 }`), after: data(`{ name = "a", size_gib = 1, storage_policy = "REPLICA_3_THIN_PROVISION" }`),
			refusal: []string{"A storage policy can't change", "REPLICA_2_THIN_PROVISION"}, advice: "It can't change once the volume exists. Add a disk with another name, and copy the data.",
		},
		{
			argument: "data_disks.bus", effect: restarts,
			before: data(`{ name = "a", size_gib = 1 }`), after: data(`{ name = "a", size_gib = 1, bus = "SCSI" }`),
			calls: stopped("update-vm-disk bus,vm_disk_id"), tower: map[string]any{"disks.1.bus": "SCSI", "status": "RUNNING"},
		},
	}
}
