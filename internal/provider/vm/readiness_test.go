// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// kubeconfig is the provider's argument kubernetes for the simulated cluster.
func kubeconfig(t *testing.T, sim *acctest.Sim) []string {
	t.Helper()
	content, err := sim.Server().Kubeconfig()
	staged(t, err)
	return []string{"kubernetes", "{\n config_content = <<-EOT\n" + content + "\nEOT\n}"}
}

// vmWith is vmConfig with arguments of the provider.
func vmWith(sim *acctest.Sim, provider []string, name, body string) string {
	return strings.Replace(vmConfig(sim, name, body), sim.ProviderConfig(), sim.ProviderConfig(provider...), 1)
}

// What a wait looks at, with and without each setting.
func TestAccVM_readinessSettings(t *testing.T) {
	t.Parallel()
	const guest = `
guests:
  - match: "*"
    nics:
      - {index: 0, address: %s, reported: 20s}
      - {index: 1, reported: %s}
`
	static := `{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = "10.255.233.186", netmask = "255.255.0.0" }`
	cases := map[string]struct {
		address, second string // of NIC 0, when NIC 1 is reported
		nics            []string
		settings        string
		ready           bool
	}{
		"static NICs not required":           {"10.255.1.1", "never", []string{nicDHCP, static}, "", true},
		"static NICs required, not reported": {"10.255.1.1", "never", []string{nicDHCP, static}, "require_static = true", false},
		"static NICs required, reported":     {"10.255.1.1", "30s", []string{nicDHCP, static}, "require_static = true", true},
		"address not ignored":                {"172.17.0.2", "never", []string{nicDHCP}, "ignored_cidrs = []", true},
		"address ignored":                    {"172.17.0.2", "never", []string{nicDHCP}, `ignored_cidrs = ["172.17.0.0/16"]`, false},
		"all NICs waited for":                {"10.255.1.1", "never", []string{nicDHCP, nicDHCP}, "", false},
		"one NIC not waited for":             {"10.255.1.1", "never", []string{nicDHCP, `{ vlan_id = data.elf_vlan.test.id, wait_for_ip = false }`}, "", true},
		"a NIC disabled":                     {"10.255.1.1", "never", []string{nicDHCP, `{ vlan_id = data.elf_vlan.test.id, enabled = false }`}, "", true},
		"settled":                            {"10.255.1.1", "never", []string{nicDHCP}, `settle = "500ms"`, true},
		"not settled":                        {"10.255.1.1", "never", []string{nicDHCP}, `settle = "1h"`, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, fmt.Sprintf(guest, tc.address, tc.second))
			body := nicLines(tc.nics...) + "  network_readiness = {\n    timeout = \"3s\"\n    on_timeout = \"warn\"\n    " + tc.settings + "\n  }\n"
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{{
					Config:             vmConfig(sim, acctest.RandomName(), body),
					ConfigStateChecks:  []statecheck.StateCheck{expect(knownvalue.Bool(tc.ready), "network_ready")},
					ExpectNonEmptyPlan: !tc.ready,
				}},
			})
		})
	}
}

// A Kubernetes API that does not answer changes nothing in what Tower decides.
func TestAccVM_closedKubernetesPortDelaysNothing(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	staged(t, err)
	closed := listener.Addr().String()
	staged(t, listener.Close())
	const interval = 250 * time.Millisecond

	lag := func(t *testing.T, provider ...string) (lag time.Duration) {
		t.Helper()
		sim := acctest.Simulator(t, "guests: [{match: '*', nics: [{index: 0, reported: 60s}]}]", acctest.WithSpeed(20))
		name := acctest.RandomName()
		acctest.Test(t, resource.TestCase{
			CheckDestroy: sim.CheckNoVMs,
			Steps: []resource.TestStep{{
				Config: vmWith(sim, append([]string{"poll_interval", strconv.Quote(interval.String())}, provider...), name, dhcpNIC),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("tower"), "network_readiness_report", "source"),
					readyAtCheck(func(at time.Time) error {
						lag = at.Sub(*sim.VMs()[0].NICs[0].ReportedAt)
						return nil
					}),
				},
			}},
		})
		return lag
	}
	without := lag(t)
	with := lag(t, "kubernetes", fmt.Sprintf("{\n host = %q\n token = \"t\"\n insecure = true\n}", "https://"+closed))
	for _, l := range []time.Duration{without, with} {
		if l < 0 || l > interval+seedSlack {
			t.Errorf("ready %s after Tower's report without Kubernetes and %s with a closed port, want at most %s", without, with, interval)
		}
	}
}

// A node that bears the VM's name but is older than the VM is a predecessor's.
func TestAccVM_predecessorsNodeDoesNotCount(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, `
guests:
  - match: "heir"
    nics: [{index: 0, address: 10.255.1.1, reported: 90s}]
    kubernetes_node: {registered: 10s, internal_ip: 10.255.9.9, provider_id: false}
`, acctest.WithSpeed(20))
	body := dhcpNIC + "  network_readiness = { on_timeout = \"warn\" }\n"
	config := func(name string) string { return vmWith(sim, kubeconfig(t, sim), name, body) }
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			// The VM's own node, younger than the VM and without a provider id.
			{Config: config("heir"), ConfigStateChecks: []statecheck.StateCheck{expect(exactly("10.255.9.9"), "default_ip_address")}},
		},
	})
}

// The node's address is shown while Tower knows none; Tower's later report
// corrects it on a refresh, which plans no change.
func TestAccVM_laterReportCorrectsTheNodesAddress(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, `
guests:
  - match: "*"
    nics: [{index: 0, address: 10.255.1.1, reported: never}]
    kubernetes_node: {registered: 20s, internal_ip: 10.255.9.9}
`)
	name := acctest.RandomName()
	config := vmWith(sim, kubeconfig(t, sim), name, dhcpNIC)
	withoutKubernetes := vmConfig(sim, name, dhcpNIC)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("kubernetes_node"), "network_readiness_report", "source"),
					expect(list("10.255.9.9"), "nics", 0, "ip_addresses"),
					expect(list("10.255.9.9"), "ip_addresses"),
				},
			},
			{
				// The node can't be asked: what Tower does not contradict stays.
				Config: withoutKubernetes, ConfigPlanChecks: emptyPlan(),
				ConfigStateChecks: []statecheck.StateCheck{expect(list("10.255.9.9"), "ip_addresses")},
			},
			{
				PreConfig: func() { setAddresses(t, sim, name, "10.255.1.1") },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					expect(list("10.255.1.1"), "ip_addresses"),
					expect(exactly("kubernetes_node"), "network_readiness_report", "source"),
				},
			},
		},
	})
}

func TestAccVM_kubernetesConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		provider []string
		body     string
		want     []string
	}{
		"unparsable kubeconfig": {[]string{"kubernetes", `{ config_content = "{" }`}, "", []string{"Invalid Kubernetes configuration", "not a kubeconfig"}},
		"both kubeconfigs":      {[]string{"kubernetes", `{ config_content = "x", config_path = "y" }`}, "", []string{"Invalid Kubernetes configuration", "exclude each other"}},
		"context that is not there": {
			[]string{"kubernetes", `{ config_content = jsonencode({ apiVersion = "v1", kind = "Config" }), config_context = "gone" }`},
			"",
			[]string{"Invalid Kubernetes configuration", "gone"},
		},
		"a node of no cluster": {nil, "  network_readiness = { kubernetes_node = { name = \"n\" } }\n", []string{"kubernetes_node", "no Kubernetes cluster is configured"}},
		"unparsable kubeconfig of a VM": {
			nil, "  network_readiness = { kubernetes_node = { kubernetes = { config_content = \"{\" } } }\n", []string{"Invalid Kubernetes configuration"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, "")
			acctest.Test(t, resource.TestCase{Steps: []resource.TestStep{{
				Config: vmWith(sim, tc.provider, acctest.RandomName(), tc.body), PlanOnly: true, ExpectError: acctest.Mentions(tc.want...),
			}}})
		})
	}
}

// A restart waits again: an address from before it is no address, even where
// Tower goes on showing it for a while.
func TestAccVM_restartWaitsAgain(t *testing.T) {
	t.Parallel()
	for _, stale := range []bool{false, true} {
		t.Run(fmt.Sprintf("stale addresses %t", stale), func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, fmt.Sprintf("stale_addresses: %t\nguests: [{match: '*', nics: [{index: 0, reported: 60s}]}]", stale), acctest.WithSpeed(50))
			name := acctest.RandomName()
			config := func(memory int) string {
				return vmConfig(sim, name, fmt.Sprintf("%s  memory_mib = %d\n", dhcpNIC, memory))
			}
			id := statecheck.CompareValue(compare.ValuesSame())
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{
					{Config: config(4096), ConfigStateChecks: []statecheck.StateCheck{id.AddStateValue(address, at("id"))}},
					{
						Config: config(2048),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
							plancheck.ExpectUnknownValue(address, at("network_ready")),
							plancheck.ExpectUnknownValue(address, at("ip_addresses")),
						}},
						ConfigStateChecks: []statecheck.StateCheck{
							id.AddStateValue(address, at("id")),
							expect(knownvalue.Int64Exact(2048), "memory_mib"),
							readyAtCheck(func(readyAt time.Time) error { return notBeforeTheReport(sim.VMs()[0], readyAt) }),
						},
					},
					{Config: config(2048), ConfigPlanChecks: emptyPlan()},
				},
			})
		})
	}
}

func notBeforeTheReport(vm towersim.VMReport, readyAt time.Time) error {
	reported := vm.NICs[0].ReportedAt
	if reported == nil || readyAt.Before(*reported) {
		return fmt.Errorf("ready at %s, but the restarted guest's address is reported at %v", readyAt, reported)
	}
	return nil
}

// Changes that touch neither NICs nor power don't wait and keep what was
// discovered.
func TestAccVM_otherChangesKeepTheAddressesKnown(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: vmConfig(sim, name, dhcpNIC)},
			{
				Config: vmConfig(sim, name+"-renamed", dhcpNIC+`
  description = "changed"
  num_cpus    = 4
  memory_mib  = 8192
  network_readiness = { timeout = "1m" }
`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(address, at("ip_addresses"), knownvalue.ListSizeExact(1)),
					plancheck.ExpectKnownValue(address, at("nics", 0, "ip_addresses"), knownvalue.ListSizeExact(1)),
					plancheck.ExpectKnownValue(address, at("network_ready"), knownvalue.Bool(true)),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly(name+"-renamed"), "name"),
					expect(exactly("changed"), "description"),
					expect(knownvalue.Int64Exact(4), "num_cpus"),
					expect(knownvalue.Int64Exact(8192), "memory_mib"),
				},
			},
		},
	})
}
