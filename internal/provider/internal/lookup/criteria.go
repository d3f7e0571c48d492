// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Condition is what Tower is asked for a filter with this value: a string,
// int64, bool, []string or map[string]string.
type Condition func(value any) tower.Where

// Equal compares a field of Tower's filter with the value: "type", "name_in".
func Equal(field string) Condition {
	return func(value any) tower.Where { return tower.Where{field: value} }
}

// ByID compares the id or the local id of a related object, which a path of
// relations leads to: "vds", "cluster". Without a path it is the object itself.
func ByID(relations ...string) Condition {
	return func(value any) tower.Where {
		where := tower.AnyID(fmt.Sprint(value))
		for _, relation := range slices.Backward(relations) {
			where = tower.Where{relation: where}
		}
		return where
	}
}

// criterion is a filter that is set.
type criterion struct {
	name      string
	value     any
	condition Condition
}

type criteria []criterion

func (c criteria) where() tower.Where {
	all := make([]tower.Where, 0, len(c))
	for _, criterion := range c {
		all = append(all, criterion.condition(criterion.value))
	}
	return tower.All(all...)
}

func (c criteria) has(name string) bool {
	return slices.ContainsFunc(c, func(criterion criterion) bool { return criterion.name == name })
}

// names splits the criteria into the texts that are compared with the name, and
// the other criteria.
func (c criteria) names() (wanted []string, others criteria) {
	for _, criterion := range c {
		switch criterion.name {
		case "name", "name_contains":
			wanted = append(wanted, fmt.Sprint(criterion.value))
		case "name_in":
			names, _ := criterion.value.([]string)
			wanted = append(wanted, names...)
		default:
			others = append(others, criterion)
		}
	}
	return wanted, others
}

// String writes the criteria as they stand in a configuration: name = "a" and
// cluster_id = "b".
func (c criteria) String() string {
	parts := make([]string, 0, len(c))
	for _, criterion := range c {
		parts = append(parts, criterion.name+" = "+written(criterion.value))
	}
	return strings.Join(parts, " and ")
}

// written is a value as it stands in a configuration.
func written(value any) string {
	switch value := value.(type) {
	case string:
		return strconv.Quote(value)
	case []string:
		return "[" + quoted(value) + "]"
	}
	text, _ := json.Marshal(value) // of a map of strings, a number or a truth value, which can't fail
	return string(text)
}

func quoted(texts []string) string {
	parts := make([]string, 0, len(texts))
	for _, text := range texts {
		parts = append(parts, strconv.Quote(text))
	}
	return strings.Join(parts, ", ")
}

// plain is the Go value of a filter that is known.
func plain(ctx context.Context, value attr.Value) any {
	switch value := value.(type) {
	case types.String:
		return value.ValueString()
	case types.Int64:
		return value.ValueInt64()
	case types.Bool:
		return value.ValueBool()
	case types.Map:
		return attrs.Map(value)
	case types.List:
		// A validator has refused null elements, and the rest are strings.
		texts, _ := attrs.Strings(ctx, value)
		return texts
	}
	return nil
}
