// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// DataSource returns the schema of a data source.
func (p *Protocol) DataSource(name string) *tfprotov6.Schema {
	p.t.Helper()
	schema := p.schemas.DataSourceSchemas[name]
	if schema == nil {
		p.t.Fatalf("there is no data source %s", name)
	}
	return schema
}

// DataSources returns the names of all data sources.
func (p *Protocol) DataSources() []string {
	return slices.Sorted(maps.Keys(p.schemas.DataSourceSchemas))
}

// ReadData validates and reads a data source, and returns its attributes and all
// diagnostics.
func (p *Protocol) ReadData(name string, config Values) (Values, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	schema := p.DataSource(name)
	encoded := p.config(schema, config)
	validated, err := p.server.ValidateDataResourceConfig(p.t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: encoded})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(validated.Diagnostics) > 0 {
		return nil, validated.Diagnostics
	}
	read, err := p.server.ReadDataSource(p.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: encoded})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(read.Diagnostics) > 0 {
		return nil, read.Diagnostics
	}
	held, _ := p.plain(p.decode(read.State, schema.ValueType())).(map[string]any)
	return held, nil
}

// plain converts a value to the form that Values take; numbers become int64.
func (p *Protocol) plain(v tftypes.Value) any {
	p.t.Helper()
	if v.IsNull() {
		return nil
	}
	var (
		text    string
		number  *big.Float
		truth   bool
		list    []tftypes.Value
		members map[string]tftypes.Value
		err     error
		out     any
	)
	switch {
	case !v.IsKnown():
		out = Unknown{}
	case v.Type().Is(tftypes.String):
		err = v.As(&text)
		out = text
	case v.Type().Is(tftypes.Number):
		err = v.As(&number)
		out, _ = number.Int64()
	case v.Type().Is(tftypes.Bool):
		err = v.As(&truth)
		out = truth
	case v.Type().Is(tftypes.List{}):
		err = v.As(&list)
		elements := make([]any, 0, len(list))
		for _, element := range list {
			elements = append(elements, p.plain(element))
		}
		out = elements
	default:
		err = v.As(&members)
		plain := map[string]any{}
		for name, member := range members {
			plain[name] = p.plain(member)
		}
		out = plain
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// Empty returns the empty value of a type, nil if it has none.
func Empty(typ tftypes.Type) any {
	switch {
	case typ.Is(tftypes.String):
		return ""
	case typ.Is(tftypes.List{}):
		return []any{}
	case typ.Is(tftypes.Map{}):
		return map[string]any{}
	}
	return nil
}
