// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider"
)

// Protocol is a configured provider that a test talks to as Terraform does, by
// the plugin protocol. It tests what only newer CLIs ask for, whatever CLI there
// is.
type Protocol struct {
	t       *testing.T
	server  ProtocolServer
	schemas *tfprotov6.GetProviderSchemaResponse
}

// ProtocolServer has all the methods that Terraform can call on the provider.
type ProtocolServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
	tfprotov6.ListResourceServer
}

// Values are the attributes of a configuration; missing ones are null. A value
// is a string, a number, a bool, a list ([]any), an object or map
// (map[string]any), nil, or Unknown.
type Values map[string]any

// Unknown is a value that is known only after apply.
type Unknown struct{}

// NewProtocol starts the provider and configures it for the simulator. The
// attributes in change are added to that configuration or replace its own.
func NewProtocol(t *testing.T, sim *Sim, change Values) *Protocol {
	t.Helper()
	server, ok := providerserver.NewProtocol6(provider.New("test")())().(ProtocolServer)
	if !ok {
		t.Fatal("the provider serves no actions, or no list resources")
	}
	p := &Protocol{t: t, server: server}
	var err error
	if p.schemas, err = p.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		t.Fatal(err)
	}
	p.succeed(p.schemas.Diagnostics)
	config := Values{
		"server": sim.URL(), "username": sim.Server().Username(), "password": sim.Server().Password(), "poll_interval": "100ms",
	}
	for name, value := range change {
		config[name] = value
	}
	resp, err := p.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.0", Config: p.config(p.schemas.Provider, config),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.succeed(resp.Diagnostics)
	return p
}

// Server returns the provider itself.
func (p *Protocol) Server() ProtocolServer { return p.server }

// Schemas returns the schemas of the provider and its objects.
func (p *Protocol) Schemas() *tfprotov6.GetProviderSchemaResponse { return p.schemas }

// succeed fails the test if there is an error among the diagnostics.
func (p *Protocol) succeed(diags []*tfprotov6.Diagnostic) {
	p.t.Helper()
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			p.t.Fatalf("%s: %s", d.Summary, d.Detail)
		}
	}
}

// Texts returns the errors among diagnostics, each on a line of its own, or "" if
// there are none.
func Texts(diags []*tfprotov6.Diagnostic) string {
	var lines []string
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			lines = append(lines, fmt.Sprintf("%s: %s", d.Summary, d.Detail))
		}
	}
	return strings.Join(lines, "\n")
}

// PlanAction validates and plans an action and returns the diagnostics.
func (p *Protocol) PlanAction(name string, config Values) []*tfprotov6.Diagnostic {
	p.t.Helper()
	encoded := p.config(p.action(name), config)
	validated, err := p.server.ValidateActionConfig(p.t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: encoded})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(validated.Diagnostics) > 0 {
		return validated.Diagnostics
	}
	planned, err := p.server.PlanAction(p.t.Context(), &tfprotov6.PlanActionRequest{ActionType: name, Config: encoded})
	if err != nil {
		p.t.Fatal(err)
	}
	return planned.Diagnostics
}

// InvokeAction invokes an action and returns its progress messages and final
// diagnostics. If onMessage is not nil, it is called with each message at once.
func (p *Protocol) InvokeAction(ctx context.Context, name string, config Values, onMessage func(message string)) (messages []string, diags []*tfprotov6.Diagnostic) {
	p.t.Helper()
	stream, err := p.server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: name, Config: p.config(p.action(name), config)})
	if err != nil {
		p.t.Fatal(err)
	}
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			messages = append(messages, event.Message)
			if onMessage != nil {
				onMessage(event.Message)
			}
		case tfprotov6.CompletedInvokeActionEventType:
			diags = event.Diagnostics
		}
	}
	return messages, diags
}

// Listed is one result of a list.
type Listed struct {
	DisplayName string
	Identity    map[string]tftypes.Value
	Resource    *tftypes.Value // nil if the list was not asked to include it
}

// List validates a list and returns its results and all diagnostics. A limit of
// 0 means no limit.
func (p *Protocol) List(name string, config Values, includeResource bool, limit int64) (listed []Listed, diags []*tfprotov6.Diagnostic) {
	p.t.Helper()
	schema, identity := p.schemas.ListResourceSchemas[name], p.identityType(name)
	if schema == nil {
		p.t.Fatalf("there is no list resource %s", name)
	}
	encoded := p.config(schema, config)
	validated, err := p.server.ValidateListResourceConfig(p.t.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: encoded})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(validated.Diagnostics) > 0 {
		return nil, validated.Diagnostics
	}
	stream, err := p.server.ListResource(p.t.Context(), &tfprotov6.ListResourceRequest{TypeName: name, Config: encoded, IncludeResource: includeResource, Limit: limit})
	if err != nil {
		p.t.Fatal(err)
	}
	for result := range stream.Results {
		diags = append(diags, result.Diagnostics...)
		if result.Identity == nil {
			continue
		}
		one := Listed{DisplayName: result.DisplayName, Identity: p.members(result.Identity.IdentityData, identity)}
		if result.Resource != nil {
			value := p.decode(result.Resource, p.schemas.ResourceSchemas[name].ValueType())
			one.Resource = &value
		}
		listed = append(listed, one)
	}
	return listed, diags
}

// Import imports an object by its id and returns the state after the read that
// follows.
func (p *Protocol) Import(name, id string) tftypes.Value {
	p.t.Helper()
	imported, err := p.server.ImportResourceState(p.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id})
	if err != nil {
		p.t.Fatal(err)
	}
	p.succeed(imported.Diagnostics)
	object := imported.ImportedResources[0]
	read, err := p.server.ReadResource(p.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: object.State, CurrentIdentity: object.Identity, Private: object.Private,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.succeed(read.Diagnostics)
	return p.decode(read.NewState, p.schemas.ResourceSchemas[name].ValueType())
}

func (p *Protocol) identityType(name string) tftypes.Type {
	p.t.Helper()
	identities, err := p.server.GetResourceIdentitySchemas(p.t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		p.t.Fatal(err)
	}
	schema := identities.IdentitySchemas[name]
	if schema == nil {
		p.t.Fatalf("%s has no identity", name)
	}
	return schema.ValueType()
}

func (p *Protocol) decode(encoded *tfprotov6.DynamicValue, typ tftypes.Type) tftypes.Value {
	p.t.Helper()
	value, err := encoded.Unmarshal(typ)
	if err != nil {
		p.t.Fatal(err)
	}
	return value
}

func (p *Protocol) members(encoded *tfprotov6.DynamicValue, typ tftypes.Type) map[string]tftypes.Value {
	p.t.Helper()
	members := map[string]tftypes.Value{}
	if err := p.decode(encoded, typ).As(&members); err != nil {
		p.t.Fatal(err)
	}
	return members
}

func (p *Protocol) action(name string) *tfprotov6.Schema {
	p.t.Helper()
	schema := p.schemas.ActionSchemas[name]
	if schema == nil {
		p.t.Fatalf("there is no action %s", name)
	}
	return schema.Schema
}

// config encodes a configuration for the protocol.
func (p *Protocol) config(schema *tfprotov6.Schema, values Values) *tfprotov6.DynamicValue {
	p.t.Helper()
	value, err := valueOf(schema.ValueType(), map[string]any(values))
	if err != nil {
		p.t.Fatal(err)
	}
	encoded, err := tfprotov6.NewDynamicValue(schema.ValueType(), value)
	if err != nil {
		p.t.Fatal(err)
	}
	return &encoded
}

// valueOf converts a value in Values to the type.
func valueOf(typ tftypes.Type, value any) (tftypes.Value, error) {
	if value == nil {
		return tftypes.NewValue(typ, nil), nil
	}
	switch value := value.(type) {
	case Unknown:
		return tftypes.NewValue(typ, tftypes.UnknownValue), nil
	case map[string]any:
		return objectOf(typ, value)
	case []any:
		list, ok := typ.(tftypes.List)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("a list is given for a %s", typ)
		}
		elements := make([]tftypes.Value, 0, len(value))
		for _, v := range value {
			element, err := valueOf(list.ElementType, v)
			if err != nil {
				return tftypes.Value{}, err
			}
			elements = append(elements, element)
		}
		return tftypes.NewValue(typ, elements), nil
	}
	if err := tftypes.ValidateValue(typ, value); err != nil {
		return tftypes.Value{}, err
	}
	return tftypes.NewValue(typ, value), nil
}

func objectOf(typ tftypes.Type, value map[string]any) (tftypes.Value, error) {
	members := map[string]tftypes.Value{}
	types := map[string]tftypes.Type{}
	switch typ := typ.(type) {
	case tftypes.Object:
		types = typ.AttributeTypes
		for name := range value {
			if types[name] == nil {
				return tftypes.Value{}, fmt.Errorf("there is no attribute %s", name)
			}
		}
	case tftypes.Map:
		for name := range value {
			types[name] = typ.ElementType
		}
	default:
		return tftypes.Value{}, fmt.Errorf("an object is given for a %s", typ)
	}
	for name, memberType := range types {
		member, err := valueOf(memberType, value[name])
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
		}
		members[name] = member
	}
	return tftypes.NewValue(typ, members), nil
}
