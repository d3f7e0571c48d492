// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// nicLines renders nics; the elements are HCL objects.
func nicLines(nics ...string) string {
	return "  nics = [\n    " + strings.Join(nics, ",\n    ") + ",\n  ]\n"
}

const (
	nicDHCP   = `{ vlan_id = data.elf_vlan.test.id }`
	nicOther  = `{ vlan_id = data.elf_vlan.ecp.id, network_type = "NONE" }`
	nicUplink = `{ vlan_id = data.elf_vlan.ecp.id, network_type = "IPV4", ip_address = "240.255.0.1", netmask = "255.255.255.255" }`
	nicStatic = `{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = "10.255.233.%d", netmask = "255.255.0.0" }`
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
// only the new one is waited for.
func TestAccVM_insertedNICTouchesNoOther(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, ecp)
	name := "grows-" + acctest.RandomName()
	config := func(nics ...string) string { return vmConfig(sim, name, nicLines(nics...)) + uplink }
	first, last := statecheck.CompareValue(compare.ValuesSame()), statecheck.CompareValue(compare.ValuesSame())
	var before map[string]int
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config(nicDHCP, nicOther),
				ConfigStateChecks: []statecheck.StateCheck{
					first.AddStateValue(address, at("nics", 0, "mac_address")),
					last.AddStateValue(address, at("nics", 1, "mac_address")),
				},
			},
			{
				PreConfig: func() { before = mutations(sim) },
				Config:    config(nicDHCP, nicUplink, nicOther),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(address, at("nics", 1, "mac_address")),
					plancheck.ExpectUnknownValue(address, at("ip_addresses")),
					plancheck.ExpectKnownValue(address, at("nics", 0, "ip_addresses"), knownvalue.ListSizeExact(1)),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					first.AddStateValue(address, at("nics", 0, "mac_address")),
					last.AddStateValue(address, at("nics", 2, "mac_address")),
					expect(knownvalue.Bool(true), "network_ready"),
					onlySent(sim, &before, map[string]int{"add-vm-nic": 1, "update-vm-nic-basic-info": 1}),
				},
			},
			{Config: config(nicDHCP, nicUplink, nicOther), ConfigPlanChecks: emptyPlan()},
			{
				PreConfig: func() { before = mutations(sim) },
				Config:    config(nicDHCP, nicOther),
				ConfigStateChecks: []statecheck.StateCheck{
					first.AddStateValue(address, at("nics", 0, "mac_address")),
					last.AddStateValue(address, at("nics", 1, "mac_address")),
					onlySent(sim, &before, map[string]int{"remove-vm-nic-by-where": 1}),
					stateCheck(func() error {
						if nics := sim.VMs()[0].NICs; len(nics) != 2 {
							return fmt.Errorf("Tower has %d NICs, want 2", len(nics))
						}
						return nil
					}),
				},
			},
			{
				// Another order is another order in the state alone.
				PreConfig: func() { before = mutations(sim) },
				Config:    config(nicOther, nicDHCP),
				ConfigStateChecks: []statecheck.StateCheck{
					last.AddStateValue(address, at("nics", 0, "mac_address")),
					first.AddStateValue(address, at("nics", 1, "mac_address")),
					onlySent(sim, &before, map[string]int{}),
				},
			},
			{Config: config(nicOther, nicDHCP), ConfigPlanChecks: emptyPlan()},
		},
	})
}

func TestAccVM_nicIsChangedInPlace(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		from, to string
		want     map[string]int
		check    statecheck.StateCheck
	}{
		"network": {
			nicDHCP, `{ vlan_id = data.elf_vlan.ecp.id, network_type = "NONE" }`,
			map[string]int{"update-vm-nic-advance-info": 1},
			expect(exactly("NONE"), "nics", 0, "network_type"),
		},
		"enabled": {
			nicDHCP, `{ vlan_id = data.elf_vlan.test.id, enabled = false }`,
			map[string]int{"update-vm-nic-advance-info": 1},
			expect(knownvalue.Bool(false), "nics", 0, "enabled"),
		},
		"mirror": {
			nicDHCP, `{ vlan_id = data.elf_vlan.test.id, mirror = true }`,
			map[string]int{"update-vm-nic-advance-info": 1},
			expect(knownvalue.Bool(true), "nics", 0, "mirror"),
		},
		"MAC address": {
			nicDHCP, `{ vlan_id = data.elf_vlan.test.id, mac_address = "52:54:00:00:0a:0b" }`,
			map[string]int{"update-vm-nic-advance-info": 1},
			expect(exactly("52:54:00:00:0a:0b"), "nics", 0, "mac_address"),
		},
		"model": {
			nicDHCP, `{ vlan_id = data.elf_vlan.test.id, model = "E1000" }`,
			map[string]int{"shutdown-vm": 1, "update-vm-nic": 1, "start-vm": 1},
			expect(exactly("E1000"), "nics", 0, "model"),
		},
		"static address": {
			fmt.Sprintf(nicStatic, 10), fmt.Sprintf(nicStatic, 11),
			map[string]int{"update-vm-nic-basic-info": 1},
			expect(list("10.255.233.11"), "ip_addresses"),
		},
		"DHCP to static": {
			nicDHCP, fmt.Sprintf(nicStatic, 12),
			map[string]int{"update-vm-nic-basic-info": 1},
			expect(list("10.255.233.12"), "nics", 0, "ip_addresses"),
		},
		"waiting": {
			nicDHCP, `{ vlan_id = data.elf_vlan.test.id, wait_for_ip = false }`,
			map[string]int{},
			expect(knownvalue.Bool(true), "network_ready"),
		},
		"default written down": {
			nicDHCP, `{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4_DHCP", model = "VIRTIO", enabled = true, default_route = false }`,
			map[string]int{},
			expect(exactly("IPV4_DHCP"), "nics", 0, "network_type"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, ecp)
			vmName := acctest.RandomName()
			config := func(nic string) string { return vmConfig(sim, vmName, nicLines(nic)) + uplink }
			var before map[string]int
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{
					{Config: config(tc.from)},
					{
						PreConfig: func() { before = mutations(sim) },
						Config:    config(tc.to),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
						}},
						ConfigStateChecks: []statecheck.StateCheck{tc.check, onlySent(sim, &before, tc.want)},
					},
					{Config: config(tc.to), ConfigPlanChecks: emptyPlan()},
				},
			})
		})
	}
}

func TestAccVM_nicChangeThatTowerCantMakeIsRefused(t *testing.T) {
	t.Parallel()
	static := fmt.Sprintf(nicStatic, 20)
	with := func(nic, more string) string { return strings.TrimSuffix(nic, " }") + ", " + more + " }" }
	cases := map[string]struct {
		from, to string
		want     string
	}{
		"routes":          {static, with(static, `routes = [{ gateway = "10.255.0.1", network = "10.9.0.0", netmask = "255.255.0.0" }]`), "Routes can't change"},
		"default route":   {static, with(static, "default_route = true"), "default route can't change"},
		"static to DHCP":  {static, nicDHCP, "can't change to DHCP"},
		"gateway removed": {with(static, `gateway = "10.255.0.1"`), static, "gateway can't be removed"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, "")
			vmName := acctest.RandomName()
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{
					{Config: vmConfig(sim, vmName, nicLines(tc.from))},
					{Config: vmConfig(sim, vmName, nicLines(tc.to)), PlanOnly: true, ExpectError: acctest.Mentions(tc.want)},
				},
			})
		})
	}
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
