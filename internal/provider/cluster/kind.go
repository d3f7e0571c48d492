// SPDX-License-Identifier: MPL-2.0

// Package cluster is the data sources elf_cluster and elf_clusters.
package cluster

import (
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Kind is how clusters are looked up.
var Kind = lookup.Kind[tower.Cluster]{
	Name:        "elf_cluster",
	Object:      "cluster",
	Description: "Finds a cluster.",
	List:        (*tower.Client).Clusters,
	Key:         func(c tower.Cluster) (id, name string) { return c.ID, c.Name },
	Note:        func(c tower.Cluster) string { return c.IP },
	Attributes: []lookup.Attribute[tower.Cluster]{
		lookup.Text("local_id", "Id that the cluster has given itself, a UUID. Null while Tower does not know it.", func(c tower.Cluster) string { return c.LocalID }),
		lookup.Text("type", "Product that runs the cluster: `SMTX_OS`, `SMTX_ELF`, `SMTX_ZBS` or another that newer Towers know.", func(c tower.Cluster) string { return c.Type }),
		lookup.Text("version", "Version of the cluster's software, such as `6.2.0`.", func(c tower.Cluster) string { return c.Version }),
		lookup.Text("architecture", "Processor architecture: `X86_64` or `AARCH64`.", func(c tower.Cluster) string { return c.Architecture }),
		lookup.Text("hypervisor", "Hypervisor: `ELF`, `VMWARE` or `XENSERVER`. Null where Tower does not tell.", func(c tower.Cluster) string { return c.Hypervisor }),
		lookup.Text("connect_state", "Tower's connection to the cluster: `CONNECTED`, `DISCONNECTED`, `INITIALIZING` or `REMOVING`.", func(c tower.Cluster) string { return c.ConnectState }),
		lookup.Text("ip", "Address at which Tower reaches the cluster.", func(c tower.Cluster) string { return c.IP }),
		lookup.Text("management_ip", "Virtual management address of the cluster. Null where it has none.", func(c tower.Cluster) string { return c.ManagementIP }),
		lookup.Int("host_count", "Number of hosts.", func(c tower.Cluster) int { return c.HostCount }),
	},
}
