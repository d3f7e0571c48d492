// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// The measured cases of Cluster API's provider for ELF, with the moments (in
// seconds from power-on) at which the node registered and Tower first showed the
// guest's addresses.
const seedScenario = `
inventory:
  clusters:
    - name: cluster-1
      vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: ecp}]
guests:
  - match: "ecp-uplink-*"
    nics: [{index: 0, address: 10.255.1.7, dhcp: 5s, reported: 127s}]
    kubernetes_node: {registered: 78s, internal_ip: 240.255.0.1}
  - match: "ecp-*"
    nics: [{index: 0, address: 10.255.1.7, dhcp: 5s, reported: 127s, link_local_first: true}]
    kubernetes_node: {registered: 78s, internal_ip: 10.255.1.7}
  - match: "single-dhcp-*"
    nics: [{index: 0, address: 10.255.1.8, dhcp: 5s, reported: 139s}]
    kubernetes_node: {registered: 74s, internal_ip: 10.255.1.8}
  - match: "double-dhcp-*"
    nics: [{index: 0, address: 10.255.1.9, reported: 150s}, {index: 1, address: 10.255.1.10, reported: 150s}]
    kubernetes_node: {registered: 81s, internal_ip: 10.255.1.9}
  - match: "single-static-*"
    nics: [{index: 0, reported: 170s}]
    kubernetes_node: {registered: 112s, internal_ip: 10.255.233.186}
  - match: "double-static-*"
    nics: [{index: 0, reported: 140s}, {index: 1, reported: 140s}]
    kubernetes_node: {registered: 81s, internal_ip: 10.255.233.186}
`

const (
	seedDHCP     = `{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4_DHCP" }`
	seedUplink   = `{ vlan_id = data.elf_vlan.ecp.id, network_type = "IPV4", ip_address = "240.255.0.1", netmask = "255.255.255.255" }`
	seedStatic   = `{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = "10.255.233.%d", netmask = "255.255.0.0", gateway = "10.255.0.1" }`
	seedInterval = 250 * time.Millisecond
	// seedSlack is what a busy machine may add; it is far less than what lies
	// between the two sources of any case.
	seedSlack = time.Second
)

// seedCase is a case and what decides it.
type seedCase struct {
	nics       string
	kubernetes bool
	source     string
	decides    func(towersim.VMReport) *time.Time
	addresses  []string
	preferred  string
}

func byNode(vm towersim.VMReport) *time.Time { return vm.NodeRegisteredAt }

// byTower is when Tower showed the last of the given NICs.
func byTower(nics ...int) func(towersim.VMReport) *time.Time {
	return func(vm towersim.VMReport) *time.Time {
		var last *time.Time
		for _, i := range nics {
			at := vm.NICs[i].ReportedAt
			if at == nil {
				return nil
			}
			if last == nil || at.After(*last) {
				last = at
			}
		}
		return last
	}
}

func TestAccVM_seedCases(t *testing.T) {
	t.Parallel()
	static := fmt.Sprintf(seedStatic, 186)
	cases := map[string]seedCase{
		"ecp":           {seedDHCP + ", " + seedUplink, true, "kubernetes_node", byNode, []string{"10.255.1.7"}, "10.255.1.7"},
		"ecp-by-tower":  {seedDHCP + ", " + seedUplink, false, "tower", byTower(0), []string{"10.255.1.7", "240.255.0.1"}, "10.255.1.7"},
		"ecp-uplink":    {seedDHCP + ", " + seedUplink, true, "tower", byTower(0), []string{"10.255.1.7", "240.255.0.1"}, "10.255.1.7"},
		"single-dhcp":   {seedDHCP, true, "kubernetes_node", byNode, []string{"10.255.1.8"}, "10.255.1.8"},
		"double-dhcp":   {seedDHCP + ", " + seedDHCP, true, "tower", byTower(0, 1), []string{"10.255.1.9", "10.255.1.10"}, "10.255.1.9"},
		"single-static": {static, true, "kubernetes_node", byNode, []string{"10.255.233.186"}, "10.255.233.186"},
		"double-static": {static + ", " + fmt.Sprintf(seedStatic, 187), true, "kubernetes_node", byNode, []string{"10.255.233.186"}, "10.255.233.186"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, seedScenario, acctest.WithSpeed(20))
			provider := []string{"poll_interval", strconv.Quote(seedInterval.String())}
			if tc.kubernetes {
				kubeconfig, err := sim.Server().Kubeconfig()
				staged(t, err)
				provider = append(provider, "kubernetes", "{\n config_content = <<-EOT\n"+kubeconfig+"\nEOT\n}")
			}
			vmName := name + "-" + acctest.RandomName()
			config := sim.ProviderConfig(provider...) + sim.DataSources() + uplink + fmt.Sprintf(`
resource "elf_vm" "test" {
  name       = %q
  cluster_id = data.elf_cluster.test.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  nics       = [%s]
  cloud_init = { nameservers = ["10.255.0.2"] }
}
`, vmName, tc.nics)
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{
					{
						Config: config,
						ConfigStateChecks: []statecheck.StateCheck{
							expect(knownvalue.Bool(true), "network_ready"),
							expect(exactly(tc.source), "network_readiness_report", "source"),
							expect(exactly(tc.preferred), "default_ip_address"),
							statecheck.ExpectKnownValue(address, at("ip_addresses"), firstOf(tc.addresses)),
							decidedWithin(sim, vmName, tc.decides),
						},
					},
					{
						Config:           config,
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
					},
				},
			})
		})
	}
}

// firstOf checks that a list begins with the given values: Tower may have shown
// the others meanwhile.
func firstOf(values []string) knownvalue.Check {
	elements := map[int]knownvalue.Check{}
	for i, v := range values {
		elements[i] = exactly(v)
	}
	return knownvalue.ListPartial(elements)
}

// decidedWithin checks both bounds of a VM's ready_at: not before the deciding
// moment, and within one poll interval of it.
func decidedWithin(sim *acctest.Sim, name string, decides func(towersim.VMReport) *time.Time) statecheck.StateCheck {
	return readyAtCheck(func(readyAt time.Time) error {
		vms := sim.VMs()
		i := slices.IndexFunc(vms, func(vm towersim.VMReport) bool { return vm.Name == name })
		if i < 0 {
			return fmt.Errorf("there is no VM %q", name)
		}
		moment := decides(vms[i])
		switch {
		case moment == nil:
			return fmt.Errorf("VM %q counts as ready, but what decides it has not happened", name)
		case readyAt.Before(*moment):
			return fmt.Errorf("VM %q was ready %s before what decides it", name, moment.Sub(readyAt))
		case readyAt.Sub(*moment) > seedInterval+seedSlack:
			return fmt.Errorf("VM %q was ready %s after what decides it, want at most %s", name, readyAt.Sub(*moment), seedInterval+seedSlack)
		}
		return nil
	})
}

// The examples that a person reads do what they say.
func TestAccVM_seedExamples(t *testing.T) {
	t.Parallel()
	decided := map[string]string{
		"ecp": "kubernetes_node", "single-dhcp": "kubernetes_node", "double-dhcp": "tower", "single-static": "kubernetes_node", "double-static": "kubernetes_node",
	}
	for name, source := range decided {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "network-readiness", name, "main.tf"))
			staged(t, err)
			sim := acctest.Simulator(t, seedScenario, acctest.WithSpeed(20))
			// The test's own server and cluster take the place of the person's.
			_, config, found := strings.Cut(string(text), "provider \"elf\" {\n  kubernetes = { config_path = var.kubeconfig }\n}\n")
			if !found {
				t.Fatal("the example has no provider block of the form expected here")
			}
			cli := acctest.NewCLI(t, sim.ProviderConfig(append(kubeconfig(t, sim), "poll_interval", strconv.Quote(seedInterval.String()))...)+config)
			cli.Run("apply", "-auto-approve", "-no-color")
			if got := strings.TrimSpace(cli.Run("output", "-raw", "decided_by")); got != source {
				t.Errorf("decided by %s, want %s", got, source)
			}
			cli.Run("destroy", "-auto-approve", "-no-color")
		})
	}
}
