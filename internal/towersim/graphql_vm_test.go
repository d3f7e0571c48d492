// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// sendUpdate changes a VM over GraphQL, and returns the status and the reply.
func (x *tower) sendUpdate(vmID string, data object) (int, string) {
	x.t.Helper()

	response, raw, err := x.send(http.MethodPost, "/api", object{
		"operationName": "updateVm", "query": updateVMMutation,
		"variables": object{"data": data, "effect": object{}, "where": object{"id": vmID}},
	}, nil)
	if err != nil {
		x.t.Fatal(err)
	}

	return response.StatusCode, string(raw)
}

// update changes a VM over GraphQL and finds the task like a client: it is the
// newest task of its kind for this VM.
func (x *tower) update(vmID string, data object) *string {
	x.t.Helper()

	if status, raw := x.sendUpdate(vmID, data); status != http.StatusOK || raw != `{"data":{"updateVm":{"id":"`+vmID+`"}}}` {
		x.t.Fatalf("status %d: %s", status, raw)
	}

	tasks := post[[]wire.Task](x, "get-tasks", object{
		"where": object{"resource_id": vmID, "resource_mutation": "updateVm"}, "orderBy": "local_created_at_DESC", "first": 1,
	})
	if len(tasks) != 1 || tasks[0].Status != wire.TaskStatusPending {
		x.t.Fatalf("got the tasks %+v", tasks)
	}

	x.finishTasks()

	return &tasks[0].ID
}

func connected(id string) object { return object{"connect": object{"id": id}} }

// newVolume is a volume as described by a client that knows only its name and
// size.
func newVolume(name string, gib int) object {
	return object{"create": object{
		"name": name, "path": "", "size": gib << 30, "elf_storage_policy": "REPLICA_3_THIN_PROVISION", "local_created_at": "",
		"local_id": "", "mounting": true, "sharing": false, "cluster": connected(""),
	}}
}

func TestUpdateVMByGraphQL(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED"})
	x.succeeded(x.update(vm.ID, object{
		"name": "renamed", "memory": 3 << 30, "ha": true, "description": "other", "vcpu": 6, "cpu": object{"sockets": 2, "cores": 3},
	}))

	got := x.vm(vm.ID)
	if got.Name != "renamed" || got.Memory != 3<<30 || got.Description != "other" || got.VCPU != 6 || got.CPU.Cores != 3 || got.CPU.Sockets != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestUpdateVMByGraphQLTakesTheLock(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})

	if status, raw := x.sendUpdate(vm.ID, object{"name": "b"}); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, raw)
	}

	x.refused("update-vm-basic-info", object{"where": object{"id": vm.ID}, "data": object{"name": "c"}}, http.StatusBadRequest)

	if status, raw := x.sendUpdate(vm.ID, object{"name": "d"}); status != http.StatusBadRequest || !strings.Contains(raw, "ResourceLocked") {
		t.Errorf("status %d: %s", status, raw)
	}

	x.finishTasks()

	if got := x.vm(vm.ID).Name; got != "b" {
		t.Errorf("the VM is called %s", got)
	}
}

func TestUpdateVMByGraphQLChangesDisks(t *testing.T) {
	x := start(t, "")
	vm := x.blankWithDisks("a", 0, 1, 2)
	iso := x.idOf("get-elf-images", "rocky-8.iso")
	disks := x.disks(vm.ID)

	x.mustOperate("add-vm-cd-rom", vm.ID, object{"vm_cd_roms": []object{{"boot": 9, "index": 1}}})

	drive := x.disks(vm.ID)[3]
	if drive.Key == nil || drive.Disabled == nil {
		t.Fatalf("a drive without a key: %+v", drive)
	}

	grown := newVolume("a-2", 5)
	grown["create"].(object)["elf_storage_policy"] = "REPLICA_2_THIN_PROVISION"

	x.succeeded(x.update(vm.ID, object{"vm_disks": object{
		"create": []object{
			{"boot": 1, "bus": "SCSI", "type": "DISK", "vm_volume": newVolume("new", 2)},
			{"boot": 4, "bus": "IDE", "type": "CD_ROM", "elf_image": connected(iso)},
		},
		"update": []object{
			{"where": object{"id": disks[2].ID}, "data": object{"boot": 0, "bus": "SCSI", "type": "DISK", "vm_volume": grown}},
			{"where": object{"id": disks[0].ID}, "data": object{"boot": 2, "bus": "VIRTIO", "type": "DISK"}},
		},
		// A disk that is both updated and deleted is kept.
		"delete": []object{{"id": disks[0].ID}, {"id": disks[1].ID}},
	}}))

	got := x.disksInNoOrder(vm.ID)
	if !slices.Equal(boots(got), []int{0, 1, 2, 4}) {
		t.Fatalf("the boot orders of the disks are %v", boots(got))
	}

	if got[0].VMVolume.ID != disks[2].VMVolume.ID || got[0].Bus != wire.BusScsi || got[2].VMVolume.ID != disks[0].VMVolume.ID {
		t.Errorf("got %+v", got)
	}

	if got[3].ElfImage == nil || got[3].ElfImage.ID != iso {
		t.Errorf("the drive that was left out is still there, or the new one is empty: %+v", got[3])
	}

	sizes := map[string]int64{}
	for _, volume := range post[[]wire.VMVolume](x, "get-vm-volumes", object{"where": object{"vm_disks_some": object{"vm": object{"id": vm.ID}}}}) {
		sizes[volume.Name] = volume.Size >> 30
	}

	if len(sizes) != 3 || sizes["a-2"] != 5 || sizes["new"] != 2 || sizes["a-0"] != 1 {
		t.Errorf("the volumes are %v", sizes)
	}
}

func TestUpdateVMByGraphQLChangesADrive(t *testing.T) {
	x := start(t, "")
	vm := x.blankWithDisks("a")
	iso := x.idOf("get-elf-images", "rocky-8.iso")
	x.mustOperate("add-vm-cd-rom", vm.ID, object{"vm_cd_roms": []object{{"boot": 1, "index": 1}}})

	mounted := func(data object) *wire.NestedElfImage {
		drive := x.disks(vm.ID)[0]
		data["boot"], data["bus"], data["key"], data["type"] = drive.Boot, drive.Bus, drive.Key, "CD_ROM"
		x.succeeded(x.update(vm.ID, object{"vm_disks": object{
			"update": []object{{"where": object{"id": drive.ID}, "data": data}},
		}}))

		return x.disks(vm.ID)[0].ElfImage
	}

	if got := mounted(object{"elf_image": connected(iso)}); got == nil || got.ID != iso {
		t.Errorf("connected: %+v", got)
	}

	if got := mounted(object{}); got == nil || got.ID != iso {
		t.Errorf("left alone: %+v", got)
	}

	if got := mounted(object{"elf_image": object{"disconnect": true}}); got != nil {
		t.Errorf("disconnected: %+v", got)
	}
}

// The older provider lists the cloud-init drive among a VM's drives. A drive
// that it does not list must be removed, or its plans would remove it again and
// again.
func TestUpdateVMByGraphQLKeepsListedDrives(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED", "cloud_init": object{"hostname": "h"}})
	disks := x.disks(vm.ID)
	list := func(disks ...wire.VMDisk) object {
		var update []object
		for _, d := range disks {
			update = append(update, object{"where": object{"id": d.ID}, "data": object{"boot": d.Boot, "bus": d.Bus, "type": d.Type}})
		}

		return object{"vm_disks": object{"update": update}}
	}

	x.succeeded(x.update(vm.ID, list(disks...)))

	if got := x.disks(vm.ID); len(got) != 2 || got[1].CloudInitImageName == nil {
		t.Errorf("all listed: %+v", got)
	}

	x.succeeded(x.update(vm.ID, list(disks[0])))

	if got := x.disks(vm.ID); len(got) != 1 || got[0].Type != wire.VMDiskTypeDisk {
		t.Errorf("one listed: %+v", got)
	}
}

func TestUpdateVMByGraphQLReplacesNICs(t *testing.T) {
	x := start(t, "timing: {vmtools_sync: 10s}")
	vm := x.newVM(object{})
	x.Advance(60 * second)

	before := x.nics(vm.ID)[0]
	vlan := x.idOf("get-vlans", "ecp")

	// The older provider reads the NICs before it changes the disks, and then
	// deletes the NICs by these ids.
	x.succeeded(x.update(vm.ID, object{"description": "edited"}))

	x.succeeded(x.update(vm.ID, object{"vm_nics": object{
		"delete": []object{{"id": before.ID}},
		"create": []object{
			{"enabled": true, "local_id": "", "model": "E1000", "vlan": connected(vlan), "nic": connected(""), "ip_type": "STATIC"},
			{
				"enabled": true, "local_id": "", "mac_address": *before.MACAddress, "vlan": connected(before.Vlan.ID), "nic": connected(""),
				"ip_address": "10.9.9.9", "subnet_mask": "255.255.255.0", "gateway": "10.9.9.1", "ip_type": "STATIC",
			},
		},
	}}))
	x.Advance(60 * second)

	nics := x.nics(vm.ID)
	if len(nics) != 2 || nics[0].Vlan.ID != vlan || *nics[0].Model != wire.VMNicModelE1000 || !*nics[0].Enabled {
		t.Fatalf("got %+v", nics)
	}

	if text(nics[0].IPAddress) != "" {
		t.Errorf("the new NIC has the address %s, although it was given none", *nics[0].IPAddress)
	}

	if text(nics[1].MACAddress) != *before.MACAddress || text(nics[1].IPAddress) != "10.9.9.9" || text(nics[1].Gateway) != "10.9.9.1" {
		t.Errorf("got %+v", nics[1])
	}
}

func TestUpdateVMByGraphQLConfiguresTheGuest(t *testing.T) {
	x := start(t, "timing: {vmtools_sync: 10s}")
	vm := x.newVM(object{})
	x.failed(x.update(vm.ID, object{"name": "renamed", "hostname": "early"}), "VM_TOOLS_NOT_RUNNING")

	if got := x.vm(vm.ID); got.Name != vm.Name || got.Hostname != nil {
		t.Errorf("a failed edit left %+v", got)
	}

	x.Advance(60 * second)
	x.succeeded(x.update(vm.ID, object{"hostname": "h", "dns_servers": "192.0.2.1,192.0.2.2"}))

	if got := x.vm(vm.ID); text(got.Hostname) != "h" || text(got.DNSServers) != "192.0.2.1,192.0.2.2" {
		t.Errorf("got %s, %s", text(got.Hostname), text(got.DNSServers))
	}
}

func TestUpdateVMByGraphQLFailsAsAWhole(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, storage_tib: 0.01}]}")
	vm := x.blankWithDisks("a", 0)
	other := x.blankWithDisks("b", 0)
	disk, taken := x.disks(vm.ID)[0], x.disks(other.ID)[0]
	kept := object{"where": object{"id": disk.ID}, "data": object{"boot": 3, "bus": "VIRTIO", "type": "DISK"}}

	for code, change := range map[string]object{
		"EAllocSpace":            {"vm_disks": object{"update": []object{kept}, "create": []object{{"boot": 1, "bus": "SCSI", "type": "DISK", "vm_volume": newVolume("n", 1024)}}}},
		"VM_VOLUME_IN_USE":       {"vm_disks": object{"update": []object{kept}, "create": []object{{"boot": 1, "bus": "SCSI", "type": "DISK", "vm_volume": connected(taken.VMVolume.ID)}}}},
		"VM_VOLUME_POLICY_ERROR": {"vm_disks": object{"update": []object{{"where": object{"id": disk.ID}, "data": object{"boot": 1, "vm_volume": newVolume("a", 1)}}}}},
		"VM_DUPLICATED_NAME":     {"name": "b", "vm_disks": object{"update": []object{kept}}},
	} {
		x.failed(x.update(vm.ID, change), code)

		if got := x.disksInNoOrder(vm.ID); len(got) != 1 || got[0].Boot != 0 || x.vm(vm.ID).Name != "a" {
			t.Errorf("%s left %+v", code, got)
		}
	}
}

func TestUpdateVMByGraphQLRefuses(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2, vlans: [{name: far}]}]}")
	vm := x.blankWithDisks("a", 0)
	disk := x.disks(vm.ID)[0]
	update := func(data object) object {
		data["boot"], data["bus"], data["type"] = 0, "VIRTIO", "DISK"

		return object{"vm_disks": object{"update": []object{{"where": object{"id": disk.ID}, "data": data}}}}
	}
	create := func(kind string, more object) object {
		more["boot"], more["bus"], more["type"] = 1, "IDE", kind

		return object{"vm_disks": object{"create": []object{more}}}
	}
	nic := func(more object) object { return object{"vm_nics": object{"create": []object{more}}} }

	for name, test := range map[string]struct {
		data   object
		status int
	}{
		"unknown member":    {object{"nonsense": 1}, http.StatusBadRequest},
		"wrong type":        {object{"name": 1}, http.StatusBadRequest},
		"no name":           {object{"name": ""}, http.StatusBadRequest},
		"no memory":         {object{"memory": 0}, http.StatusBadRequest},
		"name server":       {object{"dns_servers": "192.0.2.1,x"}, http.StatusBadRequest},
		"empty disk":        {create("DISK", object{}), http.StatusBadRequest},
		"no size":           {create("DISK", object{"vm_volume": newVolume("n", 0)}), http.StatusBadRequest},
		"unknown volume":    {create("DISK", object{"vm_volume": connected("x")}), http.StatusNotFound},
		"unknown image":     {create("CD_ROM", object{"elf_image": connected("x")}), http.StatusNotFound},
		"disconnected disk": {update(object{"vm_volume": object{"disconnect": true}}), http.StatusNotImplemented},
		"far network":       {nic(object{"vlan": connected(x.idOf("get-vlans", "far"))}), http.StatusBadRequest},
		"address":           {nic(object{"vlan": connected(x.idOf("get-vlans", "ecp")), "ip_address": "x"}), http.StatusBadRequest},
		"MAC address":       {nic(object{"vlan": connected(x.idOf("get-vlans", "ecp")), "mac_address": "x"}), http.StatusBadRequest},
		"host port":         {nic(object{"vlan": connected(x.idOf("get-vlans", "ecp")), "nic": connected("x")}), http.StatusNotFound},
	} {
		if status, raw := x.sendUpdate(vm.ID, test.data); status != test.status {
			t.Errorf("%s: status %d: %s", name, status, raw)
		}
	}

	if status, _ := x.sendUpdate("x", object{"name": "n"}); status != http.StatusNotFound {
		t.Errorf("an unknown VM: status %d", status)
	}

	x.token = "x"

	if status, _ := x.sendUpdate(vm.ID, object{"name": "n"}); status != http.StatusUnauthorized {
		t.Errorf("without a log-in: status %d", status)
	}
}

func TestNICsOfOneGraphQLEditNeedDifferentMACAddresses(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED"})
	nic := x.nics(vm.ID)[0]
	again := object{"mac_address": *nic.MACAddress, "vlan": connected(nic.Vlan.ID)}

	status, raw := x.sendUpdate(vm.ID, object{"vm_nics": object{
		"delete": []object{{"id": nic.ID}}, "create": []object{again, again},
	}})
	if status != http.StatusBadRequest || !strings.Contains(raw, "two NICs have the MAC address") {
		t.Errorf("status %d: %s", status, raw)
	}

	if got := x.vm(vm.ID).VMNics; len(got) != 1 {
		t.Errorf("the VM has the NICs %+v", got)
	}
}

func TestGraphQLStringsAreEscapedAsInJSON(t *testing.T) {
	x := start(t, "")
	got := x.graphQL(`mutation { createApiKey(data: {name: "\ud83d\ude00"}) { name } }`, nil)["createApiKey"].(object)

	if got["name"] != "\U0001F600" {
		t.Errorf("got %q", got["name"])
	}
}
