// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// labelled is a configuration with a VM and these labels, of the VM and of the
// provider, in HCL; "" leaves them out.
func labelled(sim *acctest.Sim, name, labels, defaults string) string {
	body := dhcpNIC
	if labels != "" {
		body += "  labels = " + labels + "\n"
	}
	config := sim.ProviderConfig("default_labels", defaults) + sim.DataSources()
	return config + fmt.Sprintf(`
resource "elf_vm" "test" {
  name       = %q
  cluster_id = data.elf_cluster.test.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
%s
}
`, name, body)
}

// hasLabels checks the labels of the VM in Tower, sorted.
func hasLabels(sim *acctest.Sim, name string, want ...string) stateCheck {
	return func() error {
		got, err := sim.Server().VMLabels(name)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("VM %q has the labels %q in Tower, want %q", name, got, want)
		}
		return err
	}
}

func stringMap(pairs ...string) knownvalue.Check {
	checks := map[string]knownvalue.Check{}
	for pair := range slices.Chunk(pairs, 2) {
		checks[pair[0]] = exactly(pair[1])
	}
	return knownvalue.MapExact(checks)
}

func planned(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append([]plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}, more...)}
}

func TestAccVM_labels(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	first := labelled(sim, name, `{ "sks/role" = "control-plane", alone = "", env = "test" }`, "")
	changed := labelled(sim, name, `{ "sks/role" = "worker", alone = "", team = "a" }`, "")
	var sent int
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: first,
				ConfigStateChecks: []statecheck.StateCheck{
					expect(stringMap("sks/role", "control-plane", "alone", "", "env", "test"), "labels"),
					expect(stringMap("sks/role", "control-plane", "alone", "", "env", "test"), "labels_all"),
					hasLabels(sim, name, "alone=", "env=test", "sks/role=control-plane"),
				},
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"source", "network_readiness_report", "vm_tools_status", "nics.0.network_type"}},
			{
				// Labels of others are no drift, and survive a change of ours.
				PreConfig: func() { staged(t, sim.Server().LabelVM(name, "backup", "nightly")) },
				Config:    first, ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
			},
			{
				Config: changed, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(stringMap("sks/role", "worker", "alone", "", "team", "a"), "labels"),
					hasLabels(sim, name, "alone=", "backup=nightly", "sks/role=worker", "team=a"),
				},
			},
			{
				// Ours are put right: one taken away, one changed, one with a second value.
				PreConfig: func() {
					staged(t, sim.Server().UnlabelVM(name, "alone"))
					staged(t, sim.Server().UnlabelVM(name, "team"))
					staged(t, sim.Server().LabelVM(name, "team", "b"))
					staged(t, sim.Server().LabelVM(name, "sks/role", "other"))
				},
				Config: changed, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{hasLabels(sim, name, "alone=", "backup=nightly", "sks/role=worker", "team=a")},
			},
			{
				PreConfig: func() { sent = labelRequests(sim) },
				Config:    labelled(sim, name, "", ""), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Null(), "labels"), expect(stringMap(), "labels_all"), hasLabels(sim, name, "backup=nightly"),
					stateCheck(func() error {
						if n := labelRequests(sim) - sent; n != 1 {
							return fmt.Errorf("taking three labels off one VM took %d requests, want 1", n)
						}
						return nil
					}),
				},
			},
		},
	})
}

// labelRequests counts the requests that change labels.
func labelRequests(sim *acctest.Sim) int {
	requests := sim.Server().Stats().Requests
	return requests["create-label"] + requests["add-labels-to-resources"] + requests["remove-labels-from-resources"]
}

func TestAccVM_defaultLabels(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	both := labelled(sim, name, `{ env = "prod" }`, `{ env = "test", owner = "us" }`)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: both,
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate,
					plancheck.ExpectKnownValue(address, at("labels_all"), stringMap("env", "prod", "owner", "us"))),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(stringMap("env", "prod"), "labels"), expect(stringMap("env", "prod", "owner", "us"), "labels_all"),
					hasLabels(sim, name, "env=prod", "owner=us"),
				},
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: []string{"source", "network_readiness_report", "vm_tools_status", "nics.0.network_type"}},
			{
				// A default that somebody took away comes back.
				PreConfig: func() { staged(t, sim.Server().UnlabelVM(name, "owner")) },
				Config:    both, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{hasLabels(sim, name, "env=prod", "owner=us")},
			},
			{
				// Changed defaults reach the VM in place.
				Config: labelled(sim, name, "", `{ env = "test" }`), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Null(), "labels"), expect(stringMap("env", "test"), "labels_all"), hasLabels(sim, name, "env=test"),
				},
			},
			{
				Config: labelled(sim, name, `{ env = "test" }`, `{ env = "test" }`), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{hasLabels(sim, name, "env=test")},
			},
		},
	})
}

// An imported VM's labels are all in the state; those that the configuration
// does not name leave it and stay on the VM, and nothing is sent.
func TestAccVM_importedLabelsStay(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {vms: [{name: older}]}")
	staged(t, sim.Server().LabelVM("older", "env", "test"))
	staged(t, sim.Server().LabelVM("older", "backup", "nightly"))
	body := func(labels string) string {
		return sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(`
resource "elf_vm" "test" {
  name       = "older"
  cluster_id = data.elf_cluster.test.id
  labels     = %s
}
`, labels)
	}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				Config: body(`{ env = "test" }`) + `import {
  to = elf_vm.test
  id = "cluster-1/older"
}
`,
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate,
					plancheck.ExpectKnownValue(address, at("labels"), stringMap("env", "test"))),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(stringMap("env", "test"), "labels_all"), hasLabels(sim, "older", "backup=nightly", "env=test"),
					stateCheck(func() error {
						if n := labelRequests(sim); n != 0 {
							return fmt.Errorf("%d requests changed labels, want none", n)
						}
						return nil
					}),
				},
			},
			{
				// From now on the key is the configuration's.
				Config: body(`{}`), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{hasLabels(sim, "older", "backup=nightly")},
			},
		},
	})
}

// A create whose labels fail keeps the VM and says what is missing; the next
// apply completes it in place.
func TestAccVM_labelsThatFailAreSetByTheNextApply(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	config := labelled(sim, name, `{ env = "test" }`, "")
	staged(t, sim.Server().InjectFaults(towersim.Fault{Operation: "create-label", Times: 3, Status: 403}))
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config, ConfigStateChecks: []statecheck.StateCheck{hasLabels(sim, name)},
				ExpectNonEmptyPlan: true,
			},
			{
				Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{hasLabels(sim, name, "env=test")},
			},
		},
	})
}

func TestAccVM_badLabelsAreRefused(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: labelled(sim, "vm", `{ "" = "x" }`, ""), PlanOnly: true, ExpectError: acctest.Mentions("labels", "must be at least 1")},
			{Config: labelled(sim, "vm", `{ a = null }`, ""), PlanOnly: true, ExpectError: acctest.Mentions("Null Map Value", "labels")},
			{Config: labelled(sim, "vm", "", `{ a = null }`), PlanOnly: true, ExpectError: acctest.Mentions("Null Map Value", "default_labels")},
		},
	})
}
