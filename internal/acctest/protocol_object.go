// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Instance is an object of a managed resource as Terraform holds it between two
// runs. The zero Instance is one that does not exist yet.
type Instance struct {
	Members  map[string]tftypes.Value // nil where the state holds none
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
	Tainted  bool // its create failed, so that the next apply replaces it
}

// ID is the id in the state, "" where the state holds no object.
func (i Instance) ID() string {
	var id string
	if value, ok := i.Members["id"]; ok && value.IsKnown() {
		_ = value.As(&id) // null gives ""
	}
	return id
}

// Apply plans and applies the configuration of a resource, as Terraform does with
// one whose prior state is given; a nil configuration destroys it. It returns all
// diagnostics. Of what the configuration leaves out, a computed attribute keeps
// its prior value; that of nested attributes is not looked after.
func (p *Protocol) Apply(name string, config Values, prior Instance) (Instance, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	typ := p.resource(name).ValueType()
	encoded, proposed := p.encode(typ, tftypes.NewValue(typ, nil)), p.encode(typ, tftypes.NewValue(typ, nil))
	if config != nil {
		encoded, proposed = p.config(p.resource(name), config), p.proposed(name, config, prior)
		validated, err := p.server.ValidateResourceConfig(p.t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: encoded})
		if err != nil {
			p.t.Fatal(err)
		}
		if len(validated.Diagnostics) > 0 {
			return prior, validated.Diagnostics
		}
	}
	planned, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: p.state(name, prior), ProposedNewState: proposed, Config: encoded,
		PriorPrivate: prior.Private, PriorIdentity: prior.Identity,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(planned.Diagnostics) > 0 {
		return prior, planned.Diagnostics
	}
	if len(planned.RequiresReplace) > 0 && prior.Members != nil {
		p.t.Fatalf("%s would be replaced for %v", name, planned.RequiresReplace)
	}
	applied, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, PriorState: p.state(name, prior), PlannedState: planned.PlannedState, Config: encoded,
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	after := p.instance(name, applied.NewState, applied.Private, applied.NewIdentity)
	for _, d := range applied.Diagnostics {
		after.Tainted = after.Tainted || d.Severity == tfprotov6.DiagnosticSeverityError && prior.Members == nil && after.Members != nil
	}
	return after, applied.Diagnostics
}

// Refresh reads an object. It must succeed.
func (p *Protocol) Refresh(name string, prior Instance) Instance {
	p.t.Helper()
	if prior.Members == nil {
		return prior
	}
	read, err := p.server.ReadResource(p.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: p.state(name, prior), CurrentIdentity: prior.Identity, Private: prior.Private,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.succeed(read.Diagnostics)
	after := p.instance(name, read.NewState, read.Private, read.NewIdentity)
	after.Tainted = prior.Tainted
	return after
}

// ImportIdentity imports an object by its identity and reads it.
func (p *Protocol) ImportIdentity(name string, identity *tfprotov6.ResourceIdentityData) Instance {
	p.t.Helper()
	imported, err := p.server.ImportResourceState(p.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name, Identity: identity})
	if err != nil {
		p.t.Fatal(err)
	}
	p.succeed(imported.Diagnostics)
	object := imported.ImportedResources[0]
	return p.Refresh(name, p.instance(name, object.State, object.Private, object.Identity))
}

func (p *Protocol) resource(name string) *tfprotov6.Schema {
	p.t.Helper()
	schema := p.schemas.ResourceSchemas[name]
	if schema == nil {
		p.t.Fatalf("there is no resource %s", name)
	}
	return schema
}

func (p *Protocol) instance(name string, state *tfprotov6.DynamicValue, private []byte, identity *tfprotov6.ResourceIdentityData) Instance {
	p.t.Helper()
	after := Instance{Private: private, Identity: identity}
	if value := p.decode(state, p.resource(name).ValueType()); !value.IsNull() {
		after.Members = map[string]tftypes.Value{}
		if err := value.As(&after.Members); err != nil {
			p.t.Fatal(err)
		}
	}
	return after
}

func (p *Protocol) state(name string, of Instance) *tfprotov6.DynamicValue {
	p.t.Helper()
	typ := p.resource(name).ValueType()
	if of.Members == nil {
		return p.encode(typ, tftypes.NewValue(typ, nil))
	}
	return p.encode(typ, tftypes.NewValue(typ, of.Members))
}

// proposed is the state that Terraform proposes for a configuration.
func (p *Protocol) proposed(name string, config Values, prior Instance) *tfprotov6.DynamicValue {
	p.t.Helper()
	schema := p.resource(name)
	members := p.members(p.config(schema, config), schema.ValueType())
	for _, attribute := range schema.Block.Attributes {
		if known, ok := prior.Members[attribute.Name]; ok && attribute.Computed && members[attribute.Name].IsNull() {
			members[attribute.Name] = known
		}
	}
	return p.encode(schema.ValueType(), tftypes.NewValue(schema.ValueType(), members))
}

func (p *Protocol) encode(typ tftypes.Type, value tftypes.Value) *tfprotov6.DynamicValue {
	p.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(typ, value)
	if err != nil {
		p.t.Fatal(err)
	}
	return &encoded
}
