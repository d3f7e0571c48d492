// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// fixture is a server with one object of each kind, for requests that name
// them.
type fixture struct {
	*tower

	cluster, host, vlan, vds, vm, stopped, disk, drive, volume, spare, snapshot, template, library string
	label, folder, group, organization, datacenter, image, libraryImage, tools, gpu, gpuHost       string
	target, lun, lunSnapshot, otherCluster                                                         string

	handler http.Handler
}

const shopScenario = `
timing: {task: 0s, boot: 0s, dhcp: 0s, vmtools_sync: 1s}
inventory:
  clusters:
    - {name: cluster-1, gpus: [{host: 1}]}
    - {name: cluster-2}
  vm_templates: [{name: old}]`

// newObject returns the id of the object that an operation creates.
func (x *tower) newObject(operation string, body any) string {
	x.t.Helper()

	return post[[]wire.WithTask[wire.Deleted]](x, operation, body)[0].Data.ID
}

func newFixture(t *testing.T) *fixture {
	t.Helper()

	x := start(t, shopScenario)
	s := &fixture{tower: x, handler: x.Handler(), cluster: x.idOf("get-clusters", "cluster-1"), otherCluster: x.idOf("get-clusters", "cluster-2")}
	in := object{"cluster": object{"id": s.cluster}}
	first := func(operation string, where object) string {
		return post[[]wire.Deleted](x, operation, object{"where": where, "first": 1})[0].ID
	}

	s.host, s.vlan, s.vds = first("get-hosts", in), first("get-vlans", object{"vds": in}), first("get-vdses", in)
	s.image, s.tools, s.gpu = first("get-elf-images", in), first("get-svt-images", in), first("get-gpu-devices", object{})
	s.gpuHost = first("get-hosts", object{"gpu_devices_some": object{"id": s.gpu}})
	s.template, s.library = x.idOf("get-vm-templates", "old"), x.idOf("get-content-library-vm-templates", "rocky-8")
	s.organization, s.datacenter = first("get-organizations", object{}), first("get-datacenters", object{})

	s.vm = x.newObject("create-vm-from-content-library-template", x.params(object{"name": "a"}))
	s.stopped = x.newObject("create-vm", []object{s.blankParams(object{"name": "b"})})
	x.Advance(2 * second)

	s.snapshot = x.newObject("create-vm-snapshot", object{"data": []object{{"vm_id": s.stopped, "name": "s"}}})
	s.disk = x.disks(s.vm)[0].ID
	s.drive, s.volume = x.disks(s.stopped)[0].ID, x.disks(s.vm)[0].VMVolume.ID
	s.spare = x.newObject("create-vm-volume", []object{s.volumeParams("spare")})
	s.label, s.folder = x.newLabel("k", "v"), x.newObject("create-vm-folder", []object{{"cluster_id": s.cluster, "name": "f"}})
	s.group = x.newObject("create-vm-placement-group", []object{{"cluster_id": s.cluster, "name": "g", "enabled": true}})
	s.libraryImage = s.importImage()
	s.target = x.newObject("create-iscsi-target", []object{s.targetParams()})
	s.lun = x.newObject("create-iscsi-lun", []object{s.lunParams()})
	s.lunSnapshot = x.newObject("create-iscsi-lun-snapshot", []object{{"iscsi_target_id": s.target, "iscsi_lun_id": s.lun, "name": "n"}})

	return s
}

func (s *fixture) blankParams(more object) object {
	params := object{
		"cluster_id": s.cluster, "name": "new", "cpu_cores": 1, "cpu_sockets": 1, "vcpu": 1, "firmware": "BIOS", "ha": false,
		"memory": 1 << 30, "status": "STOPPED", "vm_nics": []object{{"connect_vlan_id": s.vlan}},
		"vm_disks": object{"mount_cd_roms": []object{{"boot": 1, "index": 1}}},
	}
	for key, value := range more {
		params[key] = value
	}

	return params
}

func (s *fixture) volumeParams(name string) object {
	return object{
		"cluster_id": s.cluster, "name": name, "size": 1 << 30, "sharing": false, "elf_storage_policy": "REPLICA_2_THIN_PROVISION",
	}
}

func (s *fixture) targetParams() object {
	return object{
		"cluster_id": s.cluster, "name": "t", "replica_num": 2, "stripe_num": 4, "stripe_size": 262144, "thin_provision": true,
	}
}

func (s *fixture) lunParams() object {
	return object{"iscsi_target_id": s.target, "name": "l", "assigned_size": 1 << 30, "replica_num": 2}
}

// importImage imports an image into the content library and returns its id.
func (s *fixture) importImage() string {
	s.t.Helper()
	post[object](s.tower, "import-content-library-image", s.importParams())

	return post[[]wire.Deleted](s.tower, "get-content-library-images", object{})[0].ID
}

func (s *fixture) importParams() object {
	return object{"data": object{"cluster": object{"id": s.cluster}, "name": "i.iso", "url": "https://mirror.example/i.iso"}}
}

// edit returns the body of an update by id.
func edit(id string, data object) object { return object{"where": object{"id": id}, "data": data} }

// bodies returns a valid request for each operation that neither lists nor
// counts.
func (s *fixture) bodies() map[string]any {
	all := map[string]any{}

	for _, group := range []map[string]any{s.vmBodies(), s.partBodies(), s.templateBodies(), s.otherBodies(), s.iscsiBodies()} {
		for operation, body := range group {
			all[operation] = body
		}
	}

	return all
}

func (s *fixture) vmBodies() map[string]any {
	fromLibrary := s.params(object{"name": "new"})
	batch := object{}

	for key, value := range fromLibrary[0] {
		if key != "template_id" {
			batch[key] = value
		}
	}

	vm, stopped := byID(s.vm), byID(s.stopped)

	return map[string]any{
		"create-vm": []object{s.blankParams(nil)},
		"create-vm-from-content-library-template":       fromLibrary,
		"create-vm-from-content-library-template-batch": object{"template_id": s.library, "vms": []object{batch}},
		"create-vm-from-template":                       []object{{"template_id": s.template, "name": "new", "is_full_copy": false}},
		"clone-vm":                                      []object{{"src_vm_id": s.stopped, "name": "new"}},
		"rebuild-vm-from-snapshot":                      []object{{"rebuild_from_snapshot_id": s.snapshot, "name": "new"}},
		"convert-vm-template-to-vm":                     []object{{"converted_from_template_id": s.template, "name": "new"}},
		"start-vm":                                      stopped,
		"shutdown-vm":                                   vm,
		"poweroff-vm":                                   vm,
		"suspend-vm":                                    vm,
		"resume-vm":                                     vm,
		"restart-vm":                                    vm,
		"force-restart-vm":                              vm,
		"migrate-vm":                                    vm,
		"migrate-vm-across-cluster": edit(s.vm, object{"cluster_id": s.otherCluster, "vm_config": object{
			"elf_storage_policy": "REPLICA_2_THIN_PROVISION", "migrate_type": "LIVE_MIGRATE", "network_mapping": s.mapping(),
		}}),
		"abort-migrate-vm-across-cluster": object{"tasks": object{"id": "none"}},
		"update-vm-basic-info":            edit(s.vm, object{"description": "d"}),
		"update-vm-owner":                 edit(s.vm, object{"search_for": "username", "value": "root"}),
		"update-vm-host-options":          edit(s.vm, object{"hostname": "h", "dns_servers": []string{"10.0.0.1"}}),
		"update-vm-advanced-options":      edit(s.stopped, object{"video_type": "VIRTIO", "clock_offset": "LOCALTIME"}),
		"update-vm-io-policy": edit(s.vm, object{
			"io_policy": "RESTRICT_WHOLE_VM", "whole_vm": object{"max_iops": 100, "max_iops_policy": "FORCED"},
		}),
		"install-vmtools":         edit(s.stopped, object{"cd_rom_id": s.drive, "svt_image_id": s.tools}),
		"get-vm-vnc-info":         object{"vm": object{"id": s.vm}},
		"delete-vm":               vm,
		"move-vm-to-recycle":      vm,
		"recover-vm-from-recycle": vm,
		"create-vm-snapshot":      object{"data": []object{{"vm_id": s.vm, "name": "s"}}},
		"delete-vm-snapshot":      byID(s.snapshot),
		"rollback-vm":             edit(s.stopped, object{"snapshot_id": s.snapshot}),
		"add-vm-to-folder":        edit(s.vm, object{"folder_id": s.folder}),
		"remove-vm-from-folder":   vm,
	}
}

// mapping maps the network of the VM to the first network of the other cluster.
func (s *fixture) mapping() []object {
	s.t.Helper()

	at := func(where object) string {
		return post[[]wire.Vlan](s.tower, "get-vlans", object{"where": where})[0].LocalID
	}

	return []object{{
		"src_vlan_local_id":  at(object{"vm_nics_some": object{"vm": object{"id": s.vm}}}),
		"dest_vlan_local_id": at(object{"vds": object{"cluster": object{"id": s.otherCluster}}}),
	}}
}

func (s *fixture) partBodies() map[string]any {
	nics := object{"vm": object{"id": s.vm}}

	return map[string]any{
		"add-vm-nic":                 edit(s.vm, object{"vm_nics": []object{{"connect_vlan_id": s.vlan}}}),
		"remove-vm-nic":              edit(s.vm, object{"nic_index": []int{0}}),
		"remove-vm-nic-by-where":     object{"where": nics, "effect": object{}},
		"update-vm-nic":              edit(s.vm, object{"nic_index": 0, "enabled": false}),
		"update-vm-nic-basic-info":   object{"where": nics, "data": object{"ip_address": "10.0.0.2"}},
		"update-vm-nic-advance-info": object{"where": nics, "data": object{"mirror": true}},
		"update-vm-nic-qos-option":   object{"where": nics, "data": object{"qos": object{"egress": object{"enabled": true, "rate_limit": 9}}}},
		"update-vm-vpc-nic":          object{"where": object{"type": "VPC"}, "data": object{"vpc_nic": object{"vpc_subnet_id": s.VPCs()[0].Subnets[1].ID}}},
		"add-vm-pci-nic":             edit(s.stopped, object{"pci_nics": object{"user_usage": "PASS_THROUGH", "host": object{"id": s.host}}}),
		"remove-vm-pci-nic":          edit(s.stopped, object{"pci_nics": object{"user_usage": "PASS_THROUGH", "host": object{"id": s.host}}}),
		"add-vm-disk": edit(s.vm, object{"vm_disks": object{"mount_disks": []object{
			{"boot": 2, "bus": "VIRTIO", "vm_volume_id": s.spare},
		}}}),
		"remove-vm-disk":           edit(s.vm, object{"disk_ids": []string{s.disk}}),
		"update-vm-disk":           edit(s.stopped, object{"vm_disk_id": s.drive, "bus": "SCSI"}),
		"expand-vm-disk":           object{"where": object{"id": s.disk}, "size": int64(50) << 30},
		"add-vm-cd-rom":            edit(s.vm, object{"vm_cd_roms": []object{{"boot": 3, "elf_image_id": s.image}}}),
		"remove-vm-cd-rom":         edit(s.stopped, object{"cd_rom_ids": []string{s.drive}}),
		"eject-iso-from-vm-cd-rom": byID(s.drive),
		"toggle-vm-cd-rom-disable": object{"where": object{"id": s.drive}, "disabled": true},
		"create-vm-volume":         []object{s.volumeParams("v")},
		"clone-vm-volume":          []object{{"where": object{"id": s.volume}, "data": object{"name": "c"}}},
		"update-vm-volume":         edit(s.volume, object{"name": "w"}),
		"delete-vm-volume":         byID(s.spare),
		"add-vm-gpu-device":        object{"where": object{"id": s.stopped}, "data": []object{{"gpu_id": s.gpu}}},
		"remove-vm-gpu-device":     object{"where": object{"id": s.stopped}, "data": []object{{"gpu_id": s.gpu}}},
	}
}

func (s *fixture) templateBodies() map[string]any {
	fromVM := []object{{"vm_id": s.stopped, "name": "t", "cloud_init_supported": false}}
	inLibrary := []object{{"vm": object{"id": s.stopped}, "name": "t", "clusters": object{"id": s.cluster}}}
	elsewhere := edit(s.library, object{"clusters": object{"id": s.otherCluster}})

	return map[string]any{
		"clone-vm-template-from-vm":                       fromVM,
		"convert-vm-template-from-vm":                     fromVM,
		"update-vm-template":                              edit(s.template, object{"description": "d"}),
		"delete-vm-template":                              byID(s.template),
		"clone-content-library-vm-template-from-vm":       inLibrary,
		"convert-content-library-vm-template-from-vm":     inLibrary,
		"update-content-library-vm-template":              edit(s.library, object{"name": "n"}),
		"delete-content-library-vm-template":              byID(s.library),
		"distribute-content-library-vm-template-clusters": elsewhere,
		"remove-content-library-vm-template-clusters":     elsewhere,
		"import-content-library-image":                    s.importParams(),
		"update-content-library-image":                    edit(s.libraryImage, object{"name": "n"}),
		"delete-content-library-image":                    byID(s.libraryImage),
		"distribute-content-library-image-clusters":       edit(s.libraryImage, object{"clusters": object{"id": s.otherCluster}}),
		"remove-content-library-image-clusters":           edit(s.libraryImage, object{"clusters": object{"id": s.cluster}}),
		"update-elf-image":                                edit(s.image, object{"description": "d"}),
		"delete-elf-image":                                byID(s.image),
	}
}

func (s *fixture) otherBodies() map[string]any {
	bin := object{"enabled": true, "retain": 7}
	toCluster := []object{{"where": object{"id": s.datacenter}, "data": object{"clusters": object{"id": s.cluster}}}}

	return map[string]any{
		"login":                              object{"username": s.Username(), "password": s.Password(), "source": "LOCAL"},
		"get-version":                        nil,
		"get-my-info":                        nil,
		"resource-changes":                   nil,
		"create-label":                       []object{{"key": "a", "value": "b"}},
		"update-label":                       edit(s.label, object{"value": "w"}),
		"delete-label":                       byID(s.label),
		"add-labels-to-resources":            edit(s.label, object{"vms": object{"id": s.vm}}),
		"remove-labels-from-resources":       edit(s.label, object{"vms": object{"id": s.vm}}),
		"create-vm-folder":                   []object{{"cluster_id": s.cluster, "name": "n"}},
		"update-vm-folder":                   edit(s.folder, object{"name": "n"}),
		"delete-vm-folder":                   byID(s.folder),
		"create-vm-placement-group":          []object{{"cluster_id": s.cluster, "name": "n", "enabled": false}},
		"update-vm-placement-group":          edit(s.group, object{"vms": object{"id": s.vm}}),
		"delete-vm-placement-group":          byID(s.group),
		"create-organization":                []object{{"name": "n"}},
		"update-organization":                edit(s.organization, object{"name": "n"}),
		"delete-organization":                byID("none"),
		"create-datacenter":                  []object{{"name": "n", "organization_id": s.organization}},
		"update-datacenter":                  edit(s.datacenter, object{"name": "n"}),
		"delete-datacenter":                  byID("none"),
		"add-clusters-to-datacenter":         toCluster,
		"remove-clusters-from-datacenter":    toCluster,
		"connect-cluster":                    []object{{"ip": "192.0.2.1", "username": "u", "password": "p", "datacenter_id": s.datacenter}},
		"update-cluster":                     edit(s.cluster, object{"ip": "192.0.2.1"}),
		"delete-cluster":                     byID(s.otherCluster),
		"create-vds":                         []object{{"cluster_id": s.cluster, "name": "n", "nic_ids": []string{}}},
		"update-vds":                         edit(s.vds, object{"name": "n"}),
		"delete-vds":                         byID(s.vds),
		"create-vm-vlan":                     []object{{"vds_id": s.vds, "name": "n", "vlan_id": 7}},
		"update-vm-vlan":                     edit(s.vlan, object{"name": "n", "vlan_id": 8}),
		"delete-vm-vlan":                     byID(s.vlan),
		"update-global-recycle-bin-setting":  bin,
		"create-cluster-recycle-bin-setting": edit(s.cluster, bin),
		"update-cluster-recycle-bin-setting": edit(s.cluster, bin),
		"delete-cluster-recycle-bin-setting": byID(s.cluster),
		"get-detail-vm-info-by-gpu-devices":  object{},
		"get-vm-gpu-device-info":             object{},
	}
}

func (s *fixture) iscsiBodies() map[string]any {
	return map[string]any{
		"create-iscsi-target":              []object{s.targetParams()},
		"update-iscsi-target":              edit(s.target, object{"iops": 100}),
		"delete-iscsi-target":              byID(s.target),
		"create-iscsi-lun":                 []object{s.lunParams()},
		"update-iscsi-lun":                 edit(s.lun, object{"name": "m"}),
		"delete-iscsi-lun":                 edit(s.lun, object{"remove_snapshot": true}),
		"create-iscsi-lun-snapshot":        []object{{"iscsi_target_id": s.target, "iscsi_lun_id": s.lun, "name": "o"}},
		"delete-iscsi-lun-snapshot":        byID(s.lunSnapshot),
		"clone-iscsi-lun-from-snapshot":    []object{{"iscsi_target_id": s.target, "snapshot_id": s.lunSnapshot, "name": "c"}},
		"rollback-iscsi-lun-from-snapshot": []object{{"lun_id": s.lun, "snapshot_id": s.lunSnapshot}},
	}
}

// testedElsewhere are the operations that take forms and have their own tests.
var testedElsewhere = map[string]bool{
	"upload-elf-image": true, "upload-svt-image": true, "upload-content-library-image": true,
}

func TestEveryOperationAnswers(t *testing.T) {
	for _, operation := range startLoggedOut(t, "").Operations() {
		name := operation.Operation
		if testedElsewhere[name] {
			continue
		}

		t.Run(name, func(t *testing.T) {
			s := newFixture(t)

			body, known := s.bodies()[name]
			if !known {
				if o, ok := wire.OperationAt("/" + name); !ok || !o.List && !o.Connection {
					t.Fatal("there is no request to test it with")
				}

				body = object{}
			}

			status, raw := s.call(name, body)
			if status != http.StatusOK {
				t.Fatalf("status %d: %s", status, raw)
			}

			s.wantTasksSucceeded(name)

			if strings.HasPrefix(name, "create-") || strings.HasPrefix(name, "get-") && !known {
				s.wantNotEmpty(name, raw)
			}
		})
	}
}

// failingOperations are the operations whose tasks fail with the objects of a
// fixture.
var failingOperations = map[string]bool{"resume-vm": true, "delete-vds": true, "delete-vm-vlan": true}

// wantTasksSucceeded checks that all tasks have succeeded.
func (s *fixture) wantTasksSucceeded(name string) {
	s.t.Helper()

	tasks := post[[]wire.Task](s.tower, "get-tasks", object{"where": object{"status_not": "SUCCESSED"}})
	if failed := len(tasks) > 0; failed != failingOperations[name] {
		s.t.Errorf("%d tasks did not succeed: %+v", len(tasks), tasks)
	}
}

// emptyKinds are the kinds of which the simulated Tower has no objects.
var emptyKinds = map[string]bool{
	"get-zones": true, "get-vm-entity-filter-results": true, "get-iscsi-connections": true,
}

func (s *fixture) wantNotEmpty(name string, raw []byte) {
	s.t.Helper()

	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) == 0 && !emptyKinds[name] {
		s.t.Errorf("the reply is empty")
	}
}
