// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// newLUN creates a target with a LUN and a snapshot of it.
func (x *tower) newLUN() (target, lun, snapshot string) {
	x.t.Helper()

	target = x.newObject("create-iscsi-target", []object{{
		"cluster_id": x.idOf("get-clusters", "cluster-1"), "name": "t", "replica_num": 2, "stripe_num": 4, "stripe_size": 262144,
		"thin_provision": true, "iops": 10,
	}})
	lun = x.newObject("create-iscsi-lun", []object{{"iscsi_target_id": target, "name": "l", "assigned_size": 1 << 30, "replica_num": 2}})
	snapshot = x.newObject("create-iscsi-lun-snapshot", []object{{"iscsi_target_id": target, "iscsi_lun_id": lun, "name": "s"}})
	x.finishTasks()

	return target, lun, snapshot
}

func TestTargetListsItsLUNs(t *testing.T) {
	x := start(t, "")
	id, lun, _ := x.newLUN()
	post[[]object](x, "update-iscsi-target", edit(id, object{"iops": 20}))
	x.finishTasks()

	target := first[wire.IscsiTarget](x, "get-iscsi-targets", object{"luns_some": object{"id": lun}})
	if *target.IOPS != 20 || target.ReplicaNum != 2 || len(target.Luns) != 1 || target.EntityAsyncStatus != nil {
		t.Errorf("got %+v", target)
	}
}

func TestLUNIsRolledBack(t *testing.T) {
	x := start(t, "")
	target, lun, snapshot := x.newLUN()
	post[[]object](x, "update-iscsi-lun", edit(lun, object{"assigned_size": 2, "assigned_size_unit": "GB"}))
	x.finishTasks()

	size := func() int64 { return first[wire.IscsiLun](x, "get-iscsi-luns", object{"id": lun}).AssignedSize }
	if size() != 2<<30 {
		t.Errorf("the LUN has %d bytes", size())
	}

	post[[]object](x, "rollback-iscsi-lun-from-snapshot", []object{{"lun_id": lun, "snapshot_id": snapshot}})
	x.finishTasks()

	if size() != 1<<30 {
		t.Errorf("after the rollback, the LUN has %d bytes", size())
	}

	x.base = x.URL() // the vendor's clients omit the name

	clone := x.newObject("clone-iscsi-lun-from-snapshot", []object{{"iscsi_target_id": target, "snapshot_id": snapshot}})
	if got := first[wire.IscsiLun](x, "get-iscsi-luns", object{"id": clone}); got.AssignedSize != 1<<30 || got.LunID != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestIscsiObjectsAreDeletedInAnyOrder(t *testing.T) {
	x := start(t, "")
	x.base = x.URL() // the vendor's clients omit members that the document requires
	target, lun, snapshot := x.newLUN()

	for operation, id := range map[string]string{
		"delete-iscsi-target": target, "delete-iscsi-lun": lun, "delete-iscsi-lun-snapshot": snapshot,
	} {
		task := post[[]wire.WithTask[wire.Deleted]](x, operation, byID(id))[0].TaskID
		x.finishTasks()
		x.succeeded(task)
	}
}

func TestLUNIsDeletedWithItsSnapshots(t *testing.T) {
	for remove, want := range map[bool]int{true: 0, false: 1} {
		x := start(t, "")
		_, lun, _ := x.newLUN()
		post[[]object](x, "delete-iscsi-lun", edit(lun, object{"remove_snapshot": remove}))
		x.finishTasks()

		if left := post[[]wire.IscsiLunSnapshot](x, "get-iscsi-lun-snapshots", object{}); len(left) != want {
			t.Errorf("remove_snapshot %v: %d are left", remove, len(left))
		}
	}
}

// usedSpace returns the used storage of the only cluster.
func (x *tower) usedSpace() int64 {
	x.t.Helper()

	return *post[[]wire.Cluster](x, "get-clusters", object{})[0].UsedDataSpace
}

func TestLUNsTakeSpaceOfTheirCluster(t *testing.T) {
	x := start(t, "")
	target, lun, snapshot := x.newLUN()

	for _, step := range []struct {
		what string
		do   func()
		want int64
	}{
		{"two copies of 1 GiB", func() {}, 2 << 30},
		{"the LUN grows to 3 GiB", func() {
			post[[]object](x, "update-iscsi-lun", edit(lun, object{"assigned_size": 3, "assigned_size_unit": "GB"}))
		}, 6 << 30},
		{"the LUN shrinks to 1 GiB", func() {
			post[[]object](x, "rollback-iscsi-lun-from-snapshot", []object{{"lun_id": lun, "snapshot_id": snapshot}})
		}, 2 << 30},
		{"a clone joins", func() {
			x.newObject("clone-iscsi-lun-from-snapshot", []object{{"iscsi_target_id": target, "snapshot_id": snapshot, "name": "c"}})
		}, 4 << 30},
		{"three copies of 1 GiB join", func() {
			x.newObject("create-iscsi-lun", []object{{"iscsi_target_id": target, "name": "m", "assigned_size": 1 << 30, "replica_num": 3}})
		}, 7 << 30},
		{"the LUN is deleted", func() { post[[]object](x, "delete-iscsi-lun", edit(lun, object{"remove_snapshot": true})) }, 5 << 30},
	} {
		step.do()
		x.finishTasks()

		if got := x.usedSpace(); got != step.want {
			t.Errorf("%s: %d bytes are in use, want %d", step.what, got, step.want)
		}
	}
}

func TestLUNsThatDoNotFitAreNotCreated(t *testing.T) {
	x := start(t, "inventory: {clusters: [{name: cluster-1, storage_tib: 1}]}")
	target, lun, _ := x.newLUN()
	newLUN := func(size int64) object {
		return object{"iscsi_target_id": target, "name": "big", "assigned_size": size, "replica_num": 2}
	}
	failed := func(operation string, body any) {
		t.Helper()

		task := post[[]wire.WithTask[wire.Deleted]](x, operation, body)[0].TaskID
		x.finishTasks()
		x.failed(task, "EAllocSpace")
	}

	failed("create-iscsi-lun", []object{newLUN(1 << 40)})
	failed("create-iscsi-lun", []object{newLUN(1<<63 - 1)})
	failed("update-iscsi-lun", edit(lun, object{"assigned_size": int64(1) << 40}))

	if got := post[[]wire.IscsiLun](x, "get-iscsi-luns", object{}); len(got) != 1 || got[0].AssignedSize != 1<<30 || x.usedSpace() != 2<<30 {
		t.Errorf("the target has %+v", got)
	}

	// Volumes and LUNs share the space: the first request gets it.
	x.newObject("create-iscsi-lun", []object{newLUN(500 << 30)})
	x.finishTasks()

	volume := post[[]wire.WithTask[wire.VMVolume]](x, "create-vm-volume", []object{{
		"cluster_id": x.idOf("get-clusters", "cluster-1"), "name": "v", "size": int64(20) << 30, "sharing": false,
		"elf_storage_policy": "REPLICA_2_THIN_PROVISION",
	}})[0]
	x.finishTasks()
	x.failed(volume.TaskID, "EAllocSpace")

	big := x.idOf("get-iscsi-luns", "big")
	ofBig := x.newObject("create-iscsi-lun-snapshot", []object{{"iscsi_target_id": target, "iscsi_lun_id": big, "name": "of-big"}})
	x.finishTasks()
	failed("clone-iscsi-lun-from-snapshot", []object{{"iscsi_target_id": target, "snapshot_id": ofBig, "name": "c"}})

	x.refused("update-iscsi-lun", edit(lun, object{"assigned_size": 0}), http.StatusBadRequest)
}

func TestIscsiRefusesMissingObjects(t *testing.T) {
	x := start(t, "")
	target, lun, _ := x.newLUN()
	x.refused("create-iscsi-lun", []object{{"iscsi_target_id": "x", "name": "l", "assigned_size": 1, "replica_num": 2}}, http.StatusNotFound)
	x.refused("create-iscsi-lun-snapshot", []object{{"iscsi_target_id": target, "iscsi_lun_id": "x", "name": "s"}}, http.StatusNotFound)
	x.refused("clone-iscsi-lun-from-snapshot", []object{{"iscsi_target_id": target, "snapshot_id": "x"}}, http.StatusNotFound)
	x.refused("rollback-iscsi-lun-from-snapshot", []object{{"lun_id": lun, "snapshot_id": "x"}}, http.StatusNotFound)
}

func TestFailedIscsiCreationLeavesNothing(t *testing.T) {
	x := start(t, "")
	target, lun, _ := x.newLUN()
	x.inject(`[{operation: create-iscsi-target, task_error: {code: E}}, {operation: create-iscsi-lun-snapshot, task_error: {code: E}}]`)

	for operation, made := range map[string]object{
		"create-iscsi-target": {
			"cluster_id": x.idOf("get-clusters", "cluster-1"), "name": "failed", "replica_num": 2, "stripe_num": 4,
			"stripe_size": 262144, "thin_provision": true,
		},
		"create-iscsi-lun-snapshot": {"iscsi_target_id": target, "iscsi_lun_id": lun, "name": "failed"},
	} {
		reply := post[[]wire.WithTask[object]](x, operation, []object{made})[0]
		if reply.Data["entityAsyncStatus"] != "CREATING" {
			t.Errorf("%s: the reply has the status %v", operation, reply.Data["entityAsyncStatus"])
		}

		x.finishTasks()
		x.failed(reply.TaskID, "E")
	}

	if got := post[[]wire.IscsiTarget](x, "get-iscsi-targets", object{"where": object{"name": "failed"}}); len(got) != 0 {
		t.Errorf("the targets %+v are left", got)
	}

	if got := post[[]wire.IscsiLunSnapshot](x, "get-iscsi-lun-snapshots", object{"where": object{"name": "failed"}}); len(got) != 0 {
		t.Errorf("the snapshots %+v are left", got)
	}
}
