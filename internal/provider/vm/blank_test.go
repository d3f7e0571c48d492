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

func blankConfig(sim *acctest.Sim, name, body string) string {
	return sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf("resource \"elf_vm\" \"test\" {\n  name       = %q\n  cluster_id = data.elf_cluster.test.id\n%s\n}\n", name, body)
}

func TestAccVM_blank(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	full := blankConfig(sim, name, quiet+`
  num_cpus    = 2
  memory_mib  = 2048
  firmware    = "UEFI"
  ha          = false
  system_disk = { size_gib = 20, storage_policy = "REPLICA_3_THIN_PROVISION" }
  data_disks  = [{ name = "data", size_gib = 10 }]
`)
	calls.mark()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: blankConfig(sim, name, ""),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Int64Exact(1), "num_cpus"),
					expect(knownvalue.Int64Exact(1024), "memory_mib"),
					expect(exactly("BIOS"), "firmware"),
					expect(knownvalue.Bool(true), "ha"),
					expect(knownvalue.Null(), "system_disk"),
					stateCheck(func() error { return api.hasDisks(name) }),
					calls.since("create-vm 1"),
				},
			},
			{
				Config:           blankConfig(sim, name, ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				PreConfig:        calls.mark,
				Config:           full,
				ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("REPLICA_3_THIN_PROVISION"), "system_disk", "storage_policy"),
					expect(exactly("VIRTIO"), "system_disk", "bus"),
					expect(exactly("UEFI"), "firmware"),
					expect(knownvalue.Bool(false), "ha"),
					stateCheck(func() error { return api.hasDisks(name, "system 20 VIRTIO", "data 10 VIRTIO") }),
				},
			},
			{Config: full, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: notTold},
			{
				Config:   blankConfig(sim, name, "  system_disk = { bus = \"SCSI\" }\n  firmware = \"BIOS\"\n"),
				PlanOnly: true, ExpectError: acctest.Mentions("Missing size"),
			},
		},
	})
}

func TestAccVM_disksOfAClone(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1}], vms: [{name: origin, cluster: cluster-1, nics: [default]}]}")
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	config := blankConfig(sim, name, quiet+fmt.Sprintf(`
  source      = { vm_id = %q }
  system_disk = { size_gib = 41, bus = "SCSI" }
  data_disks  = [{ name = "data", size_gib = 10 }]
`, api.vmID("origin")))
	calls.mark()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("RUNNING"), "status"),
					stateCheck(func() error { return api.hasDisks(name, "system 41 SCSI", "data 10 VIRTIO") }),
					calls.since("clone-vm 1", "poweroff-vm 1", "update-vm-disk 1", "expand-vm-disk 1", "add-vm-disk 1", "start-vm 1"),
				},
			},
			{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}
