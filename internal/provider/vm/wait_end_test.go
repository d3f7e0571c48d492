// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// A VM that can't become ready any more ends the wait at once.
func TestAccVM_waitEndsWithTheVM(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		strike func(sim *acctest.Sim, name string) error
		want   []string
		kept   bool // the VM stays in the state
	}{
		"deleted":          {func(sim *acctest.Sim, name string) error { return sim.Server().DeleteVM(name) }, []string{"Error: VM", "was deleted"}, false},
		"recycled":         {func(sim *acctest.Sim, name string) error { return sim.Server().MoveToRecycleBin(name) }, []string{"is not ready", "moved to the recycle bin"}, true},
		"suspended":        {func(sim *acctest.Sim, name string) error { return sim.Server().SuspendGuest(name) }, []string{"is not ready", "was suspended"}, true},
		"hidden and gone":  {func(sim *acctest.Sim, name string) error { return sim.Server().HideVM(name, 1<<40) }, []string{"Error: VM", "was deleted"}, false},
		"switched off now": {func(sim *acctest.Sim, name string) error { return sim.Server().PowerOffGuest(name) }, []string{"is not ready", "was powered off"}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, ecp)
			vmName := "mute-" + acctest.RandomName()
			cli := acctest.NewCLI(t, vmConfig(sim, vmName, dhcpNIC))
			apply := cli.Start("apply", "-auto-approve", "-no-color")
			eventually(t, "the wait has begun", func() bool { return running(sim, vmName) == nil && sim.Server().Stats().Requests["get-vm-nics"] > 2 })
			staged(t, tc.strike(sim, vmName))
			output, err := apply.Wait()
			if err == nil || !acctest.Mentions(tc.want...).MatchString(output) {
				t.Errorf("the apply said (%v):\n%s", err, output)
			}
			if _, kept := cli.Show()[address]; kept != tc.kept {
				t.Errorf("in the state afterwards: %t, want %t", kept, tc.kept)
			}
		})
	}
}

// Running out of timeouts.create during the wait is the network's time-out, and
// on_timeout decides.
func TestAccVM_createTimeoutDuringTheWaitIsTheNetworksTimeout(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, ecp)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{{
			Config: vmConfig(sim, "mute-"+acctest.RandomName(), dhcpNIC+`
  network_readiness = { on_timeout = "warn" }
  timeouts          = { create = "4s" }
`),
			ConfigStateChecks:  []statecheck.StateCheck{expect(knownvalue.Bool(false), "network_ready")},
			ExpectNonEmptyPlan: true,
		}},
	})
}
