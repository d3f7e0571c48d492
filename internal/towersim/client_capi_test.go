// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// The tests below send the requests of the Cluster API provider for ELF: those
// of its VM service, in its order, and they read the same members of the
// replies. The provider finds VMs by either of their ids, and recognises tasks
// and failures by their texts.

// byEitherID is the filter by which the provider finds VMs, hosts, networks and
// clusters.
func byEitherID(id string) object {
	return object{"OR": []object{{"local_id": id}, {"id": id}}}
}

// service is the client. It waits for each task until the VM is idle again.
type service struct {
	*tower

	network, cluster string // local ids
}

func startService(t *testing.T, scenario string) *service {
	t.Helper()

	s := &service{tower: start(t, scenario)}
	s.network = first[wire.Vlan](s.tower, "get-vlans", object{"name": "default"}).LocalID
	s.cluster = *first[wire.Cluster](s.tower, "get-clusters", object{"name": "cluster-1"}).LocalID

	return s
}

// clone requests a stopped VM with the parameters of the service. The
// parameters in more replace these.
func (s *service) clone(name string, more object) vmReply {
	s.t.Helper()

	params := object{
		"cluster_id": first[wire.Cluster](s.tower, "get-clusters", byEitherID(s.cluster)).ID, "host_id": "AUTO_SCHEDULE", "name": name,
		"description": "a node", "vcpu": 4, "cpu_cores": 4, "cpu_sockets": 1, "memory": 8 << 30, "gpu_devices": []object{}, "status": "STOPPED",
		"ha": true, "is_full_copy": false, "guest_os_type": "LINUX",
		"template_id": first[wire.ContentLibraryVMTemplate](s.tower, "get-content-library-vm-templates", object{"OR": []object{
			{"id": "rocky-8"}, {"name": "rocky-8"}, {"labels_some": object{"AND": []object{{"key": "uid", "value": "rocky-8"}}}},
		}}).ID,
		"vm_nics":    []object{s.nic()},
		"cloud_init": object{"hostname": name, "user_data": "#cloud-config", "networks": []object{{"nic_index": 0, "type": "IPV4_DHCP"}}},
	}

	for key, value := range more {
		params[key] = value
	}

	return post[[]vmReply](s.tower, "create-vm-from-content-library-template", []object{params})[0]
}

// nic returns a NIC with an empty MAC address, so Tower chooses one.
func (s *service) nic() object {
	vlan := first[wire.Vlan](s.tower, "get-vlans", byEitherID(s.network))

	return object{"model": "VIRTIO", "enabled": true, "mirror": false, "connect_vlan_id": vlan.ID, "mac_address": ""}
}

// newVM creates a VM and returns it after its task.
func (s *service) newVM(name string, more object) wire.VM {
	s.t.Helper()

	reply := s.clone(name, more)
	s.want(reply.TaskID, "Create a VM")

	return first[wire.VM](s.tower, "get-vms", byEitherID(reply.Data.ID))
}

// want waits for a task, which must succeed and have a description that
// contains the text by which the client recognises it.
func (s *service) want(id *string, description string) {
	s.t.Helper()
	s.finishTasks()
	s.succeeded(id)

	if got := s.task(id).Description; !strings.Contains(got, description) {
		s.t.Errorf("the task is described as %q, want %q in it", got, description)
	}
}

// run runs an operation on a VM that it names by its local id.
func (s *service) run(operation, localID string, more object) *string {
	s.t.Helper()

	body := object{"where": byEitherID(localID)}
	for key, value := range more {
		body[key] = value
	}

	replies := post[[]wire.WithTask[struct{ ID string }]](s.tower, operation, body)
	if len(replies) != 1 {
		s.t.Fatalf("%s: %d replies", operation, len(replies))
	}

	return replies[0].TaskID
}

func TestClusterAPICreatesChangesAndDeletesAMachine(t *testing.T) {
	s := startService(t, "timing: {vmtools_sync: 10s}")
	reply := s.clone("node", object{"owner": object{"search_for": "username", "value": "root"}})

	if got := first[wire.VM](s.tower, "get-vms", object{"name": "node"}); !strings.HasPrefix(got.LocalID, "placeholder-") || got.EntityAsyncStatus == nil {
		t.Errorf("before the task ends, the VM is %+v", got)
	}

	s.want(reply.TaskID, "Create a VM")

	vm := first[wire.VM](s.tower, "get-vms", byEitherID(reply.Data.ID))
	id := vm.LocalID

	if len(id) != 36 || vm.EntityAsyncStatus != nil || vm.Status != wire.VMStatusStopped || vm.Host == nil || vm.InRecycleBin {
		t.Fatalf("the VM is %+v", vm)
	}

	if both := s.vms(object{"OR": []object{{"local_id_in": []string{id, vm.ID}}, {"id_in": []string{id, vm.ID}}}}); len(both) != 1 {
		t.Errorf("a filter with both ids finds %d VMs", len(both))
	}

	s.want(s.run("start-vm", id, nil), "Start VM")
	s.Advance(60 * second)

	nics := post[[]wire.VMNic](s.tower, "get-vm-nics", object{"where": object{"vm": byEitherID(id)}, "orderBy": "order_ASC"})
	if len(nics) != 1 || text(nics[0].IPAddress) == "" || text(nics[0].MACAddress) == "" {
		t.Errorf("the NICs are %+v", nics)
	}

	grown := object{"data": object{"vcpu": 8, "cpu_cores": 8, "cpu_sockets": 1, "memory": 16 << 30}}
	s.want(s.run("update-vm-basic-info", id, grown), "Edit VM")

	if got := s.vm(vm.ID); got.VCPU != 8 || got.CPU.Cores != 8 || got.Memory != 16<<30 || !strings.Contains(got.IPs, *nics[0].IPAddress) {
		t.Errorf("after the change, the VM is %+v", got)
	}

	s.want(s.run("add-vm-nic", id, object{"data": object{"vm_nics": []object{s.nic()}}}), "")

	if got := s.nics(vm.ID); len(got) != 2 || text(got[1].MACAddress) == "" {
		t.Errorf("the NICs are %+v", got)
	}

	s.want(s.run("shutdown-vm", id, nil), "")
	s.want(s.run("delete-vm", id, nil), "")

	for _, operation := range []string{"start-vm", "poweroff-vm", "shutdown-vm", "delete-vm", "get-vms"} {
		if none := post[[]object](s.tower, operation, object{"where": byEitherID(id)}); len(none) != 0 {
			t.Errorf("%s still finds the VM", operation)
		}
	}
}

func TestClusterAPIGrowsTheSystemDisk(t *testing.T) {
	s := startService(t, "")
	vm := s.newVM("node", nil)

	ids := make([]string, len(vm.VMDisks))
	for i := range vm.VMDisks {
		ids[i] = vm.VMDisks[i].ID
	}

	disks := post[[]wire.VMDisk](s.tower, "get-vm-disks", object{"where": object{"id_in": ids}, "orderBy": "boot_ASC"})
	if len(disks) < 2 || disks[0].VMVolume == nil {
		t.Fatalf("the first disk to boot from is %+v", disks)
	}

	where := object{"id": disks[0].VMVolume.ID}
	grow := func(size int) *string {
		return post[[]wire.WithTask[wire.VMVolume]](s.tower, "update-vm-volume", object{"where": where, "data": object{"size": size}})[0].TaskID
	}

	s.want(grow(50<<30), "Update virtual volume")

	if got := first[wire.VMVolume](s.tower, "get-vm-volumes", where); got.Size != 50<<30 || got.EntityAsyncStatus != nil {
		t.Errorf("the volume is %+v", got)
	}

	full := grow(1 << 50)
	s.finishTasks()
	s.failed(full, "EAllocSpace")
}

func TestClusterAPIMovesAMachine(t *testing.T) {
	s := startService(t, "")
	vm := s.newVM("node", nil)
	hosts := post[[]wire.Host](s.tower, "get-hosts", object{"where": object{"cluster": byEitherID(s.cluster)}})

	for _, step := range []string{"performing a cold migration", "performing a live migration"} {
		for _, host := range hosts {
			if host.HostState == nil || host.HostState.State != "IN_USE" || host.Status != wire.HostStatusConnectedHealthy || host.AllocatableMemoryBytes < vm.Memory {
				t.Fatalf("the host is not usable: %+v", host)
			}

			if host.ID == s.vm(vm.ID).Host.ID {
				continue
			}

			s.want(s.run("migrate-vm", vm.LocalID, object{"data": object{"host_id": host.ID}}), step)

			if got := s.vm(vm.ID).Host.ID; got != host.ID {
				t.Errorf("the VM is on the host %s", got)
			}

			break
		}

		if step != "performing a live migration" && s.vm(vm.ID).Status == wire.VMStatusStopped {
			s.want(s.run("start-vm", vm.LocalID, object{"data": object{"host_id": s.vm(vm.ID).Host.ID}}), "Start VM")
		}
	}
}

func TestClusterAPIRecreatesDisksOfStretchedClusters(t *testing.T) {
	s := startService(t, "")
	template := first[wire.ContentLibraryVMTemplate](s.tower, "get-content-library-vm-templates", object{"name": "rocky-8"})
	disk := template.VMDisks[0]
	vm := s.newVM("node", object{"disk_operate": object{
		"remove_disks": object{"disk_index": []int{disk.Index}},
		"new_disks": object{"mount_new_create_disks": []object{{
			"boot": disk.Boot, "bus": disk.Bus, "index": disk.Index,
			"vm_volume": object{"name": "node-1", "size": *disk.Size, "elf_storage_policy": "REPLICA_3_THIN_PROVISION"},
		}}},
	}})

	volumes := post[[]wire.VMVolume](s.tower, "get-vm-volumes", object{"where": object{"vm_disks_some": object{"vm": object{"id": vm.ID}}}})
	if len(volumes) != 1 || volumes[0].Name != "node-1" || volumes[0].ElfStoragePolicy != "REPLICA_3_THIN_PROVISION" {
		t.Errorf("the volumes are %+v", volumes)
	}
}

// TestClusterAPIRecognisesFailures checks each text by which the client
// recognises a failure.
func TestClusterAPIRecognisesFailures(t *testing.T) {
	s := startService(t, `
inventory: {clusters: [{name: cluster-1, hosts: [{memory_gib: 16}], storage_tib: 0.2}]}
guests: [{match: "deaf", acpi: false}]`)
	vm := s.newVM("node", nil)

	for code, more := range map[string]object{
		"VM_DUPLICATED_NAME": nil,
		"VM_CLOUD_INIT_CONFIG_ERROR": {"name": "n", "cloud_init": object{"networks": []object{{
			"nic_index": 0, "type": "IPV4", "ip_address": "10.0.0.2", "netmask": "255.255.255.0",
			"routes": []object{{"gateway": "192.0.2.1", "netmask": "0.0.0.0", "network": "0.0.0.0"}},
		}}}},
		"EAllocSpace": {"name": "n", "is_full_copy": true, "disk_operate": object{"new_disks": object{"mount_new_create_disks": []object{{
			"boot": 5, "bus": "VIRTIO", "vm_volume": object{"name": "v", "size": 1 << 40, "elf_storage_policy": "REPLICA_2_THIN_PROVISION"},
		}}}}},
	} {
		reply := s.clone("node", more)
		s.finishTasks()
		message := s.failed(reply.TaskID, code)

		// The client shows the text after the last occurrence of the code.
		if _, told, _ := strings.Cut(message, "["+code+"]"); strings.TrimRight(told, `"}`) == "" {
			t.Errorf("%s: the journal says nothing in %s", code, message)
		}

		if left := s.vms(byEitherID(reply.Data.ID)); len(left) != 0 {
			t.Errorf("%s left %+v", code, left)
		}
	}

	big := s.newVM("big", object{"memory": 64 << 30})
	started := s.run("start-vm", big.LocalID, nil)
	s.finishTasks()

	if message := s.failed(started, "VM_SCHEDULE_FAILED"); !strings.Contains(message, "HostAvailableMemoryFilter") {
		t.Errorf("without memory: %s", message)
	}

	s.want(s.run("start-vm", vm.LocalID, nil), "Start VM")
	grown := s.run("update-vm-basic-info", vm.LocalID, object{"data": object{"memory": 64 << 30}})
	s.finishTasks()

	if message := s.failed(grown, "VM_SCHEDULE_FAILED"); !strings.Contains(message, "HostAvailableMemoryFilter") {
		t.Errorf("without memory to grow: %s", message)
	}

	deaf := s.newVM("deaf", object{"memory": 1 << 30})
	s.want(s.run("start-vm", deaf.LocalID, nil), "Start VM")
	stopped := s.run("shutdown-vm", deaf.LocalID, nil)
	s.finishTasks()
	s.failed(stopped, "JOB_VM_SHUTDOWN_TIMEOUT")
	s.want(s.run("poweroff-vm", deaf.LocalID, nil), "")

	s.run("start-vm", deaf.LocalID, nil)

	if locked := s.refused("poweroff-vm", object{"where": byEitherID(deaf.LocalID)}, http.StatusBadRequest); *locked.Code != wire.ErrorCodeResourceLocked {
		t.Errorf("an overlapping change is refused with %+v", locked)
	}
}

func TestClusterAPIKeepsMachinesApart(t *testing.T) {
	s := startService(t, "inventory: {clusters: [{name: cluster-1, hosts: 2}]}")
	where := object{"name": "group"}
	params := []object{{
		"name": "group", "cluster_id": s.idOf("get-clusters", "cluster-1"), "enabled": true, "description": "d", "vm_host_must_enabled": false,
		"vm_host_prefer_enabled": false, "vm_vm_policy_enabled": true, "vm_vm_policy": "MUST_DIFFERENT",
	}}

	s.want(post[[]wire.WithTask[wire.VMPlacementGroup]](s.tower, "create-vm-placement-group", params)[0].TaskID, "VM placement group")
	again := post[[]wire.WithTask[wire.VMPlacementGroup]](s.tower, "create-vm-placement-group", params)[0].TaskID
	s.finishTasks()
	s.failed(again, "PLACEMENT_GROUP_DUPLICATE_NAME")

	var (
		members []string
		ids     []string
	)

	for _, name := range []string{"a", "b", "c"} {
		vm := s.newVM(name, nil)
		members, ids = append(members, vm.ID), append(ids, vm.LocalID)
		group := first[wire.VMPlacementGroup](s.tower, "get-vm-placement-groups", where)

		if group.EntityAsyncStatus != nil {
			t.Fatalf("the group is busy: %+v", group)
		}

		// The client sends the whole group again, with its former members.
		updated := post[[]wire.WithTask[wire.VMPlacementGroup]](s.tower, "update-vm-placement-group", object{
			"where": object{"id": group.ID}, "data": object{
				"enabled": group.Enabled, "description": group.Description, "vm_host_must_enabled": group.VMHostMustEnabled,
				"vm_host_must_policy": group.VMHostMustPolicy, "vm_host_prefer_enabled": group.VMHostPreferEnabled,
				"vm_host_prefer_policy": group.VMHostPreferPolicy, "vm_vm_policy_enabled": group.VMVMPolicyEnabled,
				"vm_vm_policy": group.VMVMPolicy, "vms": object{"id_in": members},
			},
		})[0].TaskID
		s.want(updated, "VM placement group")

		// The task of a group is not a task of a VM.
		if got := s.task(updated).Description; strings.Contains(got, "Edit VM") {
			t.Errorf("the task is described as %q", got)
		}

		if got := first[wire.VMPlacementGroup](s.tower, "get-vm-placement-groups", where); len(got.VMs) != len(members) {
			t.Errorf("%d VMs are in the group, want %d", len(got.VMs), len(members))
		}
	}

	s.want(s.run("start-vm", ids[0], nil), "Start VM")
	s.want(s.run("start-vm", ids[1], nil), "Start VM")
	third := s.run("start-vm", ids[2], nil)
	s.finishTasks()

	if message := s.failed(third, "VM_SCHEDULE_FAILED"); !strings.Contains(message, "PlacementGroupMustFilter") {
		t.Errorf("without a host left: %s", message)
	}

	deleted := post[[]wire.WithTask[wire.Deleted]](s.tower, "delete-vm-placement-group", object{"where": object{"name_starts_with": "gro"}})
	s.finishTasks()
	s.succeeded(deleted[0].TaskID)

	if left := post[[]object](s.tower, "get-vm-placement-groups", object{"where": where}); len(left) != 0 {
		t.Errorf("%d groups are left", len(left))
	}
}

func TestClusterAPILabelsMachines(t *testing.T) {
	s := startService(t, "")
	vm := s.newVM("node", nil)
	unused := object{"where": object{"AND": []object{{"key": "k", "value": "v"}, {"total_num": 0}}}}

	if none := post[[]wire.Label](s.tower, "get-labels", object{"where": object{"key": "k", "value": "v"}}); len(none) != 0 {
		t.Fatalf("the labels are %+v", none)
	}

	label := post[[]wire.WithTask[wire.Label]](s.tower, "create-label", []object{{"key": "k", "value": "v"}})[0].Data.ID
	added := post[[]object](s.tower, "add-labels-to-resources", object{
		"where": object{"id_in": []string{label}}, "data": object{"vms": object{"id": vm.ID}},
	})

	if got := s.vm(vm.ID).Labels; len(added) != 1 || len(got) != 1 || got[0].ID != label {
		t.Errorf("the VM has the labels %+v", got)
	}

	if gone := post[[]object](s.tower, "delete-label", unused); len(gone) != 0 {
		t.Errorf("a label in use is deleted as unused: %+v", gone)
	}

	s.want(s.run("delete-vm", vm.LocalID, nil), "")

	if gone := post[[]wire.WithTask[wire.Deleted]](s.tower, "delete-label", unused); len(gone) != 1 || gone[0].Data.ID != label {
		t.Errorf("the unused label is not deleted: %+v", gone)
	}
}

func TestClusterAPIPassesGPUsOn(t *testing.T) {
	s := startService(t, "inventory: {clusters: [{name: cluster-1, gpus: [{host: 0, model: A16}]}]}")
	hosts := post[[]wire.Host](s.tower, "get-hosts", object{"where": object{"cluster": byEitherID(s.cluster)}})

	ids := make([]string, len(hosts))
	for i := range hosts {
		ids[i] = hosts[i].ID
	}

	device := first[wire.GPUVMInfo](s.tower, "get-detail-vm-info-by-gpu-devices", object{"user_usage": "PASS_THROUGH", "host": object{"id_in": ids}})
	use := []object{{"gpu_id": device.ID, "amount": 1}}
	on := object{"host_id": device.Host.ID, "ha": false, "gpu_devices": use}
	a, b := s.newVM("a", on), s.newVM("b", on)

	if info := first[wire.VMGPUInfo](s.tower, "get-vm-gpu-device-info", byEitherID(a.LocalID)); len(info.GPUDevices) != 1 {
		t.Errorf("the VM has the devices %+v", info.GPUDevices)
	}

	start := object{"data": object{"host_id": device.Host.ID}}
	s.want(s.run("start-vm", a.LocalID, start), "Start VM")

	if taken := first[wire.GPUVMInfo](s.tower, "get-detail-vm-info-by-gpu-devices", object{"id_in": []string{device.ID}}); len(taken.VMs) != 2 {
		t.Errorf("the device is with %+v", taken.VMs)
	}

	refused := s.run("start-vm", b.LocalID, start)
	s.finishTasks()
	s.failed(refused, "GPU_ASSIGN_FAILED")

	s.want(s.run("remove-vm-gpu-device", b.LocalID, object{"data": use}), "Edit VM")
	s.want(s.run("shutdown-vm", a.LocalID, nil), "")
	s.want(s.run("add-vm-gpu-device", b.LocalID, object{"data": use}), "Edit VM")
	s.want(s.run("start-vm", b.LocalID, start), "Start VM")
}
