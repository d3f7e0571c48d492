// SPDX-License-Identifier: MPL-2.0

package vmfolder_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

const resource = "elf_vm_folder"

func TestAccVMFolder(t *testing.T) {
	t.Parallel()
	acctest.Managed{
		Resource: resource,
		Create: func(sim *acctest.Sim) acctest.Values {
			return acctest.Values{"name": "web", "cluster_id": sim.RowID("get-clusters", nil)}
		},
		Update: acctest.Values{"name": "shop"},
		List:   "get-vm-folders", Creation: "create-vm-folder", Deletion: "delete-vm-folder",
	}.Test(t)
}

const scenario = `
inventory:
  clusters: [{name: prod-east}, {name: prod-west}]
  vms:
    - {name: web-1, cluster: prod-east}
    - {name: web-2, cluster: prod-east}
`

// folders are a provider and a folder of it in prod-east.
type folders struct {
	*acctest.Protocol

	sim       *acctest.Sim
	arguments acctest.Values
	made      acctest.Instance
}

func makeFolder(t *testing.T) folders {
	t.Helper()
	sim := acctest.Simulator(t, scenario)
	f := folders{acctest.NewProtocol(t, sim, nil), sim, acctest.Values{
		"name": "web", "cluster_id": sim.RowID("get-clusters", map[string]any{"name": "prod-east"}),
	}, acctest.Instance{}}
	made, diags := f.Apply(resource, f.arguments, acctest.Instance{})
	if len(diags) > 0 {
		t.Fatal(acctest.Texts(diags))
	}
	f.made = made
	return f
}

func TestVMFolder_keptWhileVMsAreInIt(t *testing.T) {
	t.Parallel()
	f := makeFolder(t)
	var reply any
	vms := map[string]any{"name_in": []string{"web-1", "web-2"}}
	f.sim.Call("add-vm-to-folder", map[string]any{"where": vms, "data": map[string]any{"folder_id": f.made.ID()}}, &reply)
	for len(f.sim.Rows("get-vms", map[string]any{"folder": map[string]any{"id": f.made.ID()}})) < 2 {
		f.sim.Server().Advance(1e9)
	}
	kept, diags := f.Apply(resource, nil, f.made)
	text := acctest.Texts(diags)
	if !strings.Contains(text, `Unable to delete VM folder "web"`) || !strings.Contains(text, `there are VMs in it: "web-1", "web-2"`) {
		t.Errorf("the destroy says %q, want a refusal that names the VMs", text)
	}
	if rows := f.sim.Rows("get-vm-folders", nil); kept.Members == nil || len(rows) != 1 {
		t.Errorf("the state has %v and Tower %v, want the folder in both", kept.Members, rows)
	}

	// Those in the recycle bin are as good as gone.
	for _, name := range []string{"web-1", "web-2"} {
		if err := f.sim.Server().MoveToRecycleBin(name); err != nil {
			t.Fatal(err)
		}
	}
	if _, diags := f.Apply(resource, nil, f.made); len(diags) > 0 {
		t.Errorf("the destroy says %q", acctest.Texts(diags))
	}
	if rows := f.sim.Rows("get-vm-folders", nil); len(rows) > 0 {
		t.Errorf("Tower has %v", rows)
	}
}

func TestVMFolder_refusedCluster(t *testing.T) {
	t.Parallel()
	f := makeFolder(t)
	local := f.sim.Rows("get-clusters", map[string]any{"name": "prod-west"})[0]["local_id"]
	for id, want := range map[any]string{
		"no such cluster": `Cluster not found: Tower has no cluster with the id "no such cluster"`,
		local:             "is not Tower's id of the cluster, but the id that the cluster has given itself",
	} {
		made, diags := f.Apply(resource, acctest.Values{"name": "shop", "cluster_id": id}, acctest.Instance{})
		if text := acctest.Texts(diags); made.Members != nil || !strings.Contains(text, want) {
			t.Errorf("cluster_id %v: the state has %v and the errors are %q, want %q", id, made.Members, text, want)
		} else if got := diags[0].Attribute.String(); got != `AttributeName("cluster_id")` {
			t.Errorf("the error is at %s", got)
		}
	}
}

func TestVMFolder_nameOfAnother(t *testing.T) {
	t.Parallel()
	f := makeFolder(t)
	shop := acctest.Values{"name": "shop", "cluster_id": f.arguments["cluster_id"]}
	if _, diags := f.Apply(resource, shop, acctest.Instance{}); len(diags) > 0 {
		t.Fatal(acctest.Texts(diags))
	}
	after, diags := f.Apply(resource, shop, f.made)
	if text := acctest.Texts(diags); !strings.Contains(text, `Unable to update VM folder "web"`) || !strings.Contains(text, "VM_FOLDER_DUPLICATED_NAME") {
		t.Errorf("the errors are %q", text)
	}
	var name string
	if err := after.Members["name"].As(&name); err != nil || name != "web" {
		t.Errorf("the state has the name %q, %v, want what Tower has", name, err)
	}
}

func TestVMFolder_list(t *testing.T) {
	t.Parallel()
	f := makeFolder(t)
	shop := acctest.Values{"name": "shop", "cluster_id": f.arguments["cluster_id"]}
	if _, diags := f.Apply(resource, shop, acctest.Instance{}); len(diags) > 0 {
		t.Fatal(acctest.Texts(diags))
	}
	listed, diags := f.List(resource, nil, false, 0)
	if len(diags) > 0 || len(listed) != 2 || listed[0].DisplayName != "shop (cluster prod-east)" || listed[1].DisplayName != "web (cluster prod-east)" {
		t.Errorf("the list has %v, %s", listed, acctest.Texts(diags))
	}
	if listed, _ := f.List(resource, nil, false, 1); len(listed) != 1 {
		t.Errorf("the list has %d, want the limit of one", len(listed))
	}
	listed, diags = f.List(resource, acctest.Values{"name_contains": "we"}, true, 0)
	if len(diags) > 0 || len(listed) != 1 || listed[0].Resource == nil {
		t.Fatalf("the list has %v, %s", listed, acctest.Texts(diags))
	}
	if want := tftypes.NewValue(listed[0].Resource.Type(), f.made.Members); !listed[0].Resource.Equal(want) {
		t.Errorf("the list has %s, want what an apply saves: %s", listed[0].Resource, want)
	}
	if _, diags := f.List(resource, acctest.Values{"name": ""}, false, 0); len(diags) != 1 {
		t.Errorf("an empty filter is not refused: %v", diags)
	}
}
