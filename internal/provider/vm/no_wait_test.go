// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// notAwaited are the checks of a state that no wait has written.
func notAwaited() []statecheck.StateCheck {
	return []statecheck.StateCheck{expect(knownvalue.Null(), "network_ready"), expect(knownvalue.Null(), "network_readiness_report")}
}

// awaited are the checks of a state after a wait that found the network ready.
func awaited(source string) []statecheck.StateCheck {
	return []statecheck.StateCheck{
		expect(knownvalue.Bool(true), "network_ready"), expect(exactly(source), "network_readiness_report", "source"),
	}
}

// goesToNull plans an update after which no wait has taken place.
func goesToNull() resource.ConfigPlanChecks {
	return planned(plancheck.ResourceActionUpdate, plancheck.ExpectKnownValue(address, at("network_ready"), knownvalue.Null()))
}

// A VM that is not to run is not waited for, so nothing is said of its network
// until a start has waited for it.
func TestAccVM_networkOfAVMThatIsOffIsNotKnown(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	config := func(power string) string {
		return vmConfig(sim, name, dhcpNIC+fmt.Sprintf("  power_state = %q\n", power))
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config("STOPPED"), ConfigStateChecks: notAwaited()},
			{Config: config("STOPPED"), ConfigPlanChecks: emptyPlan()},
			{Config: config("RUNNING"), ConfigStateChecks: awaited("tower")},
			{Config: config("SUSPENDED"), ConfigPlanChecks: goesToNull(), ConfigStateChecks: notAwaited()},
			{Config: config("SUSPENDED"), ConfigPlanChecks: emptyPlan()},
			{Config: config("RUNNING"), ConfigStateChecks: awaited("tower")},
			{Config: config("STOPPED"), ConfigPlanChecks: goesToNull(), ConfigStateChecks: notAwaited()},
			{Config: config("STOPPED"), ConfigPlanChecks: emptyPlan()},
		},
	})
}

// Where waiting is switched off, one look finds addresses, and that is all: it
// is no wait, so nothing says that the network is ready, and nothing is resumed.
func TestAccVM_networkIsNotKnownWithoutAWait(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	config := func(memory int, enabled bool) string {
		return vmConfig(sim, name, dhcpNIC+fmt.Sprintf("  memory_mib = %d\n  network_readiness = { enabled = %t }\n", memory, enabled))
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config(4096, false), ConfigStateChecks: notAwaited()},
			{Config: config(4096, false), ConfigPlanChecks: emptyPlan()},
			{Config: config(4096, true), ConfigStateChecks: notAwaited()},
			{Config: config(2048, true), ConfigStateChecks: awaited("tower")},
			{Config: config(2048, false), ConfigStateChecks: awaited("tower")},
			{Config: config(1024, false), ConfigStateChecks: notAwaited()},
			{Config: config(1024, false), ConfigPlanChecks: emptyPlan()},
		},
	})
}

// A running VM none of whose NICs is waited for has been looked at.
func TestAccVM_networkIsReadyWhereNoNICIsWaitedFor(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{{
			Config:            vmConfig(sim, acctest.RandomName(), nicLines(`{ vlan_id = data.elf_vlan.test.id, wait_for_ip = false }`)),
			ConfigStateChecks: awaited("none"),
		}},
	})
}

// A change that switches the VM off and then fails leaves no word of readiness
// from before.
func TestAccVM_networkOfAVMThatAFailedChangeHasStopped(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "faults: [{operation: update-vm-basic-info, times: 1, task_error: {code: EIO, message: a passing trouble}}]")
	name := acctest.RandomName()
	config := func(power string, memory int) string {
		return vmConfig(sim, name, dhcpNIC+fmt.Sprintf("  power_state = %q\n  memory_mib = %d\n", power, memory))
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config("RUNNING", 4096), ConfigStateChecks: awaited("tower")},
			{Config: config("STOPPED", 2048), ExpectError: acctest.Mentions("Unable to update VM", "a passing trouble")},
			{Config: config("STOPPED", 2048), ConfigStateChecks: notAwaited()},
			{Config: config("STOPPED", 2048), ConfigPlanChecks: emptyPlan()},
		},
	})
}
