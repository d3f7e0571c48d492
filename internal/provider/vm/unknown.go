// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
)

// known is the planned value, or the current one where that is not known.
func known[T attr.Value](planned, current T) T {
	if planned.IsUnknown() {
		return current
	}
	return planned
}

// unknown is the planned value where that is not known, else the current one.
func unknown[T attr.Value](planned, current T) T {
	if planned.IsUnknown() {
		return planned
	}
	return current
}

// save writes the model into a state, which can't hold what is not known yet:
// that becomes null, or an empty list of addresses. So what has been created can
// be saved before all of it is known.
func (m *model) save(ctx context.Context, to *tfsdk.State) diag.Diagnostics {
	return m.saveKnown(ctx, to, nil)
}

// saveOver is save, but attributes that are not known keep the value that they
// have in the state.
func (m *model) saveOver(ctx context.Context, to *tfsdk.State) diag.Diagnostics {
	prior := map[string]tftypes.Value{}
	if err := to.Raw.As(&prior); err != nil {
		var diags diag.Diagnostics
		diagx.AddBug(&diags, "Unreadable state", err.Error())
		return diags
	}
	return m.saveKnown(ctx, to, prior)
}

func (m *model) saveKnown(ctx context.Context, to *tfsdk.State, prior map[string]tftypes.Value) diag.Diagnostics {
	saved := *to
	diags := saved.Set(ctx, m)
	if diags.HasError() {
		return diags
	}
	raw, err := tftypes.Transform(saved.Raw, func(at *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if value.IsKnown() {
			return value, nil
		}
		name, _ := at.LastStep().(tftypes.AttributeName)
		if before, ok := prior[string(name)]; ok && len(at.Steps()) == 1 {
			return before, nil
		}
		if name == "ip_addresses" {
			return tftypes.NewValue(value.Type(), []tftypes.Value{}), nil
		}
		return tftypes.NewValue(value.Type(), nil), nil
	})
	if err != nil {
		diagx.AddBug(&diags, "State not written", err.Error())
		return diags
	}
	to.Raw = raw
	return diags
}
