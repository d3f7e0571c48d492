// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

// protocol speaks to the provider as a CLI does that knows identities, for those
// who test with an older one.
type protocol struct {
	t        *testing.T
	server   tfprotov6.ProviderServer
	vm       tftypes.Object // the schema of elf_vm
	identity tftypes.Object
}

func newProtocol(t *testing.T, sim *acctest.Sim) *protocol {
	t.Helper()
	p := &protocol{t: t, server: providerserver.NewProtocol6(provider.New("test")())()}
	schemas, err := p.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	p.ok(err, schemas.Diagnostics)
	identities, err := p.server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	p.ok(err, identities.Diagnostics)
	p.vm, p.identity = p.object(schemas.ResourceSchemas["elf_vm"].ValueType()), p.object(identities.IdentitySchemas["elf_vm"].ValueType())
	configured, err := p.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0",
		Config: p.value(p.object(schemas.Provider.ValueType()), map[string]any{
			"server": sim.URL(), "username": sim.Server().Username(), "password": sim.Server().Password(), "poll_interval": "100ms",
		}),
	})
	p.ok(err, configured.Diagnostics)
	return p
}

func (p *protocol) object(of tftypes.Type) tftypes.Object {
	p.t.Helper()
	object, ok := of.(tftypes.Object)
	if !ok {
		p.t.Fatalf("the schema is a %s", of)
	}
	return object
}

// ok fails the test where a call has failed. Warnings are none.
func (p *protocol) ok(err error, diags []*tfprotov6.Diagnostic) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			p.t.Fatalf("%s: %s", d.Summary, d.Detail)
		}
	}
}

// value is an object whose other attributes are null.
func (p *protocol) value(of tftypes.Object, attributes map[string]any) *tfprotov6.DynamicValue {
	p.t.Helper()
	all := map[string]tftypes.Value{}
	for name, typ := range of.AttributeTypes {
		all[name] = tftypes.NewValue(typ, attributes[name])
	}
	return p.dynamic(of, tftypes.NewValue(of, all))
}

func (p *protocol) dynamic(of tftypes.Type, value tftypes.Value) *tfprotov6.DynamicValue {
	p.t.Helper()
	out, err := tfprotov6.NewDynamicValue(of, value)
	if err != nil {
		p.t.Fatal(err)
	}
	return &out
}

func (p *protocol) id(id string) *tfprotov6.ResourceIdentityData {
	p.t.Helper()
	return &tfprotov6.ResourceIdentityData{IdentityData: p.value(p.identity, map[string]any{"id": id})}
}

// text is an attribute of an object; "" where the object is null.
func (p *protocol) text(of tftypes.Object, in *tfprotov6.DynamicValue, name string) (text string) {
	p.t.Helper()
	value, err := in.Unmarshal(of)
	if err != nil {
		p.t.Fatal(err)
	}
	if value.IsNull() {
		return ""
	}
	var attributes map[string]tftypes.Value
	if err := value.As(&attributes); err != nil {
		p.t.Fatal(err)
	}
	if err := attributes[name].As(&text); err != nil {
		p.t.Fatal(err)
	}
	return text
}

// identifies checks that an identity and a state are of the VM with this id.
func (p *protocol) identifies(what string, got *tfprotov6.ResourceIdentityData, state *tfprotov6.DynamicValue, id string) {
	p.t.Helper()
	if got == nil || got.IdentityData == nil {
		p.t.Fatalf("%s gives no identity", what)
	}
	if got, state := p.text(p.identity, got.IdentityData, "id"), p.text(p.vm, state, "id"); got != id || state != id {
		p.t.Errorf("%s gives the identity %q and the state's id %q, want %q", what, got, state, id)
	}
}

func (p *protocol) read(state *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData, private []byte) *tfprotov6.ReadResourceResponse {
	p.t.Helper()
	resp, err := p.server.ReadResource(p.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: "elf_vm", CurrentState: state, CurrentIdentity: identity, Private: private,
	})
	p.ok(err, resp.Diagnostics)
	return resp
}

// apply plans and applies a change from prior, nil for a create, and returns the
// new state.
func (p *protocol) apply(prior *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData, config map[string]any) *tfprotov6.ApplyResourceChangeResponse {
	p.t.Helper()
	configured := p.value(p.vm, config)
	proposed := configured
	if prior == nil {
		prior = p.dynamic(p.vm, tftypes.NewValue(p.vm, nil))
	} else {
		value, err := prior.Unmarshal(p.vm)
		if err != nil {
			p.t.Fatal(err)
		}
		var attributes map[string]tftypes.Value
		if err := value.As(&attributes); err != nil {
			p.t.Fatal(err)
		}
		for name, set := range config {
			attributes[name] = tftypes.NewValue(p.vm.AttributeTypes[name], set)
		}
		proposed = p.dynamic(p.vm, tftypes.NewValue(p.vm, attributes))
	}
	plan, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "elf_vm", PriorState: prior, ProposedNewState: proposed, Config: configured, PriorIdentity: identity,
	})
	p.ok(err, plan.Diagnostics)
	resp, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "elf_vm", PriorState: prior, PlannedState: plan.PlannedState, Config: configured,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity,
	})
	p.ok(err, resp.Diagnostics)
	return resp
}

func (p *protocol) destroy(prior *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData) {
	p.t.Helper()
	null := p.dynamic(p.vm, tftypes.NewValue(p.vm, nil))
	resp, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "elf_vm", PriorState: prior, PlannedState: null, Config: null, PlannedIdentity: identity,
	})
	p.ok(err, resp.Diagnostics)
}

// A VM is identified by Tower's id, whatever it was imported by, and also after
// Tower has given it another one.
func TestVM_identityOfAnImport(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, older)
	p := newProtocol(t, sim)
	row := sim.Rows("get-vms", byName{"name": "older"})[0]
	id, localID := row["id"].(string), row["local_id"].(string)

	var imported *tfprotov6.ImportedResource
	for what, req := range map[string]*tfprotov6.ImportResourceStateRequest{
		"an import by the identity":                    {Identity: p.id(id)},
		"an import by the local id, as an identity":    {Identity: p.id(localID)},
		"an import by the id":                          {ID: id},
		"an import by the names of the cluster and VM": {ID: "cluster-1/older"},
	} {
		req.TypeName = "elf_vm"
		resp, err := p.server.ImportResourceState(t.Context(), req)
		p.ok(err, resp.Diagnostics)
		imported = resp.ImportedResources[0]
		p.identifies(what, imported.Identity, imported.State, id)
	}
	got := p.read(imported.State, imported.Identity, imported.Private)
	p.identifies("the read after the import", got.NewIdentity, got.NewState, id)
	state, private := got.NewState, got.Private

	got = p.read(state, nil, private)
	p.identifies("a state from before there were identities", got.NewIdentity, got.NewState, id)

	changed, err := sim.Server().ChangeVMID("older")
	staged(t, err)
	got = p.read(state, p.id(id), private)
	p.identifies("a VM whose id has changed", got.NewIdentity, got.NewState, changed)
	if now := p.text(p.vm, got.NewState, "local_id"); now != localID {
		t.Errorf("the local id is %q now, want %q", now, localID)
	}

	staged(t, sim.Server().DeleteVM("older"))
	if got := p.read(state, nil, private); p.text(p.vm, got.NewState, "id") != "" {
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
	made := p.apply(nil, nil, config)
	id := sim.RowID("get-vms", byName{"name": "web"})
	p.identifies("a create", made.NewIdentity, made.NewState, id)

	config["description"] = "a web server"
	changed := p.apply(made.NewState, made.NewIdentity, config)
	p.identifies("an update", changed.NewIdentity, changed.NewState, id)
	config["description"] = "another"
	changed = p.apply(changed.NewState, nil, config)
	p.identifies("an update of a state from before there were identities", changed.NewIdentity, changed.NewState, id)

	// A destroy without a refresh must not take a VM whose id has changed for one that is gone.
	_, err := sim.Server().ChangeVMID("web")
	staged(t, err)
	p.destroy(changed.NewState, changed.NewIdentity)
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
		},
	})
}
