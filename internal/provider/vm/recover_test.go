// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// A VM that a change has stopped and could not start again is started by the
// next apply. One that somebody else has switched off is left alone.
func TestAccVM_failedStartIsMadeUpFor(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "faults: [{operation: start-vm, times: 2, task_error: {code: EIO, message: a passing trouble}}]")
	name := acctest.RandomName()
	config := func(memory int) string {
		return vmConfig(sim, name, fmt.Sprintf("%s  memory_mib = %d\n", dhcpNIC, memory))
	}
	status := func() any { return sim.Rows("get-vms", map[string]any{"name": name})[0]["status"] }
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config(4096)},
			{Config: config(2048), ExpectError: acctest.Mentions("Starting the VM", "a passing trouble")},
			{Config: config(2048), ExpectError: acctest.Mentions("Starting the VM", "a passing trouble")},
			{
				Config: config(2048),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("RUNNING"), "status"),
					expect(exactly("RUNNING"), "power_state"),
					expect(knownvalue.Int64Exact(2048), "memory_mib"),
					expect(knownvalue.Bool(true), "network_ready"),
				},
			},
			{
				PreConfig: func() {
					sim.Call("poweroff-vm", map[string]any{"where": map[string]any{"name": name}}, new(any))
					eventually(t, "the VM is off", func() bool { return status() == "STOPPED" })
				},
				Config: config(2048), ConfigPlanChecks: emptyPlan(),
			},
		},
	})
}

// What is owed to a VM is paid when somebody else has started it: switched off
// again, it is left alone.
func TestAccVM_startByOthersPaysWhatIsOwed(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "faults: [{operation: start-vm, times: 1, task_error: {code: EIO, message: a passing trouble}}]")
	name := acctest.RandomName()
	config := func(memory int) string {
		return vmConfig(sim, name, fmt.Sprintf("%s  memory_mib = %d\n  network_readiness = { enabled = false }\n", dhcpNIC, memory))
	}
	by := func(operation, leadsTo string) func() {
		return func() {
			sim.Call(operation, map[string]any{"where": map[string]any{"name": name}}, new(any))
			eventually(t, "the VM is "+leadsTo, func() bool {
				vm := sim.Rows("get-vms", map[string]any{"name": name})[0]
				return vm["status"] == leadsTo && vm["entityAsyncStatus"] == nil
			})
		}
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config(4096)},
			{Config: config(2048), ExpectError: acctest.Mentions("Starting the VM", "a passing trouble")},
			{PreConfig: by("start-vm", "RUNNING"), RefreshState: true, ExpectNonEmptyPlan: false},
			{PreConfig: by("poweroff-vm", "STOPPED"), Config: config(2048), ConfigPlanChecks: emptyPlan()},
		},
	})
}

// A change that stops the VM and then fails leaves it running, and what was not
// done is done by the next apply, which waits for the network again.
func TestAccVM_failedChangeDoesNotLeaveTheVMStopped(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "faults: [{operation: update-vm-basic-info, times: 1, task_error: {code: EIO, message: a passing trouble}}]")
	name := acctest.RandomName()
	config := func(memory int) string {
		return vmConfig(sim, name, fmt.Sprintf("%s  memory_mib = %d\n", dhcpNIC, memory))
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config(4096)},
			{Config: config(2048), ExpectError: acctest.Mentions("Unable to update VM", "a passing trouble")},
			{
				PreConfig: func() {
					if status := sim.Rows("get-vms", map[string]any{"name": name})[0]["status"]; status != "RUNNING" {
						t.Errorf("the failed change leaves the VM %v", status)
					}
				},
				Config: config(2048),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("RUNNING"), "status"),
					expect(knownvalue.Int64Exact(2048), "memory_mib"),
					expect(knownvalue.Bool(true), "network_ready"),
					expect(knownvalue.ListSizeExact(1), "ip_addresses"),
				},
			},
			{Config: config(2048), ConfigPlanChecks: emptyPlan()},
		},
	})
}
