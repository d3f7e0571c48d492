// SPDX-License-Identifier: MPL-2.0

package acctest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
)

func TestProviderBlock(t *testing.T) {
	t.Parallel()
	got := acctest.ProviderBlock("server", `"a"`, "password", `"b"`, "server", `"c"`, "username", `"d"`, "username", "")
	want := "provider \"elf\" {\n  password = \"b\"\n  server = \"c\"\n}\n"
	if got != want {
		t.Errorf("ProviderBlock = %s, want %s", got, want)
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	pattern := acctest.Mentions("More than one (cluster) found", "name or id.")
	for text, want := range map[string]bool{
		"Error: More than one\n  (cluster) found\n\nNarrow it with name\nor id.": true,
		"name or id. More than one (cluster) found":                              false,
		"More than one cluster found, name or id.":                               false,
		"More than one (cluster) found, name or ids":                             false,
	} {
		if got := pattern.MatchString(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestSimulator_comparesWithTheDocument is skipped without the document, so that
// the report of a run says that its exchanges were not compared.
func TestSimulator_comparesWithTheDocument(t *testing.T) {
	t.Parallel()
	openapicheck.NeedDocument(t)
	sim := acctest.Simulator(t, "")
	if sim.URL() == sim.Server().URL() {
		t.Error("requests are not compared with the document")
	}
}

// TestParallelTest_withoutCLI runs an acceptance test without a CLI.
func TestParallelTest_withoutCLI(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"none on PATH":   {"", "neither terraform nor tofu is on PATH and TF_ACC_TERRAFORM_PATH does not name one; `make test-sdk` builds one\n--- SKIP: TestAccSim"},
		"named, missing": {"/nowhere/terraform", "TF_ACC_TERRAFORM_PATH does not name a program: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestAccSim$", "-test.v")
			cmd.Env = []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir(), "TF_ACC_TERRAFORM_PATH=" + c.path}
			output, err := cmd.CombinedOutput()
			if failed := c.path != ""; (err != nil) != failed || !strings.Contains(string(output), c.want) {
				t.Errorf("it ended with %v and printed %s", err, output)
			}
		})
	}
}

// TestAccSim makes sure that the checks of remote objects can fail.
func TestAccSim(t *testing.T) {
	sim := acctest.Simulator(t, `
inventory:
  vms:
    - {name: somebody-elses, cluster: cluster-1, nics: [default], power: RUNNING}
`)
	if err := sim.CheckNoVMs(nil); err != nil {
		t.Errorf("a VM that the scenario begins with counts as the test's: %v", err)
	}
	name := acctest.RandomName()
	acctest.ParallelTest(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{{
			Config: sim.ProviderConfig() + sim.DataSources() + `
resource "elf_vm" "test" {
  name       = "` + name + `"
  cluster_id = data.elf_cluster.test.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  nics       = [{ vlan_id = data.elf_vlan.test.id }]
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				sim.ExpectVM("elf_vm.test"),
				failing{sim.ExpectVM("elf_vm.other"), "elf_vm.other is not in the state"},
				failing{sim.ExpectVM("data.elf_cluster.test"), "no VM in Tower"},
				check(func() error {
					if err := sim.CheckNoVMs(nil); err == nil || !strings.Contains(err.Error(), name) {
						return errors.New("CheckNoVMs does not find the VM")
					}
					if vms := sim.VMs(); len(vms) != 1 || vms[0].Name != name {
						return errors.New("VMs does not list the VM")
					}
					return nil
				}),
			},
		}},
	})
}

// failing passes if another check fails for the given reason.
type failing struct {
	check  statecheck.StateCheck
	reason string
}

func (f failing) CheckState(ctx context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	inner := statecheck.CheckStateResponse{}
	f.check.CheckState(ctx, req, &inner)
	if inner.Error == nil || !strings.Contains(inner.Error.Error(), f.reason) {
		resp.Error = errors.New("the check does not fail for the reason: " + f.reason)
	}
}

type check func() error

func (c check) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = c()
}
