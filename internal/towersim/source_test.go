// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// TestDrivesOfATemplateAreCarriedOverOnRequestOnly creates VMs from a template
// with a CD-ROM drive: if the request does not mention disks, there is no
// drive.
func TestDrivesOfATemplateAreCarriedOverOnRequestOnly(t *testing.T) {
	s := newFixture(t)
	x := s.tower
	template := x.newObject("clone-vm-template-from-vm", []object{{"vm_id": s.stopped, "name": "with-drive", "cloud_init_supported": false}})
	library := x.newObject("clone-content-library-vm-template-from-vm", []object{{
		"vm": object{"id": s.stopped}, "name": "with-drive-too", "clusters": object{"id": s.cluster},
	}})
	x.finishTasks()

	for name, test := range map[string]struct {
		operate any
		drives  int
	}{
		"absent":  {nil, 0},
		"empty":   {object{}, 0},
		"no list": {object{"modify_disks": []object{}}, 0},
		"given":   {object{"modify_disks": []object{{"disk_index": 0, "bus": "SCSI"}}}, 1},
		"removed": {object{"remove_disks": object{"disk_index": []int{0}}}, 0},
	} {
		for operation, source := range map[string]string{"create-vm-from-template": template, "create-vm-from-content-library-template": library} {
			params := object{
				"name": name + operation, "template_id": source, "is_full_copy": false, "cluster_id": s.cluster,
			}
			if test.operate != nil {
				params["disk_operate"] = test.operate
			}

			id := x.newObject(operation, []object{params})
			x.finishTasks()

			if got := x.disks(id); len(got) != test.drives {
				t.Errorf("%s: disk_operate %s: %d drives, want %d", operation, name, len(got), test.drives)
			}
		}
	}
}

// TestCopiesTakeNoOtherIOPolicyThanTheirSources requests I/O policies for
// copies: only that of the source is accepted, or any if the source is a blank
// VM.
func TestCopiesTakeNoOtherIOPolicyThanTheirSources(t *testing.T) {
	s := newFixture(t)
	x := s.tower
	limits := object{"io_policy": "RESTRICT_WHOLE_VM", "max_iops": 100, "max_iops_policy": "FORCED"}
	limited := x.newObject("create-vm", []object{s.blankParams(merged(limits, object{"name": "limited"}))})
	x.finishTasks()

	copies := map[string][]object{
		"clone-vm":                                {{"src_vm_id": s.stopped, "name": "c"}},
		"rebuild-vm-from-snapshot":                {{"rebuild_from_snapshot_id": s.snapshot, "name": "c"}},
		"create-vm-from-template":                 {{"template_id": s.template, "name": "c", "is_full_copy": false}},
		"create-vm-from-content-library-template": x.params(object{"name": "c"}),
	}

	for operation, params := range copies {
		params[0] = merged(params[0], limits)
		if got := x.refused(operation, params, http.StatusBadRequest); !strings.Contains(got.Message, "io_policy") {
			t.Errorf("%s: %s", operation, got.Message)
		}
	}

	id := x.newObject("clone-vm", []object{merged(limits, object{"src_vm_id": limited, "name": "c"})})
	x.finishTasks()

	if vm := x.vm(id); vm.IOPolicy == nil || *vm.IOPolicy != wire.VMDiskIOPolicyRestrictWholeVM || *vm.MaxIOPS != 100 {
		t.Errorf("got %+v", vm)
	}
}

// merged returns an object with the members of all objects. The last one wins.
func merged(objects ...object) object {
	out := object{}

	for _, o := range objects {
		for key, value := range o {
			out[key] = value
		}
	}

	return out
}

// TestNetworkThatIsNotInTheClusterIsReplaced creates a VM from a library
// template in a cluster that does not have the template's network.
func TestNetworkThatIsNotInTheClusterIsReplaced(t *testing.T) {
	x := start(t, `
inventory:
  clusters:
    - {name: cluster-1, vlans: [{name: default}, {name: special}]}
    - {name: cluster-2, vlans: [{name: other}, {name: another}]}
  content_library_vm_templates: [{name: rocky-8, nics: [special]}]`)

	for cluster, want := range map[string]string{"cluster-1": "special", "cluster-2": "other"} {
		vm := x.newVM(object{"name": cluster, "cluster_id": x.idOf("get-clusters", cluster)})
		if nics := x.nics(vm.ID); len(nics) != 1 || nics[0].Vlan.Name != want {
			t.Errorf("%s: got %+v", cluster, nics)
		}
	}
}

func TestHostnamesOfWindowsGuestsAreChecked(t *testing.T) {
	x := start(t, "")

	for hostname, windows := range map[string]bool{"web-1": true, "WEB1": true, "web-1.example.org": false, "123": false, "we_b": false} {
		for _, guest := range []string{"WINDOWS", "LINUX"} {
			reply := x.create(object{"name": hostname + guest, "guest_os_type": guest, "cloud_init": object{"hostname": hostname}})[0]
			x.finishTasks()

			switch {
			case guest == "WINDOWS" && !windows:
				x.failed(reply.TaskID, "VM_CLOUD_INIT_CONFIG_ERROR")
			case guest == "LINUX" && hostname == "web-1.example.org", guest == "WINDOWS":
				x.succeeded(reply.TaskID)
			}
		}
	}
}

// TestHostsByTheirStates requests a VM on a host in each state.
func TestHostsByTheirStates(t *testing.T) {
	for state, usable := range map[string]bool{
		"IN_USE": true, "CONNECTED_WARNING": true, "CONNECTING": true, "CONNECTED_ERROR": false, "INITIALIZING": false,
		"SESSION_EXPIRED": false, "MAINTENANCE_MODE": false, "ENTERING_MAINTENANCE_MODE": false, "REMOVING": false,
	} {
		x := start(t, "inventory: {clusters: [{name: cluster-1, hosts: [{name: h, state: "+state+"}]}]}")
		reply := x.create(object{"name": "a", "host_id": x.idOf("get-hosts", "h")})[0]
		x.finishTasks()

		if usable {
			x.succeeded(reply.TaskID)
		} else {
			x.failed(reply.TaskID, "VM_SCHEDULE_FAILED")
		}
	}
}

func TestPlaceholderIsReplaced(t *testing.T) {
	x := start(t, "")
	reply := x.create(object{"name": "a"})[0]
	placeholder := reply.Data.LocalID

	if got := x.vms(object{"local_id": placeholder}); len(got) != 1 || got[0].ID != reply.Data.ID {
		t.Errorf("during the task, %d VMs have the placeholder", len(got))
	}

	x.finishTasks()

	if got := x.vms(object{"local_id": placeholder}); len(got) != 0 {
		t.Errorf("after the task, %d VMs have the placeholder", len(got))
	}

	local := x.vm(reply.Data.ID).LocalID
	for _, id := range []string{local, reply.Data.ID} {
		if got := x.vms(object{"OR": []object{{"local_id": id}, {"id": id}}}); len(got) != 1 {
			t.Errorf("%d VMs are found by %s", len(got), id)
		}
	}
}

// TestFiltersByNullAndByText checks which rows with absent values are found,
// and that numbers may be written as text.
func TestFiltersByNullAndByText(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: idle, num_cpus: 4}, {name: busy, num_cpus: 1}]}")
	x.base = x.URL() // the document's schema allows no numbers in text, but its prose has one
	busy := x.vms(object{"name": "busy"})[0]
	post[[]vmReply](x, "update-vm-basic-info", edit(busy.ID, object{"description": "d"}))

	for name, test := range map[string]struct {
		where object
		want  []string
	}{
		"null":               {object{"entityAsyncStatus": nil}, []string{"idle"}},
		"not null":           {object{"entityAsyncStatus_not": nil}, []string{"busy"}},
		"not a value":        {object{"entityAsyncStatus_not": "UPDATING"}, nil},
		"a value":            {object{"entityAsyncStatus": "UPDATING"}, []string{"busy"}},
		"numbers as text":    {object{"vcpu_gt": "2"}, []string{"idle"}},
		"numbers as numbers": {object{"vcpu_gt": 2}, []string{"idle"}},
		"no relation":        {object{"folder": nil}, []string{"busy", "idle"}},
		"nested":             {object{"host": object{"cluster": object{"vdses_some": object{"vlans_some": object{"name": "default"}}}}}, []string{"busy", "idle"}},
		"nested, none":       {object{"vm_nics_none": object{"vlan": object{"vds": object{"cluster": object{"name": "cluster-1"}}}}}, nil},
		"every":              {object{"vm_nics_every": object{"vlan": object{"name": "ecp"}}}, nil},
		"logic":              {object{"AND": []object{{"name_contains": "i"}, {"NOT": []object{{"vcpu": 1}}}}}, []string{"idle"}},
		"nothing":            {object{}, []string{"busy", "idle"}},
	} {
		var got []string
		for _, vm := range x.vms(test.where) {
			got = append(got, vm.Name)
		}

		wantStrings(t, name, got, test.want)

		count := post[wire.Connection](x, "get-vms-connection", object{"where": test.where})
		if count.Aggregate.Count != len(test.want) {
			t.Errorf("%s: counted %d", name, count.Aggregate.Count)
		}
	}
}
