// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func TestCreateRepliesWithPlaceholder(t *testing.T) {
	x := start(t, "")
	got := x.create(object{"name": "a"})[0]

	if got.TaskID == nil || got.Data.EntityAsyncStatus == nil || *got.Data.EntityAsyncStatus != wire.EntityAsyncStatusCreating {
		t.Fatalf("the reply %+v has no task or is not CREATING", got)
	}

	if !strings.HasPrefix(got.Data.LocalID, "placeholder-") {
		t.Errorf("local_id is %q, want a placeholder", got.Data.LocalID)
	}

	if len(got.Data.ID) != 25 || got.Data.ID[0] != 'c' {
		t.Errorf("id is %q, want 25 characters that start with c", got.Data.ID)
	}
}

func TestCreatedVMGetsRealLocalID(t *testing.T) {
	x := start(t, "")
	reply := x.create(object{"name": "a"})[0]
	x.finishTasks()

	vm := x.vm(reply.Data.ID)
	if len(vm.LocalID) != 36 {
		t.Errorf("local_id is %q, want a UUID", vm.LocalID)
	}

	if left := x.vms(object{"local_id": reply.Data.LocalID}); len(left) != 0 {
		t.Errorf("the placeholder still finds %d VMs", len(left))
	}
}

func TestCreateWithZeroTaskTimeStillRepliesWithPlaceholder(t *testing.T) {
	x := start(t, "timing: {task: 0s}")
	reply := x.create(object{"name": "a"})[0]

	if reply.Data.EntityAsyncStatus == nil || !strings.HasPrefix(reply.Data.LocalID, "placeholder-") {
		t.Errorf("the reply %+v is not a placeholder", reply.Data)
	}

	x.succeeded(reply.TaskID)

	if vm := x.vm(reply.Data.ID); vm.EntityAsyncStatus != nil || vm.Status != wire.VMStatusRunning {
		t.Errorf("the VM is %s and %v, want it idle and RUNNING", vm.Status, vm.EntityAsyncStatus)
	}
}

func TestCreateInheritsFromTemplate(t *testing.T) {
	x := start(t, `
inventory:
  clusters: [{name: cluster-1, vlans: [{name: default}, {name: other}]}]
  content_library_vm_templates: [{name: rocky-8, num_cpus: 3, memory_mib: 2048, disk_gib: 7, firmware: UEFI, nics: [other, default]}]`)
	vm := x.newVM(object{})

	if vm.VCPU != 3 || vm.Memory != 2048<<20 || vm.Firmware != wire.VMFirmwareUefi {
		t.Errorf("got %d CPUs, %d bytes, %s", vm.VCPU, vm.Memory, vm.Firmware)
	}

	nics := x.nics(vm.ID)
	if len(nics) != 2 || nics[0].Vlan.Name != "other" || nics[1].Vlan.Name != "default" {
		t.Errorf("got NICs %+v", nics)
	}

	if disks := x.disks(vm.ID); len(disks) != 1 || *vm.ProvisionedSize != 7<<30 {
		t.Errorf("got %d disks of %d bytes", len(disks), *vm.ProvisionedSize)
	}
}

func TestCreateWithoutStatusIsStopped(t *testing.T) {
	x := start(t, "")
	params := x.params(object{})
	delete(params[0], "status")
	reply := post[[]vmReply](x, "create-vm-from-content-library-template", params)[0]
	x.finishTasks()

	if vm := x.vm(reply.Data.ID); vm.Status != wire.VMStatusStopped {
		t.Errorf("the VM is %s", vm.Status)
	}
}

func TestCreateDerivesCPUs(t *testing.T) {
	x := start(t, "")

	for name, test := range map[string]struct {
		sent                 object
		vcpu, cores, sockets int
	}{
		"none":              {object{}, 2, 1, 2},
		"vcpu":              {object{"vcpu": 6}, 6, 1, 6},
		"cores":             {object{"cpu_cores": 4}, 8, 4, 2},
		"sockets":           {object{"cpu_sockets": 5}, 5, 1, 5},
		"vcpu and cores":    {object{"vcpu": 6, "cpu_cores": 3}, 6, 3, 2},
		"vcpu and sockets":  {object{"vcpu": 6, "cpu_sockets": 2}, 6, 3, 2},
		"cores and sockets": {object{"cpu_cores": 2, "cpu_sockets": 2}, 4, 2, 2},
	} {
		test.sent["name"] = name

		vm := x.newVM(test.sent)
		if vm.VCPU != test.vcpu || vm.CPU.Cores != test.cores || vm.CPU.Sockets != test.sockets {
			t.Errorf("%s: got %d = %d x %d", name, vm.VCPU, vm.CPU.Cores, vm.CPU.Sockets)
		}
	}
}

func TestCreateFailedLeavesNothing(t *testing.T) {
	x := start(t, `faults: [{operation: create-vm-from-content-library-template, task_error: {code: E, message: no luck}}]`)
	reply := x.create(object{"name": "a"})[0]

	if vms := x.vms(object{"id": reply.Data.ID}); len(vms) != 1 {
		t.Errorf("before the task ends, %d VMs are there", len(vms))
	}

	x.finishTasks()
	x.failed(reply.TaskID, "E")

	if vms := x.vms(object{}); len(vms) != 0 {
		t.Errorf("%d VMs are left", len(vms))
	}

	if volumes := post[[]wire.VMVolume](x, "get-vm-volumes", object{}); len(volumes) != 0 {
		t.Errorf("%d volumes are left", len(volumes))
	}
}

func TestDuplicateNameFailsTask(t *testing.T) {
	x := start(t, "")
	x.newVM(object{"name": "a"})

	reply := x.create(object{"name": "a"})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VM_DUPLICATED_NAME")
}

func TestFirstCreationWithANameWins(t *testing.T) {
	x := start(t, "")
	replies := x.create(object{"name": "a"}, object{"name": "a"})
	x.finishTasks()
	x.succeeded(replies[0].TaskID)
	x.failed(replies[1].TaskID, "VM_DUPLICATED_NAME")
}

func TestNamesAreUniqueInOneClusterOnly(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}]}")
	x.newVM(object{"name": "a"})
	x.newVM(object{"name": "a", "cluster_id": x.idOf("get-clusters", "cluster-2")})
}

func TestNameOfVMInTheRecycleBinIsFree(t *testing.T) {
	x := start(t, "")
	x.newVM(object{"name": "a"})

	if err := x.MoveToRecycleBin("a"); err != nil {
		t.Fatal(err)
	}

	x.newVM(object{"name": "a"})
}

func TestUniqueNamesCanBeSwitchedOff(t *testing.T) {
	x := start(t, "unique_vm_names: false")
	x.newVM(object{"name": "a"})
	x.newVM(object{"name": "a"})
}

func TestCreateOfMissingReferencesIsNotFound(t *testing.T) {
	x := start(t, "")

	for name, sent := range map[string]object{
		"cluster":  {"cluster_id": "x"},
		"template": {"template_id": "x"},
		"host":     {"host_id": "x"},
		"folder":   {"folder_id": "x"},
		"network":  {"vm_nics": []object{{"connect_vlan_id": "x"}}},
		"owner":    {"owner": object{"search_for": "username", "value": "x"}},
		"image":    {"disk_operate": object{"new_disks": object{"mount_cd_roms": []object{{"boot": 3, "elf_image_id": "x"}}}}},
		"volume": {"disk_operate": object{"new_disks": object{"mount_disks": []object{
			{"boot": 3, "bus": "VIRTIO", "vm_volume_id": "x"},
		}}}},
	} {
		t.Run(name, func(t *testing.T) {
			x.t = t
			x.refused("create-vm-from-content-library-template", x.params(sent), http.StatusNotFound)
		})
	}

	x.t = t
	if vms := x.vms(object{}); len(vms) != 0 {
		t.Errorf("%d VMs were created", len(vms))
	}
}

func TestCreateRefusesBadParameters(t *testing.T) {
	x := start(t, "")
	keys := make([]string, 11)

	for name, sent := range map[string]object{
		"no name":           {"name": ""},
		"status":            {"status": "SUSPENDED"},
		"cpus":              {"vcpu": 5, "cpu_cores": 2},
		"no cpus":           {"vcpu": 0},
		"memory":            {"memory": 0},
		"mac":               {"vm_nics": []object{{"connect_vlan_id": x.idOf("get-vlans", "ecp"), "mac_address": "no"}}},
		"no vlan":           {"vm_nics": []object{{}}},
		"nameservers":       {"cloud_init": object{"nameservers": []string{"1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"}}},
		"keys":              {"cloud_init": object{"public_keys": keys}},
		"user data":         {"cloud_init": object{"user_data": strings.Repeat("x", 32<<10+1)}},
		"static no address": {"cloud_init": object{"networks": []object{{"nic_index": 0, "type": "IPV4"}}}},
		"index":             {"cloud_init": object{"networks": []object{{"nic_index": 16, "type": "IPV4_DHCP"}}}},
		"type of network":   {"cloud_init": object{"networks": []object{{"nic_index": 0, "type": "ipv4"}}}},
		"template's disk":   {"disk_operate": object{"remove_disks": object{"disk_index": []int{1}}}},
	} {
		t.Run(name, func(t *testing.T) {
			x.t = t
			x.refused("create-vm-from-content-library-template", x.params(sent), http.StatusBadRequest)
		})
	}
}

func TestCreateIsAllOrNothing(t *testing.T) {
	x := start(t, "")
	x.refused("create-vm-from-content-library-template", x.params(object{"name": "a"}, object{"cluster_id": "x"}), http.StatusNotFound)

	if vms := x.vms(object{}); len(vms) != 0 {
		t.Errorf("%d VMs were created", len(vms))
	}
}

func TestCreateOfNothingIsRefused(t *testing.T) {
	start(t, "").refused("create-vm-from-content-library-template", []object{}, http.StatusBadRequest)
}

func TestCloudInitMistakesFailTheTask(t *testing.T) {
	x := start(t, `
inventory:
  content_library_vm_templates: [{name: rocky-8}, {name: bare, cloud_init: false}]`)
	static := func(ip, mask, gateway string) object {
		return object{"cloud_init": object{"networks": []object{{
			"nic_index": 0, "type": "IPV4", "ip_address": ip, "netmask": mask,
			"routes": []object{{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": gateway}},
		}}}}
	}

	for name, sent := range map[string]object{
		"gateway outside":  static("10.1.0.5", "255.255.255.0", "10.1.1.1"),
		"gateway of a /32": static("10.1.0.5", "255.255.255.255", "10.1.0.1"),
		"address":          static("nonsense", "255.255.255.0", "10.1.0.1"),
		"netmask":          static("10.1.0.5", "255.0.255.0", "10.1.0.1"),
		"nameserver":       {"cloud_init": object{"nameservers": []string{"nonsense"}}},
		"no such NIC":      {"cloud_init": object{"networks": []object{{"nic_index": 1, "type": "IPV4_DHCP"}}}},
		"no support":       {"cloud_init": object{}, "template_id": x.idOf("get-content-library-vm-templates", "bare")},
	} {
		t.Run(name, func(t *testing.T) {
			x.t = t
			sent["name"] = name
			reply := x.create(sent)[0]
			x.finishTasks()
			x.failed(reply.TaskID, "VM_CLOUD_INIT_CONFIG_ERROR")
		})
	}
}

func TestCloudInitAddsHiddenDrive(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"cloud_init": object{"hostname": "h"}})

	hidden := 0
	for _, disk := range x.disks(vm.ID) {
		if disk.CloudInitImageName != nil && disk.CloudInitImagePath != nil {
			hidden++
		}
	}

	if hidden != 1 {
		t.Errorf("%d disks hold cloud-init data", hidden)
	}
}

func TestHostsRunOutOfMemory(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, hosts: [{memory_gib: 8}, {memory_gib: 4}]}]}")
	x.newVM(object{"name": "a", "memory": int64(8) << 30})

	reply := x.create(object{"name": "b", "memory": int64(6) << 30})[0]
	x.finishTasks()

	message := x.failed(reply.TaskID, "VM_SCHEDULE_FAILED")
	if !strings.Contains(message, "EmptyCandidateHostsException::HostAvailableMemoryFilter") {
		t.Errorf("the message is %q", message)
	}

	x.newVM(object{"name": "c", "memory": int64(6) << 30, "status": "STOPPED"})
	x.newVM(object{"name": "d", "memory": int64(4) << 30})
}

func TestHostsInMaintenanceAreNotUsed(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, hosts: [{name: a, state: MAINTENANCE_MODE}, {name: b, state: CONNECTED_ERROR}]}]}")
	reply := x.create(object{})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VM_SCHEDULE_FAILED")
}

func TestCreateOnWantedHost(t *testing.T) {
	x := start(t, "")
	id := x.idOf("get-hosts", "cluster-1-host-3")

	if vm := x.newVM(object{"host_id": id}); vm.Host.ID != id {
		t.Errorf("the VM is on %+v", vm.Host)
	}
}

func TestStorageRunsOut(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, storage_tib: 0.1}]}")
	x.newVM(object{"name": "a", "is_full_copy": true})

	reply := x.create(object{"name": "b", "is_full_copy": true})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "EAllocSpace")

	x.newVM(object{"name": "c", "is_full_copy": false})
}

func TestOwnerIsWriteOnly(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"owner": object{"search_for": "username", "value": "root"}})

	_, raw := x.call("get-vms", byID(vm.ID))
	if strings.Contains(string(raw), "owner") {
		t.Error("the owner is shown")
	}

	x.mustOperate("update-vm-owner", vm.ID, object{"search_for": "username", "value": "root"})
	x.refused("update-vm-owner", object{"where": object{}, "data": object{"search_for": "id", "value": "x"}}, http.StatusNotFound)
}

func TestDiskOperate(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"name": "a", "disk_operate": object{
		"modify_disks": []object{{"disk_index": 0, "bus": "SCSI"}},
		"new_disks": object{
			"mount_cd_roms": []object{{"boot": 5, "elf_image_id": x.idOf("get-elf-images", "rocky-8.iso")}},
			"mount_new_create_disks": []object{{"boot": 4, "bus": "VIRTIO", "vm_volume": object{
				"name": "data", "size": 1 << 30, "elf_storage_policy": "REPLICA_2_THIN_PROVISION",
			}}},
		},
	}})
	disks := x.disks(vm.ID)

	if len(disks) != 3 || disks[0].Bus != wire.BusScsi || disks[1].VMVolume.Name != "data" || disks[2].ElfImage.Name != "rocky-8.iso" {
		t.Errorf("got disks %+v", disks)
	}

	bare := x.newVM(object{"name": "b", "disk_operate": object{"remove_disks": object{"disk_index": []int{0}}}})
	if disks := x.disks(bare.ID); len(disks) != 0 {
		t.Errorf("%d disks are left", len(disks))
	}
}

func TestNICParametersAreEchoedButConfigureNothing(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"vm_nics": []object{{"connect_vlan_id": x.idOf("get-vlans", "ecp"), "ip_address": "10.9.9.9"}}})

	wantStrings(t, "addresses", x.addresses(vm.ID), []string{"10.9.9.9"})
	x.Advance(600 * second)

	if vm := x.vm(vm.ID); strings.Contains(vm.IPs, "10.9.9.9") {
		t.Errorf("the guest reports %q", vm.IPs)
	}
}
