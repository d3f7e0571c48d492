// SPDX-License-Identifier: MPL-2.0

package managed

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// NewListResource returns the list of the objects that can be imported.
func (r *Base[T]) NewListResource() list.ListResource { return &listResource[T]{*r} }

type listResource[T tower.Object] struct{ Base[T] }

// ListResourceConfigSchema describes the filters.
func (l *listResource[T]) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	description, attributes := l.kind.ListSchema()
	resp.Schema = schema.Schema{MarkdownDescription: description, Attributes: map[string]schema.Attribute{}}
	for name, attribute := range attributes {
		resp.Schema.Attributes[name] = attribute
	}
}

// List lists the objects by their names.
func (l *listResource[T]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var diags diag.Diagnostics
	client, ok := l.Data.Client(&diags)
	if !ok {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	found, err := l.kind.Configured(ctx, client, req.Config.Raw)
	if err != nil {
		diagx.AddError(&diags, "list", l.kind.Many(), "", err)
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	if limit := int(req.Limit); limit > 0 {
		found = found[:min(limit, len(found))]
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, object := range found {
			if !push(l.result(ctx, req, object)) {
				return
			}
		}
	}
}

func (l *listResource[T]) result(ctx context.Context, req list.ListRequest, object T) list.ListResult {
	result := req.NewListResult(ctx)
	id, name := l.kind.Key(object)
	result.DisplayName = name
	if l.kind.Note != nil {
		result.DisplayName = fmt.Sprintf("%s (%s)", name, l.kind.Note(object))
	}
	result.Diagnostics.Append(Identify(ctx, result.Identity, types.StringValue(id))...)
	if req.IncludeResource {
		// Only the schema knows the type of the timeouts, which are null.
		model := l.model()
		result.Diagnostics.Append(result.Resource.SetAttribute(ctx, path.Root("id"), id)...)
		result.Diagnostics.Append(result.Resource.Get(ctx, model)...)
		model.Fill(object)
		result.Diagnostics.Append(result.Resource.Set(ctx, model)...)
	}
	return result
}
