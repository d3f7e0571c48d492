// SPDX-License-Identifier: MPL-2.0

// Package vlan is the data sources elf_vlan and elf_vlans.
package vlan

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Kind is how VM networks are looked up.
var Kind = lookup.Kind[tower.VLAN]{
	Name:        "elf_vlan",
	Object:      "VM network",
	Description: "Finds a VM network, which NICs of VMs are attached to. Names are unique only inside a cluster, so set `cluster_id` where there are several.",
	List:        (*tower.Client).VLANs,
	Key:         func(v tower.VLAN) (id, name string) { return v.ID, v.Name },
	Note: func(v tower.VLAN) string {
		return fmt.Sprintf("type %s, VLAN %d, switch %q (vds_id %s)", v.Type, v.VlanID, v.VDSName, v.VDSID)
	},
	Attributes: []lookup.Attribute[tower.VLAN]{
		// A VM network knows its cluster through its switch only.
		lookup.Text[tower.VLAN]("cluster_id", "Id of the cluster that the VM network belongs to.", nil).Filter(lookup.ByID("vds", "cluster")),
		lookup.Text("vds_id", "Id of the distributed switch that the VM network belongs to.", func(v tower.VLAN) string { return v.VDSID }).Filter(lookup.ByID("vds")),
		lookup.Int("vlan_id", "VLAN tag, from 0 (none) to 4095.", func(v tower.VLAN) int { return v.VlanID }, int64validator.Between(0, 4095)).Filter(lookup.Equal("vlan_id")),
		lookup.Text("type", "What the VM network is for: `VM` for those that VMs are attached to, `MANAGEMENT`, `STORAGE`, `ACCESS`, "+
			"`MIGRATION` or another that newer Towers know.", func(v tower.VLAN) string { return v.Type }).Filter(lookup.Equal("type")),
		lookup.Text("local_id", "Id of the VM network inside its cluster.", func(v tower.VLAN) string { return v.LocalID }),
		lookup.Text("vds_name", "Name of the distributed switch that the VM network belongs to.", func(v tower.VLAN) string { return v.VDSName }),
	},
}
