// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

type groupReply = wire.WithTask[wire.VMPlacementGroup]

// newGroup creates a placement group and waits for its task.
func (x *tower) newGroup(more object) groupReply {
	x.t.Helper()

	params := object{"cluster_id": x.idOf("get-clusters", "cluster-1"), "name": "g", "enabled": true, "vm_vm_policy_enabled": true}
	for key, value := range more {
		params[key] = value
	}

	reply := post[[]groupReply](x, "create-vm-placement-group", []object{params})[0]
	x.finishTasks()

	return reply
}

func (x *tower) group(id string) wire.VMPlacementGroup {
	x.t.Helper()

	return first[wire.VMPlacementGroup](x, "get-vm-placement-groups", object{"id": id})
}

const twoHosts = "inventory: {clusters: [{name: cluster-1, hosts: [{name: a}, {name: b}]}]}"

func TestMustDifferentKeepsVMsApart(t *testing.T) {
	x := start(t, twoHosts)
	id := x.newGroup(object{"vm_vm_policy": "MUST_DIFFERENT"}).Data.ID
	in := object{"id": id}
	one := x.newVM(object{"name": "1", "vm_placement_group": in})
	two := x.newVM(object{"name": "2", "vm_placement_group": in})

	if one.Host.ID == two.Host.ID {
		t.Errorf("both VMs are on %s", one.Host.Name)
	}

	third := x.create(object{"name": "3", "vm_placement_group": in})[0]
	x.finishTasks()
	x.failed(third.TaskID, "VM_SCHEDULE_FAILED")

	if members := x.group(id).VMs; len(members) != 2 {
		t.Errorf("the group has the members %+v", members)
	}
}

func TestFilterOfGroupsHasTheNameOfItsRelease(t *testing.T) {
	for version, want := range map[string]string{"4.6.0": "PlacementGroupMustFilter", "3.4.0": "PlacementGroupFilter"} {
		x := start(t, twoHosts+"\nversion: "+version)
		in := object{"id": x.newGroup(object{"vm_host_must_enabled": true, "vm_host_must_policy": true}).Data.ID}
		reply := x.create(object{"vm_placement_group": in})[0]
		x.finishTasks()

		if message := x.failed(reply.TaskID, "VM_SCHEDULE_FAILED"); !contains(message, "::"+want) {
			t.Errorf("%s: %s", version, message)
		}
	}
}

func TestHostRules(t *testing.T) {
	for policy, want := range map[bool]string{true: "b", false: "a"} {
		x := start(t, twoHosts)
		in := object{"id": x.newGroup(object{
			"vm_host_must_enabled": true, "vm_host_must_policy": policy, "must_hosts": object{"name": "b"},
		}).Data.ID}

		if vm := x.newVM(object{"vm_placement_group": in}); vm.Host.Name != want {
			t.Errorf("must %v: the VM is on %s", policy, vm.Host.Name)
		}
	}
}

func TestPreferencesAreIgnoredIfNecessary(t *testing.T) {
	x := start(t, twoHosts)
	in := object{"id": x.newGroup(object{"vm_vm_policy": "PREFER_SAME"}).Data.ID}
	one := x.newVM(object{"name": "1", "vm_placement_group": in})
	two := x.newVM(object{"name": "2", "vm_placement_group": in, "memory": int64(100) << 30})
	huge := x.newVM(object{"name": "3", "vm_placement_group": in, "memory": int64(1024) << 30})

	if one.Host.ID != two.Host.ID || huge.Host.ID == one.Host.ID {
		t.Errorf("the VMs are on %s, %s and %s", one.Host.Name, two.Host.Name, huge.Host.Name)
	}
}

func TestUpdateReplacesTheMembers(t *testing.T) {
	x := start(t, "")
	a, b := x.newVM(object{"name": "a"}), x.newVM(object{"name": "b"})
	id := x.newGroup(object{"vms": object{"id": a.ID}, "vm_vm_policy": "MUST_SAME"}).Data.ID
	post[[]groupReply](x, "update-vm-placement-group", object{"where": object{"id": id}, "data": object{"vms": object{"id": b.ID}}})
	x.finishTasks()

	got := x.group(id)
	if len(got.VMs) != 1 || got.VMs[0].ID != b.ID || got.VMVMPolicy != wire.VMVMPolicyMustSame {
		t.Errorf("got %+v", got)
	}

	if len(x.vm(a.ID).VMPlacementGroup) != 0 || len(x.vm(b.ID).VMPlacementGroup) != 1 {
		t.Error("the VMs show other groups")
	}
}

func TestOldTowersKeepMembersOfADisabledPolicy(t *testing.T) {
	x := start(t, "version: 4.0.0")
	vm := x.newVM(object{})
	id := x.newGroup(object{"vm_vm_policy_enabled": false}).Data.ID

	reply := post[[]groupReply](x, "update-vm-placement-group", object{"where": object{"id": id}, "data": object{"vms": object{"id": vm.ID}}})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "PLACEMENT_GROUP_POLICY_DISABLED")
}

func TestGroupNamesAreUnique(t *testing.T) {
	x := start(t, "")
	x.succeeded(x.newGroup(nil).TaskID)
	x.failed(x.newGroup(nil).TaskID, "PLACEMENT_GROUP_DUPLICATE_NAME")

	if groups := post[[]wire.VMPlacementGroup](x, "get-vm-placement-groups", object{}); len(groups) != 1 {
		t.Errorf("%d groups are left", len(groups))
	}
}

func TestGroupDeletionIsMarkedLate(t *testing.T) {
	x := start(t, "")
	id := x.newGroup(nil).Data.ID
	remove := func() *string {
		return post[[]wire.WithTask[wire.Deleted]](x, "delete-vm-placement-group", byID(id))[0].TaskID
	}

	one := remove()
	if status := x.group(id).EntityAsyncStatus; status != nil {
		t.Errorf("the group is %s at once", *status)
	}

	two := remove()
	x.finishTasks()
	x.succeeded(one)
	x.failed(two, "PLACEMENT_GROUP_NOT_FOUND")
}

func TestCreatedGroupIsAPlaceholderFirst(t *testing.T) {
	x := start(t, "")
	reply := post[[]groupReply](x, "create-vm-placement-group", []object{{
		"cluster_id": x.idOf("get-clusters", "cluster-1"), "name": "g", "enabled": true,
	}})[0]

	if !contains(reply.Data.LocalID, "placeholder-") {
		t.Errorf("local_id is %q", reply.Data.LocalID)
	}

	x.finishTasks()

	if got := x.group(reply.Data.ID).LocalID; len(got) != 36 {
		t.Errorf("then local_id is %q", got)
	}

	x.refused("create-vm-placement-group", []object{{"cluster_id": "x", "name": "g", "enabled": true}}, http.StatusNotFound)
}
