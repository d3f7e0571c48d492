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
)

type rows = map[string]any

// importStep imports the VM and compares it with the state, but for what Tower
// can't tell and the named attributes.
func importStep(ignore ...string) resource.TestStep {
	return resource.TestStep{
		ResourceName: address, ImportState: true, ImportStateVerify: true,
		ImportStateVerifyIgnore: append([]string{"source", "network_readiness_report", "vm_tools_status", "nics.0.network_type"}, ignore...),
	}
}

// tally counts the requests of an operation between two steps: start is a
// PreConfig, want a check.
type tally struct {
	sim    *acctest.Sim
	before map[string]int
}

func (s *tally) start() { s.before = s.sim.Server().Stats().Requests }

func (s *tally) want(operation string, n int) stateCheck {
	return func() error {
		if got := s.sim.Server().Stats().Requests[operation] - s.before[operation]; got != n {
			return fmt.Errorf("%d requests of %s, want %d", got, operation, n)
		}
		return nil
	}
}

// clusterID is the id of a cluster of the simulated Tower.
func clusterID(sim *acctest.Sim, name string) string {
	return sim.RowID("get-clusters", rows{"name": name})
}

// vmRow is the VM as Tower shows it.
func vmRow(sim *acctest.Sim, name string) rows {
	found := sim.Rows("get-vms", rows{"name": name, "in_recycle_bin": false})
	if len(found) != 1 {
		return rows{}
	}
	return found[0]
}

// relatesTo checks the object that the VM shows in a member: its id, or "" for
// none.
func relatesTo(sim *acctest.Sim, name, member, id string) stateCheck {
	return func() error {
		got := ""
		if object, ok := vmRow(sim, name)[member].(map[string]any); ok {
			got, _ = object["id"].(string)
		}
		if got != id {
			return fmt.Errorf("the %s of VM %q is %q in Tower, want %q", member, name, got, id)
		}
		return nil
	}
}

func newFolder(sim *acctest.Sim, name, cluster string) string {
	sim.Call("create-vm-folder", []rows{{"name": name, "cluster_id": clusterID(sim, cluster)}}, new(any))
	return sim.RowID("get-vm-folders", rows{"name": name})
}

func TestAccVM_folder(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}]}")
	name := acctest.RandomName()
	a, b, foreign := newFolder(sim, "a", "cluster-1"), newFolder(sim, "b", "cluster-1"), newFolder(sim, "foreign", "cluster-2")
	config := func(id string) string { return vmConfig(sim, name, dhcpNIC+fmt.Sprintf("  folder_id = %q\n", id)) }
	counted := &tally{sim: sim}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config(foreign), ExpectError: acctest.Mentions("VM folder of another cluster", "folder_id"), PlanOnly: true},
			{Config: config("none"), ExpectError: acctest.Mentions("No such VM folder", "folder_id"), PlanOnly: true},
			{
				PreConfig: counted.start, Config: config(a),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly(a), "folder_id"), relatesTo(sim, name, "folder", a), counted.want("add-vm-to-folder", 0),
				},
			},
			importStep(),
			{
				Config: config(b), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{expect(exactly(b), "folder_id"), relatesTo(sim, name, "folder", b), counted.want("add-vm-to-folder", 1)},
			},
			{
				PreConfig: func() { sim.Call("remove-vm-from-folder", rows{"where": rows{"name": name}}, new(any)) },
				Config:    config(b), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{relatesTo(sim, name, "folder", b)},
			},
			{
				// Not configured, it is left alone, wherever it is.
				Config: vmConfig(sim, name, dhcpNIC), ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
				ConfigStateChecks: []statecheck.StateCheck{expect(exactly(b), "folder_id"), relatesTo(sim, name, "folder", b)},
			},
			{
				Config: config(""), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{expect(exactly(""), "folder_id"), relatesTo(sim, name, "folder", "")},
			},
			{Config: config(""), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
		},
	})
}

func TestAccVM_host(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1, hosts: [{name: h1}, {name: h2}, {name: h3}]}, {name: cluster-2, hosts: [{name: other}]}]}")
	name := acctest.RandomName()
	host := func(of string) string { return sim.RowID("get-hosts", rows{"name": of}) }
	config := func(of, more string) string {
		return vmConfig(sim, name, dhcpNIC+fmt.Sprintf("  host_id = %q\n%s", host(of), more))
	}
	counted := &tally{sim: sim}
	const stopped = "  power_state = \"STOPPED\"\n"
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config("other", ""), ExpectError: acctest.Mentions("Host of another cluster", "host_id"), PlanOnly: true},
			{
				PreConfig: counted.start, Config: config("h3", ""),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly(host("h3")), "host_id"), relatesTo(sim, name, "host", host("h3")), counted.want("migrate-vm", 0),
				},
			},
			importStep("host_id"), // whether it is to stay there is not Tower's to tell
			{
				Config:           config("h2", ""),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, plancheck.ExpectKnownValue(address, at("status"), exactly("RUNNING"))),
				ConfigStateChecks: []statecheck.StateCheck{
					relatesTo(sim, name, "host", host("h2")), counted.want("migrate-vm", 1), counted.want("shutdown-vm", 0), counted.want("poweroff-vm", 0),
				},
			},
			{
				PreConfig: func() { staged(t, sim.Server().MoveVM(name, "h1")) },
				Config:    config("h2", ""), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{relatesTo(sim, name, "host", host("h2")), counted.want("migrate-vm", 2)},
			},
			{
				// Without a host nothing is sent, and a move is no drift.
				Config: vmConfig(sim, name, dhcpNIC), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Null(), "host_id"), relatesTo(sim, name, "host", host("h2")), counted.want("migrate-vm", 2)},
			},
			{
				PreConfig: func() { staged(t, sim.Server().MoveVM(name, "h1")) },
				Config:    vmConfig(sim, name, dhcpNIC), ConfigPlanChecks: planned(plancheck.ResourceActionNoop),
			},
			{
				// Named where it is already: nothing is sent.
				Config: config("h1", stopped), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{relatesTo(sim, name, "host", host("h1")), counted.want("migrate-vm", 2)},
			},
			{
				// Cold, and it stays off.
				Config: config("h3", stopped), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("STOPPED"), "status"), relatesTo(sim, name, "host", host("h3")), counted.want("migrate-vm", 3), counted.want("start-vm", 0),
				},
			},
			{Config: config("h3", stopped), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
		},
	})
}

func TestAccVM_owner(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {users: [{username: root, password: tower-sim-password, source: LOCAL}, {username: ann, password: x, source: LOCAL}, {username: bob, password: x, source: LOCAL}]}")
	name := acctest.RandomName()
	config := func(owner string) string {
		return vmConfig(sim, name, dhcpNIC+fmt.Sprintf("  owner = %q\n", owner))
	}
	owned := func(by string) stateCheck {
		return func() error {
			got, err := sim.Server().VMOwner(name)
			if err == nil && got != by {
				err = fmt.Errorf("VM %q is owned by %q, want %q", name, got, by)
			}
			return err
		}
	}
	bob := sim.RowID("get-users", rows{"username": "bob"})
	counted := &tally{sim: sim}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				PreConfig: counted.start, Config: config("ann"),
				ConfigStateChecks: []statecheck.StateCheck{expect(exactly("ann"), "owner"), owned("ann"), counted.want("update-vm-owner", 0)},
			},
			importStep("owner"),
			{
				Config: config(bob), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{owned("bob"), counted.want("update-vm-owner", 1)},
			},
			{Config: config("nobody"), ExpectError: acctest.Mentions("Unable to update VM", "owner", "nobody")},
			{
				// Tower does not tell the owner: leaving it out changes nothing there.
				Config: vmConfig(sim, name, dhcpNIC), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Null(), "owner"), owned("bob")},
			},
		},
	})
}

// What an imported VM has already is not sent again, nor is what Tower can't tell.
func TestAccVM_importedPlacementSendsNothing(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {vms: [{name: older}]}")
	host, ok := vmRow(sim, "older")["host"].(map[string]any)
	if !ok {
		t.Fatalf("the VM has no host: %v", vmRow(sim, "older"))
	}
	config := sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(`
import {
  to = elf_vm.test
  id = "cluster-1/older"
}

resource "elf_vm" "test" {
  name               = "older"
  cluster_id         = data.elf_cluster.test.id
  owner              = "root"
  host_id            = %q
  folder_id          = ""
  placement_group_id = ""
  max_iops           = 0
}
`, host["id"])
	counted := &tally{sim: sim}
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{
			{
				PreConfig: counted.start, Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					counted.want("update-vm-owner", 0), counted.want("migrate-vm", 0), counted.want("remove-vm-from-folder", 0),
					counted.want("update-vm-placement-group", 0), counted.want("update-vm-io-policy", 0), counted.want("update-vm-basic-info", 0),
				},
			},
			{Config: config, ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
		},
	})
}

func newGroup(sim *acctest.Sim, name, cluster string) string {
	sim.Call("create-vm-placement-group", []rows{{
		"name": name, "cluster_id": clusterID(sim, cluster), "enabled": true, "vm_vm_policy": "PREFER_DIFFERENT", "vm_vm_policy_enabled": true,
		"must_hosts": rows{"cluster": rows{"name": cluster}}, "vm_host_must_enabled": true, "vm_host_must_policy": true,
	}}, new(any))
	return sim.RowID("get-vm-placement-groups", rows{"name": name})
}

// members checks the VMs of a placement group, sorted, and that its rules are as
// they were made.
func members(sim *acctest.Sim, group string, want ...string) stateCheck {
	return func() error {
		found := sim.Rows("get-vm-placement-groups", rows{"id": group})
		if len(found) != 1 {
			return fmt.Errorf("%d groups, want one", len(found))
		}
		row := found[0]
		got := []string{}
		vms, _ := row["vms"].([]any)
		for _, vm := range vms {
			member, _ := vm.(map[string]any)
			got = append(got, fmt.Sprint(member["name"]))
		}
		slices.Sort(got)
		hosts, _ := row["vm_host_must_host_uuids"].([]any)
		switch {
		case !slices.Equal(got, want):
			return fmt.Errorf("the group has the members %q, want %q", got, want)
		case row["vm_vm_policy"] != "PREFER_DIFFERENT" || row["vm_vm_policy_enabled"] != true || row["vm_host_must_policy"] != true || row["enabled"] != true || len(hosts) == 0:
			return fmt.Errorf("the group's rules have changed: %v", row)
		}
		return nil
	}
}

func TestAccVM_placementGroup(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1}, {name: cluster-2}], vms: [{name: beside, cluster: cluster-1}]}")
	name := acctest.RandomName()
	a, b, foreign := newGroup(sim, "a", "cluster-1"), newGroup(sim, "b", "cluster-1"), newGroup(sim, "foreign", "cluster-2")
	sim.Call("update-vm-placement-group", rows{"where": rows{"id": b}, "data": rows{"vms": rows{"name": "beside"}}}, new(any))
	config := func(id string) string {
		return vmConfig(sim, name, dhcpNIC+fmt.Sprintf("  placement_group_id = %q\n", id))
	}
	counted := &tally{sim: sim}
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config(foreign), ExpectError: acctest.Mentions("VM placement group of another cluster", "placement_group_id"), PlanOnly: true},
			{
				PreConfig: counted.start, Config: config(a),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly(a), "placement_group_id"), members(sim, a, name), counted.want("update-vm-placement-group", 0),
				},
			},
			importStep(),
			{
				Config: config(b), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{members(sim, a), members(sim, b, "beside", name), counted.want("update-vm-placement-group", 2)},
			},
			{
				PreConfig: func() {
					sim.Call("update-vm-placement-group", rows{"where": rows{"id": b}, "data": rows{"vms": rows{"name": "beside"}}}, new(any))
				},
				Config: config(b), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{members(sim, b, "beside", name)},
			},
			{Config: vmConfig(sim, name, dhcpNIC), ConfigPlanChecks: planned(plancheck.ResourceActionNoop)},
			{
				Config: config(""), ConfigPlanChecks: planned(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{expect(exactly(""), "placement_group_id"), members(sim, b, "beside")},
			},
		},
	})
}

// Many VMs join a group at once: none is lost, and the list is not written once
// for each.
func TestAccVM_manyJoinAPlacementGroup(t *testing.T) {
	t.Parallel()
	const n = 12
	sim := acctest.Simulator(t, "")
	group := newGroup(sim, "crowd", "cluster-1")
	config := func(more string) string {
		return sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(`
resource "elf_vm" "test" {
  count       = %d
  name        = "crowd-${count.index}"
  cluster_id  = data.elf_cluster.test.id
  source      = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  power_state = "STOPPED"
  %s
}
`, n, more)
	}
	counted := &tally{sim: sim}
	names := make([]string, 0, n)
	for i := range n {
		names = append(names, fmt.Sprintf("crowd-%d", i))
	}
	slices.Sort(names)
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config("")},
			{
				PreConfig: counted.start, Config: config(fmt.Sprintf("placement_group_id = %q", group)),
				ConfigStateChecks: []statecheck.StateCheck{
					members(sim, group, names...),
					stateCheck(func() error {
						if writes := sim.Server().Stats().Requests["update-vm-placement-group"] - counted.before["update-vm-placement-group"]; writes > n/2 {
							return fmt.Errorf("%d writes of the list for %d VMs", writes, n)
						}
						return nil
					}),
				},
			},
		},
	})
}
