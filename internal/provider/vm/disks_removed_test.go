// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// A disk whose volume goes with it is announced by the plan, with the way to keep
// the volume where the disk was only renamed.
func TestAccVM_renamedDiskIsAnnounced(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	api, name := apiOf(t, sim), acctest.RandomName()
	config := func(disks string) string { return vmConfig(sim, name, quiet+"  data_disks = ["+disks+"]\n") }
	given := api.volume("given", 5)
	cli := acctest.NewCLI(t, config(fmt.Sprintf(`{ name = "data", size_gib = 3 }, { name = "theirs", volume_id = %q }`, given)))
	cli.Apply()
	made := api.volumes("data")[0].ID
	warnings := func(disks string) string {
		t.Helper()
		cli.Configure(config(disks))
		plan := cli.Plan()
		if len(plan.Errors) > 0 {
			t.Fatal(plan.Errors)
		}
		return strings.Join(plan.Warnings[address], "\n")
	}
	// Whatever becomes of the volume that the configuration names, it is not deleted.
	got := warnings(`{ name = "renamed", size_gib = 3 }`)
	for _, want := range []string{`Volume of the disk "data"`, "3 GiB", made, fmt.Sprintf("volume_id = %q", made), "data_disks"} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan of a renamed disk warns of %q, without %q", got, want)
		}
	}
	if strings.Contains(got, given) {
		t.Errorf("the plan warns of the volume that the configuration names: %q", got)
	}
	// As the warning advises.
	if got := warnings(fmt.Sprintf(`{ name = "renamed", size_gib = 3, volume_id = %q }`, made)); got != "" {
		t.Errorf("with volume_id, the plan of a renamed disk warns of %q", got)
	}
	cli.Apply()
	if left := api.volumes("data"); len(left) != 1 || left[0].ID != made {
		t.Errorf("the volumes %v are left", left)
	}
}
