// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

type labelReply = wire.WithTask[wire.Label]

func (x *tower) newLabel(key, value string) string {
	x.t.Helper()

	return post[[]labelReply](x, "create-label", []object{{"key": key, "value": value}})[0].Data.ID
}

func (x *tower) relabel(operation, labelID string, data object) {
	x.t.Helper()
	post[[]labelReply](x, operation, object{"where": object{"id": labelID}, "data": data})
}

func (x *tower) getLabel(id string) wire.Label {
	x.t.Helper()

	return post[[]wire.Label](x, "get-labels", byID(id))[0]
}

func TestLabelOnVM(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	id := x.newLabel("role", "db")
	x.relabel("add-labels-to-resources", id, object{"vms": object{"id": vm.ID}, "clusters": object{}})

	if labels := x.vm(vm.ID).Labels; len(labels) != 1 || labels[0].Key != "role" || text(labels[0].Value) != "db" {
		t.Errorf("got %+v", labels)
	}

	if found := x.vms(object{"labels_some": object{"key": "role", "value": "db"}}); len(found) != 1 {
		t.Errorf("the label finds %d VMs", len(found))
	}

	label := x.getLabel(id)
	if *label.TotalNum != 2 || *label.VMNum != 1 || *label.ClusterNum != 1 || label.VMs[0].ID != vm.ID {
		t.Errorf("got %+v", label)
	}

	x.relabel("remove-labels-from-resources", id, object{"vms": object{"id": vm.ID}})

	if labels := x.vm(vm.ID).Labels; len(labels) != 0 || *x.getLabel(id).TotalNum != 1 {
		t.Errorf("got %+v", labels)
	}
}

func TestLabelOfADeletedVMIsUnused(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	id := x.newLabel("a", "")
	x.relabel("add-labels-to-resources", id, object{"vms": object{"id": vm.ID}})
	x.operate("delete-vm", vm.ID)

	if unused := post[[]wire.Label](x, "get-labels", object{"where": object{"total_num": 0}}); len(unused) != 1 {
		t.Errorf("%d labels are unused", len(unused))
	}
}

func TestLabelOnHostNICs(t *testing.T) {
	x := start(t, "")
	host := post[[]wire.Host](x, "get-hosts", object{})[0]
	id := x.newLabel("uplink", "a")
	byHost := object{"nics": object{"host": object{"id": host.ID}, "name_starts_with": "eth"}}
	x.relabel("add-labels-to-resources", id, byHost)

	label := x.getLabel(id)
	if *label.NicNum != 2 || *label.TotalNum != 2 || len(label.Nics) != 2 || label.Nics[0].ID != host.Nics[1].ID || label.Nics[0].Name != "eth0" {
		t.Errorf("the label is on %d of %d: %+v", *label.NicNum, *label.TotalNum, label.Nics)
	}

	labelled := object{"nics_some": object{"labels_some": object{"key": "uplink"}}}
	if hosts := post[[]wire.Host](x, "get-hosts", object{"where": labelled}); len(hosts) != 1 || hosts[0].ID != host.ID {
		t.Errorf("the label of a NIC finds %d hosts", len(hosts))
	}

	if labels := post[[]wire.Label](x, "get-labels", object{"where": object{"nics_some": object{"id": host.Nics[1].ID}}}); len(labels) != 1 {
		t.Errorf("the NIC finds %d labels", len(labels))
	}

	x.relabel("remove-labels-from-resources", id, byHost)

	if label := x.getLabel(id); *label.NicNum != 0 || len(label.Nics) != 0 {
		t.Errorf("the label is still on %+v", label.Nics)
	}
}

func TestLabelOnHostNICsOfARemovedClusterIsUnused(t *testing.T) {
	x := start(t, "")
	id := x.newLabel("uplink", "a")
	x.relabel("add-labels-to-resources", id, object{"nics": object{}})
	post[[]object](x, "delete-cluster", byID(x.idOf("get-clusters", "cluster-1")))
	x.finishTasks()

	if label := x.getLabel(id); *label.NicNum != 0 || *label.TotalNum != 0 {
		t.Errorf("the label is on %d NICs", *label.NicNum)
	}

	if vpcs := x.VPCs(); len(vpcs) != 0 {
		t.Errorf("the cluster's VPC is still there: %+v", vpcs)
	}
}

func TestUpdateLabel(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	id := x.newLabel("a", "b")
	x.relabel("add-labels-to-resources", id, object{"vms": object{"id": vm.ID}})
	x.relabel("update-label", id, object{"value": "c"})

	if labels := x.vm(vm.ID).Labels; labels[0].Key != "a" || text(labels[0].Value) != "c" {
		t.Errorf("got %+v", labels)
	}
}

func TestDeleteLabel(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	id := x.newLabel("a", "b")
	x.relabel("add-labels-to-resources", id, object{"vms": object{"id": vm.ID}})
	post[[]wire.WithTask[wire.Deleted]](x, "delete-label", byID(id))

	if labels := x.vm(vm.ID).Labels; len(labels) != 0 {
		t.Errorf("got %+v", labels)
	}
}

func TestLabelsAreUnique(t *testing.T) {
	x := start(t, "")
	x.newLabel("a", "b")
	id := x.newLabel("a", "c")
	x.refused("create-label", []object{{"key": "a", "value": "b"}}, http.StatusBadRequest)
	x.refused("create-label", []object{{"key": ""}}, http.StatusBadRequest)
	x.refused("create-label", []object{}, http.StatusBadRequest)
	x.refused("update-label", object{"where": object{"id": id}, "data": object{"value": "b"}}, http.StatusBadRequest)
}

func TestLabelsOfOneRequestAreDifferent(t *testing.T) {
	x := start(t, "")
	x.refused("create-label", []object{{"key": "a", "value": "b"}, {"key": "a", "value": "b"}}, 400)

	x.newLabel("env", "x")
	x.newLabel("team", "x")
	x.refused("update-label", object{"where": object{"value": "x"}, "data": object{"key": "same"}}, 400)

	if labels := post[[]wire.Label](x, "get-labels", object{"where": object{"key_in": []string{"a", "same"}}}); len(labels) > 0 {
		t.Errorf("got %+v", labels)
	}
}
