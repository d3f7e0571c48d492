// SPDX-License-Identifier: MPL-2.0

package vlan_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

const twoClusters = `
inventory:
  clusters:
    - name: prod-east
      vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: backup, vlan_id: 12}]
    - name: prod-west
      vlans: [{name: default, dhcp: 10.254.0.0/16}]
`

func TestAccVLANDataSource_one(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	text := knownvalue.StringRegexp(regexp.MustCompile(`.`))
	sameID := statecheck.CompareValue(compare.ValuesSame())
	byName := `
data "elf_cluster" "test" {
  name = "` + sim.ClusterName() + `"
}
data "elf_vlan" "test" {
  name       = "` + sim.VLANName() + `"
  cluster_id = data.elf_cluster.test.id
}
`
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: sim.ProviderConfig() + byName,
				ConfigStateChecks: []statecheck.StateCheck{
					sameID.AddStateValue("data.elf_vlan.test", tfjsonpath.New("id")),
					statecheck.ExpectKnownValue("data.elf_vlan.test", tfjsonpath.New("name"), knownvalue.StringExact(sim.VLANName())),
					statecheck.ExpectKnownValue("data.elf_vlan.test", tfjsonpath.New("type"), knownvalue.StringExact("VM")),
					statecheck.ExpectKnownValue("data.elf_vlan.test", tfjsonpath.New("vlan_id"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue("data.elf_vlan.test", tfjsonpath.New("vds_id"), text),
					statecheck.ExpectKnownValue("data.elf_vlan.test", tfjsonpath.New("vds_name"), text),
					statecheck.ExpectKnownValue("data.elf_vlan.test", tfjsonpath.New("local_id"), text),
				},
			},
			{
				// Each other way to find it finds the same.
				Config: sim.ProviderConfig() + byName + `
data "elf_vlan" "by_id" {
  id = data.elf_vlan.test.id
}
data "elf_vlan" "by_local_id" {
  id = data.elf_vlan.test.local_id
}
data "elf_vlan" "by_all" {
  name    = data.elf_vlan.test.name
  vds_id  = data.elf_vlan.test.vds_id
  vlan_id = data.elf_vlan.test.vlan_id
  type    = data.elf_vlan.test.type
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					sameID.AddStateValue("data.elf_vlan.by_id", tfjsonpath.New("id")),
					sameID.AddStateValue("data.elf_vlan.by_local_id", tfjsonpath.New("id")),
					sameID.AddStateValue("data.elf_vlan.by_all", tfjsonpath.New("id")),
				},
			},
		},
	})
}

func TestAccVLANDataSource_none(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config:      sim.ProviderConfig() + `data "elf_vlan" "test" { name = "no such network" }`,
			ExpectError: acctest.Mentions("Network Not Found", `Tower has no network with name = "no such network"`),
		}},
	})
}

func TestAccVLANDataSource_several(t *testing.T) {
	sim := acctest.Simulator(t, twoClusters)
	clusters := sim.ProviderConfig() + `
data "elf_cluster" "east" { name = "prod-east" }
data "elf_cluster" "west" { name = "prod-west" }
`
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: clusters + `data "elf_vlan" "test" { name = "default" }`,
				ExpectError: acctest.Mentions("More than one network found", `Tower has 2 networks with name = "default"`,
					`"default" (id`, `type VM`, `"default" (id`, "Narrow the search with cluster_id, vds_id, vlan_id, type or id."),
			},
			{
				Config: clusters + `
data "elf_vlan" "east" {
  name       = "default"
  cluster_id = data.elf_cluster.east.id
}
data "elf_vlan" "west" {
  cluster_id = data.elf_cluster.west.id
}
data "elf_vlan" "tagged" {
  vlan_id = 12
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.elf_vlan.east", tfjsonpath.New("name"), knownvalue.StringExact("default")),
					statecheck.ExpectKnownValue("data.elf_vlan.west", tfjsonpath.New("name"), knownvalue.StringExact("default")),
					statecheck.CompareValuePairs("data.elf_vlan.east", tfjsonpath.New("id"),
						"data.elf_vlan.west", tfjsonpath.New("id"), compare.ValuesDiffer()),
					statecheck.ExpectKnownValue("data.elf_vlan.tagged", tfjsonpath.New("name"), knownvalue.StringExact("backup")),
				},
			},
		},
	})
}

func TestAccVLANDataSource_badTag(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config:      sim.ProviderConfig() + `data "elf_vlan" "test" { vlan_id = 4096 }`,
			ExpectError: acctest.Mentions("Attribute vlan_id value must be between 0 and 4095, got: 4096"),
		}},
	})
}
