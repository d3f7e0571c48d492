// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// threeReads reads three objects, so an error of the objects instead of the
// provider would show three times.
const threeReads = `
data "elf_cluster" "a" {}
data "elf_vlan" "b" { name = "default" }
data "elf_content_library_vm_template" "c" {}
`

// TestAccProvider_oneError plans with configurations that can't work, and checks
// that the error comes only once, however many objects there are.
func TestAccProvider_oneError(t *testing.T) {
	sim := acctest.Simulator(t, "")
	page := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page.Close)
	cases := map[string]struct {
		changes []string
		want    *regexp.Regexp
	}{
		"wrong credentials": {
			[]string{"password", `"not it"`},
			acctest.Mentions("Error: Unable to log in to Tower", `does not accept the username "root" with this password`),
		},
		"unreachable": {
			[]string{"server", strconv.Quote(closedPort(t))},
			acctest.Mentions("Error: Unable to log in to Tower", "cannot be reached", "The cause:", "connection refused"),
		},
		"no Tower": {
			[]string{"server", strconv.Quote(page.URL)},
			acctest.Mentions("Error: Unable to log in to Tower", "answers, but not as a Tower does", "HTTP status: 404 Not Found"),
		},
		"bad scheme": {
			[]string{"server", `"ftp://tower.example.com"`},
			acctest.Mentions("Error: Invalid server", `the scheme "ftp" is neither https nor http`),
		},
		"no password": {
			[]string{"password", ""},
			acctest.Mentions("Error: Missing password", `No password is set for the user "root".`, "environment variable ELF_PASSWORD."),
		},
		"wrong token": {
			[]string{"username", "", "password", "", "api_token", `"key-of-root"`},
			acctest.Mentions("Error: Unable to log in to Tower", "does not accept the API token"),
		},
		"token and user": {
			[]string{"api_token", `"key-of-root"`},
			acctest.Mentions("Error: Invalid combination of credentials", "api_token is used in place of username and password"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, err := acctest.NewCLI(t, sim.ProviderConfig(tc.changes...)+threeReads).Start("plan", "-no-color").Wait()
			if err == nil {
				t.Error("the plan succeeds")
			}
			if n := strings.Count(output, "Error: "); n != 1 || !tc.want.MatchString(output) {
				t.Errorf("%d errors, want one like %s:\n%s", n, tc.want, output)
			}
			// Terraform shows the line that an error is attached to.
			for _, secret := range []string{"not it", "key-of-root", sim.Server().Password()} {
				if strings.Contains(output, secret) {
					t.Errorf("%q shows:\n%s", secret, output)
				}
			}
		})
	}
}

func TestAccProvider_warnings(t *testing.T) {
	plain, secure := acctest.Simulator(t, ""), acctest.Simulator(t, "", acctest.WithTLS())
	cases := map[string]struct {
		config, want string
	}{
		"http":     {plain.ProviderConfig(), "Warning: Connection to Tower is not encrypted"},
		"insecure": {secure.ProviderConfig("ca_certificate", "", "insecure", "true"), "Warning: Certificate of Tower is not verified"},
		"trusted":  {secure.ProviderConfig(), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output := acctest.NewCLI(t, tc.config+threeReads).Run("plan", "-no-color")
			n := strings.Count(output, "Warning: ")
			if tc.want == "" && n > 0 || tc.want != "" && (n != 1 || !strings.Contains(output, tc.want)) {
				t.Errorf("%d warnings, want %q:\n%s", n, tc.want, output)
			}
		})
	}
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

func TestAccProvider_ldap(t *testing.T) {
	sim := acctest.Simulator(t, `
inventory:
  users:
    - {username: alice, password: directory-password, source: LDAP}
`)
	acctest.ParallelTest(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config:      sim.ProviderConfig() + threeReads,
				ExpectError: acctest.Mentions("Error: Unable to log in to Tower", `does not accept the username "alice"`, "user_source LOCAL"),
			},
			{
				Config: sim.ProviderConfig("user_source", `"LDAP"`) + threeReads,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.elf_cluster.a", tfjsonpath.New("name"), knownvalue.StringExact("cluster-1")),
				},
			},
		},
	})
}
