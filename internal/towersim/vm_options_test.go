// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func TestMigrationMovesToAnotherHost(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.mustOperate("migrate-vm", vm.ID)

	if got := x.vm(vm.ID).Host.ID; got == vm.Host.ID {
		t.Error("the VM stayed")
	}

	id := x.idOf("get-hosts", "cluster-1-host-3")
	x.mustOperate("migrate-vm", vm.ID, object{"host_id": id})

	if got := x.vm(vm.ID).Host.ID; got != id {
		t.Errorf("the VM is on %s", got)
	}

	x.refused("migrate-vm", edit(vm.ID, object{"host_id": "x"}), http.StatusNotFound)
}

func TestMigrationAcrossClustersKeepsTheID(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2, vlans: [{name: far, dhcp: 10.9.0.0/24}]}]}")
	vm := x.newVM(object{})
	far := first[wire.Vlan](x, "get-vlans", object{"name": "far"})
	near := first[wire.Vlan](x, "get-vlans", object{"name": "default"})
	data := object{"cluster_id": x.idOf("get-clusters", "cluster-2"), "vm_config": object{
		"elf_storage_policy": "REPLICA_3_THIN_PROVISION", "migrate_type": "LIVE_MIGRATE",
		"network_mapping": []object{{"src_vlan_local_id": near.LocalID, "dest_vlan_local_id": far.LocalID}},
	}}
	x.mustOperate("migrate-vm-across-cluster", vm.ID, data)

	got := x.vm(vm.ID)
	if got.Cluster.Name != "cluster-2" || got.LocalID == vm.LocalID || got.Host.ID == vm.Host.ID {
		t.Errorf("got %+v", got)
	}

	x.Advance(time.Hour)
	wantStrings(t, "addresses", x.addresses(vm.ID), []string{"10.9.0.2"})

	volume := first[wire.VMVolume](x, "get-vm-volumes", object{})
	if volume.Cluster.Name != "cluster-2" || volume.ElfStoragePolicy != wire.VMVolumeElfStoragePolicyTypeReplica3ThinProvision {
		t.Errorf("got %+v", volume)
	}
}

func TestMigrationAcrossClustersCanBeAborted(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}]}")
	vm := x.newVM(object{"vm_nics": []object{}})
	reply := post[[]vmReply](x, "migrate-vm-across-cluster", edit(vm.ID, object{
		"cluster_id": x.idOf("get-clusters", "cluster-2"), "vm_config": object{
			"elf_storage_policy": "REPLICA_2_THIN_PROVISION", "migrate_type": "COLD_MIGRATE", "network_mapping": []object{},
		},
	}))[0]
	post[[]wire.Task](x, "abort-migrate-vm-across-cluster", object{"tasks": object{"id": *reply.TaskID}})
	x.finishTasks()
	x.failed(reply.TaskID, "VM_MIGRATION_ABORTED")

	if got := x.vm(vm.ID).Cluster.Name; got != "cluster-1" {
		t.Errorf("the VM is in %s", got)
	}
}

func TestMigrationNeedsAMappingOfNetworks(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}]}")
	vm := x.newVM(object{})
	x.refused("migrate-vm-across-cluster", edit(vm.ID, object{
		"cluster_id": x.idOf("get-clusters", "cluster-2"), "vm_config": object{
			"elf_storage_policy": "REPLICA_2_THIN_PROVISION", "migrate_type": "COLD_MIGRATE", "network_mapping": []object{},
		},
	}), http.StatusBadRequest)
}

func TestHostOptionsNeedTools(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	data := object{"hostname": "h", "dns_servers": []string{"10.0.0.1", "10.0.0.2"}}
	x.failed(x.operate("update-vm-host-options", vm.ID, data).TaskID, "VM_TOOLS_NOT_RUNNING")
	x.Advance(100 * second)
	x.mustOperate("update-vm-host-options", vm.ID, data)

	if got := x.vm(vm.ID); text(got.Hostname) != "h" || text(got.DNSServers) != "10.0.0.1,10.0.0.2" {
		t.Errorf("got %q, %q", text(got.Hostname), text(got.DNSServers))
	}
}

func TestIOPolicy(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.mustOperate("update-vm-io-policy", vm.ID, object{
		"io_policy": "RESTRICT_WHOLE_VM", "whole_vm": object{"max_iops": 100, "max_iops_policy": "FORCED"},
	})

	if got := x.vm(vm.ID); got.IOPolicy == nil || *got.IOPolicy != "RESTRICT_WHOLE_VM" || *got.MaxIOPS != 100 {
		t.Errorf("got %+v", got)
	}

	x.mustOperate("update-vm-io-policy", vm.ID, object{
		"io_policy": "RESTRICT_EACH_DISK", "each_disk": []object{{"boot": 1, "data": object{"max_iops": 50, "max_iops_policy": "DYNAMIC"}}},
	})

	if disk := x.disks(vm.ID)[0]; disk.MaxIOPS == nil || *disk.MaxIOPS != 50 || x.vm(vm.ID).MaxIOPS != nil {
		t.Errorf("got %+v", disk)
	}

	x.mustOperate("update-vm-io-policy", vm.ID, object{"io_policy": nil})

	if got := x.vm(vm.ID); got.IOPolicy != nil {
		t.Errorf("got %s", *got.IOPolicy)
	}

	x.refused("update-vm-io-policy", edit(vm.ID, object{"each_disk": []object{{"boot": 9, "data": object{}}}}), http.StatusBadRequest)
}

func TestAdvancedOptionsNeedAStoppedVM(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.failed(x.operate("update-vm-advanced-options", vm.ID, object{"video_type": "VIRTIO"}).TaskID, "VM_STATUS_NOT_ALLOWED")
	x.mustOperate("poweroff-vm", vm.ID)
	x.mustOperate("update-vm-advanced-options", vm.ID, object{"video_type": "VIRTIO", "clock_offset": "LOCALTIME"})

	if got := x.vm(vm.ID); *got.VideoType != "VIRTIO" || got.ClockOffset != "LOCALTIME" {
		t.Errorf("got %+v", got)
	}
}

func TestNICQoS(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	post[[]vmReply](x, "update-vm-nic-qos-option", object{
		"where": object{"vm": object{"id": vm.ID}}, "data": object{"qos": object{"ingress": object{"enabled": true, "rate_limit": 9, "burst": nil}}},
	})
	x.finishTasks()

	nic := x.nics(vm.ID)[0]
	if !*nic.IngressRateLimitEnabled || *nic.IngressRateLimitMaxRateInBitps != 9 || nic.IngressRateLimitBurstInBit != nil || *nic.EgressRateLimitEnabled {
		t.Errorf("got %+v", nic)
	}
}

func TestToolsAreMounted(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.mustOperate("install-vmtools", vm.ID)

	drive := x.disks(vm.ID)[1]
	if drive.Type != wire.VMDiskTypeCdRom || drive.SvtImage == nil {
		t.Fatalf("got %+v", drive)
	}

	post[[]vmReply](x, "eject-iso-from-vm-cd-rom", byID(drive.ID))
	x.finishTasks()

	if drive := x.disks(vm.ID)[1]; drive.SvtImage != nil {
		t.Errorf("got %+v", drive)
	}
}

func TestDriveIsDisabled(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"cloud_init": object{}})
	post[[]vmReply](x, "toggle-vm-cd-rom-disable", object{"where": object{"vm": object{"id": vm.ID}, "type": "CD_ROM"}, "disabled": true})
	x.finishTasks()

	if drive := x.disks(vm.ID)[1]; !*drive.Disabled {
		t.Errorf("got %+v", drive)
	}

	x.refused("toggle-vm-cd-rom-disable", object{"where": object{"vm": object{"id": vm.ID}}, "disabled": true}, http.StatusBadRequest)
}

func TestDevicesThatNoHostHas(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	x.refused("add-vm-pci-nic", edit(vm.ID, object{"pci_nics": object{"name": "none"}}), http.StatusNotFound)
	x.refused("remove-vm-pci-nic", edit(vm.ID, object{"pci_nics": object{"name": "none"}}), http.StatusNotFound)
	x.refused("add-vm-pci-nic", edit(vm.ID, object{"pci_nics": object{}}), http.StatusBadRequest)
	x.refused("update-vm-vpc-nic", object{"where": object{}, "data": object{"vpc_nic": object{}}}, http.StatusBadRequest)
}

func TestFormerDiskIDsNameDisksInChangesOnly(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED"})
	id := x.disks(vm.ID)[0].ID
	x.mustOperate("update-vm-disk", vm.ID, object{"vm_disk_id": id, "bus": "SCSI"})

	if found := post[[]wire.VMDisk](x, "get-vm-disks", byID(id)); len(found) != 0 {
		t.Errorf("the former id finds %+v", found)
	}

	x.mustOperate("remove-vm-disk", vm.ID, object{"disk_ids": []string{id}})

	if disks := x.disks(vm.ID); len(disks) != 0 {
		t.Errorf("got %+v", disks)
	}
}

func TestVolumesAreMadeAndCloned(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, storage_tib: 0.01}]}")
	source := x.createVolume("a", 2)

	clone := post[[]wire.WithTask[wire.VMVolume]](x, "clone-vm-volume", []object{
		{"where": object{"id": source.ID}, "data": object{"name": "b", "description": "d"}},
	})[0]
	x.finishTasks()
	x.succeeded(clone.TaskID)

	if got := first[wire.VMVolume](x, "get-vm-volumes", object{"name": "b"}); got.Size != 2<<30 || text(got.Description) != "d" || len(got.LocalID) != 36 {
		t.Errorf("got %+v", got)
	}

	big := post[[]wire.WithTask[wire.VMVolume]](x, "create-vm-volume", []object{{
		"cluster_id": source.Cluster.ID, "name": "c", "size": int64(6) << 30, "sharing": false, "elf_storage_policy": "REPLICA_2_THIN_PROVISION",
	}})[0]
	x.finishTasks()
	x.failed(big.TaskID, "EAllocSpace")

	if volumes := post[[]wire.VMVolume](x, "get-vm-volumes", object{}); len(volumes) != 2 {
		t.Errorf("%d volumes are there", len(volumes))
	}
}
