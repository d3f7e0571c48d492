// SPDX-License-Identifier: MPL-2.0

package cluster_test

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
    - {name: prod-east, hosts: 3}
    - {name: prod-west, hosts: 2}
`

func TestAccClusterDataSource_one(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	text := knownvalue.StringRegexp(regexp.MustCompile(`.`))
	sameID := statecheck.CompareValue(compare.ValuesSame())
	byName := `data "elf_cluster" "test" {
  name = "` + sim.ClusterName() + `"
}
`
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: sim.ProviderConfig() + byName,
				ConfigStateChecks: []statecheck.StateCheck{
					sameID.AddStateValue("data.elf_cluster.test", tfjsonpath.New("id")),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("name"), knownvalue.StringExact(sim.ClusterName())),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("local_id"), text),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("type"), text),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("version"), text),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("architecture"), text),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("connect_state"), knownvalue.StringExact("CONNECTED")),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("ip"), text),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("host_count"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("name_contains"), knownvalue.Null()),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("name_in"), knownvalue.Null()),
				},
			},
			{
				// Each other way to find it finds the same.
				Config: sim.ProviderConfig() + byName + `
data "elf_cluster" "by_id" {
  id = data.elf_cluster.test.id
}
data "elf_cluster" "by_local_id" {
  id = data.elf_cluster.test.local_id
}
data "elf_cluster" "by_part" {
  id            = data.elf_cluster.test.id
  name_contains = substr(data.elf_cluster.test.name, 1, -1)
}
data "elf_cluster" "by_list" {
  name_in = ["no such cluster", data.elf_cluster.test.name]
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					sameID.AddStateValue("data.elf_cluster.by_id", tfjsonpath.New("id")),
					sameID.AddStateValue("data.elf_cluster.by_local_id", tfjsonpath.New("id")),
					sameID.AddStateValue("data.elf_cluster.by_part", tfjsonpath.New("id")),
					sameID.AddStateValue("data.elf_cluster.by_list", tfjsonpath.New("id")),
				},
			},
		},
	})
}

func TestAccClusterDataSource_onlyOne(t *testing.T) {
	sim := acctest.Simulator(t, "")
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: sim.ProviderConfig() + `data "elf_cluster" "test" {}`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("name"), knownvalue.StringExact("cluster-1")),
				statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("host_count"), knownvalue.Int64Exact(3)),
			},
		}},
	})
}

func TestAccClusterDataSource_none(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config:      sim.ProviderConfig() + `data "elf_cluster" "test" { name = "no such cluster" }`,
			ExpectError: acctest.Mentions("Cluster Not Found", `Tower has no cluster with name = "no such cluster"`),
		}},
	})
}

func TestAccClusterDataSource_several(t *testing.T) {
	sim := acctest.Simulator(t, twoClusters)
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: sim.ProviderConfig() + `data "elf_cluster" "test" { name_contains = "prod" }`,
				ExpectError: acctest.Mentions("More than one cluster found", `Tower has 2 clusters with name_contains = "prod"`,
					`"prod-east" (id`, `"prod-west" (id`, "Narrow the search with name or id."),
			},
			{
				Config:      sim.ProviderConfig() + `data "elf_cluster" "test" {}`,
				ExpectError: acctest.Mentions("Tower has 2 clusters and no filter is set"),
			},
			{
				Config: sim.ProviderConfig() + `data "elf_cluster" "test" { name_contains = "west" }`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("name"), knownvalue.StringExact("prod-west")),
					statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("host_count"), knownvalue.Int64Exact(2)),
				},
			},
		},
	})
}

func TestAccClusterDataSource_emptyFilter(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:      sim.ProviderConfig() + `data "elf_cluster" "test" { name = "" }`,
				ExpectError: acctest.Mentions("Attribute name string length must be at least 1"),
			},
			{
				Config:      sim.ProviderConfig() + `data "elf_cluster" "test" { name_in = [] }`,
				ExpectError: acctest.Mentions("Attribute name_in list must contain at least 1 elements"),
			},
		},
	})
}
