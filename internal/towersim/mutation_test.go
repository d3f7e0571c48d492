// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

func TestMutationsNameTheirVMs(t *testing.T) {
	x := start(t, "inventory: {vms: [{name: a, nics: [default]}, {name: b, nics: [default]}]}")
	id := func(operation, vm, member string) string {
		rows := post[[]object](x, operation, object{"where": object{"vm": object{"name": vm}}})

		if nested, ok := rows[0][member].(object); ok {
			return nested["id"].(string)
		}

		return rows[0][member].(string)
	}

	volume := id("get-vm-disks", "a", "vm_volume")
	run := func(operation string, body any) {
		post[[]object](x, operation, body)
		x.finishTasks()
	}

	run("update-vm-basic-info", object{"where": object{"name": "b"}, "data": object{"name": "c"}})
	run("poweroff-vm", object{"where": object{"name_in": []string{"a", "c"}}})
	run("update-vm-nic-advance-info", object{"where": object{"id": id("get-vm-nics", "a", "id")}, "data": object{"enabled": false}})
	run("expand-vm-disk", object{"where": object{"vm_volume": object{"id": volume}}, "size": 50 << 30})
	run("remove-vm-disk", object{"where": object{"name": "a"}, "data": object{"disk_ids": []string{id("get-vm-disks", "a", "id")}}})
	run("delete-vm-volume", object{"where": object{"id": volume}})
	run("create-vm-placement-group", []object{{
		"name": "g", "cluster_id": x.idOf("get-clusters", "cluster-1"), "enabled": true, "vm_vm_policy": "PREFER_DIFFERENT",
		"vm_vm_policy_enabled": true, "vms": object{"name": "a"},
	}})
	run("update-vm-placement-group", object{"where": object{"name": "g"}, "data": object{"vms": object{"id": x.idOf("get-vms", "c")}}})
	run("update-vm-placement-group", object{"where": object{"id": x.idOf("get-vm-placement-groups", "g")}, "data": object{"vms": object{"id_in": []string{}}}})
	run("create-label", []object{{"key": "env"}})

	if status, _ := x.call("update-vm-basic-info", object{"where": object{"name": "a"}, "data": object{"name": ""}}); status != http.StatusBadRequest {
		t.Errorf("an empty name gives %d", status)
	}

	got := []string{}

	for _, m := range x.Mutations() {
		names := []string{}
		for _, vm := range m.VMs {
			names = append(names, vm.Name)
		}

		slices.Sort(names)
		got = append(got, fmt.Sprintf("%s %s %d", m.Operation, strings.Join(names, "+"), m.Status))

		if !json.Valid(m.Body) || m.At.IsZero() {
			t.Errorf("%s has the body %s, and arrived at %s", m.Operation, m.Body, m.At)
		}
	}

	wantStrings(t, "the mutations", got, []string{
		"update-vm-basic-info b 200", "poweroff-vm a+c 200", "update-vm-nic-advance-info a 200", "expand-vm-disk a 200",
		"remove-vm-disk a 200", "delete-vm-volume a 200", "create-vm-placement-group a 200",
		"update-vm-placement-group a+c 200", "update-vm-placement-group c 200", "create-label  200", "update-vm-basic-info  400",
	})

	status, listed := control[[]towersim.Mutation](x, http.MethodGet, "mutations", nil)
	if status != http.StatusOK || len(listed) != len(got) || !listed[1].About(listed[1].VMs[0].ID) || listed[1].About(volume) {
		t.Errorf("status %d: %v", status, listed)
	}

	if labels := listed[9]; labels.VMs == nil {
		t.Errorf("the VMs of %s are null", labels.Operation)
	}

	x.Reset()

	if _, left := control[[]towersim.Mutation](x, http.MethodGet, "mutations", nil); left == nil || len(left) > 0 {
		t.Errorf("after a reset there are %v", left)
	}
}

func TestMutationsOverGraphQLAreRecorded(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{"status": "STOPPED"})
	before := len(x.Mutations())

	x.graphQL("{ authnStrategies { id } }", nil)
	x.mustUpdateVM(vm.ID, object{"name": "b"})
	x.graphQL(`mutation { updateVm(data: {name: "c"}, where: {id: "`+vm.ID+`"}) { name } }`, nil)

	got := x.Mutations()[before:]
	if len(got) != 2 {
		t.Fatalf("got %+v", got)
	}

	for _, m := range got {
		if m.Operation != "api" || m.Status != http.StatusOK || !m.About(vm.ID) || len(m.Body) == 0 {
			t.Errorf("got %+v", m)
		}
	}
}

func TestRecordOfMutationsIsBounded(t *testing.T) {
	x := start(t, "")
	x.base = x.URL() // without comparing so much with the document
	body := object{"where": object{"id": "none"}, "data": object{"description": strings.Repeat("x", 60<<10)}}

	for range 600 {
		post[[]object](x, "update-vm-basic-info", body)
	}

	kept := 0
	for _, m := range x.Mutations() {
		kept += len(m.Body)
	}

	if kept > 32<<20 || kept < 25<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
}
