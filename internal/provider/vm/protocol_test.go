// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

// protocol speaks to the provider as a CLI does: faster than one, and with what
// only newer ones know.
type protocol struct {
	t        *testing.T
	server   tfprotov6.ProviderServer
	vm       tftypes.Object // the type of elf_vm
	schema   map[string]*tfprotov6.SchemaAttribute
	identity tftypes.Object
}

func newProtocol(t *testing.T, sim *acctest.Sim) *protocol {
	t.Helper()
	return newProtocolAt(t, sim, map[string]any{"server": sim.URL()})
}

// newProtocolAt has the provider talk to a server in front of the simulator, with
// the given arguments of the provider.
func newProtocolAt(t *testing.T, sim *acctest.Sim, arguments map[string]any) *protocol {
	t.Helper()
	all := map[string]any{"username": sim.Server().Username(), "password": sim.Server().Password(), "poll_interval": "100ms"}
	maps.Copy(all, arguments)
	p := &protocol{t: t, server: providerserver.NewProtocol6(provider.New("test")())()}
	schemas, err := p.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	p.ok(err, schemas.Diagnostics)
	identities, err := p.server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	p.ok(err, identities.Diagnostics)
	p.vm, p.identity = p.object(schemas.ResourceSchemas["elf_vm"].ValueType()), p.object(identities.IdentitySchemas["elf_vm"].ValueType())
	p.schema = map[string]*tfprotov6.SchemaAttribute{}
	for _, attribute := range schemas.ResourceSchemas["elf_vm"].Block.Attributes {
		p.schema[attribute.Name] = attribute
	}
	configured, err := p.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0",
		Config:           p.value(p.object(schemas.Provider.ValueType()), all),
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
		all[name] = p.convert(typ, attributes[name])
	}
	return p.dynamic(of, tftypes.NewValue(of, all))
}

// convert makes a value of lists ([]any), objects and maps (map[string]any) and
// what tftypes takes.
func (p *protocol) convert(typ tftypes.Type, value any) tftypes.Value {
	p.t.Helper()
	switch value := value.(type) {
	case []any:
		list, ok := typ.(tftypes.List)
		if !ok {
			p.t.Fatalf("a list is given for a %s", typ)
		}
		elements := make([]tftypes.Value, 0, len(value))
		for _, element := range value {
			elements = append(elements, p.convert(list.ElementType, element))
		}
		return tftypes.NewValue(typ, elements)
	case map[string]any:
		members := map[string]tftypes.Value{}
		switch typ := typ.(type) {
		case tftypes.Object:
			for name, member := range typ.AttributeTypes {
				members[name] = p.convert(member, value[name])
			}
		case tftypes.Map:
			for name, member := range value {
				members[name] = p.convert(typ.ElementType, member)
			}
		}
		return tftypes.NewValue(typ, members)
	}
	return tftypes.NewValue(typ, value)
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

// attributes are those of an object, none where it is null.
func (p *protocol) attributes(of tftypes.Object, in *tfprotov6.DynamicValue) map[string]tftypes.Value {
	p.t.Helper()
	value, err := in.Unmarshal(of)
	if err != nil {
		p.t.Fatal(err)
	}
	attributes := map[string]tftypes.Value{}
	if value.IsNull() {
		return attributes
	}
	if err := value.As(&attributes); err != nil {
		p.t.Fatal(err)
	}
	return attributes
}

// text is an attribute of an object; "" where that is null or the object is.
func (p *protocol) text(of tftypes.Object, in *tfprotov6.DynamicValue, name string) (text string) {
	p.t.Helper()
	if value, ok := p.attributes(of, in)[name]; ok && !value.IsNull() {
		if err := value.As(&text); err != nil {
			p.t.Fatal(err)
		}
	}
	return text
}

// identifies checks that an identity and a state are of the VM with this id.
func (p *protocol) identifies(what string, got held, id string) {
	p.t.Helper()
	if got.identity == nil || got.identity.IdentityData == nil {
		p.t.Fatalf("%s gives no identity", what)
	}
	if identity, state := p.text(p.identity, got.identity.IdentityData, "id"), p.text(p.vm, got.state, "id"); identity != id || state != id {
		p.t.Errorf("%s gives the identity %q and the state's id %q, want %q", what, identity, state, id)
	}
}

// held is what a CLI keeps of a resource.
type held struct {
	state    *tfprotov6.DynamicValue
	identity *tfprotov6.ResourceIdentityData
	private  []byte
}

// importVM imports a VM, as an import block does, without the read that follows.
func (p *protocol) importVM(req tfprotov6.ImportResourceStateRequest) held {
	p.t.Helper()
	req.TypeName = "elf_vm"
	resp, err := p.server.ImportResourceState(p.t.Context(), &req)
	p.ok(err, resp.Diagnostics)
	imported := resp.ImportedResources[0]
	return held{imported.State, imported.Identity, imported.Private}
}

func (p *protocol) read(prior held) held {
	p.t.Helper()
	read, diags := p.tryRead(prior)
	p.ok(nil, diags)
	return read
}

func (p *protocol) tryRead(prior held) (held, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	resp, err := p.server.ReadResource(p.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: "elf_vm", CurrentState: prior.state, CurrentIdentity: prior.identity, Private: prior.private,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return held{resp.NewState, resp.NewIdentity, resp.Private}, resp.Diagnostics
}

// apply plans and applies a change; of a create, the prior state is nil.
func (p *protocol) apply(prior held, config map[string]any) held {
	p.t.Helper()
	changed, diags := p.applyPlan(p.plan(prior, config))
	p.ok(nil, diags)
	return changed
}

// plannedChange is a plan and what it was made from.
type plannedChange struct {
	prior  held
	config *tfprotov6.DynamicValue
	plan   *tfprotov6.PlanResourceChangeResponse
}

// plan plans a change, which must succeed; of a create, the prior state is nil.
func (p *protocol) plan(prior held, config map[string]any) plannedChange {
	p.t.Helper()
	change := p.tryPlan(prior, config)
	p.ok(nil, change.plan.Diagnostics)
	return change
}

func (p *protocol) tryPlan(prior held, config map[string]any) plannedChange {
	p.t.Helper()
	configured := p.value(p.vm, config)
	proposed := configured
	if prior.state == nil {
		prior.state = p.dynamic(p.vm, tftypes.NewValue(p.vm, nil))
	} else {
		attributes := p.attributes(p.vm, prior.state)
		for name, attribute := range p.schema {
			// What the configuration leaves to the provider keeps its value.
			if config[name] != nil || !attribute.Computed {
				attributes[name] = p.convert(p.vm.AttributeTypes[name], config[name])
			}
		}
		proposed = p.dynamic(p.vm, tftypes.NewValue(p.vm, attributes))
	}
	plan, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "elf_vm", PriorState: prior.state, ProposedNewState: proposed, Config: configured,
		PriorIdentity: prior.identity, PriorPrivate: prior.private,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return plannedChange{prior, configured, plan}
}

// applyPlan applies a plan. What comes back is to be kept even where it fails.
func (p *protocol) applyPlan(change plannedChange) (held, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	resp, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "elf_vm", PriorState: change.prior.state, PlannedState: change.plan.PlannedState, Config: change.config,
		PlannedPrivate: change.plan.PlannedPrivate, PlannedIdentity: change.plan.PlannedIdentity,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return held{resp.NewState, resp.NewIdentity, resp.Private}, resp.Diagnostics
}

func (p *protocol) destroy(prior held) {
	p.t.Helper()
	p.ok(nil, p.tryDestroy(prior))
}

func (p *protocol) tryDestroy(prior held) []*tfprotov6.Diagnostic {
	p.t.Helper()
	null := p.dynamic(p.vm, tftypes.NewValue(p.vm, nil))
	resp, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "elf_vm", PriorState: prior.state, PlannedState: null, Config: null, PlannedIdentity: prior.identity, PlannedPrivate: prior.private,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.Diagnostics
}
