// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// A VM is identified by Tower's id, whatever it was imported by, and also after
// Tower has given it another one.
func TestVM_identityOfAnImport(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, older)
	p := newProtocol(t, sim)
	row := sim.Rows("get-vms", byName{"name": "older"})[0]
	id, localID := row["id"].(string), row["local_id"].(string)

	var got held
	for what, req := range map[string]tfprotov6.ImportResourceStateRequest{
		"an import by the identity":                    {Identity: p.id(id)},
		"an import by the local id, as an identity":    {Identity: p.id(localID)},
		"an import by the id":                          {ID: id},
		"an import by the names of the cluster and VM": {ID: "cluster-1/older"},
	} {
		got = p.importVM(req)
		p.identifies(what, got, id)
	}
	got = p.read(got)
	p.identifies("the read after the import", got, id)

	older := held{state: got.state, private: got.private}
	p.identifies("a state from before there were identities", p.read(older), id)

	changed, err := sim.Server().ChangeVMID("older")
	staged(t, err)
	found := p.read(got)
	p.identifies("a VM whose id has changed", found, changed)
	if now := p.text(p.vm, found.state, "local_id"); now != localID {
		t.Errorf("the local id is %q now, want %q", now, localID)
	}

	staged(t, sim.Server().DeleteVM("older"))
	if left := p.read(older); p.text(p.vm, left.state, "id") != "" {
		t.Error("a VM that is gone stays in the state")
	}

	resp, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "elf_vm", Identity: p.id("no-such-vm")})
	if err != nil || len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Summary != `Unable to import VM "no-such-vm"` {
		t.Errorf("the import of a VM that does not exist: %v, %v", err, resp.Diagnostics)
	}
}

func TestVM_identityOfACreate(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	p := newProtocol(t, sim)
	config := map[string]any{
		"name": "web", "cluster_id": sim.RowID("get-clusters", byName{"name": sim.ClusterName()}), "power_state": "STOPPED",
	}
	made := p.apply(held{}, config)
	id := sim.RowID("get-vms", byName{"name": "web"})
	p.identifies("a create", made, id)

	config["description"] = "a web server"
	changed := p.apply(made, config)
	p.identifies("an update", changed, id)
	config["description"] = "another"
	changed = p.apply(held{state: changed.state, private: changed.private}, config)
	p.identifies("an update of a state from before there were identities", changed, id)

	// A destroy without a refresh must not take a VM whose id has changed for one that is gone.
	_, err := sim.Server().ChangeVMID("web")
	staged(t, err)
	p.destroy(changed)
	if left := sim.Rows("get-vms", byName{"name": "web"}); len(left) > 0 {
		t.Errorf("the VM is still there after its destroy: %v", left)
	}
}

// The same with a CLI that knows identities: the identity follows the VM, and an
// import block takes it.
func TestAccVM_identity(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	name := acctest.RandomName()
	config := sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(`
resource "elf_vm" "test" {
  name       = %q
  cluster_id = data.elf_cluster.test.id
  nics       = [{ vlan_id = data.elf_vlan.test.id }]
}
`, name)
	follows := statecheck.ExpectIdentityValueMatchesState(address, tfjsonpath.New("id"))
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		CheckDestroy:           sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: []statecheck.StateCheck{follows}},
			{ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{
				PreConfig: func() {
					_, err := sim.Server().ChangeVMID(name)
					staged(t, err)
				},
				Config: config, ConfigPlanChecks: emptyPlan(), ConfigStateChecks: []statecheck.StateCheck{follows, sim.ExpectVM(address)},
			},
			{
				// Another VM, another identity.
				Config: strings.Replace(config, "  nics ", "  firmware = \"UEFI\"\n  nics ", 1), ConfigPlanChecks: planned(plancheck.ResourceActionReplace),
				ConfigStateChecks: []statecheck.StateCheck{follows, sim.ExpectVM(address)},
			},
		},
	})
}
