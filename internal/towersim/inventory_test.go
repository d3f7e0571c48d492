// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

func TestDatacenterTakesClusters(t *testing.T) {
	x := start(t, "")
	organization := x.idOf("get-organizations", "default")
	id := x.newObject("create-datacenter", []object{{"name": "d", "organization_id": organization}})
	post[[]object](x, "add-clusters-to-datacenter", []object{
		{"where": object{"id": id}, "data": object{"clusters": object{"name": "cluster-1"}}},
	})

	if d := first[wire.Datacenter](x, "get-datacenters", object{"id": id}); *d.ClusterNum != 1 || *d.HostNum != 3 {
		t.Errorf("got %+v", d)
	}

	if d := first[wire.Datacenter](x, "get-datacenters", object{"name": "datacenter-1"}); *d.ClusterNum != 0 {
		t.Error("the cluster is in two datacenters")
	}

	x.refused("delete-datacenter", byID(id), http.StatusBadRequest)
	x.refused("delete-organization", byID(organization), http.StatusBadRequest)
	x.refused("create-datacenter", []object{{"name": "d", "organization_id": "x"}}, http.StatusNotFound)
}

func TestNetworkLifecycle(t *testing.T) {
	x := start(t, "")
	cluster := x.idOf("get-clusters", "cluster-1")
	vds := x.newObject("create-vds", []object{{"cluster_id": cluster, "name": "s", "nic_ids": []string{}}})
	x.finishTasks()

	id := x.newObject("create-vm-vlan", []object{{"vds_id": vds, "name": "n", "vlan_id": 7}})
	x.finishTasks()

	vlan := first[wire.Vlan](x, "get-vlans", object{"id": id})
	if vlan.VlanID != 7 || vlan.NetworkIDs[0] != "7" || vlan.EntityAsyncStatus != nil || vlan.Vds.ID != vds {
		t.Errorf("got %+v", vlan)
	}

	vm := x.newVM(object{"vm_nics": []object{{"connect_vlan_id": id}}})
	post[[]object](x, "update-vm-vlan", edit(id, object{"name": "m"}))
	x.finishTasks()

	if nic := x.nics(vm.ID)[0]; nic.Vlan.Name != "m" {
		t.Errorf("the NIC is on %+v", nic.Vlan)
	}

	remove := func(operation, id string) *string {
		task := post[[]wire.WithTask[wire.Deleted]](x, operation, byID(id))[0].TaskID
		x.finishTasks()

		return task
	}

	x.failed(remove("delete-vm-vlan", id), "VLAN_IN_USE")
	x.failed(remove("delete-vds", vds), "VDS_IN_USE")
	x.operate("delete-vm", vm.ID)
	x.succeeded(remove("delete-vm-vlan", id))
	x.succeeded(remove("delete-vds", vds))
}

func TestNamesOfNetworksAreUnique(t *testing.T) {
	x := start(t, "")
	vds := x.idOf("get-vdses", "vds-cluster-1")

	reply := post[[]wire.WithTask[wire.Vlan]](x, "create-vm-vlan", []object{{"vds_id": vds, "name": "default"}})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VLAN_DUPLICATED_NAME")

	if vlans := post[[]wire.Vlan](x, "get-vlans", object{}); len(vlans) != 2 {
		t.Errorf("%d networks are there", len(vlans))
	}
}

func TestConnectAndForgetACluster(t *testing.T) {
	x := start(t, "")
	params := []object{{"ip": "192.0.2.1", "username": "u", "password": "p"}}
	id := x.newObject("connect-cluster", params)

	if c := first[wire.Cluster](x, "get-clusters", object{"id": id}); c.ConnectState != wire.ConnectStateInitializing {
		t.Errorf("the cluster is %s", c.ConnectState)
	}

	x.finishTasks()

	if c := first[wire.Cluster](x, "get-clusters", object{"id": id}); c.ConnectState != wire.ConnectStateConnected || *c.HostNum != 3 {
		t.Errorf("got %+v", c)
	}

	x.refused("connect-cluster", params, http.StatusBadRequest)
	post[[]object](x, "delete-cluster", byID(id))
	x.finishTasks()

	if hosts := post[[]wire.Host](x, "get-hosts", object{}); len(hosts) != 3 {
		t.Errorf("%d hosts are left", len(hosts))
	}
}

func TestRecycleBinSettings(t *testing.T) {
	x := start(t, "")
	vm := x.newVM(object{})
	where := object{"name": "cluster-1"}
	post[[]object](x, "update-cluster-recycle-bin-setting", object{"where": where, "data": object{"enabled": false, "retain": 1}})
	x.refused("move-vm-to-recycle", byID(vm.ID), http.StatusBadRequest)

	settings := first[wire.ClusterSettings](x, "get-cluster-settingses", object{"cluster": where})
	if settings.VMRecycleBin == nil || settings.VMRecycleBin.Enabled || settings.VMRecycleBin.Retain != 1 {
		t.Errorf("got %+v", settings.VMRecycleBin)
	}

	post[[]object](x, "delete-cluster-recycle-bin-setting", object{"where": where})
	post[object](x, "update-global-recycle-bin-setting", object{"enabled": false, "retain": 1})
	x.refused("move-vm-to-recycle", byID(vm.ID), http.StatusBadRequest)
	post[object](x, "update-global-recycle-bin-setting", object{"enabled": true, "retain": 1})
	x.operate("move-vm-to-recycle", vm.ID)
	x.refused("update-global-recycle-bin-setting", object{"enabled": true, "retain": 0}, http.StatusBadRequest)
}

// upload sends one piece of a file.
func (x *tower) upload(operation string, texts map[string]string, content string) (int, []wire.UploadTask) {
	x.t.Helper()

	var body bytes.Buffer

	form := multipart.NewWriter(&body)
	for name, value := range texts {
		if err := form.WriteField(name, value); err != nil {
			x.t.Fatal(err)
		}
	}

	file, err := form.CreateFormFile("file", "f.iso")
	if err != nil {
		x.t.Fatal(err)
	}

	if _, err := file.Write([]byte(content)); err != nil {
		x.t.Fatal(err)
	}

	if err := form.Close(); err != nil {
		x.t.Fatal(err)
	}

	response, raw, err := x.send(http.MethodPost, "/v2/api/"+operation, body.String(), http.Header{"Content-Type": {form.FormDataContentType()}})
	if err != nil {
		x.t.Fatal(err)
	}

	var tasks []wire.UploadTask
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(raw, &tasks); err != nil {
			x.t.Fatal(err)
		}
	}

	return response.StatusCode, tasks
}

func TestImageArrivesInPieces(t *testing.T) {
	x := start(t, "")
	cluster := x.idOf("get-clusters", "cluster-1")

	status, tasks := x.upload("upload-elf-image", map[string]string{"cluster_id": cluster, "name": "n.iso", "size": "6"}, "abc")
	if status != http.StatusOK || tasks[0].Status != wire.UploadTaskStatusUploading || tasks[0].CurrentChunk != 1 {
		t.Fatalf("status %d: %+v", status, tasks)
	}

	if images := post[[]wire.ElfImage](x, "get-elf-images", object{"where": object{"name": "n.iso"}}); len(images) != 0 {
		t.Error("the image exists before its last piece")
	}

	_, tasks = x.upload("upload-elf-image", map[string]string{"upload_task_id": tasks[0].ID}, "def")
	if tasks[0].Status != wire.UploadTaskStatusSuccessed || tasks[0].FinishedAt == nil {
		t.Errorf("got %+v", tasks)
	}

	if image := first[wire.ElfImage](x, "get-elf-images", object{"name": "n.iso"}); image.Size != 6 {
		t.Errorf("got %+v", image)
	}
}

func TestUploadsOfOtherImages(t *testing.T) {
	x := start(t, "")
	cluster := x.idOf("get-clusters", "cluster-1")

	if status, _ := x.upload("upload-svt-image", map[string]string{"cluster_id": cluster, "name": "n", "version": "7"}, "abc"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}

	if image := first[wire.SvtImage](x, "get-svt-images", object{"name": "n"}); image.Version != 7 {
		t.Errorf("got %+v", image)
	}

	if status, _ := x.upload("upload-content-library-image", map[string]string{"clusters": `{"name": "cluster-1"}`, "name": "n"}, "abc"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}

	if image := first[wire.ContentLibraryImage](x, "get-content-library-images", object{"name": "n"}); len(image.ElfImages) != 1 {
		t.Errorf("got %+v", image)
	}
}

func TestUploadRefuses(t *testing.T) {
	x := start(t, "")

	for name, test := range map[string]struct {
		texts  map[string]string
		status int
	}{
		"no cluster":       {map[string]string{"cluster_id": "x"}, http.StatusNotFound},
		"no such upload":   {map[string]string{"upload_task_id": "x"}, http.StatusNotFound},
		"nonsensical unit": {map[string]string{"size": "1", "size_unit": "x"}, http.StatusBadRequest},
		"nonsensical size": {map[string]string{"size": "x"}, http.StatusBadRequest},
	} {
		if status, _ := x.upload("upload-elf-image", test.texts, "abc"); status != test.status {
			t.Errorf("%s: status %d", name, status)
		}
	}

	x.refused("upload-elf-image", object{}, http.StatusBadRequest)
}

func TestLibraryImageInADrive(t *testing.T) {
	x := start(t, "")
	post[object](x, "import-content-library-image", object{"data": object{
		"cluster": object{"name": "cluster-1"}, "name": "i.iso", "url": "https://mirror.example/i.iso",
	}})

	id := x.idOf("get-content-library-images", "i.iso")
	vm := x.newVM(object{})
	x.mustOperate("add-vm-cd-rom", vm.ID, object{"vm_cd_roms": []object{{"boot": 2, "content_library_image_id": id}}})

	if drive := x.disks(vm.ID)[1]; drive.ElfImage == nil || drive.ElfImage.Name != "i.iso" {
		t.Errorf("got %+v", drive)
	}

	reply := post[[]wire.WithTask[wire.Deleted]](x, "delete-content-library-image", byID(id))[0]
	x.finishTasks()
	x.failed(reply.TaskID, "ELF_IMAGE_IN_USE")
}

func TestDefaultInventoryHasToolsAndPolicies(t *testing.T) {
	x := start(t, "")

	if images := post[[]wire.SvtImage](x, "get-svt-images", object{}); len(images) != 1 {
		t.Errorf("got %+v", images)
	}

	policy := first[wire.ElfStoragePolicy](x, "get-elf-storage-policies", object{"name": "replica_3_thick_provision"})
	if policy.ReplicaNum != 3 || policy.ThinProvision {
		t.Errorf("got %+v", policy)
	}

	settings := first[wire.GlobalSettings](x, "get-global-settingses", object{})
	if !settings.VMRecycleBin.Enabled || settings.VMRecycleBin.Retain < 1 {
		t.Errorf("got %+v", settings)
	}
}
