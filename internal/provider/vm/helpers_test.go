// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

type terraformState = terraform.State

// stateCheck is a check of something outside the state, at the moment when the
// states are checked.
type stateCheck func() error

// CheckState runs the check.
func (c stateCheck) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = c()
}

// planCheck is a check of something outside the plan, at the moment when the
// plans are checked.
type planCheck func() error

// CheckPlan runs the check.
func (c planCheck) CheckPlan(_ context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	resp.Error = c()
}

// noVMs checks that nothing is left in Tower.
func noVMs(sim *acctest.Sim) func(*terraformState) error {
	return func(*terraformState) error {
		for _, vm := range sim.VMs() {
			if vm.DeletedAt == nil {
				return fmt.Errorf("VM %q (%s) is left", vm.Name, vm.ID)
			}
		}
		return nil
	}
}

// running checks that Tower has the VM and that it runs.
func running(sim *acctest.Sim, name string) error {
	for _, vm := range sim.VMs() {
		if vm.Name != name || vm.DeletedAt != nil {
			continue
		}
		if vm.PoweredOnAt == nil {
			return fmt.Errorf("VM %q does not run", name)
		}
		return nil
	}
	return fmt.Errorf("there is no VM %q", name)
}
