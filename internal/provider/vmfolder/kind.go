// SPDX-License-Identifier: MPL-2.0

package vmfolder

import (
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Kind is how VM folders are looked up.
var Kind = lookup.Kind[tower.VMFolder]{
	Name: "elf_vm_folder", Object: "VM folder",
	Description: "Finds a VM folder. Names are unique only inside a cluster, so set `cluster_id` where there are several.",
	List:        (*tower.Client).VMFolders,
	Key:         func(f tower.VMFolder) (id, name string) { return f.ID, f.Name },
	Note:        func(f tower.VMFolder) string { return "cluster " + f.ClusterName },
	Attributes: []lookup.Attribute[tower.VMFolder]{
		lookup.Text("cluster_id", "Id of the cluster that the VM folder is in.", func(f tower.VMFolder) string { return f.ClusterID }).Filter(lookup.ByID("cluster")),
		lookup.Text("local_id", "Id of the VM folder inside its cluster.", func(f tower.VMFolder) string { return f.LocalID }),
	},
}
