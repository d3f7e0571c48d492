// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func labelsAttribute() schema.Attribute {
	return schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Labels of the VM by their keys; `\"\"` is a label without a value. Only keys that are set here (or by `default_labels` of the provider) are managed: " +
			"labels with other keys, which people or programs put on the VM, stay and are no drift. A key has one value. Changed in place.",
		Validators: []validator.Map{mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)), mapvalidator.NoNullValues()},
	}
}

func labelsAllAttribute() schema.Attribute {
	return schema.MapAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "All labels that are managed: `labels`, and those of the provider's `default_labels` whose keys are not in `labels`.",
	}
}

// labelsAll is what labels_all comes to with the configured labels: unknown as
// long as any of it is.
func (r *Resource) labelsAll(configured types.Map) types.Map {
	defaults := types.MapNull(types.StringType)
	if r.data != nil {
		defaults = r.data.DefaultLabels
	}
	all := map[string]string{}
	for _, labels := range []types.Map{defaults, configured} {
		if labels.IsUnknown() {
			return types.MapUnknown(types.StringType)
		}
		for key, value := range labels.Elements() {
			text, ok := value.(types.String)
			if !ok || text.IsUnknown() {
				return types.MapUnknown(types.StringType)
			}
			all[key] = text.ValueString()
		}
	}
	return attrs.StringMap(all)
}

// labelChange is what brings a VM from the labels that are managed now to those
// that are planned. ok reports whether anything differs. Labels that an imported
// VM had before stay on it: somebody else may have put them there.
func labelChange(planned, current types.Map, keepOthers bool) (change tower.LabelChange, ok bool) {
	change.Set = attrs.Map(planned)
	before := attrs.Map(current)
	for key := range before {
		if _, keep := change.Set[key]; !keep && !keepOthers {
			change.Remove = append(change.Remove, key)
		}
	}
	return change, !maps.Equal(change.Set, before)
}

// applyLabels brings the VM's labels to the plan.
func (r *Resource) applyLabels(ctx context.Context, client *tower.Client, keepOthers bool, plan, applied *model) error {
	all := r.labelsAll(plan.Labels)
	if change, differs := labelChange(all, applied.LabelsAll, keepOthers); differs {
		vm, err := client.VM(ctx, applied.ID.ValueString())
		if err != nil {
			return fmt.Errorf("reading the labels of the VM: %w", err)
		}
		if err := client.ChangeVMLabels(ctx, vm, change); err != nil {
			return fmt.Errorf("changing the labels of the VM: %w", err)
		}
	}
	applied.Labels, applied.LabelsAll = plan.Labels, all
	return nil
}

// refreshLabels writes the values that the managed keys have in Tower. Other
// keys are somebody else's. An imported VM shows all of its labels.
func (m *model) refreshLabels(vm *tower.VM, defaults types.Map, keepOthers bool) {
	if keepOthers {
		all := map[string]string{}
		for _, l := range vm.Labels {
			all[l.Key] = l.Value
		}
		own := maps.Clone(all)
		for key, value := range attrs.Map(defaults) {
			if have, ok := own[key]; ok && have == value {
				delete(own, key)
			}
		}
		m.Labels, m.LabelsAll = types.MapNull(types.StringType), attrs.StringMap(all)
		if len(own) > 0 {
			m.Labels = attrs.StringMap(own)
		}
		return
	}
	m.Labels, m.LabelsAll = shownLabels(m.Labels, vm.Labels), shownLabels(m.LabelsAll, vm.Labels)
}

// shownLabels are the managed keys with the values that the VM has. Where it
// has another value beside the managed one, that is the one to see: the key is
// to have one.
func shownLabels(managed types.Map, labels []tower.Label) types.Map {
	if managed.IsNull() || managed.IsUnknown() {
		return managed
	}
	shown, wanted := map[string]string{}, attrs.Map(managed)
	for _, l := range labels {
		want, ours := wanted[l.Key]
		if have, seen := shown[l.Key]; ours && (!seen || have == want) {
			shown[l.Key] = l.Value
		}
	}
	return attrs.StringMap(shown)
}

// warnKeptLabels says that labels which an imported VM had before stay on it,
// although the plan shows them leaving the state.
func warnKeptLabels(plan, state *model, diags *diag.Diagnostics) {
	planned := attrs.Map(plan.LabelsAll)
	var kept []string
	for key := range attrs.Map(state.LabelsAll) {
		if _, keep := planned[key]; !keep {
			kept = append(kept, key)
		}
	}
	if plan.LabelsAll.IsUnknown() || len(kept) == 0 {
		return
	}
	slices.Sort(kept)
	diags.AddAttributeWarning(path.Root("labels"), fmt.Sprintf("Labels of VM %q stay", plan.Name.ValueString()),
		fmt.Sprintf("The VM had these labels when it was imported or moved, and the configuration does not name them: %s. They leave the state, not the VM: "+
			"only labels that an apply has set are removed. Remove them in Tower where they are not wanted.", strings.Join(kept, ", ")))
}
