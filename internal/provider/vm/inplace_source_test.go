// SPDX-License-Identifier: MPL-2.0

package vm_test

// sourceRows are the changes of what a VM is made from.
func sourceRows() []inPlaceRow {
	source := func(member string) args { return args{"source": "{ " + member + " }"} }
	init := func(members string) args { return args{"cloud_init": "{ " + members + " }"} }
	const drops = "Changing it alone has no effect, because it is not stored anywhere. Change its version, too."
	return []inPlaceRow{
		{argument: "source", when: "another", effect: replaces, after: source("content_library_vm_template_id = local.rocky_9")},
		{argument: "source", when: "removed", effect: replaces, after: args{"source": ""}, calls: replaced("create-vm"), tower: map[string]any{"disks.#": 0}},
		{argument: "source.content_library_vm_template_id", effect: replaces, after: source("content_library_vm_template_id = local.rocky_9")},
		{argument: "source.vm_template_id", effect: replaces, after: source("vm_template_id = local.vm_template"), calls: replaced("create-vm-from-template")},
		{argument: "source.vm_id", effect: replaces, after: source("vm_id = local.golden"), calls: replaced("clone-vm")},
		{argument: "source.vm_snapshot_id", effect: replaces, after: source("vm_snapshot_id = local.snapshot"), calls: replaced("rebuild-vm-from-snapshot")},
		{argument: "source.full_copy", effect: replaces, after: source("content_library_vm_template_id = local.rocky_9, full_copy = true")},
		{
			argument: "source.full_copy", when: "its default written down", effect: recorded,
			after: source("content_library_vm_template_id = data.elf_content_library_vm_template.test.id, full_copy = false"),
		},
		{argument: "cloud_init", when: "set or removed", effect: replaces, after: init(`hostname = "added"`)},
		{argument: "cloud_init.hostname", effect: replaces, before: init(`hostname = "a"`), after: init(`hostname = "b"`)},
		{argument: "cloud_init.nameservers", effect: replaces, before: init(`nameservers = ["10.0.0.2"]`), after: init(`nameservers = ["10.0.0.3"]`)},
		{argument: "cloud_init.public_keys", effect: replaces, before: init(`public_keys = ["ssh-ed25519 AAAA"]`), after: init(`public_keys = ["ssh-ed25519 BBBB"]`)},
		{argument: "cloud_init.user_data", effect: replaces, before: init(`user_data = "#cloud-config"`), after: init(`user_data = "#cloud-config\n"`)},
		{
			argument: "cloud_init.user_data_wo", effect: unseen,
			before: init(`user_data_wo = "a", user_data_wo_version = 1`), after: init(`user_data_wo = "b", user_data_wo_version = 1`), advice: drops,
		},
		{
			argument: "cloud_init.user_data_wo_version", effect: replaces,
			before: init(`user_data_wo = "a", user_data_wo_version = 1`), after: init(`user_data_wo = "b", user_data_wo_version = 2`),
		},
		{
			argument: "cloud_init.default_user_password_wo", effect: unseen,
			before: init(`default_user_password_wo = "a", default_user_password_wo_version = 1`),
			after:  init(`default_user_password_wo = "b", default_user_password_wo_version = 1`), advice: drops,
		},
		{
			argument: "cloud_init.default_user_password_wo_version", effect: replaces,
			before: init(`default_user_password_wo = "a", default_user_password_wo_version = 1`),
			after:  init(`default_user_password_wo = "b", default_user_password_wo_version = 2`),
		},
	}
}
