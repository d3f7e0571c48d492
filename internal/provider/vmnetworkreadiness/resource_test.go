// SPDX-License-Identifier: MPL-2.0

package vmnetworkreadiness_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

const address = "elf_vm_network_readiness.test"

const scenario = `
guests:
  - match: "slow-*"
    nics: [{index: 0, address: 10.255.1.1, reported: 60s}, {index: 1, address: 10.255.1.2, reported: 90s}]
  - match: "mute-*"
    nics: [{index: 0, reported: never}]
`

// config has a VM whose own wait is switched off, and the wait beside it.
func config(sim *acctest.Sim, name, nics, body string) string {
	return sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(`
resource "elf_vm" "test" {
  name              = %q
  cluster_id        = data.elf_cluster.test.id
  source            = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  nics              = [%s]
  network_readiness = { enabled = false }
}

resource "elf_vm_network_readiness" "test" {
  vm_id = elf_vm.test.id
%s
}
`, name, nics, body)
}

const dhcp = "{ vlan_id = data.elf_vlan.test.id }"

func expect(value knownvalue.Check, attribute string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), value)
}

func list(values ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, 0, len(values))
	for _, v := range values {
		checks = append(checks, knownvalue.StringExact(v))
	}
	return knownvalue.ListExact(checks)
}

func empty() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(address, a),
		plancheck.ExpectResourceAction("elf_vm.test", plancheck.ResourceActionNoop),
	}}
}

func TestAccVMNetworkReadiness_takesTheNICsOfAVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, scenario)
	c := config(sim, "slow-"+acctest.RandomName(), dhcp+", "+dhcp, "  nics = elf_vm.test.nics\n")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: c,
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Bool(true), "network_ready"),
					expect(list("10.255.1.1", "10.255.1.2"), "ip_addresses"),
					expect(knownvalue.StringExact("10.255.1.1"), "default_ip_address"),
					expect(knownvalue.ListExact([]knownvalue.Check{list("10.255.1.1"), list("10.255.1.2")}), "nic_ip_addresses"),
				},
			},
			{Config: c, ConfigPlanChecks: empty()},
		},
	})
}

func TestAccVMNetworkReadiness_withoutNICsAnyAddressCounts(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, scenario)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{{
			Config: config(sim, "slow-"+acctest.RandomName(), dhcp+", "+dhcp, ""),
			ConfigStateChecks: []statecheck.StateCheck{
				expect(knownvalue.Bool(true), "network_ready"),
				expect(knownvalue.StringExact("10.255.1.1"), "default_ip_address"),
			},
		}},
	})
}

func TestAccVMNetworkReadiness_failedWaitRunsOnlyTheWaitAgain(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, scenario)
	name := "mute-" + acctest.RandomName()
	c := config(sim, name, dhcp, "  nics = elf_vm.test.nics\n  network_readiness = { timeout = \"2s\" }\n")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: c, ExpectError: acctest.Mentions("Network of VM", name, "is not ready", "NIC 0")},
			{
				PreConfig: func() {
					if err := sim.Server().SetAddresses(name, "10.255.9.9"); err != nil {
						t.Fatal(err)
					}
				},
				Config: c, ConfigPlanChecks: action(plancheck.ResourceActionDestroyBeforeCreate),
				ConfigStateChecks: []statecheck.StateCheck{expect(list("10.255.9.9"), "ip_addresses"), oneVM(sim)},
			},
		},
	})
}

func TestAccVMNetworkReadiness_warnedWaitIsResumedInPlace(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, scenario)
	name := "mute-" + acctest.RandomName()
	c := config(sim, name, dhcp, "  nics = elf_vm.test.nics\n  network_readiness = { timeout = \"1s\", on_timeout = \"warn\" }\n")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: c, ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Bool(false), "network_ready")}, ExpectNonEmptyPlan: true},
			{
				PreConfig: func() {
					if err := sim.Server().SetAddresses(name, "10.255.9.9"); err != nil {
						t.Fatal(err)
					}
				},
				Config: c, ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Bool(true), "network_ready"), expect(list("10.255.9.9"), "ip_addresses")},
			},
			{Config: c, ConfigPlanChecks: empty()},
		},
	})
}

func TestAccVMNetworkReadiness_triggerStartsANewWait(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, scenario)
	name := "slow-" + acctest.RandomName()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config(sim, name, dhcp, "  triggers = { reboot = \"1\" }\n")},
			{Config: config(sim, name, dhcp, "  triggers = { reboot = \"2\" }\n"), ConfigPlanChecks: action(plancheck.ResourceActionDestroyBeforeCreate)},
		},
	})
}

func TestAccVMNetworkReadiness_vmThatDoesNotExist(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	acctest.Test(t, resource.TestCase{Steps: []resource.TestStep{{
		Config:      sim.ProviderConfig() + "resource \"elf_vm_network_readiness\" \"test\" {\n  vm_id = \"no-such-vm\"\n}\n",
		ExpectError: acctest.Mentions("no-such-vm", "not found", "Check vm_id"),
	}}})
}

// oneVM checks that no second VM has been made.
func oneVM(sim *acctest.Sim) statecheck.StateCheck { return vmCount{sim} }

type vmCount struct{ sim *acctest.Sim }

// CheckState runs the check.
func (c vmCount) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	if n := len(c.sim.VMs()); n != 1 {
		resp.Error = fmt.Errorf("there are %d VMs, want one", n)
	}
}

func TestAccVMNetworkReadiness_withoutAWaitNothingIsKnown(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, scenario)
	name := "slow-" + acctest.RandomName()
	c := func(enabled bool) string {
		return config(sim, name, dhcp, fmt.Sprintf("  nics = elf_vm.test.nics\n  network_readiness = { enabled = %t }\n", enabled))
	}
	unknown := []statecheck.StateCheck{expect(knownvalue.Null(), "network_ready"), expect(knownvalue.Null(), "network_readiness_report")}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: c(false), ConfigStateChecks: unknown},
			{Config: c(false), ConfigPlanChecks: empty()},
			{Config: c(true), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Bool(true), "network_ready")}},
			{Config: c(true), ConfigPlanChecks: empty()},
		},
	})
}

// A VM that is off has no network, also where none of its NICs is waited for.
func TestAccVMNetworkReadiness_nothingIsKnownOfAVMThatIsOff(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {vms: [{name: off, cluster: cluster-1, nics: [default], power: STOPPED}]}")
	id := sim.RowID("get-vms", map[string]any{"name": "off"})
	c := sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(`
resource "elf_vm_network_readiness" "test" {
  vm_id = %q
  nics  = [{ vlan_id = data.elf_vlan.test.id, wait_for_ip = false }]
}
`, id)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: c, ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Null(), "network_ready"), expect(knownvalue.Null(), "network_readiness_report")}},
			{Config: c, ConfigPlanChecks: empty()},
		},
	})
}
