// SPDX-License-Identifier: MPL-2.0

package contentlibraryvmtemplate_test

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

const templates = `
inventory:
  content_library_vm_templates:
    - {name: rocky-8, num_cpus: 4, memory_mib: 8192, cloud_init: true, firmware: UEFI}
    - {name: rocky-9, num_cpus: 2, memory_mib: 2048, cloud_init: false}
`

func TestAccContentLibraryVMTemplateDataSource_one(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	text := knownvalue.StringRegexp(regexp.MustCompile(`.`))
	sameID := statecheck.CompareValue(compare.ValuesSame())
	address := "data.elf_content_library_vm_template.test"
	byName := `
data "elf_cluster" "test" {
  name = "` + sim.ClusterName() + `"
}
data "elf_content_library_vm_template" "test" {
  name       = "` + sim.TemplateName() + `"
  cluster_id = data.elf_cluster.test.id
}
`
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: sim.ProviderConfig() + byName,
				ConfigStateChecks: []statecheck.StateCheck{
					sameID.AddStateValue(address, tfjsonpath.New("id")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("name"), knownvalue.StringExact(sim.TemplateName())),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("architecture"), text),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("cloud_init_supported"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("num_cpus"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("memory_mib"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("size_bytes"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("created_at"), text),
				},
			},
			{
				Config: sim.ProviderConfig() + byName + `
data "elf_content_library_vm_template" "by_id" {
  id = data.elf_content_library_vm_template.test.id
}
data "elf_content_library_vm_template" "by_list" {
  name_in    = [data.elf_content_library_vm_template.test.name]
  cluster_id = data.elf_content_library_vm_template.test.cluster_ids[0]
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					sameID.AddStateValue("data.elf_content_library_vm_template.by_id", tfjsonpath.New("id")),
					sameID.AddStateValue("data.elf_content_library_vm_template.by_list", tfjsonpath.New("id")),
				},
			},
		},
	})
}

func TestAccContentLibraryVMTemplateDataSource_none(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: sim.ProviderConfig() + `data "elf_content_library_vm_template" "test" { name = "no such template" }`,
			ExpectError: acctest.Mentions("Content library VM template Not Found",
				`Tower has no content library VM template with name = "no such template"`),
		}},
	})
}

func TestAccContentLibraryVMTemplateDataSource_several(t *testing.T) {
	sim := acctest.Simulator(t, templates)
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: sim.ProviderConfig() + `data "elf_content_library_vm_template" "test" { name_contains = "rocky" }`,
				ExpectError: acctest.Mentions("More than one content library VM template found",
					`"rocky-8" (id`, "on cluster-1", `"rocky-9" (id`, "Narrow the search with name, cluster_id or id."),
			},
			{
				Config: sim.ProviderConfig() + `
data "elf_content_library_vm_template" "eight" { name = "rocky-8" }
data "elf_content_library_vm_template" "nine"  { name_contains = "-9" }
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.elf_content_library_vm_template.eight", tfjsonpath.New("num_cpus"), knownvalue.Int64Exact(4)),
					statecheck.ExpectKnownValue("data.elf_content_library_vm_template.eight", tfjsonpath.New("memory_mib"), knownvalue.Int64Exact(8192)),
					statecheck.ExpectKnownValue("data.elf_content_library_vm_template.eight", tfjsonpath.New("firmware"), knownvalue.StringExact("UEFI")),
					statecheck.ExpectKnownValue("data.elf_content_library_vm_template.eight", tfjsonpath.New("cluster_ids"), knownvalue.ListSizeExact(1)),
					statecheck.ExpectKnownValue("data.elf_content_library_vm_template.nine", tfjsonpath.New("name"), knownvalue.StringExact("rocky-9")),
					statecheck.ExpectKnownValue("data.elf_content_library_vm_template.nine", tfjsonpath.New("memory_mib"), knownvalue.Int64Exact(2048)),
					statecheck.ExpectKnownValue("data.elf_content_library_vm_template.nine", tfjsonpath.New("cloud_init_supported"), knownvalue.Bool(false)),
				},
			},
		},
	})
}
