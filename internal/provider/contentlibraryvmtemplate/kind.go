// SPDX-License-Identifier: MPL-2.0

// Package contentlibraryvmtemplate is the data sources
// elf_content_library_vm_template and elf_content_library_vm_templates.
package contentlibraryvmtemplate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

type template = tower.ContentLibraryVMTemplate

// Kind is how templates of the content library are looked up.
var Kind = lookup.Kind[template]{
	Name:        "elf_content_library_vm_template",
	Object:      "content library VM template",
	Description: "Finds a VM template of the content library.",
	List:        (*tower.Client).ContentLibraryVMTemplates,
	Key:         func(t template) (id, name string) { return t.ID, t.Name },
	Note: func(t template) string {
		return "on " + cmp.Or(strings.Join(clusters(t, func(c tower.ClusterRef) string { return c.Name }), ", "), "no cluster")
	},
	Attributes: []lookup.Attribute[template]{
		lookup.Text[template]("cluster_id", "Id of a cluster that the template is distributed to.", nil).Filter(lookup.ByID("clusters_some")),
		lookup.Text("description", "Description of the template. Null where it has none.", func(t template) string { return t.Description }),
		lookup.Text("os", "Operating system in the template. Null where Tower does not tell.", func(t template) string { return t.OS }),
		lookup.Text("architecture", "Processor architecture: `X86_64` or `AARCH64`.", func(t template) string { return t.Architecture }),
		lookup.Text("firmware", "Firmware: `BIOS` or `UEFI`. Null before Tower 4.5.", func(t template) string { return t.Firmware }),
		lookup.Bool("cloud_init_supported", "Whether cloud-init runs in VMs made from the template. It must, for static addresses and `cloud_init` of `elf_vm`.",
			func(t template) bool { return t.CloudInitSupported }),
		lookup.Int("num_cpus", "Number of virtual CPUs.", func(t template) int { return t.VCPU }),
		lookup.IntOrNull("num_cores_per_socket", "Number of cores in each socket. Null before Tower 4.5.", func(t template) int { return t.CPUCores }),
		lookup.Int("memory_mib", "Memory in MiB.", func(t template) int64 { return t.MemoryBytes >> 20 }),
		lookup.Int("size_bytes", "Size of the template's disks in the content library, in bytes.", func(t template) int64 { return t.SizeBytes }),
		lookup.Texts("cluster_ids", "Ids of the clusters that the template is distributed to, by the clusters' names.",
			func(t template) []string { return clusters(t, func(c tower.ClusterRef) string { return c.ID }) }),
		lookup.Time("created_at", "When the template was made, in RFC 3339 form.", func(t template) time.Time { return t.CreatedAt }),
	},
}

// clusters tells something of each cluster that a template is on, by the
// clusters' names: Tower promises no order.
func clusters(t template, tell func(tower.ClusterRef) string) []string {
	sorted := slices.SortedFunc(slices.Values(t.Clusters), func(a, b tower.ClusterRef) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	out := make([]string, 0, len(sorted))
	for _, c := range sorted {
		out = append(out, tell(c))
	}
	return out
}
