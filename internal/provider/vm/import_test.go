// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// older has VMs that were made without Terraform.
const older = `
inventory:
  clusters: [{name: cluster-1, vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: ecp}], isos: [rocky-8.iso]}]
  vms:
    - {name: older, cluster: cluster-1, num_cpus: 4, memory_mib: 4096, nics: [default, ecp], power: RUNNING}
    - {name: asleep, cluster: cluster-1, nics: [default], power: STOPPED}
`

func importBlock(id string) string {
	return fmt.Sprintf("import {\n  to = elf_vm.test\n  id = %q\n}\n", id)
}

func TestAccVM_importIDs(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "", acctest.AlsoOnTower())
	name := acctest.RandomName()
	config := vmConfig(sim, name, dhcpNIC)
	attribute := func(name string) resource.ImportStateIdFunc {
		return func(state *terraform.State) (string, error) {
			return state.RootModule().Resources[address].Primary.Attributes[name], nil
		}
	}
	verify := func(step resource.TestStep) resource.TestStep {
		step.ResourceName, step.ImportState, step.ImportStateVerify = address, true, true
		step.ImportStateVerifyIgnore = []string{"source", "network_readiness_report", "vm_tools_status", "nics.0.network_type"}
		return step
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config},
			verify(resource.TestStep{}),
			verify(resource.TestStep{ImportStateIdFunc: attribute("local_id")}),
			verify(resource.TestStep{ImportStateId: sim.ClusterName() + "/" + name}),
			{ResourceName: address, ImportState: true, ImportStateId: "no-such-vm", ExpectError: acctest.Mentions("Unable to import VM", "cluster-name/vm-name", "no-such-vm")},
			{ResourceName: address, ImportState: true, ImportStateId: "no-such-cluster/" + name, ExpectError: acctest.Mentions("cluster \"no-such-cluster\": not found")},
			{ResourceName: address, ImportState: true, ImportStateId: sim.ClusterName() + "/no-such-vm", ExpectError: acctest.Mentions("VM \"no-such-vm\" of the cluster: not found")},
		},
	})
}

// Arguments that Tower can't tell are taken over in place, at once or later, and
// nothing is sent for them.
func TestAccVM_importWithConfigurationByHand(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, older)
	const nics = `
  nics = [
    { vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = "10.255.9.9", netmask = "255.255.0.0", gateway = "10.255.0.1" },
    { vlan_id = data.elf_vlan.ecp.id, wait_for_ip = false },
  ]
`
	const createOnly = `
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id, full_copy = true }
  cloud_init = { hostname = "older", user_data = "#cloud-config" }
`
	config := func(body string) string {
		return sim.ProviderConfig() + sim.DataSources() + uplink + `
resource "elf_vm" "test" {
  name       = "older"
  cluster_id = data.elf_cluster.test.id
` + body + "}\n"
	}
	for name, tc := range map[string]struct{ first, later string }{
		"all at once":      {nics + createOnly + "  shutdown_timeout = \"1m\"\n  delete_mode = \"RECYCLE_BIN\"\n", ""},
		"little by little": {"  timeouts = { create = \"10m\" }\n", nics + createOnly},
	} {
		t.Run(name, func(t *testing.T) {
			cli := acctest.NewCLI(t, config(tc.first)+importBlock("cluster-1/older"))
			for i, body := range []string{tc.first, tc.later} {
				if body == "" {
					continue
				}
				cli.Configure(config(body) + importBlock("cluster-1/older"))
				plan := cli.Run("plan", "-no-color", "-out=change.plan")
				if !strings.Contains(plan, "0 to add, 1 to change, 0 to destroy") || strings.Contains(plan, "must be replaced") {
					t.Fatalf("no update in place:\n%s", plan)
				}
				before := sim.Server().Stats().Requests
				cli.Run("apply", "-no-color", "change.plan")
				got := sim.Server().Stats().Requests
				for operation, n := range before {
					if got[operation] -= n; got[operation] == 0 {
						delete(got, operation)
					}
				}
				for operation := range got {
					// NICs that are taken under management later are paired with those that Tower shows.
					later := i > 0 && strings.HasPrefix(operation, "get-vm")
					if later || operation == "login" || operation == "get-version" {
						delete(got, operation)
					}
				}
				if len(got) > 0 {
					t.Errorf("the update sent %v", got)
				}
				if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "No changes") {
					t.Errorf("after the update:\n%s", plan)
				}
			}
		})
	}
}
