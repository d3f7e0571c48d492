// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// TestOlderTowersLackOperations calls operations of the release that brought
// them and of the one before.
func TestOlderTowersLackOperations(t *testing.T) {
	for operation, releases := range map[string][2]string{
		"update-vm-nic-qos-option":                      {"3.1.0", "3.2.0"},
		"remove-vm-nic-by-where":                        {"3.2.0", "3.3.0"},
		"add-vm-pci-nic":                                {"3.2.0", "3.3.0"},
		"remove-vm-pci-nic":                             {"3.2.0", "3.3.0"},
		"add-vm-gpu-device":                             {"3.2.0", "3.3.0"},
		"remove-vm-gpu-device":                          {"3.2.0", "3.3.0"},
		"get-gpu-devices":                               {"3.2.0", "3.3.0"},
		"get-gpu-devices-connection":                    {"3.2.0", "3.3.0"},
		"get-vm-vnc-info":                               {"3.4.0", "4.0.0"},
		"get-vm-gpu-device-info":                        {"3.4.0", "4.0.0"},
		"get-detail-vm-info-by-gpu-devices":             {"3.4.0", "4.0.0"},
		"import-content-library-image":                  {"3.4.0", "4.0.0"},
		"update-vm-vpc-nic":                             {"4.2.0", "4.3.0"},
		"create-vm-from-content-library-template-batch": {"4.3.0", "4.4.0"},
	} {
		old, young := startRelease(t, releases[0]), startRelease(t, releases[1])
		old.refused(operation, object{}, http.StatusNotFound)

		if status, raw := young.call(operation, object{}); status == http.StatusNotFound || status == http.StatusNotImplemented {
			t.Errorf("%s does not know %s: %s", releases[1], operation, raw)
		}
	}
}

// startRelease starts a Tower of a release that every user can log in to.
func startRelease(t *testing.T, release string) *tower {
	t.Helper()

	x := startLoggedOut(t, "version: "+release)
	x.token = post[wire.WithTask[wire.LoginResponse]](x, "login", object{
		"username": x.Username(), "password": x.Password(), "source": "LOCAL",
	}).Data.Token

	return x
}

// TestOlderTowersLackFields checks rows, and filters and orders by a field, at
// the release that brought the field and at the one before.
func TestOlderTowersLackFields(t *testing.T) {
	for _, test := range []struct {
		operation, field, before, since, where string
	}{
		{"get-hosts", "entityAsyncStatus", "2.8.0", "3.0.0", `{"where":{"entityAsyncStatus":null}}`},
		{"get-hosts", "host_state", "3.2.0", "3.3.0", ""},
		{"get-hosts", "gpu_devices", "3.2.0", "3.3.0", `{"where":{"gpu_devices_none":{}}}`},
		{"get-vlans", "mode_type", "2.8.0", "3.0.0", `{"orderBy":"mode_type_ASC"}`},
		{"get-vlans", "network_ids", "2.8.0", "3.0.0", ""},
		{"get-vlans", "qos_burst", "2.8.0", "3.0.0", `{"where":{"qos_burst":null}}`},
		{"get-cluster-settingses", "default_storage_policy", "2.8.0", "3.0.0", ""},
		{"get-vm-volumes", "entityAsyncStatus", "2.8.0", "3.0.0", `{"where":{"entityAsyncStatus":null}}`},
		{"get-vm-nics", "ingress_rate_limit_enabled", "3.1.0", "3.2.0", `{"where":{"ingress_rate_limit_enabled":false}}`},
		{"get-vms", "gpu_devices", "3.2.0", "3.3.0", `{"where":{"gpu_devices_none":{}}}`},
		{"get-vms", "pci_nics", "3.2.0", "3.3.0", `{"where":{"pci_nics_none":{}}}`},
		{"get-vm-nics", "type", "4.0.0", "4.1.0", `{"where":{"type":"VLAN"}}`},
		{"get-vms", "bios_uuid", "4.1.0", "4.2.0", `{"orderBy":"bios_uuid_DESC"}`},
		{"get-content-library-vm-templates", "vm_disks", "4.4.0", "4.5.0", `{"orderBy":"vm_disks_ASC"}`},
		{"get-content-library-vm-templates", "cpu", "4.4.0", "4.5.0", `{"orderBy":"cpu_ASC"}`},
		{"get-content-library-vm-templates", "firmware", "4.4.0", "4.5.0", `{"where":{"firmware":"BIOS"}}`},
		{"get-vms", "used_size", "4.5.0", "4.6.0", `{"where":{"used_size_gte":0}}`},
		{"get-vm-volumes", "used_size", "4.5.0", "4.6.0", `{"where":{"used_size_gte":0}}`},
		{"get-vm-nics", "guest_info_ip_addresses", "4.7.0", "4.8.0", ""},
		{"get-vm-nics", "guest_info_ip_addresses_v6", "4.7.0", "4.8.0", ""},
	} {
		t.Run(test.operation+" "+test.field, func(t *testing.T) {
			old, young := startRelease(t, test.before), startRelease(t, test.since)

			for x, want := range map[*tower]bool{old: false, young: true} {
				x.create(object{"name": "a"})
				x.finishTasks()

				rows := post[[]object](x, test.operation, object{})
				if len(rows) == 0 {
					t.Fatal("there are no rows")
				}

				if _, has := rows[0][test.field]; has != want {
					t.Errorf("rows of a newer Tower have the field: %t, rows of this one: %t: %v", want, has, rows[0])
				}
			}

			if test.where != "" {
				old.refused(test.operation, test.where, http.StatusBadRequest)
				post[[]object](young, test.operation, test.where)
			}
		})
	}
}

func TestOlderTowersNameLabelsByIDAlone(t *testing.T) {
	for release, want := range map[string]bool{"4.0.0": false, "4.1.0": true} {
		x := startRelease(t, release)
		vm := x.newVM(object{"name": "a"})
		l := x.newLabel("k", "v")
		post[listReply](x, "add-labels-to-resources", edit(l, object{"vms": object{"id": vm.ID}}))

		label := post[[]object](x, "get-vms", byID(vm.ID))[0]["labels"].([]any)[0].(object)
		if _, has := label["key"]; has != want || label["id"] != l {
			t.Errorf("%s shows %v", release, label)
		}
	}
}

func TestRepliesToChangesLackNewerFields(t *testing.T) {
	x := startRelease(t, "4.1.0")

	reply := post[[]object](x, "create-vm-from-content-library-template", x.params(object{"name": "a"}))[0]
	if data := reply["data"].(object); data["id"] == nil || data["name"] != "a" {
		t.Errorf("the reply is %v", reply)
	} else if _, has := data["bios_uuid"]; has {
		t.Errorf("the reply has a field of later releases: %v", data)
	}
}

// TestOlderTowersIgnoreMembersOfCreations sends members that a release does not
// know yet: it replies with 200 and ignores them.
func TestOlderTowersIgnoreMembersOfCreations(t *testing.T) {
	type effect struct {
		release      string
		owner, group bool
		qos          bool
	}

	for _, want := range []effect{
		{release: "3.1.0"},
		{release: "3.2.0", qos: true},
		{release: "3.3.0", qos: true, group: true},
		{release: "4.0.0", qos: true, group: true, owner: true},
	} {
		x := startRelease(t, want.release)
		group := x.newObject("create-vm-placement-group", []object{{
			"cluster_id": x.idOf("get-clusters", "cluster-1"), "name": "g", "enabled": true,
		}})
		x.finishTasks()

		vm := x.newVM(object{
			"name": "a", "owner": object{"search_for": "username", "value": "root"}, "vm_placement_group": object{"id": group},
			"vm_nics": []object{{
				"connect_vlan_id": x.idOf("get-vlans", "default"), "qos": object{"egress": object{"enabled": true, "rate_limit": 9}},
			}},
		})

		owner, err := x.VMOwner("a")
		if err != nil {
			t.Fatal(err)
		}

		nic := x.nics(vm.ID)[0]
		got := effect{
			release: want.release, owner: owner == "root", group: len(vm.VMPlacementGroup) == 1,
			qos: nic.EgressRateLimitEnabled != nil && *nic.EgressRateLimitEnabled,
		}

		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestOlderTowersRefuseValuesOfLaterReleases(t *testing.T) {
	for _, test := range []struct{ before, since, bus, policy string }{
		{"4.3.0", "4.4.0", "USB", "REPLICA_2_THIN_PROVISION"},
		{"3.4.0", "4.0.0", "VIRTIO", "ELF_CP_REPLICA_2_THIN_PROVISION"},
		{"3.4.0", "4.0.0", "VIRTIO", "ELF_CP_REPLICA_3_THICK_PROVISION"},
	} {
		body := func(x *tower, vm string) object {
			return edit(vm, object{"vm_disks": object{"mount_new_create_disks": []object{{
				"boot": 7, "bus": test.bus, "vm_volume": object{"name": "d", "size": 1 << 30, "elf_storage_policy": test.policy},
			}}}})
		}

		old, young := startRelease(t, test.before), startRelease(t, test.since)
		old.refused("add-vm-disk", body(old, old.newVM(object{"name": "a"}).ID), http.StatusBadRequest)
		post[listReply](young, "add-vm-disk", body(young, young.newVM(object{"name": "a"}).ID))
	}
}
