// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// origins has a source of each kind, but for the snapshot, which takeSnapshot
// makes of the VM golden.
const origins = `
inventory:
  clusters: [{name: cluster-1, vlans: [{name: default, dhcp: 10.255.0.0/16}]}, {name: cluster-2}]
  content_library_vm_templates: [{name: rocky-8, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}]
  vm_templates:
    - {name: golden-template, cluster: cluster-1, num_cpus: 3, memory_mib: 3072, disk_gib: 10, cloud_init: true, firmware: UEFI}
    - {name: bare-template, cluster: cluster-1, num_cpus: 3, memory_mib: 3072, disk_gib: 10, cloud_init: false}
    - {name: elsewhere, cluster: cluster-2}
  vms: [{name: golden, cluster: cluster-1, num_cpus: 5, memory_mib: 5120, nics: [default], power: STOPPED}]
`

type byName = map[string]any

// takeSnapshot has Tower make a snapshot of a VM and returns its id.
func takeSnapshot(t *testing.T, sim *acctest.Sim, vm, name string) string {
	t.Helper()
	var reply []any
	id := sim.RowID("get-vms", byName{"name": vm})
	sim.Call("create-vm-snapshot", map[string]any{"data": []any{map[string]any{"vm_id": id, "name": name}}}, &reply)
	eventually(t, "the snapshot is made", func() bool {
		return sim.Rows("get-vm-snapshots", byName{"name": name})[0]["entityAsyncStatus"] == nil &&
			sim.Rows("get-vms", byName{"name": vm})[0]["entityAsyncStatus"] == nil
	})
	return sim.RowID("get-vm-snapshots", byName{"name": name})
}

// sourceIDs are the sources of origins, by the member of source.
func sourceIDs(t *testing.T, sim *acctest.Sim) map[string]string {
	t.Helper()
	return map[string]string{
		"content_library_vm_template_id": sim.RowID("get-content-library-vm-templates", byName{"name": "rocky-8"}),
		"vm_template_id":                 sim.RowID("get-vm-templates", byName{"name": "golden-template"}),
		"vm_id":                          sim.RowID("get-vms", byName{"name": "golden"}),
		"vm_snapshot_id":                 takeSnapshot(t, sim, "golden", "frozen"),
	}
}

func withSource(config, source string) string {
	return strings.Replace(config, "{ content_library_vm_template_id = data.elf_content_library_vm_template.test.id }", source, 1)
}

func TestAccVM_sources(t *testing.T) {
	t.Parallel()
	for member, tc := range map[string]struct {
		operation string
		cpus, mib int64
		firmware  string
	}{
		"content_library_vm_template_id": {"create-vm-from-content-library-template", 2, 4096, "BIOS"},
		"vm_template_id":                 {"create-vm-from-template", 3, 3072, "UEFI"},
		"vm_id":                          {"clone-vm", 5, 5120, "BIOS"},
		"vm_snapshot_id":                 {"rebuild-vm-from-snapshot", 5, 5120, "BIOS"},
	} {
		t.Run(member, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, origins)
			ids := sourceIDs(t, sim)
			name := acctest.RandomName()
			inherits := withSource(vmConfig(sim, name, ""), fmt.Sprintf("{ %s = %q }", member, ids[member]))
			changed := withSource(vmConfig(sim, name+"-b", dhcpNIC+"  num_cpus = 6\n  memory_mib = 6144\n  ha = false\n  description = \"mine\"\n"),
				fmt.Sprintf("{ %s = %q, full_copy = true }", member, ids[member]))
			var before map[string]int
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{
					{
						PreConfig: func() { before = mutations(sim) },
						Config:    inherits,
						ConfigStateChecks: []statecheck.StateCheck{
							expect(knownvalue.Int64Exact(tc.cpus), "num_cpus"), expect(knownvalue.Int64Exact(tc.mib), "memory_mib"),
							expect(exactly(tc.firmware), "firmware"), expect(knownvalue.Null(), "nics"),
							expect(knownvalue.ListSizeExact(1), "ip_addresses"), expect(knownvalue.Bool(true), "network_ready"),
							sim.ExpectVM(address),
							onlySent(sim, &before, map[string]int{tc.operation: 1}),
						},
					},
					{Config: inherits, ConfigPlanChecks: emptyPlan()},
					{
						Config: strings.Replace(inherits, " }\n", ", full_copy = false }\n", 1), ConfigPlanChecks: resource.ConfigPlanChecks{
							PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)},
						},
					},
					{
						Config: changed,
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace),
						}},
						ConfigStateChecks: []statecheck.StateCheck{
							expect(knownvalue.Int64Exact(6), "num_cpus"), expect(knownvalue.Int64Exact(6144), "memory_mib"),
							expect(knownvalue.Bool(false), "ha"), expect(exactly("mine"), "description"), expect(knownvalue.ListSizeExact(1), "nics"),
							stateCheck(func() error {
								vm := sim.Rows("get-vms", byName{"name": name + "-b"})[0]
								if vm["vcpu"] != 6.0 || vm["memory"] != 6144.0*(1<<20) || vm["ha"] != false || vm["description"] != "mine" {
									return fmt.Errorf("Tower has %v vCPUs, %v bytes, HA %v, description %v", vm["vcpu"], vm["memory"], vm["ha"], vm["description"])
								}
								return nil
							}),
						},
					},
				},
			})
		})
	}
}

func TestAccVM_cloudInitFromVMTemplate(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, origins)
	name := acctest.RandomName()
	config := func(template string) string {
		id := sim.RowID("get-vm-templates", byName{"name": template})
		return withSource(vmConfig(sim, name, dhcpNIC+"  cloud_init = { hostname = \"from-template\" }\n"), fmt.Sprintf("{ vm_template_id = %q }", id))
	}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config("bare-template"), ExpectError: acctest.Mentions("bare-template", "not marked as supporting cloud-init")},
			{
				Config: config("golden-template"),
				ConfigStateChecks: []statecheck.StateCheck{stateCheck(func() error {
					if vm := sim.Rows("get-vms", byName{"name": name})[0]; vm["hostname"] != "from-template" {
						return fmt.Errorf("the guest's host name is %v", vm["hostname"])
					}
					return nil
				})},
			},
		},
	})
}

func TestAccVM_lostReplyOfAClone(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, origins+"faults: [{operation: clone-vm, times: 1, reset: after}]\n")
	config := withSource(vmConfig(sim, acctest.RandomName(), dhcpNIC), fmt.Sprintf("{ vm_id = %q }", sim.RowID("get-vms", byName{"name": "golden"})))
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				sim.ExpectVM(address),
				stateCheck(func() error {
					if n := mutations(sim)["clone-vm"]; n != 1 || len(sim.VMs()) != 1 {
						return fmt.Errorf("%d clones were asked for, %d VMs were made", n, len(sim.VMs()))
					}
					return nil
				}),
			},
		}},
	})
}
