// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// TestAccLookup_singularAndPlural looks up the objects that the tests create VMs
// with, each by itself and in a list.
func TestAccLookup_singularAndPlural(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	same := func(singular, plural, list string) statecheck.StateCheck {
		return statecheck.CompareValuePairs("data."+singular+".test", tfjsonpath.New("id"),
			"data."+plural+".test", tfjsonpath.New(list).AtSliceIndex(0).AtMapKey("id"), compare.ValuesSame())
	}
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:      sim.ProviderConfig() + `data "elf_cluster" "test" { name = "no such cluster" }`,
				ExpectError: acctest.Mentions("Cluster not found", `Tower has no cluster with name = "no such cluster"`, "The nearest names", sim.ClusterName()),
			},
			{
				Config:      sim.ProviderConfig() + `data "elf_vlan" "test" { vlan_id = 4096 }`,
				ExpectError: acctest.Mentions("Attribute vlan_id value must be between 0 and 4095, got: 4096"),
			},
			{
				Config: sim.ProviderConfig() + sim.DataSources() + `
data "elf_clusters" "test" {
  name_in = ["no such cluster", data.elf_cluster.test.name]
}
data "elf_vlans" "test" {
  name       = data.elf_vlan.test.name
  cluster_id = data.elf_cluster.test.local_id
}
data "elf_content_library_vm_templates" "test" {
  id = data.elf_content_library_vm_template.test.id
}
data "elf_vlans" "none" {
  name = "no such network"
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("name"), knownvalue.StringExact(sim.ClusterName())),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("name_in"), knownvalue.Null()),
					statecheck.ExpectKnownValue("data.elf_content_library_vm_template.test", tfjsonpath.New("created_at"), knownvalue.NotNull()),
					same("elf_cluster", "elf_clusters", "clusters"),
					same("elf_vlan", "elf_vlans", "vlans"),
					same("elf_content_library_vm_template", "elf_content_library_vm_templates", "content_library_vm_templates"),
					statecheck.ExpectKnownValue("data.elf_vlans.none", tfjsonpath.New("vlans"), knownvalue.ListExact([]knownvalue.Check{})),
				},
			},
		},
	})
}
