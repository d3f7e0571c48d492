// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// quiet is a NIC that nothing waits for.
const quiet = "  nics = [{ vlan_id = data.elf_vlan.test.id, network_type = \"NONE\" }]\n"

// notTold is what an import leaves null in these configurations, or what the
// guest changes by itself meanwhile.
var notTold = []string{"source", "network_readiness_report", "network_ready", "nics.0.network_type", "vm_tools_status"}

var update = plancheck.ResourceActionUpdate

func TestAccVM_disks(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	given := api.volume("given", 5)
	config := func(disks string) string { return vmConfig(sim, name, quiet+disks) }
	first := config(fmt.Sprintf(`
  system_disk = { size_gib = 50 }
  data_disks = [
    { name = "data", size_gib = 10, storage_policy = "REPLICA_3_THIN_PROVISION" },
    { name = "theirs", volume_id = %q, bus = "SCSI" },
  ]
`, given))
	second := config(fmt.Sprintf(`
  system_disk = { size_gib = 60 }
  data_disks = [
    { name = "logs", size_gib = 7 },
    { name = "data", size_gib = 20, storage_policy = "REPLICA_3_THIN_PROVISION" },
    { name = "theirs", volume_id = %q, bus = "SCSI", size_gib = 6 },
  ]
`, given))
	system, data := statecheck.CompareValue(compare.ValuesSame()), statecheck.CompareValue(compare.ValuesSame())
	calls.mark()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: first,
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Int64Exact(50), "system_disk", "size_gib"),
					expect(exactly("VIRTIO"), "system_disk", "bus"),
					expect(knownvalue.NotNull(), "system_disk", "storage_policy"),
					expect(exactly("REPLICA_3_THIN_PROVISION"), "data_disks", 0, "storage_policy"),
					expect(exactly("VIRTIO"), "data_disks", 0, "bus"),
					expect(knownvalue.Int64Exact(5), "data_disks", 1, "size_gib"),
					expect(exactly("REPLICA_2_THIN_PROVISION"), "data_disks", 1, "storage_policy"),
					system.AddStateValue(address, at("system_disk", "volume_id")),
					data.AddStateValue(address, at("data_disks", 0, "volume_id")),
					stateCheck(func() error { return api.hasDisks(name, "system 50 VIRTIO", "data 10 VIRTIO", "given 5 SCSI") }),
					calls.since("create-vm-from-content-library-template 1", "expand-vm-disk 1"),
				},
			},
			{Config: first, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: append(notTold, "data_disks.1.name")},
			{
				PreConfig:        calls.mark,
				Config:           second,
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					system.AddStateValue(address, at("system_disk", "volume_id")),
					data.AddStateValue(address, at("data_disks", 1, "volume_id")),
					stateCheck(func() error {
						return api.hasDisks(name, "system 60 VIRTIO", "data 20 VIRTIO", "logs 7 VIRTIO", "given 6 SCSI")
					}),
					calls.since("expand-vm-disk 3", "add-vm-disk 1"),
				},
			},
			{Config: second, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{
				// Taken out of the list, what was made is deleted, and what was given is kept.
				PreConfig:        calls.mark,
				Config:           config("  data_disks = [{ name = \"logs\", size_gib = 7 }]\n"),
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					stateCheck(func() error { return api.hasDisks(name, "system 60 VIRTIO", "logs 7 VIRTIO") }),
					stateCheck(func() error {
						if left, deleted := api.volumes("given"), api.volumes("data"); len(left) != 1 || len(deleted) != 0 {
							return fmt.Errorf("the volumes are %v and %v", left, deleted)
						}
						return nil
					}),
					calls.since("remove-vm-disk 1", "delete-vm-volume 1"),
				},
			},
			{
				// Without the arguments the disks are left alone.
				PreConfig:         calls.mark,
				Config:            config(""),
				ConfigPlanChecks:  planned(update),
				ConfigStateChecks: []statecheck.StateCheck{calls.since(), expect(knownvalue.Null(), "data_disks")},
			},
			{Config: config(""), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}

func TestAccVM_disksOfOthersSurvive(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	pvc, given := api.volume("pvc-1", 3), api.volume("given", 4)
	config := vmConfig(sim, name, quiet+fmt.Sprintf("  data_disks = [{ name = \"data\", size_gib = 10 }, { name = \"given\", volume_id = %q }]\n", given))
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					api.attach(name, pvc)
					calls.mark()
				},
				Config:            config,
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{calls.since(), expect(knownvalue.ListSizeExact(2), "data_disks")},
			},
			{
				Config: vmConfig(sim, name, quiet+"  data_disks = []\n"),
				ConfigStateChecks: []statecheck.StateCheck{
					stateCheck(func() error { return api.hasDisks(name, "system 40 VIRTIO", "pvc-1 3 VIRTIO") }),
				},
			},
			{Config: config},
		},
	})
	if left := api.volumes(""); len(left) != 2 || left[0].ID != given || left[1].ID != pvc {
		t.Errorf("the volumes of others should be all that is left: %+v", left)
	}
}

func TestAccVM_diskDriftIsPutRight(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	config := vmConfig(sim, name, quiet+"  data_disks = [{ name = \"a\", size_gib = 10 }, { name = \"b\", size_gib = 10 }]\n")
	volume := statecheck.CompareValue(compare.ValuesSame())
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: []statecheck.StateCheck{volume.AddStateValue(address, at("data_disks", 1, "volume_id"))}},
			{
				// A detached volume comes back with its data.
				PreConfig: func() {
					api.detach(name, "b")
					calls.mark()
				},
				Config:           config,
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					volume.AddStateValue(address, at("data_disks", 1, "volume_id")),
					stateCheck(func() error { return api.hasDisks(name, "system 40 VIRTIO", "a 10 VIRTIO", "b 10 VIRTIO") }),
					calls.since("add-vm-disk 1"),
				},
			},
			{
				// A deleted one is made anew.
				PreConfig: func() {
					api.detach(name, "a")
					api.change("delete-vm-volume", body{"where": body{"name": "a"}})
					calls.mark()
				},
				Config:           config,
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					stateCheck(func() error { return api.hasDisks(name, "system 40 VIRTIO", "a 10 VIRTIO", "b 10 VIRTIO") }),
					calls.since("add-vm-disk 1"),
				},
			},
			{
				PreConfig: func() {
					api.change("expand-vm-disk", body{"where": body{"vm_volume": body{"name": "a"}}, "size": 30 << 30})
				},
				Config:      config,
				ExpectError: acctest.Mentions("A disk can't shrink", `The disk "a" has 30 GiB`, "size_gib to 30 or more"),
			},
		},
	})
}

func TestAccVM_busChangeStopsTheVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	config := func(bus string) string {
		return vmConfig(sim, name, quiet+fmt.Sprintf("  system_disk = { bus = %q }\n  data_disks = [{ name = \"a\", size_gib = 10, bus = %q }]\n", bus, bus))
	}
	calls.mark()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config("SCSI"),
				ConfigStateChecks: []statecheck.StateCheck{
					stateCheck(func() error { return api.hasDisks(name, "system 40 SCSI", "a 10 SCSI") }),
					calls.since("create-vm-from-content-library-template 1"),
				},
			},
			{
				PreConfig:        calls.mark,
				Config:           config("VIRTIO"),
				ConfigPlanChecks: planned(update, plancheck.ExpectUnknownValue(address, at("network_ready"))),
				ConfigStateChecks: []statecheck.StateCheck{
					stateCheck(func() error { return api.hasDisks(name, "system 40 VIRTIO", "a 10 VIRTIO") }),
					calls.since("shutdown-vm 1", "update-vm-disk 2", "start-vm 1"),
				},
			},
			{Config: config("VIRTIO"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}

func TestAccVM_diskStepsThatFailAreCompletedInPlace(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, `
faults:
  - {operation: expand-vm-disk, times: 1, task_error: {code: EAllocSpace, message: the pool is full}}
  - {operation: add-vm-disk, times: 1, task_error: {code: EAllocSpace, message: the pool is full}}
`)
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	first := vmConfig(sim, name, quiet+"  system_disk = { size_gib = 50 }\n  data_disks = [{ name = \"a\", size_gib = 10 }]\n")
	second := vmConfig(sim, name, quiet+"  system_disk = { size_gib = 50 }\n  data_disks = [{ name = \"b\", size_gib = 1 }, { name = \"a\", size_gib = 11 }]\n")
	id := statecheck.CompareValue(compare.ValuesSame())
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config:             first,
				ConfigStateChecks:  []statecheck.StateCheck{id.AddStateValue(address, at("id"))},
				ExpectNonEmptyPlan: true,
			},
			{
				PreConfig:        calls.mark,
				Config:           first,
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					id.AddStateValue(address, at("id")),
					stateCheck(func() error { return api.hasDisks(name, "system 50 VIRTIO", "a 10 VIRTIO") }),
					calls.since("expand-vm-disk 1"),
				},
			},
			{Config: second, ExpectError: acctest.Mentions("Unable to update VM", "the pool is full")},
			{
				PreConfig:        calls.mark,
				Config:           second,
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					id.AddStateValue(address, at("id")),
					stateCheck(func() error { return api.hasDisks(name, "system 50 VIRTIO", "a 11 VIRTIO", "b 1 VIRTIO") }),
					calls.since("add-vm-disk 1"),
				},
			},
			{Config: second, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}

func TestAccVM_disksOfAnImportedVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1}], vms: [{name: theirs, cluster: cluster-1, nics: [default]}]}")
	api, calls := apiOf(t, sim), &callLog{sim: sim}
	listed, unlisted := api.volume("listed", 3), api.volume("unlisted", 4)
	api.attach("theirs", listed)
	api.attach("theirs", unlisted)
	config := vmConfig(sim, "theirs", quiet+"  data_disks = [{ name = \"listed\", size_gib = 3 }]\n")
	calls.mark()
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				// Disks that were never ours are not removed because the configuration does not name them.
				Config:           config + "import {\n  to = elf_vm.test\n  id = \"cluster-1/theirs\"\n}\n",
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					calls.since(),
					expect(knownvalue.ListSizeExact(1), "data_disks"),
					expect(exactly(listed), "data_disks", 0, "volume_id"),
				},
			},
			{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{
				// A disk that the VM has is taken over by its name, and one that we did not make is kept.
				PreConfig: calls.mark,
				Config:    vmConfig(sim, "theirs", quiet+"  data_disks = [{ name = \"unlisted\", size_gib = 5 }]\n"),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly(unlisted), "data_disks", 0, "volume_id"),
					stateCheck(func() error { return api.hasDisks("theirs", "system 40 VIRTIO", "unlisted 5 VIRTIO") }),
					stateCheck(func() error {
						if left := api.volumes("listed"); len(left) != 1 {
							return fmt.Errorf("the volumes are %v", left)
						}
						return nil
					}),
					calls.since("remove-vm-disk 1", "expand-vm-disk 1"),
				},
			},
		},
	})
}
