// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// stateCheck is a check of something outside the state, at the moment when the
// states are checked.
type stateCheck func() error

// CheckState runs the check.
func (c stateCheck) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	resp.Error = c()
}

// readyAtCheck is a check of the moment at which the VM's network was ready.
type readyAtCheck func(readyAt time.Time) error

// CheckState runs the check.
func (c readyAtCheck) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	for _, object := range req.State.Values.RootModule.Resources {
		if object.Address != address {
			continue
		}
		report, ok := object.AttributeValues["network_readiness_report"].(map[string]any)
		if !ok {
			break
		}
		text, ok := report["ready_at"].(string)
		if !ok {
			break
		}
		readyAt, err := time.Parse(time.RFC3339, text)
		if err != nil {
			resp.Error = err
			return
		}
		resp.Error = c(readyAt)
		return
	}
	resp.Error = errors.New("the state does not tell when the network was ready")
}

// planCheck is a check of something outside the plan, at the moment when the
// plans are checked.
type planCheck func() error

// CheckPlan runs the check.
func (c planCheck) CheckPlan(_ context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	resp.Error = c()
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

// staged fails the test where something could not be staged in the simulator.
func staged(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// setAddresses makes Tower show an address on each of the VM's first NICs.
func setAddresses(t *testing.T, sim *acctest.Sim, name string, addresses ...string) {
	t.Helper()
	staged(t, sim.Server().SetAddresses(name, addresses...))
}

// eventually polls a condition until it holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(time.Minute)
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("this did not happen within a minute: %s", what)
		}
	}
}
