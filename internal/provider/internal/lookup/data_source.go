// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerdata"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// DataSources returns the constructors of the kind's two data sources: one that
// finds exactly one object, and one that lists all that match.
func (k Kind[T]) DataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &singular[T]{source[T]{kind: k, name: k.Name}} },
		func() datasource.DataSource { return &plural[T]{source[T]{kind: k, name: k.plural()}} },
	}
}

// source is what both have in common.
type source[T any] struct {
	kind Kind[T]
	name string
	data *providerdata.Data
}

func (s *source[T]) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = s.name
}

func (s *source[T]) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	s.data = providerdata.FromDataSource(req, resp)
}

// find returns the objects that the configuration selects. It returns no client
// where there is an error among the diagnostics.
func (s *source[T]) find(ctx context.Context, config tftypes.Value, diags *diag.Diagnostics) ([]T, criteria, *tower.Client) {
	client, ok := s.data.Client(diags)
	if !ok {
		return nil, nil, nil
	}
	found, c, err := s.kind.configured(ctx, client, config)
	if err != nil {
		diagx.AddError(diags, "read", s.kind.Many(), "", err)
		return nil, nil, nil
	}
	return found, c, client
}

// write puts results into the state beside the filters of the configuration.
func (s *source[T]) write(ctx context.Context, config tftypes.Value, results map[string]attr.Value, resp *datasource.ReadResponse) {
	members := map[string]tftypes.Value{}
	err := config.As(&members)
	for name, result := range results {
		if err == nil {
			members[name], err = result.ToTerraformValue(ctx)
		}
	}
	if err != nil {
		diagx.AddBug(&resp.Diagnostics, "Unwritable state", err.Error())
		return
	}
	resp.State.Raw = tftypes.NewValue(config.Type(), members)
}

type singular[T any] struct{ source[T] }

func (s *singular[T]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: s.kind.Description + " Exactly one must match the filters; without any, there must be only one that the user can see.",
		Attributes:          s.kind.schema(true, true),
	}
}

func (s *singular[T]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	found, c, client := s.find(ctx, req.Config.Raw, &resp.Diagnostics)
	switch {
	case client == nil:
	case len(found) == 0:
		resp.Diagnostics.AddError(diagx.Capitalise(s.kind.Object)+" not found", s.kind.none(ctx, client, c))
	case len(found) > 1:
		resp.Diagnostics.AddError("More than one "+s.kind.Object+" found", s.kind.several(c, found))
	default:
		s.write(ctx, req.Config.Raw, s.kind.Values(found[0]), resp)
	}
}

type plural[T any] struct{ source[T] }

// list is the name of the attribute that holds the objects.
func (p *plural[T]) list() string { return strings.TrimPrefix(p.name, "elf_") }

func (p *plural[T]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := p.kind.schema(true, false)
	attributes[p.list()] = schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The " + p.kind.Many() + " that match, ordered by name. Empty where none does.",
		NestedObject:        schema.NestedAttributeObject{Attributes: p.kind.schema(false, true)},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists " + p.kind.Many() + ". The filters narrow the list together; without any, all that the user can see are listed.",
		Attributes:          attributes,
	}
}

func (p *plural[T]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	found, _, client := p.find(ctx, req.Config.Raw, &resp.Diagnostics)
	if client == nil {
		return
	}
	objects := make([]attr.Value, 0, len(found))
	for _, object := range found {
		objects = append(objects, types.ObjectValueMust(p.kind.types(), p.kind.Values(object)))
	}
	list := types.ListValueMust(types.ObjectType{AttrTypes: p.kind.types()}, objects)
	p.write(ctx, req.Config.Raw, map[string]attr.Value{p.list(): list}, resp)
}
