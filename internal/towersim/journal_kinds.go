// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"reflect"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// resourceTypes are the names of resource types as Tower spells them in
// ResourceLocked errors and in /resource-changes.
var resourceTypes = map[reflect.Type]string{
	reflect.TypeFor[*wire.Organization]():             "ORGANIZATION",
	reflect.TypeFor[*wire.Datacenter]():               "DATACENTER",
	reflect.TypeFor[*wire.Cluster]():                  "CLUSTER",
	reflect.TypeFor[*wire.ClusterSettings]():          "CLUSTER_SETTINGS",
	reflect.TypeFor[*wire.GlobalSettings]():           "GLOBAL_SETTINGS",
	reflect.TypeFor[*wire.Host]():                     "HOST",
	reflect.TypeFor[*wire.Vds]():                      "VDS",
	reflect.TypeFor[*wire.Vlan]():                     "VLAN",
	reflect.TypeFor[*wire.VMTemplate]():               "VM_TEMPLATE",
	reflect.TypeFor[*wire.ContentLibraryVMTemplate](): "CONTENT_LIBRARY_VM_TEMPLATE",
	reflect.TypeFor[*wire.ContentLibraryImage]():      "CONTENT_LIBRARY_IMAGE",
	reflect.TypeFor[*wire.ElfImage]():                 "ELF_IMAGE",
	reflect.TypeFor[*wire.SvtImage]():                 "SVT_IMAGE",
	reflect.TypeFor[*wire.User]():                     "USER",
	reflect.TypeFor[*wire.Label]():                    "LABEL",
	reflect.TypeFor[*wire.GPUDevice]():                "GPU_DEVICE",
	reflect.TypeFor[*wire.ElfStoragePolicy]():         "ELF_STORAGE_POLICY",
	reflect.TypeFor[*wire.IscsiTarget]():              "ISCSI_TARGET",
	reflect.TypeFor[*wire.IscsiLun]():                 "ISCSI_LUN",
	reflect.TypeFor[*wire.IscsiLunSnapshot]():         "ISCSI_LUN_SNAPSHOT",
	reflect.TypeFor[*wire.VM]():                       "VM",
	reflect.TypeFor[*wire.VMNic]():                    "VM_NIC",
	reflect.TypeFor[*wire.VMDisk]():                   "VM_DISK",
	reflect.TypeFor[*wire.VMVolume]():                 "VM_VOLUME",
	reflect.TypeFor[*wire.VMSnapshot]():               "VM_SNAPSHOT",
	reflect.TypeFor[*wire.VMFolder]():                 "VM_FOLDER",
	reflect.TypeFor[*wire.VMPlacementGroup]():         "VM_PLACEMENT_GROUP",
	reflect.TypeFor[*wire.Task]():                     "TASK",
}

func resourceType(x object) string { return resourceTypes[reflect.TypeOf(x.rowPtr())] }

// derivedMembers are the members of rows, by kind, that only reflect other
// rows.
var derivedMembers = map[string][]string{
	"ORGANIZATION": {"datacenters"},
	"DATACENTER": {
		"clusters", "cluster_num", "host_num", "vm_num", "total_memory_bytes", "total_data_capacity", "used_data_space",
	},
	"CLUSTER": {
		"vms", "vm_num", "running_vm_num", "stopped_vm_num", "suspended_vm_num", "provisioned_memory_bytes", "used_memory_bytes",
		"provisioned_cpu_cores", "provisioned_cpu_cores_for_active_vm", "used_data_space", "valid_data_space", "hosts", "host_num",
		"total_memory_bytes", "total_cpu_cores", "vdses", "vm_folders", "vm_templates", "datacenters",
	},
	"HOST": {
		"vms", "vm_num", "running_vm_num", "stopped_vm_num", "suspended_vm_num", "provisioned_memory_bytes",
		"provisioned_cpu_cores", "running_pause_vm_memory_bytes", "allocatable_memory_bytes", "used_memory_bytes", "gpu_devices",
	},
	"VDS":          {"vlans", "vlans_num"},
	"VLAN":         {"vm_nics"},
	"VM_FOLDER":    {"vms", "vm_num"},
	"GPU_DEVICE":   {"vms", "assigned_vgpus_num", "available_vgpus_num"},
	"ELF_IMAGE":    {"vm_disks"},
	"SVT_IMAGE":    {"vm_disks"},
	"ISCSI_TARGET": {"luns"},
	"ISCSI_LUN":    {"snapshot_num"},
	"LABEL":        labelMembers(),
	"TASK":         {"progress"},
}

// labelMembers returns the members of a label that list or count its objects.
func labelMembers() []string {
	var names []string

	for _, field := range reflect.VisibleFields(reflect.TypeFor[wire.Label]()) {
		switch name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name {
		case "id", "key", "value", "createdAt":
		default:
			names = append(names, name)
		}
	}

	return names
}
