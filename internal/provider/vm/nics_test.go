// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// nicLines renders nics; the elements are HCL objects.
func nicLines(nics ...string) string {
	return "  nics = [\n    " + strings.Join(nics, ",\n    ") + ",\n  ]\n"
}

const (
	nicDHCP  = `{ vlan_id = data.elf_vlan.test.id }`
	nicOther = `{ vlan_id = data.elf_vlan.ecp.id, network_type = "NONE" }`
)

// mutations are the operations that change something, with their counts.
func mutations(sim *acctest.Sim) map[string]int {
	counts := map[string]int{}
	for name, n := range sim.Server().Stats().Requests {
		if !strings.HasPrefix(name, "get-") && name != "login" && name != "authnStrategies" {
			counts[name] = n
		}
	}
	return counts
}

// sent is the mutations since before.
func sent(sim *acctest.Sim, before map[string]int) map[string]int {
	now := mutations(sim)
	for name, n := range before {
		if now[name] -= n; now[name] == 0 {
			delete(now, name)
		}
	}
	return now
}

// onlySent checks which mutations a step has sent.
func onlySent(sim *acctest.Sim, before *map[string]int, want map[string]int) statecheck.StateCheck {
	return stateCheck(func() error {
		if got := sent(sim, *before); !maps.Equal(got, want) {
			return fmt.Errorf("Tower was sent %v, want %v", got, want)
		}
		return nil
	})
}

// A NIC inserted anywhere is one add in Tower; the others keep their MACs, and
// only the new one is waited for: the others have lost their addresses meanwhile,
// and do not get any.
func TestAccVM_insertedNICTouchesNoOther(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, ecp)
	name := "grows-" + acctest.RandomName()
	config := func(nics ...string) string {
		return vmConfig(sim, name, nicLines(nics...)+"  network_readiness = { timeout = \"20s\" }\n") + uplink
	}
	macs := make([]interface {
		AddStateValue(string, tfjsonpath.Path) statecheck.StateCheck
	}, 3)
	states := func(places ...int) []statecheck.StateCheck {
		checks := make([]statecheck.StateCheck, 0, len(places))
		for i, place := range places {
			checks = append(checks, macs[i].AddStateValue(address, at("nics", place, "mac_address")))
		}
		return checks
	}
	for i := range macs {
		macs[i] = statecheck.CompareValue(compare.ValuesSame())
	}
	var before []towersim.Mutation
	var known []string
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config(nicDHCP, nicOther, nicDHCP), ConfigStateChecks: states(0, 1, 2)},
			{
				PreConfig: func() {
					setAddresses(t, sim, name, "", "", "")
					before, known = sim.Server().Mutations(), macsOf(sim, name)
				},
				Config: config(nicDHCP, nicDHCP, nicOther, nicDHCP),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(address, at("nics", 1, "mac_address")),
					plancheck.ExpectUnknownValue(address, at("nics", 1, "ip_addresses")),
					plancheck.ExpectUnknownValue(address, at("ip_addresses")),
					plancheck.ExpectKnownValue(address, at("nics", 0, "ip_addresses"), knownvalue.ListSizeExact(0)),
					plancheck.ExpectKnownValue(address, at("nics", 3, "ip_addresses"), knownvalue.ListSizeExact(0)),
				}},
				ConfigStateChecks: append(states(0, 2, 3),
					expect(knownvalue.Bool(true), "network_ready"),
					expect(knownvalue.ListSizeExact(1), "nics", 1, "ip_addresses"),
					stateCheck(func() error {
						sent := sim.Server().Mutations()[len(before):]
						now := macsOf(sim, name)
						switch {
						case len(sent) != 1 || sent[0].Operation != "add-vm-nic" || sent[0].Status != 200 || !sent[0].About(vmRow(sim, name)["id"].(string)):
							return fmt.Errorf("Tower was sent %v, want one add-vm-nic", sent)
						case len(now) != 4 || !slices.Equal(now[:3], known):
							return fmt.Errorf("Tower has the MACs %q, had %q", now, known)
						}
						return nil
					})),
			},
			{Config: config(nicDHCP, nicDHCP, nicOther, nicDHCP), ConfigPlanChecks: emptyPlan()},
			{
				PreConfig: func() { before = sim.Server().Mutations() },
				Config:    config(nicDHCP, nicOther, nicDHCP),
				ConfigStateChecks: []statecheck.StateCheck{stateCheck(func() error {
					sent, now := sim.Server().Mutations()[len(before):], macsOf(sim, name)
					if len(sent) != 1 || sent[0].Operation != "remove-vm-nic-by-where" || len(now) != 3 {
						return fmt.Errorf("Tower was sent %v and has the MACs %q", sent, now)
					}
					return nil
				})},
			},
			{
				// Another order is another order in the state alone.
				PreConfig: func() { before = sim.Server().Mutations() },
				Config:    config(nicOther, nicDHCP, nicDHCP),
				ConfigStateChecks: []statecheck.StateCheck{
					macs[1].AddStateValue(address, at("nics", 0, "mac_address")),
					stateCheck(func() error {
						if sent := sim.Server().Mutations()[len(before):]; len(sent) > 0 {
							return fmt.Errorf("Tower was sent %v", sent)
						}
						return nil
					}),
				},
			},
			{Config: config(nicOther, nicDHCP, nicDHCP), ConfigPlanChecks: emptyPlan()},
		},
	})
}

// macsOf are the MACs of a VM's NICs in Tower's order.
func macsOf(sim *acctest.Sim, name string) []string {
	var macs []string
	for _, vm := range sim.VMs() {
		if vm.Name != name {
			continue
		}
		for _, nic := range vm.NICs {
			macs = append(macs, nic.MACAddress)
		}
	}
	return macs
}

func TestAccVM_nicsConfiguredLaterAreThoseOfTheVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	var before map[string]int
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: vmConfig(sim, name, nicLines(nicDHCP))},
			{
				PreConfig:         func() { before = mutations(sim) },
				Config:            vmConfig(sim, name, ""),
				ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Null(), "nics"), onlySent(sim, &before, map[string]int{})},
			},
			{
				Config: vmConfig(sim, name, nicLines(nicDHCP)),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.NotNull(), "nics", 0, "mac_address"),
					expect(knownvalue.ListSizeExact(1), "nics", 0, "ip_addresses"),
					onlySent(sim, &before, map[string]int{}),
				},
			},
			{Config: vmConfig(sim, name, nicLines(nicDHCP)), ConfigPlanChecks: emptyPlan()},
		},
	})
}

// emptyPlan expects a plan without a change.
func emptyPlan() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}
