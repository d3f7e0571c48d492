// SPDX-License-Identifier: MPL-2.0

package vm_test

// vmRows are the changes of the VM itself.
func vmRows() []inPlaceRow {
	const (
		update  = "update-vm-basic-info"
		cpus    = update + " cpu_cores,cpu_sockets,vcpu"
		limited = "update-vm-io-policy io_policy,whole_vm"
		// All of a group's rules are sent with its members.
		members = "update-vm-placement-group enabled,must_hosts,vm_host_must_enabled,vm_host_must_policy,vm_host_prefer_enabled," +
			"vm_host_prefer_policy,vm_vm_policy,vm_vm_policy_enabled,vms"
	)
	limits := func(more args) args {
		all := args{"max_iops": "5000", "max_iops_policy": `"FORCED"`, "max_bandwidth": "104857600", "max_bandwidth_policy": `"FORCED"`}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	return []inPlaceRow{
		{
			argument: "name", effect: inPlace, after: args{"name": `"renamed"`},
			calls: []string{update + " name"}, tower: map[string]any{"name": "renamed"},
			advice: "The guest's host name stays as it is.",
		},
		{
			argument: "cluster_id", effect: replaces, after: args{"cluster_id": "local.cluster_2", "nics": ""},
			tower: map[string]any{"cluster.id": "local.cluster_2"},
		},
		{
			argument: "description", effect: inPlace, before: args{"description": `"first"`}, after: args{"description": `""`},
			calls: []string{update + " description"}, tower: map[string]any{"description": ""},
		},
		{
			argument: "folder_id", when: "set or changed", effect: inPlace,
			before: args{"folder_id": "local.folder_a"}, after: args{"folder_id": "local.folder_b"},
			calls: []string{"add-vm-to-folder folder_id"}, tower: map[string]any{"folder.id": "local.folder_b"},
		},
		{
			argument: "folder_id", when: `to ""`, effect: inPlace,
			before: args{"folder_id": "local.folder_a"}, after: args{"folder_id": `""`},
			calls: []string{"remove-vm-from-folder"}, tower: map[string]any{"folder": nil},
		},
		{
			argument: "folder_id", when: "removed", effect: unseen,
			before: args{"folder_id": "local.folder_a"}, after: args{"folder_id": ""},
			tower: map[string]any{"folder.id": "local.folder_a"}, advice: "The VM stays where it is.",
		},
		{
			argument: "host_id", when: "set or changed", effect: inPlace, before: args{"host_id": "local.h2"}, after: args{"host_id": "local.h3"},
			calls: []string{"migrate-vm host_id"}, tower: map[string]any{"host.id": "local.h3"},
			advice: "The migration is live while the VM runs, else cold.",
		},
		{
			argument: "host_id", when: "removed", effect: recorded, before: args{"host_id": "local.h2"}, after: args{"host_id": ""},
			tower: map[string]any{"host.id": "local.h2"}, advice: "The VM stays where it is, and Tower may move it.",
		},
		{
			argument: "placement_group_id", when: "set or changed", effect: inPlace,
			before: args{"placement_group_id": "local.group_a"}, after: args{"placement_group_id": "local.group_b"},
			calls: []string{members, members}, tower: map[string]any{"vm_placement_group.0.id": "local.group_b", "vm_placement_group.#": 1},
			advice: "One call for the group that the VM leaves, and one for the group that it joins.",
		},
		{
			argument: "placement_group_id", when: `to ""`, effect: inPlace,
			before: args{"placement_group_id": "local.group_c"}, after: args{"placement_group_id": `""`},
			calls: []string{members}, tower: map[string]any{"vm_placement_group.#": 0},
		},
		{
			argument: "owner", when: "set or changed", effect: inPlace, before: args{"owner": `"ann"`}, after: args{"owner": "local.bob"},
			calls: []string{"update-vm-owner search_for,value"}, tower: map[string]any{"owner": "bob"},
		},
		{
			argument: "owner", when: "removed", effect: recorded, before: args{"owner": `"ann"`}, after: args{"owner": ""},
			tower: map[string]any{"owner": "ann"}, advice: "The owner stays.",
		},
		{
			argument: "labels", when: "added or changed", effect: inPlace,
			before: args{"labels": `{ role = "a" }`}, after: args{"labels": `{ role = "b", alone = "" }`},
			calls:  []string{"remove-labels-from-resources vms", "add-labels-to-resources vms"},
			tower:  map[string]any{"labels.role": "b", "labels.alone": ""},
			advice: "A label that Tower does not have yet is created first (`create-label`).",
		},
		{
			argument: "labels", when: "removed", effect: inPlace,
			before: args{"labels": `{ env = "test", team = "x" }`}, after: args{"labels": `{ env = "test" }`},
			tower:  map[string]any{"labels.env": "test", "labels.team": nil},
			calls:  []string{"remove-labels-from-resources vms"},
			advice: "Labels that others have put on the VM stay.",
		},
		{
			argument: "ha", effect: inPlace, before: args{"ha": "true"}, after: args{"ha": "false"},
			calls: []string{update + " ha"}, tower: map[string]any{"ha": false},
		},
		{
			argument: "guest_os_type", effect: replaces, before: args{"guest_os_type": `"LINUX"`}, after: args{"guest_os_type": `"UNKNOWN"`},
			tower: map[string]any{"guest_os_type": "UNKNOWN"},
		},
		{
			argument: "firmware", effect: replaces, before: args{"firmware": `"BIOS"`}, after: args{"firmware": `"UEFI"`},
			tower: map[string]any{"firmware": "UEFI"},
		},
		{
			argument: "num_cpus", when: "raised", effect: inPlace, before: args{"num_cpus": "2"}, after: args{"num_cpus": "4"},
			calls: []string{cpus}, tower: map[string]any{"vcpu": 4},
			advice: "The guest may take minutes to bring them online.",
		},
		{
			argument: "num_cpus", when: "lowered", effect: restarts, before: args{"num_cpus": "4"}, after: args{"num_cpus": "2"},
			calls: stopped(cpus), tower: map[string]any{"vcpu": 2, "status": "RUNNING"},
		},
		{
			argument: "num_cpus", when: "lowered while the VM is off", effect: inPlace,
			before: args{"num_cpus": "4", "power_state": `"STOPPED"`}, after: args{"num_cpus": "2"},
			calls: []string{cpus}, tower: map[string]any{"vcpu": 2, "status": "STOPPED"},
		},
		{
			argument: "num_cpus", when: "removed", effect: unseen, before: args{"num_cpus": "4"}, after: args{"num_cpus": ""},
			tower: map[string]any{"vcpu": 4}, advice: "It keeps its value, as does every other argument in this section that is left out.",
		},
		{
			argument: "num_cores_per_socket", effect: restarts,
			before: args{"num_cpus": "4", "num_cores_per_socket": "4"}, after: args{"num_cores_per_socket": "2"},
			calls: stopped(cpus), tower: map[string]any{"vcpu": 4, "cpu.cores": 2, "cpu.sockets": 2, "status": "RUNNING"},
		},
		{
			argument: "memory_mib", when: "raised", effect: inPlace, before: args{"memory_mib": "4096"}, after: args{"memory_mib": "8192"},
			calls: []string{update + " memory"}, tower: map[string]any{"memory": 8.0 * (1 << 30)},
		},
		{
			argument: "memory_mib", when: "lowered", effect: restarts, before: args{"memory_mib": "4096"}, after: args{"memory_mib": "2048"},
			calls: stopped(update + " memory"), tower: map[string]any{"memory": 2.0 * (1 << 30), "status": "RUNNING"},
		},
		{
			argument: "io_policy", effect: inPlace,
			before: args{"io_policy": `"RESTRICT_WHOLE_VM"`}, after: args{"io_policy": `"RESTRICT_EACH_DISK"`},
			calls: []string{"update-vm-io-policy io_policy"}, tower: map[string]any{"io_policy": "RESTRICT_EACH_DISK"},
		},
		{argument: "max_iops", effect: inPlace, before: limits(nil), after: args{"max_iops": "8000"}, calls: []string{limited}, tower: map[string]any{"max_iops": 8000, "max_bandwidth": 104857600.0}},
		{argument: "max_iops", when: "to 0", effect: inPlace, before: limits(nil), after: args{"max_iops": "0", "max_iops_policy": ""}, calls: []string{limited}, tower: map[string]any{"max_iops": nil, "max_bandwidth": 104857600.0}},
		{argument: "max_iops_policy", effect: inPlace, before: limits(nil), after: args{"max_iops_policy": `"DYNAMIC"`}, calls: []string{limited}, tower: map[string]any{"max_iops_policy": "DYNAMIC", "max_iops": 5000}},
		{argument: "max_bandwidth", effect: inPlace, before: limits(nil), after: args{"max_bandwidth": "1048576"}, calls: []string{limited}, tower: map[string]any{"max_bandwidth": 1048576.0, "max_iops": 5000}},
		{argument: "max_bandwidth_policy", effect: inPlace, before: limits(nil), after: args{"max_bandwidth_policy": `"DYNAMIC"`}, calls: []string{limited}, tower: map[string]any{"max_bandwidth_policy": "DYNAMIC", "max_bandwidth": 104857600.0}},
		{
			argument: "power_state", when: "to `STOPPED`", effect: inPlace, before: args{"power_state": `"RUNNING"`}, after: args{"power_state": `"STOPPED"`},
			calls: []string{"shutdown-vm"}, tower: map[string]any{"status": "STOPPED"},
			advice: "The VM is powered off if the guest does not shut down within `shutdown_timeout`.",
		},
		{
			argument: "power_state", when: "from `STOPPED` to `RUNNING`", effect: inPlace, before: args{"power_state": `"STOPPED"`}, after: args{"power_state": `"RUNNING"`},
			calls: []string{"start-vm"}, tower: map[string]any{"status": "RUNNING"}, advice: "The network is waited for.",
		},
		{
			argument: "power_state", when: "to `SUSPENDED`", effect: inPlace, before: args{"power_state": `"RUNNING"`}, after: args{"power_state": `"SUSPENDED"`},
			calls: []string{"suspend-vm"}, tower: map[string]any{"status": "SUSPENDED"},
		},
		{
			argument: "power_state", when: "to `SUSPENDED` with a change that the VM has to be off for", effect: restarts,
			before: args{"power_state": `"RUNNING"`, "num_cpus": "4"}, after: args{"power_state": `"SUSPENDED"`, "num_cpus": "2"},
			calls: append(stopped("update-vm-basic-info cpu_cores,cpu_sockets,vcpu"), "suspend-vm"), tower: map[string]any{"status": "SUSPENDED", "vcpu": 2},
			advice: "The VM is suspended when it runs again.",
		},
		{
			argument: "power_state", when: "from `STOPPED` to `SUSPENDED`", effect: refused, before: args{"power_state": `"STOPPED"`}, after: args{"power_state": `"SUSPENDED"`},
			refusal: []string{"only a VM that runs can be suspended"}, advice: "Start the VM first, in an apply of its own.",
		},
		{
			argument: "power_state", when: "removed", effect: unseen, before: args{"power_state": `"STOPPED"`}, after: args{"power_state": ""},
			tower: map[string]any{"status": "STOPPED"}, advice: "The VM stays as it is, and a change made elsewhere is not drift.",
		},
	}
}
