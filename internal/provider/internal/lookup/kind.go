// SPDX-License-Identifier: MPL-2.0

// Package lookup makes data sources and list resources of one description of a
// kind of objects.
package lookup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Kind describes what can be looked up of one kind of objects, which the client
// returns as T. The attributes id, name, name_contains and name_in are there for
// every kind.
type Kind[T any] struct {
	// Name is the name of the singular data source and of the resource: "elf_vlan".
	Name string
	// Plural is the name of the plural data source, where it is not Name with an s.
	Plural string
	// Object is what a person calls one: "VM network".
	Object string
	// Objects is what a person calls several, where it is not Object with an s.
	Objects string
	// Description begins the page of the singular data source, in sentences that
	// say what it finds.
	Description string
	// List reads all objects that match, ordered by name: a method of the client.
	List func(*tower.Client, context.Context, tower.Where) ([]T, error)
	// Key returns what every object has.
	Key func(T) (id, name string)
	// Note tells objects of the same name apart in messages, such as by their
	// cluster. It may be nil.
	Note func(T) string
	// Attributes are the results and filters besides those that every kind has, the
	// filters that narrow a search most first. A kind with the result local_id is
	// found by that, too, where id is the filter.
	Attributes []Attribute[T]
}

// Filters are values of filters by their names: a string, int64, bool, []string
// or map[string]string each.
type Filters map[string]any

// Find returns the objects that all the filters select, ordered by name.
func (k Kind[T]) Find(ctx context.Context, client *tower.Client, filters Filters) ([]T, error) {
	var c criteria
	for _, a := range k.attributes() {
		if value, ok := filters[a.name]; ok && a.condition != nil {
			c = append(c, criterion{a.name, value, a.condition})
		}
	}
	if len(c) != len(filters) {
		return nil, fmt.Errorf("not all of %v are filters of the %s, which is a bug in the provider", filters, k.Object)
	}
	return k.list(ctx, client, c)
}

// Configured returns the objects that the filters of a configuration select,
// ordered by name. A configuration that is null selects all.
func (k Kind[T]) Configured(ctx context.Context, client *tower.Client, config tftypes.Value) ([]T, error) {
	found, _, err := k.configured(ctx, client, config)
	return found, err
}

func (k Kind[T]) configured(ctx context.Context, client *tower.Client, config tftypes.Value) (found []T, c criteria, err error) {
	if !config.IsNull() {
		c, err = k.criteria(ctx, config)
	}
	if err == nil {
		found, err = k.list(ctx, client, c)
	}
	return found, c, err
}

func (k Kind[T]) list(ctx context.Context, client *tower.Client, c criteria) ([]T, error) {
	found, err := k.List(client, ctx, c.where())
	if err != nil && len(c) > 0 {
		err = fmt.Errorf("looking for %s: %w", c, err)
	}
	return found, err
}

// Has reports whether the kind has a result or a filter of its own of this name,
// such as local_id or cluster_id.
func (k Kind[T]) Has(name string) bool {
	return slices.ContainsFunc(k.Attributes, func(a Attribute[T]) bool { return a.name == name })
}

// Many is what a person calls several objects of the kind.
func (k Kind[T]) Many() string { return cmp.Or(k.Objects, k.Object+"s") }

func (k Kind[T]) plural() string { return cmp.Or(k.Plural, k.Name+"s") }

// attributes are all attributes, in the order in which messages name them.
func (k Kind[T]) attributes() []Attribute[T] {
	id := Text("id", "Tower's id of the "+k.Object+".", func(v T) string { id, _ := k.Key(v); return id }).Filter(Equal("id"))
	name := Text("name", "Name of the "+k.Object+".", func(v T) string { _, name := k.Key(v); return name }).Filter(Equal("name"))
	name.both = name.description + " As a filter, the whole name."
	if k.Has("local_id") {
		id = id.Filter(ByID())
		id.both = id.description + " As a filter, the id inside the cluster (`local_id`) is accepted, too."
		id.filter = "Filter: Tower's id of the " + k.Object + ", or its id inside the cluster (`local_id`)."
	}
	return append([]Attribute[T]{
		id, name,
		Text[T]("name_contains", "A part of the name.", nil).Filter(Equal("name_contains")),
		Texts[T]("name_in", "The name is one of these.", nil).Filter(Equal("name_in")),
	}, k.Attributes...)
}

// schema describes the attributes as filters, results, or both.
func (k Kind[T]) schema(filters, results bool) map[string]schema.Attribute {
	out := map[string]schema.Attribute{}
	for _, a := range k.attributes() {
		u := usage{description: a.description, optional: filters && a.condition != nil, computed: results && a.value != nil}
		switch {
		case u.optional && u.computed:
			u.description = cmp.Or(a.both, a.description+" Also a filter.")
		case u.optional:
			u.description = cmp.Or(a.filter, "Filter: "+lowered(a.description))
		case !u.computed:
			continue
		}
		out[a.name] = a.schema(u)
	}
	return out
}

// ListSchema describes the list resource: what it is, and its filters.
func (k Kind[T]) ListSchema() (description string, filters map[string]schema.Attribute) {
	return "Lists " + k.Many() + ", for `terraform query`, which can write their configuration and `import` blocks. " +
		"The filters narrow the list together; without any, all that the user can see are listed, ordered by name.", k.schema(true, false)
}

// Values are the results of an object.
func (k Kind[T]) Values(object T) map[string]attr.Value {
	out := map[string]attr.Value{}
	for _, a := range k.attributes() {
		if a.value != nil {
			out[a.name] = a.value(object)
		}
	}
	return out
}

func (k Kind[T]) types() map[string]attr.Type {
	out := map[string]attr.Type{}
	for _, a := range k.attributes() {
		if a.value != nil {
			out[a.name] = a.typ
		}
	}
	return out
}

// criteria reads the filters that a configuration sets.
func (k Kind[T]) criteria(ctx context.Context, config tftypes.Value) (criteria, error) {
	members := map[string]tftypes.Value{}
	if err := config.As(&members); err != nil {
		return nil, err
	}
	var c criteria
	for _, a := range k.attributes() {
		if a.condition == nil || members[a.name].IsNull() || !members[a.name].IsFullyKnown() {
			continue
		}
		value, err := a.typ.ValueFromTerraform(ctx, members[a.name])
		if err != nil {
			return nil, err
		}
		c = append(c, criterion{a.name, plain(ctx, value), a.condition})
	}
	return c, nil
}

// lowered lets a description follow a colon: names and abbreviations keep their
// capitals.
func lowered(s string) string {
	word, _, _ := strings.Cut(s, " ")
	for i, r := range word {
		if i > 0 && (unicode.IsUpper(r) || r == '\'') {
			return s
		}
	}
	return strings.ToLower(word) + s[len(word):]
}
