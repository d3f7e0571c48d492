// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// shows checks members of the VM as Tower shows it.
func shows(sim *acctest.Sim, name string, want rows) stateCheck {
	return func() error {
		row := vmRow(sim, name)
		for member, value := range want {
			if !reflect.DeepEqual(row[member], value) {
				return fmt.Errorf("%s of VM %q is %v in Tower, want %v", member, name, row[member], value)
			}
		}
		return nil
	}
}

func TestAccVM_ioLimits(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	config := func(arguments string) string { return vmConfig(sim, name, dhcpNIC+arguments) }
	const (
		both    = "  max_iops = 5000\n  max_iops_policy = \"FORCED\"\n  max_bandwidth = 104857600\n  max_bandwidth_policy = \"DYNAMIC\"\n"
		changed = "  io_policy = \"RESTRICT_WHOLE_VM\"\n  max_iops = 8000\n  max_iops_policy = \"DYNAMIC\"\n"
	)
	counted := &tally{sim: sim}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config("  io_policy = \"RESTRICT_EACH_DISK\"\n" + both), PlanOnly: true, ExpectError: acctest.Mentions("Limit of the whole VM", "max_iops")},
			{
				PreConfig: counted.start, Config: config(both),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate, plancheck.ExpectKnownValue(address, at("io_policy"), exactly("RESTRICT_WHOLE_VM"))),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("RESTRICT_WHOLE_VM"), "io_policy"), expect(knownvalue.Int64Exact(5000), "max_iops"),
					expect(knownvalue.Int64Exact(104857600), "max_bandwidth"),
					shows(sim, name, rows{
						"io_policy": "RESTRICT_WHOLE_VM", "max_iops": 5000.0, "max_iops_policy": "FORCED",
						"max_bandwidth": 104857600.0, "max_bandwidth_policy": "DYNAMIC",
					}),
					counted.want("update-vm-io-policy", 1),
				},
			},
			importStep(),
			{
				// What is not configured any more stays.
				Config: config(changed), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate,
					plancheck.ExpectKnownValue(address, at("max_bandwidth"), knownvalue.Int64Exact(104857600))),
				ConfigStateChecks: []statecheck.StateCheck{
					shows(sim, name, rows{"max_iops": 8000.0, "max_iops_policy": "DYNAMIC", "max_bandwidth": 104857600.0, "max_bandwidth_policy": "DYNAMIC"}),
					counted.want("update-vm-io-policy", 2),
				},
			},
			{
				PreConfig: func() {
					sim.Call("update-vm-io-policy", rows{"where": rows{"name": name}, "data": rows{"whole_vm": rows{"max_iops": 1}}}, new(any))
				},
				Config: config(changed), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{shows(sim, name, rows{"max_iops": 8000.0, "max_iops_policy": "DYNAMIC"})},
			},
			{Config: config(""), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
			{
				// 0 lifts a limit.
				Config: config("  max_iops = 0\n  max_bandwidth = 0\n"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Int64Exact(0), "max_iops"), shows(sim, name, rows{"max_iops": nil, "max_bandwidth": nil}),
				},
			},
			{Config: config("  max_iops = 0\n  max_bandwidth = 0\n"), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
			{
				Config: config("  io_policy = \"RESTRICT_EACH_DISK\"\n"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{shows(sim, name, rows{"io_policy": "RESTRICT_EACH_DISK"})},
			},
			{
				// A limit whose kind is left to Tower.
				Config: config("  max_bandwidth = 1048576\n"), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("RESTRICT_WHOLE_VM"), "io_policy"), shows(sim, name, rows{"io_policy": "RESTRICT_WHOLE_VM", "max_bandwidth": 1048576.0}),
				},
			},
		},
	})
}
