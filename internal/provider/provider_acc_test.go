// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// threeReads would show an error three times if it were not the provider's.
const threeReads = `
data "elf_cluster" "a" {}
data "elf_vlan" "b" { name = "default" }
data "elf_content_library_vm_template" "c" {}
`

func TestAccProvider_wrongCredentials(t *testing.T) {
	sim := acctest.Simulator(t, "")
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config:      sim.ProviderConfig("password", `"not it"`) + threeReads,
			ExpectError: acctest.Mentions("Error: Unable to log in to Tower", `does not accept the username "root" with this password`),
		}},
	})
}

func TestAccProvider_unreachable(t *testing.T) {
	sim := acctest.Simulator(t, "")
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config:      sim.ProviderConfig("server", strconv.Quote(closedPort(t)), "max_retries", "0") + threeReads,
			ExpectError: acctest.Mentions("Error: Unable to log in to Tower", "cannot be reached"),
		}},
	})
}

func TestAccProvider_badScheme(t *testing.T) {
	sim := acctest.Simulator(t, "")
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config:      sim.ProviderConfig("server", `"ftp://tower.example.com"`) + threeReads,
			ExpectError: acctest.Mentions("Error: Invalid server", `the scheme "ftp" is neither https nor http`),
		}},
	})
}

func TestAccProvider_unknownServer(t *testing.T) {
	sim := acctest.Simulator(t, "")
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: `
resource "terraform_data" "server" {
  input = "` + sim.URL() + `"
}
` + sim.ProviderConfig("server", "terraform_data.server.output") + threeReads,
			ExpectError: acctest.Mentions("Error: Provider configuration not known yet", "known only after apply"),
		}},
	})
}

// TestAccProvider_environment changes the environment, so it runs alone.
func TestAccProvider_environment(t *testing.T) {
	sim := acctest.Simulator(t, "")
	t.Setenv("ELF_SERVER", sim.URL())
	t.Setenv("ELF_USERNAME", sim.Server().Username())
	t.Setenv("ELF_PASSWORD", sim.Server().Password())
	t.Setenv("ELF_POLL_INTERVAL", "100ms")
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config: `
provider "elf" {}

data "elf_cluster" "test" {}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.elf_cluster.test", tfjsonpath.New("name"), knownvalue.StringExact("cluster-1")),
			},
		}},
	})
}

func TestAccProvider_tls(t *testing.T) {
	sim := acctest.Simulator(t, "", acctest.WithTLS())
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:      sim.ProviderConfig("ca_certificate", "") + threeReads,
				ExpectError: acctest.Mentions("Error: Unable to log in to Tower", "is not trusted"),
			},
			{
				Config: sim.ProviderConfig() + threeReads,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.elf_vlan.b", tfjsonpath.New("name"), knownvalue.StringExact("default")),
				},
			},
		},
	})
}

func TestAccProvider_apiToken(t *testing.T) {
	sim := acctest.Simulator(t, `
mfa: true
inventory:
  users:
    - {username: root, password: tower-sim-password, source: LOCAL, api_key: root-key}
`)
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:      sim.ProviderConfig() + threeReads,
				ExpectError: acctest.Mentions("Error: Unable to log in to Tower", "second factor", "set api_token"),
			},
			{
				Config: sim.ProviderConfig("username", "", "password", "", "api_token", `"root-key"`) + threeReads,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.elf_cluster.a", tfjsonpath.New("name"), knownvalue.StringExact("cluster-1")),
				},
			},
		},
	})
}
