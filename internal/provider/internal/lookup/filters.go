// SPDX-License-Identifier: MPL-2.0

// Package lookup is what the data sources share: the filters, and the rule
// that a singular data source finds exactly one object or says why not.
package lookup

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Filters are the arguments by which every data source finds its object. A
// model embeds them; id and name are results, too.
type Filters struct {
	ID           types.String `tfsdk:"id"`
	Name         types.String `tfsdk:"name"`
	NameContains types.String `tfsdk:"name_contains"`
	NameIn       types.List   `tfsdk:"name_in"`
}

// FilterAttributes is the schema of Filters; object names what is looked up
// ("cluster").
func FilterAttributes(object string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Optional:            true,
			Computed:            true,
			MarkdownDescription: "Tower's id of the " + object + ". As a filter, the id inside the cluster (`local_id`) is accepted where there is one.",
			Validators:          []validator.String{NotEmpty()},
		},
		"name": schema.StringAttribute{
			Optional:            true,
			Computed:            true,
			MarkdownDescription: "Name of the " + object + ". As a filter, the whole name.",
			Validators:          []validator.String{NotEmpty()},
		},
		"name_contains": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Filter: a part of the name.",
			Validators:          []validator.String{NotEmpty()},
		},
		"name_in": schema.ListAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Filter: the name is one of these.",
			Validators: []validator.List{
				listvalidator.SizeAtLeast(1),
				listvalidator.NoNullValues(),
				listvalidator.ValueStringsAre(NotEmpty()),
			},
		},
	}
}

// NotEmpty refuses an empty filter. Taken for "no filter" it would find any
// object, which is never what an unset variable was meant to say.
func NotEmpty() validator.String { return stringvalidator.LengthAtLeast(1) }

// Where returns the filters besides the id in the form that the client takes.
func (f Filters) Where(ctx context.Context) (tower.Where, diag.Diagnostics) {
	names, diags := attrs.Strings(ctx, f.NameIn)
	where := tower.Where{}
	if len(names) > 0 {
		where["name_in"] = names
	}
	for field, value := range map[string]types.String{"name": f.Name, "name_contains": f.NameContains} {
		if attrs.IsKnown(value) {
			where[field] = value.ValueString()
		}
	}
	return where, diags
}

// Criteria returns the filters that are set, for messages.
func (f Filters) Criteria(ctx context.Context) Criteria {
	var c Criteria
	c = c.AddString("id", f.ID).AddString("name", f.Name).AddString("name_contains", f.NameContains)
	if names, _ := attrs.Strings(ctx, f.NameIn); len(names) > 0 {
		quoted := make([]string, 0, len(names))
		for _, n := range names {
			quoted = append(quoted, strconv.Quote(n))
		}
		c = append(c, criterion{"name_in", "[" + strings.Join(quoted, ", ") + "]"})
	}
	return c
}

// Criteria are filters that a configuration sets, in the words of the
// configuration.
type Criteria []criterion

type criterion struct{ name, value string }

// AddString appends a filter where it is set.
func (c Criteria) AddString(name string, v types.String) Criteria {
	if !attrs.IsKnown(v) {
		return c
	}
	return append(c, criterion{name, strconv.Quote(v.ValueString())})
}

// AddInt64 appends a filter where it is set.
func (c Criteria) AddInt64(name string, v types.Int64) Criteria {
	if !attrs.IsKnown(v) {
		return c
	}
	return append(c, criterion{name, strconv.FormatInt(v.ValueInt64(), 10)})
}

// String writes the filters as they stand in a configuration: name = "a" and
// cluster_id = "b".
func (c Criteria) String() string {
	parts := make([]string, 0, len(c))
	for _, criterion := range c {
		parts = append(parts, fmt.Sprintf("%s = %s", criterion.name, criterion.value))
	}
	return strings.Join(parts, " and ")
}

func (c Criteria) has(name string) bool {
	for _, criterion := range c {
		if criterion.name == name {
			return true
		}
	}
	return false
}
