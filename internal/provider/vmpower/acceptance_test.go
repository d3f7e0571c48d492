// SPDX-License-Identifier: MPL-2.0

package vmpower_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// powerCheck checks the power state of a VM in Tower.
type powerCheck struct {
	sim        *acctest.Sim
	vmID, want string
}

// CheckState runs the check.
func (c powerCheck) CheckState(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	if got := status(c.sim, c.vmID); got != c.want {
		resp.Error = fmt.Errorf("the VM is %v, want %s", got, c.want)
	}
}

// TestAccVMPower checks that a change can invoke the action, if the CLI has
// actions.
func TestAccVMPower(t *testing.T) {
	sim := acctest.Simulator(t, vms)
	vmID := id(sim, "shutdown-on")
	acctest.ParallelTest(t, resource.TestCase{
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{{
			Config: sim.ProviderConfig() + fmt.Sprintf(`
action "elf_vm_power" "stop" {
  config {
    vm_id     = %q
    operation = "SHUTDOWN"
  }
}
resource "terraform_data" "change" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.elf_vm_power.stop]
    }
  }
}
`, vmID),
			ConfigStateChecks: []statecheck.StateCheck{powerCheck{sim, vmID, "STOPPED"}},
		}},
	})
}
