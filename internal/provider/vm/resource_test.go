// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

const (
	address = "elf_vm.test"

	// ecp has a network with DHCP and the uplink of the ECP CNI, and a guest
	// whose address Tower shows two minutes after its power-on.
	ecp = `
inventory:
  clusters:
    - name: cluster-1
      vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: ecp}]
guests:
  - match: "ecp-*"
    nics:
      - {index: 0, address: 10.255.1.7, dhcp: 5s, reported: 127s, link_local_first: true}
  - match: "mute-*"
    nics:
      - {index: 0, dhcp: 5s, reported: never, link_local_first: true}
      - {index: 1, reported: never}
`
)

// vmConfig is a configuration with one VM; body holds the arguments beside
// those that every VM needs.
func vmConfig(sim *acctest.Sim, name, body string) string {
	return sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(`
resource "elf_vm" "test" {
  name       = %q
  cluster_id = data.elf_cluster.test.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
%s
}
`, name, body)
}

// uplink is a second network, for the static NIC of the ECP case.
const uplink = `
data "elf_vlan" "ecp" {
  name       = "ecp"
  cluster_id = data.elf_cluster.test.id
}
`

const dhcpNIC = `
  nics = [{ vlan_id = data.elf_vlan.test.id }]
`

const ecpNICs = `
  nics = [
    { vlan_id = data.elf_vlan.test.id, network_type = "IPV4_DHCP" },
    { vlan_id = data.elf_vlan.ecp.id, network_type = "IPV4", ip_address = "240.255.0.1", netmask = "255.255.255.255" },
  ]
`

func exactly(s string) knownvalue.Check { return knownvalue.StringExact(s) }

func list(values ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, 0, len(values))
	for _, v := range values {
		checks = append(checks, exactly(v))
	}
	return knownvalue.ListExact(checks)
}

func at(root string, steps ...any) tfjsonpath.Path {
	path := tfjsonpath.New(root)
	for _, step := range steps {
		switch step := step.(type) {
		case string:
			path = path.AtMapKey(step)
		case int:
			path = path.AtSliceIndex(step)
		}
	}
	return path
}

func expect(value knownvalue.Check, root string, steps ...any) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, at(root, steps...), value)
}

func TestAccVM_ecpIsReadyWhenItReturns(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, ecp)
	name := "ecp-" + acctest.RandomName()
	config := vmConfig(sim, name, ecpNICs+"  num_cpus = 4\n  memory_mib = 8192\n") + uplink
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(address, at("ip_addresses")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly(name), "name"),
					expect(knownvalue.StringRegexp(regexp.MustCompile(`^c[a-z0-9]{24}$`)), "id"),
					expect(knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)), "local_id"),
					expect(knownvalue.StringRegexp(regexp.MustCompile(`^elf://[0-9a-f]{8}-`)), "provider_id"),
					expect(list("10.255.1.7", "240.255.0.1"), "ip_addresses"),
					expect(exactly("10.255.1.7"), "default_ip_address"),
					expect(list("10.255.1.7"), "nics", 0, "ip_addresses"),
					expect(list("240.255.0.1"), "nics", 1, "ip_addresses"),
					expect(knownvalue.StringRegexp(regexp.MustCompile(`^([0-9a-f]{2}:){5}[0-9a-f]{2}$`)), "nics", 0, "mac_address"),
					expect(exactly("VIRTIO"), "nics", 0, "model"),
					expect(knownvalue.Bool(true), "nics", 1, "enabled"),
					expect(knownvalue.Bool(true), "network_ready"),
					expect(exactly("tower"), "network_readiness_report", "source"),
					expect(knownvalue.NotNull(), "network_readiness_report", "ready_at"),
					expect(exactly("RUNNING"), "status"),
					expect(exactly("RUNNING"), "power_state"),
					expect(exactly("RUNNING"), "vm_tools_status"),
					expect(knownvalue.Int64Exact(4), "num_cpus"),
					expect(knownvalue.Int64Exact(8192), "memory_mib"),
					expect(exactly("5m"), "shutdown_timeout"),
					expect(exactly("PERMANENT"), "delete_mode"),
					stateCheck(func() error { return readyNoSoonerThanReported(sim, name, 0) }),
				},
			},
			{
				Config:           config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				ResourceName: address, ImportState: true, ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{
					// What Tower can't tell, and the report of the create's wait.
					"source", "network_readiness_report", "nics.0.network_type", "nics.1.network_type", "nics.1.ip_address", "nics.1.netmask",
				},
			},
			{
				ResourceName: address, ImportState: true, ImportStateVerify: true,
				ImportStateId: "cluster-1/" + name,
				ImportStateVerifyIgnore: []string{
					"source", "network_readiness_report", "nics.0.network_type", "nics.1.network_type", "nics.1.ip_address", "nics.1.netmask",
				},
			},
		},
	})
}

func TestAccVM_eachNetworkType(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		nic       string
		addresses knownvalue.Check
		preferred knownvalue.Check
		source    string
	}{
		"dhcp":   {`{ vlan_id = data.elf_vlan.test.id }`, list("10.255.3.3"), exactly("10.255.3.3"), "tower"},
		"static": {`{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = "10.255.233.186", netmask = "255.255.0.0", gateway = "10.255.0.1" }`, list("10.255.233.186"), exactly("10.255.233.186"), "tower"},
		"none":   {`{ vlan_id = data.elf_vlan.test.id, network_type = "NONE" }`, list(), knownvalue.Null(), "none"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, "guests: [{match: 'dhcp-*', nics: [{index: 0, address: 10.255.3.3}]}]")
			vmName := name + "-" + acctest.RandomName()
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{{
					Config: vmConfig(sim, vmName, "  nics = ["+tc.nic+"]\n"),
					ConfigStateChecks: []statecheck.StateCheck{
						expect(tc.addresses, "ip_addresses"),
						expect(tc.addresses, "nics", 0, "ip_addresses"),
						expect(tc.preferred, "default_ip_address"),
						expect(knownvalue.Bool(true), "network_ready"),
						expect(exactly(tc.source), "network_readiness_report", "source"),
					},
				}},
			})
		})
	}
}

func TestAccVM_templateNICsStayWhereNoneAreConfigured(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{{
			Config: vmConfig(sim, acctest.RandomName(), ""),
			ConfigStateChecks: []statecheck.StateCheck{
				expect(knownvalue.Null(), "nics"),
				expect(knownvalue.Bool(true), "network_ready"),
				expect(knownvalue.Int64Exact(2), "num_cpus"),
				expect(knownvalue.Int64Exact(4096), "memory_mib"),
			},
		}},
	})
}

func TestAccVM_timeOutNamesTheNICAndKeepsTheVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, ecp)
	name := "mute-" + acctest.RandomName()
	config := vmConfig(sim, name, ecpNICs+`
  network_readiness = { timeout = "2s" }
`) + uplink
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config,
				ExpectError: acctest.Mentions("Network of VM", name, "is not ready", "Power state: RUNNING", "VM tools: RUNNING",
					"NIC 0", `VLAN "default"`, "IPV4_DHCP", "169.254.", "does not count", "NIC 1", "untaint"),
			},
			{
				// The VM is in the state and tainted: the plan replaces it.
				Config: vmConfig(sim, name, ecpNICs+"  network_readiness = { enabled = false }\n") + uplink,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionDestroyBeforeCreate),
					planCheck(func() error { return running(sim, name) }),
				}},
			},
		},
	})
}

func TestAccVM_warnKeepsTheVMAndTheNextApplyResumes(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, ecp)
	name := "mute-" + acctest.RandomName()
	config := vmConfig(sim, name, dhcpNIC+`
  network_readiness = { timeout = "1s", on_timeout = "warn" }
`)
	id := statecheck.CompareValue(compare.ValuesSame())
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Bool(false), "network_ready"),
					expect(knownvalue.Null(), "default_ip_address"),
					expect(list(), "ip_addresses"),
					expect(exactly("none"), "network_readiness_report", "source"),
					expect(knownvalue.Null(), "network_readiness_report", "ready_at"),
					id.AddStateValue(address, at("id")),
				},
				ExpectNonEmptyPlan: true, // the wait is resumed
			},
			{
				PreConfig: func() { setAddresses(t, sim, name, "10.255.9.9") },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(address, at("network_ready")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Bool(true), "network_ready"),
					expect(list("10.255.9.9"), "ip_addresses"),
					id.AddStateValue(address, at("id")),
				},
			},
			{
				Config:           config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
		},
	})
}

func TestAccVM_disabledWaitTakesOneLookAndIsNeverResumed(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, ecp)
	name := "mute-" + acctest.RandomName()
	config := vmConfig(sim, name, dhcpNIC+"  network_readiness = { enabled = false }\n")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Null(), "network_ready")}},
			{
				PreConfig: func() { setAddresses(t, sim, name, "10.255.9.9") },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Null(), "network_ready"),
					expect(list("10.255.9.9"), "ip_addresses"),
				},
			},
		},
	})
}

func TestAccVM_deletedBehindTerraformsBackIsCreatedAnew(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	config := vmConfig(sim, name, dhcpNIC)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { staged(t, sim.Server().DeleteVM(name)) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
				}},
			},
		},
	})
}

func TestAccVM_inTheRecycleBinCountsAsGone(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	config := vmConfig(sim, name, dhcpNIC)
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { staged(t, sim.Server().MoveToRecycleBin(name)) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
				}},
			},
		},
	})
}

// readyNoSoonerThanReported checks the moment that the state tells against the
// one at which Tower first showed the address.
func readyNoSoonerThanReported(sim *acctest.Sim, name string, nic int) error {
	for _, vm := range sim.VMs() {
		if vm.Name != name {
			continue
		}
		reported := vm.NICs[nic].ReportedAt
		if reported == nil {
			return fmt.Errorf("NIC %d of VM %q has not been reported, yet the VM counts as ready", nic, name)
		}
		if time.Since(*reported) < 0 {
			return fmt.Errorf("NIC %d of VM %q is reported at %s only", nic, name, reported)
		}
		return nil
	}
	return fmt.Errorf("there is no VM %q", name)
}
