// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// staticNIC is a static NIC on the network "default", with further arguments.
func staticNIC(address string, more ...string) string {
	return fmt.Sprintf("{ %s }", strings.Join(append([]string{
		"vlan_id = data.elf_vlan.test.id", `network_type = "IPV4"`, fmt.Sprintf("ip_address = %q", address), `netmask = "255.255.0.0"`,
	}, more...), ", "))
}

// vmNamed is a VM that nothing waits for.
func vmNamed(label, name, nics string, more ...string) string {
	return fmt.Sprintf(`
resource "elf_vm" %q {
  name              = %q
  cluster_id        = data.elf_cluster.test.id
  source            = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  nics              = [%s]
  network_readiness = { enabled = false }
  %s
}
`, label, name, nics, strings.Join(more, "\n  "))
}

// shared are the warnings of a plan about addresses that other VMs have.
func shared(plan acctest.Plan) []string {
	var out []string
	for _, warnings := range plan.Warnings {
		for _, w := range warnings {
			if strings.Contains(w, "Another VM has the address") {
				out = append(out, w)
			}
		}
	}
	slices.Sort(out)
	return out
}

// wantShared checks that a plan succeeds with one warning, which has the words, or
// with none.
func wantShared(t *testing.T, plan acctest.Plan, words ...string) {
	t.Helper()
	if len(plan.Errors) > 0 {
		t.Fatalf("the plan fails: %q", plan.Errors)
	}
	got := shared(plan)
	if len(words) == 0 {
		if len(got) > 0 {
			t.Errorf("a false alarm: %q", got)
		}
		return
	}
	if len(got) != 1 {
		t.Fatalf("%d warnings, want one: %q", len(got), got)
	}
	for _, word := range words {
		if !strings.Contains(got[0], word) {
			t.Errorf("the warning does not say %q: %s", word, got[0])
		}
	}
}

func TestAccVM_addressTwiceInOnePlan(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	head := sim.ProviderConfig() + sim.DataSources()
	cli := acctest.NewCLI(t, head)
	for name, tc := range map[string]struct {
		a, b  string // the NICs of each VM
		words []string
	}{
		"shared":              {staticNIC("10.255.9.1"), staticNIC("10.255.9.1"), []string{"10.255.9.1", `planned to have it on the same VM network, too`}},
		"different addresses": {staticNIC("10.255.9.1"), staticNIC("10.255.9.2"), nil},
		"different networks":  {staticNIC("10.255.9.1"), strings.Replace(staticNIC("10.255.9.1"), "elf_vlan.test", "elf_vlan.ecp", 1), nil},
		"one is unplugged":    {staticNIC("10.255.9.1"), staticNIC("10.255.9.1", "enabled = false"), nil},
		"an uplink of ECP":    {strings.Replace(staticNIC("240.255.0.1"), "255.255.0.0", "255.255.255.255", 1), strings.Replace(staticNIC("240.255.0.1"), "255.255.0.0", "255.255.255.255", 1), nil},
		"one is a DHCP NIC":   {staticNIC("10.255.9.1"), "{ vlan_id = data.elf_vlan.test.id }", nil},
	} {
		t.Run(name, func(t *testing.T) {
			cli.Configure(head + "data \"elf_vlan\" \"ecp\" { name = \"ecp\" }\n" + vmNamed("a", "web-a", tc.a) + vmNamed("b", "web-b", tc.b))
			plan := cli.Plan()
			wantShared(t, plan, tc.words...)
			if len(tc.words) > 0 && !strings.Contains(shared(plan)[0], `VM "web-a"`) && !strings.Contains(shared(plan)[0], `VM "web-b"`) {
				t.Errorf("the warning names neither VM: %q", shared(plan))
			}
		})
	}
}

// A VM that Tower has, and that is none of the configuration, has the address.
func TestAccVM_addressOfAnotherVMOfTower(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, `
stale_addresses: true
inventory:
  vms: [{name: theirs, cluster: cluster-1, nics: [default], power: RUNNING}, {name: binned, cluster: cluster-1, nics: [default], power: RUNNING}]
`)
	setAddresses(t, sim, "theirs", "10.255.9.1")
	setAddresses(t, sim, "binned", "10.255.9.2")
	staged(t, sim.Server().MoveToRecycleBin("binned"))
	if nics := sim.Rows("get-vm-nics", map[string]any{"ip_address": "10.255.9.2"}); len(nics) != 1 {
		t.Fatalf("%d NICs show the address of the VM in the recycle bin", len(nics))
	}
	head := sim.ProviderConfig() + sim.DataSources()
	cli := acctest.NewCLI(t, head+vmNamed("a", "mine", staticNIC("10.255.9.1")))
	wantShared(t, cli.Plan(), "10.255.9.1", fmt.Sprintf(`VM "theirs" (id %s)`, sim.RowID("get-vms", map[string]any{"name": "theirs"})), "already", "nics[0].ip_address")

	cli.Configure(head + vmNamed("a", "mine", staticNIC("10.255.9.2")+", "+staticNIC("10.255.9.3")))
	wantShared(t, cli.Plan())

	// Without an answer there is no warning, and no error either.
	staged(t, sim.Server().InjectFaults(towersim.Fault{Operation: "get-vm-nics", Status: 403}))
	cli.Configure(head + vmNamed("a", "mine", staticNIC("10.255.9.1")))
	wantShared(t, cli.Plan())
}

// What the run itself does to the VM that has the address is no cause for alarm.
func TestAccVM_addressThatChangesHands(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	head := sim.ProviderConfig() + sim.DataSources()
	a, b := staticNIC("10.255.9.1"), staticNIC("10.255.9.2")
	before := vmNamed("a", "web-a", a) + vmNamed("b", "web-b", b)
	cli := acctest.NewCLI(t, head+before)
	wantShared(t, cli.Apply())
	for _, name := range []string{"web-a", "web-b"} {
		address := map[string]string{"web-a": "10.255.9.1", "web-b": "10.255.9.2"}[name]
		setAddresses(t, sim, name, address)
	}
	for name, tc := range map[string]struct {
		config string
		words  []string
	}{
		"nothing changes": {config: before},
		"another argument changes": {
			config: vmNamed("a", "web-a", a, `description = "changed"`) + vmNamed("b", "web-b", b),
		},
		"the VM is replaced":                 {config: vmNamed("a", "web-a", a, `guest_os_type = "WINDOWS"`) + vmNamed("b", "web-b", b)},
		"the VM is replaced by another name": {config: vmNamed("a", "web-c", a, `guest_os_type = "WINDOWS"`) + vmNamed("b", "web-b", b)},
		"another VM in its place":            {config: vmNamed("c", "web-c", a) + vmNamed("b", "web-b", b)},
		"two VMs swap":                       {config: vmNamed("a", "web-a", b) + vmNamed("b", "web-b", a)},
		"given to another VM, too": {
			config: vmNamed("a", "web-a", a) + vmNamed("b", "web-b", a), words: []string{"10.255.9.1", `"web-`},
		},
		"another VM has it still": {
			config: before + vmNamed("c", "web-c", a), words: []string{"10.255.9.1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cli.Configure(head + tc.config)
			wantShared(t, cli.Plan(), tc.words...)
		})
	}
	for _, after := range []string{
		vmNamed("c", "web-c", a) + vmNamed("b", "web-b", b),
		vmNamed("c", "web-d", a, `guest_os_type = "WINDOWS"`) + vmNamed("b", "web-b", b),
	} {
		cli.Configure(head + after)
		wantShared(t, cli.Apply())
	}
	cli.Configure(head)
	cli.Apply()
}

// The look-up is one request for all VMs of a plan, and a plan that gives no VM a
// new address makes none.
func TestAccVM_addressesAreLookedUpTogether(t *testing.T) {
	t.Parallel()
	const n = 100
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1, hosts: 5}]}", acctest.WithSpeed(20))
	config := sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(`
resource "elf_vm" "test" {
  count             = %d
  name              = "many-${count.index}"
  cluster_id        = data.elf_cluster.test.id
  source            = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  nics              = [{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = "10.255.9.${count.index + 1}", netmask = "255.255.0.0" }]
  network_readiness = { enabled = false }
}
`, n)
	cli := acctest.NewCLI(t, config)
	looks := func() int { return sim.Server().Stats().Requests["get-vm-nics"] }
	before := looks()
	wantShared(t, cli.Plan())
	if spent := looks() - before; spent < 1 || spent > n/10 {
		t.Errorf("a plan of %d VMs took %d looks at NICs", n, spent)
	} else {
		t.Logf("%d looks for %d VMs", spent, n)
	}
	wantShared(t, cli.Apply())
	before = looks()
	wantShared(t, cli.Plan("-refresh=false"))
	if spent := looks() - before; spent != 0 {
		t.Errorf("a plan without changes took %d looks at NICs", spent)
	}
}
