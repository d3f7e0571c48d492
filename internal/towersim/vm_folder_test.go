// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

type folderReply = wire.WithTask[wire.VMFolder]

const twoClusters = "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}]}"

// newFolder returns the parameters of a VM folder in the first cluster, or in
// another one.
func (x *tower) newFolder(name string, cluster ...string) object {
	x.t.Helper()

	return object{"name": name, "cluster_id": x.idOf("get-clusters", append(cluster, "cluster-1")[0])}
}

func (x *tower) createFolder(name string, cluster ...string) wire.VMFolder {
	x.t.Helper()

	return post[[]folderReply](x, "create-vm-folder", []object{x.newFolder(name, cluster...)})[0].Data
}

func (x *tower) getFolder(id string) wire.VMFolder {
	x.t.Helper()

	return first[wire.VMFolder](x, "get-vm-folders", object{"id": id})
}

// folderNames returns the names of the folders that a filter finds, sorted.
func (x *tower) folderNames(where object) []string {
	x.t.Helper()

	var names []string
	for _, f := range post[[]wire.VMFolder](x, "get-vm-folders", object{"where": where, "orderBy": "name_ASC"}) {
		names = append(names, f.Name)
	}

	return names
}

func (x *tower) countFolders(where object) int {
	x.t.Helper()

	return post[wire.Connection](x, "get-vm-folders-connection", object{"where": where}).Aggregate.Count
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func TestFolderIsThereAtOnce(t *testing.T) {
	x := start(t, "")
	replies := post[[]folderReply](x, "create-vm-folder", []object{x.newFolder("web"), x.newFolder("db")})

	for i, name := range []string{"web", "db"} {
		got := replies[i]
		if got.TaskID != nil || got.Data.Name != name || !uuidPattern.MatchString(text(got.Data.LocalID)) || got.Data.Cluster.Name != "cluster-1" ||
			got.Data.VMNum == nil || *got.Data.VMNum != 0 || got.Data.VMs == nil {
			t.Errorf("got %+v", got)
		}

		if listed := x.getFolder(got.Data.ID); listed.Name != name || text(listed.LocalID) != text(got.Data.LocalID) {
			t.Errorf("listed: %+v", listed)
		}
	}

	if *replies[0].Data.LocalID == *replies[1].Data.LocalID {
		t.Error("two folders have the same local id")
	}

	if n := x.countFolders(object{}); n != 2 {
		t.Errorf("%d folders are counted", n)
	}

	if folders := first[wire.Cluster](x, "get-clusters", object{}).VMFolders; len(folders) != 2 || folders[0].Name != "web" {
		t.Errorf("the cluster has %+v", folders)
	}
}

func TestFolderNamesAreUniqueInACluster(t *testing.T) {
	x := start(t, twoClusters)
	x.createFolder("web")
	x.createFolder("web", "cluster-2")

	for what, body := range map[string][]object{
		"an existing name":        {x.newFolder("db"), x.newFolder("web")},
		"one name twice":          {x.newFolder("db"), x.newFolder("db")},
		"no name":                 {x.newFolder("")},
		"nothing":                 {},
		"one of them has no name": {x.newFolder("db"), x.newFolder("")},
	} {
		got := x.refused("create-vm-folder", body, http.StatusBadRequest)
		if strings.Contains(what, "name") && !strings.Contains(what, "no name") && !strings.Contains(got.Message, "VM_FOLDER_DUPLICATED_NAME") {
			t.Errorf("%s: %s", what, got.Message)
		}
	}

	x.refused("create-vm-folder", []object{{"name": "db", "cluster_id": "x"}}, http.StatusNotFound)

	// The same name may be used in two clusters.
	post[[]folderReply](x, "create-vm-folder", []object{x.newFolder("new"), x.newFolder("new", "cluster-2")})
	wantStrings(t, "folders", x.folderNames(object{}), []string{"new", "new", "web", "web"})
}

func TestRenamedFolder(t *testing.T) {
	x := start(t, twoClusters)
	web, db := x.createFolder("web"), x.createFolder("db")
	x.createFolder("far", "cluster-2")
	vm := x.newVM(object{"name": "a", "folder_id": web.ID})

	got := post[[]folderReply](x, "update-vm-folder", edit(web.ID, object{"name": "front"}))
	if len(got) != 1 || got[0].Data.ID != web.ID || got[0].Data.Name != "front" || text(got[0].Data.LocalID) != text(web.LocalID) {
		t.Errorf("got %+v", got)
	}

	if in := x.vm(vm.ID).Folder; in == nil || in.Name != "front" {
		t.Errorf("the VM is in %+v", in)
	}

	// A folder may keep its name, or get the name of a folder in another
	// cluster.
	post[[]folderReply](x, "update-vm-folder", edit(web.ID, object{"name": "front"}))
	post[[]folderReply](x, "update-vm-folder", edit(db.ID, object{"name": "far"}))

	x.refused("update-vm-folder", edit(db.ID, object{"name": "front"}), http.StatusBadRequest)
	x.refused("update-vm-folder", edit(db.ID, object{"name": ""}), http.StatusBadRequest)
	x.refused("update-vm-folder", object{"where": object{"name_in": []string{"far", "front"}}, "data": object{"name": "both"}}, http.StatusBadRequest)

	if got := post[[]folderReply](x, "update-vm-folder", edit("x", object{"name": "n"})); len(got) != 0 {
		t.Errorf("an unknown folder is renamed: %+v", got)
	}

	wantStrings(t, "folders", x.folderNames(object{}), []string{"far", "far", "front"})
}

func TestDeletedFolderLeavesItsVMs(t *testing.T) {
	x := start(t, "")
	web := x.createFolder("web")
	x.createFolder("db")
	vm := x.newVM(object{"name": "a", "folder_id": web.ID})

	got := post[[]wire.WithTask[wire.Deleted]](x, "delete-vm-folder", byID(web.ID))
	if len(got) != 1 || got[0].TaskID != nil || got[0].Data.ID != web.ID {
		t.Errorf("got %+v", got)
	}

	if in := x.vm(vm.ID).Folder; in != nil {
		t.Errorf("the VM is still in %+v", in)
	}

	if again := post[[]wire.WithTask[wire.Deleted]](x, "delete-vm-folder", byID(web.ID)); len(again) != 0 {
		t.Errorf("it was deleted again: %+v", again)
	}

	wantStrings(t, "folders", x.folderNames(object{}), []string{"db"})

	if folders := first[wire.Cluster](x, "get-clusters", object{}).VMFolders; len(folders) != 1 {
		t.Errorf("the cluster has %+v", folders)
	}
}

func TestVMsMoveBetweenFolders(t *testing.T) {
	x := start(t, twoClusters)
	web, db, far := x.createFolder("web"), x.createFolder("db"), x.createFolder("far", "cluster-2")
	vm := x.newVM(object{"name": "a", "folder_id": web.ID})
	other := x.newVM(object{"name": "b", "folder_id": web.ID})

	wants := func(what string, inWeb, inDB int) {
		t.Helper()

		for id, want := range map[string]int{web.ID: inWeb, db.ID: inDB} {
			if f := x.getFolder(id); *f.VMNum != want || len(f.VMs) != want {
				t.Errorf("%s: %s has %d VMs, lists %+v, want %d", what, f.Name, *f.VMNum, f.VMs, want)
			}
		}
	}

	wants("made", 2, 0)
	x.mustOperate("add-vm-to-folder", vm.ID, object{"folder_id": db.ID})
	wants("moved", 1, 1)

	if in, listed := x.vm(vm.ID).Folder, x.getFolder(db.ID).VMs; in.ID != db.ID || listed[0].ID != vm.ID || listed[0].Name != "a" {
		t.Errorf("the VM is in %+v, the folder lists %+v", in, listed)
	}

	x.mustOperate("remove-vm-from-folder", vm.ID)
	wants("taken out", 1, 0)
	x.mustOperate("delete-vm", other.ID)
	wants("deleted", 0, 0)

	x.failed(x.operate("add-vm-to-folder", vm.ID, object{"folder_id": far.ID}).TaskID, "VM_FOLDER_NOT_FOUND")
	x.refused("add-vm-to-folder", edit(vm.ID, object{"folder_id": "x"}), http.StatusNotFound)
	x.refused("create-vm-from-content-library-template", x.params(object{"folder_id": far.ID}), http.StatusBadRequest)
	x.refused("create-vm-from-content-library-template", x.params(object{"folder_id": "x"}), http.StatusNotFound)
}

// TestFolderDeletedUnderATask deletes a folder while a task moves a VM into it.
func TestFolderDeletedUnderATask(t *testing.T) {
	x := start(t, "")
	web, db := x.createFolder("web"), x.createFolder("db")
	vm := x.newVM(object{"name": "a", "folder_id": web.ID})

	move := post[[]vmReply](x, "add-vm-to-folder", edit(vm.ID, object{"folder_id": db.ID}))[0]
	create := x.create(object{"name": "b", "folder_id": db.ID})[0]
	post[[]wire.WithTask[wire.Deleted]](x, "delete-vm-folder", byID(db.ID))
	x.finishTasks()

	x.failed(move.TaskID, "VM_FOLDER_NOT_FOUND")

	if in := x.vm(vm.ID).Folder; in == nil || in.ID != web.ID {
		t.Errorf("the VM is in %+v", in)
	}

	x.succeeded(create.TaskID)

	if in := x.vm(create.Data.ID).Folder; in != nil {
		t.Errorf("the new VM is in %+v", in)
	}
}

func TestFoldersAreFound(t *testing.T) {
	x := start(t, twoClusters)
	web, _, _ := x.createFolder("web"), x.createFolder("db"), x.createFolder("far", "cluster-2")
	vm := x.newVM(object{"name": "a", "folder_id": web.ID})

	for what, c := range map[string]struct {
		where object
		want  []string
	}{
		"all":             {object{}, []string{"db", "far", "web"}},
		"id":              {object{"id": web.ID}, []string{"web"}},
		"local id":        {object{"local_id": *web.LocalID}, []string{"web"}},
		"either id":       {object{"OR": []object{{"id": *web.LocalID}, {"local_id": *web.LocalID}}}, []string{"web"}},
		"name":            {object{"name": "db"}, []string{"db"}},
		"part of a name":  {object{"name_contains": "e"}, []string{"web"}},
		"names":           {object{"name_in": []string{"web", "far", "x"}}, []string{"far", "web"}},
		"cluster":         {object{"cluster": object{"name": "cluster-2"}}, []string{"far"}},
		"VMs":             {object{"vms_some": object{"id": vm.ID}}, []string{"web"}},
		"no VMs":          {object{"vms_none": object{}}, []string{"db", "far"}},
		"number of VMs":   {object{"vm_num_gt": 0}, []string{"web"}},
		"nothing matches": {object{"name": "x"}, nil},
	} {
		wantStrings(t, what, x.folderNames(c.where), c.want)

		if n := x.countFolders(c.where); n != len(c.want) {
			t.Errorf("%s: %d are counted", what, n)
		}
	}

	for _, where := range []object{{"folder": object{"id": web.ID}}, {"folder": object{"name": "web"}}} {
		if vms := x.vms(where); len(vms) != 1 || vms[0].ID != vm.ID {
			t.Errorf("%v finds %d VMs", where, len(vms))
		}
	}

	if vms := x.vms(object{"folder": nil}); len(vms) != 0 {
		t.Errorf("%d VMs are in no folder", len(vms))
	}

	page := post[[]wire.VMFolder](x, "get-vm-folders", object{"orderBy": "vm_num_DESC", "first": 1})
	if len(page) != 1 || page[0].ID != web.ID {
		t.Errorf("the folder with most VMs is %+v", page)
	}

	x.refused("get-vm-folders", object{"where": object{"colour": "red"}}, http.StatusBadRequest)
}

func TestFoldersOfTheOldestTower(t *testing.T) {
	x := startLoggedOut(t, "version: 2.8.0")
	x.token = post[wire.WithTask[wire.LoginResponse]](x, "login", object{
		"username": x.Username(), "password": x.Password(), "source": "LOCAL",
	}).Data.Token

	web := x.createFolder("web")
	vm := x.newVM(object{"name": "a", "folder_id": web.ID})

	if got := post[[]folderReply](x, "update-vm-folder", edit(web.ID, object{"name": "front"}))[0].Data; *got.VMNum != 1 || len(got.VMs) != 1 {
		t.Errorf("the reply shows %+v", got)
	}

	x.mustOperate("remove-vm-from-folder", vm.ID)
	x.mustOperate("add-vm-to-folder", vm.ID, object{"folder_id": web.ID})

	if f := x.getFolder(web.ID); f.Name != "front" || *f.VMNum != 1 || !uuidPattern.MatchString(text(f.LocalID)) {
		t.Errorf("got %+v", f)
	}

	post[[]wire.WithTask[wire.Deleted]](x, "delete-vm-folder", byID(web.ID))

	if names := x.folderNames(object{}); len(names) != 0 {
		t.Errorf("got %q", names)
	}
}

func TestVMsLeaveTheirFolderWithTheirCluster(t *testing.T) {
	x := start(t, twoClusters)
	web := x.createFolder("web")
	vm := x.newVM(object{"name": "a", "folder_id": web.ID, "vm_nics": []object{}})
	x.mustOperate("migrate-vm-across-cluster", vm.ID, object{"cluster_id": x.idOf("get-clusters", "cluster-2"), "vm_config": object{
		"elf_storage_policy": "REPLICA_2_THIN_PROVISION", "migrate_type": "COLD_MIGRATE", "network_mapping": []object{},
	}})

	if in, left := x.vm(vm.ID).Folder, x.getFolder(web.ID); in != nil || *left.VMNum != 0 || slices.ContainsFunc(left.VMs, func(v wire.NestedVM) bool { return v.ID == vm.ID }) {
		t.Errorf("the VM is in %+v, the folder has %+v", in, left.VMs)
	}
}
