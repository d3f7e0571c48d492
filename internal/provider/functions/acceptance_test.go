// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// required declares the provider, without which a configuration can't call its
// functions.
const required = `
terraform {
  required_providers {
    elf = { source = "smartxworks/elf" }
  }
}
`

// withFunctions skips CLIs that can't call functions of providers.
var withFunctions = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)}

// TestAccFunctions calls the functions with known values, and with a value that
// is known only after apply.
func TestAccFunctions(t *testing.T) {
	acctest.ParallelTest(t, resource.TestCase{
		TerraformVersionChecks: withFunctions,
		Steps: []resource.TestStep{{
			Config: required + `
resource "terraform_data" "vm" {
  input = ` + strconv.Quote(small) + `
}
output "provider_id" { value = provider::elf::provider_id(` + strconv.Quote(capitals) + `) }
output "local_id" { value = provider::elf::local_id("elf://` + small + `") }
output "later" { value = provider::elf::local_id(provider::elf::provider_id(terraform_data.vm.output)) }
`,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownOutputValue("provider_id", knownvalue.StringExact("elf://"+capitals)),
				plancheck.ExpectUnknownOutputValue("later"),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("local_id", knownvalue.StringExact(small)),
				statecheck.ExpectKnownOutputValue("later", knownvalue.StringExact(small)),
			},
		}},
	})
}

// TestAccFunctions_refused checks that an error names the argument at fault.
func TestAccFunctions_refused(t *testing.T) {
	step := func(call string, want *regexp.Regexp) resource.TestStep {
		return resource.TestStep{Config: required + "output \"test\" { value = " + call + " }\n", ExpectError: want, PlanOnly: true}
	}
	acctest.ParallelTest(t, resource.TestCase{
		TerraformVersionChecks: withFunctions,
		Steps: []resource.TestStep{
			step(`provider::elf::provider_id("web-0")`,
				acctest.Mentions(`Invalid value for "local_id" parameter`, `"web-0" is not a local id; a local id is a UUID such as`)),
			step(`provider::elf::local_id("kind://docker/elf/node")`,
				acctest.Mentions(`Invalid value for "provider_id" parameter`, `belongs to another platform (kind)`)),
			step(`provider::elf::local_id(null)`, acctest.Mentions(`Invalid value for "provider_id" parameter`, "argument must not be null")),
		},
	})
}
