// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func folderAttribute() schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Tower's id of the VM folder that the VM is in; `\"\"` takes it out of any. Where absent, it stays where it is. Changed in place.",
	}
}

func hostAttribute() schema.Attribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Tower's id of the host that the VM is to be on. Changing it migrates the VM: live while it runs, else cold. " +
			"Where absent, Tower chooses the host and moves the VM as it likes, and this stays null, after an import or a move too unless the VM has GPU devices, which tie it to its host.",
		Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}

func placementGroupAttribute() schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Tower's id of the VM placement group that the VM is a member of; `\"\"` takes it out of any. Where absent, it stays a member of what it is in. " +
			"Changed in place. A group whose members are managed as a whole elsewhere should not be named here.",
	}
}

func ownerAttribute() schema.Attribute {
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "The user who owns the VM: the user's name (for a user of a directory `<name>_<auth_config_id>`) or id. " +
			"Tower does not tell the owner, so a change made elsewhere is not seen. Changed in place.",
		Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}

// towerID is what Tower's own ids look like.
var towerID = regexp.MustCompile(`^c[a-z0-9]{24}$`)

// ownerOf tells a user's id from a user's name.
func ownerOf(v types.String) *tower.Owner {
	if !attrs.IsKnown(v) {
		return nil
	}
	owner := tower.Owner{SearchFor: tower.OwnerByUsername, Value: v.ValueString()}
	if towerID.MatchString(owner.Value) {
		owner.SearchFor = tower.OwnerByID
	}
	return &owner
}

// placeIn says where the create call is to put the VM.
func (m *model) placeIn(in *tower.VMCreate) {
	if id := m.FolderID.ValueString(); id != "" {
		in.FolderID = &id
	}
	in.HostID = attrs.StringPtr(m.HostID)
	in.Owner = ownerOf(m.Owner)
	in.PlacementGroupID = m.PlacementGroupID.ValueString()
}

// fillPlacement writes where Tower shows the VM. The host is of interest only
// where the configuration chooses it.
func (m *model) fillPlacement(vm *tower.VM) {
	m.FolderID = shownID(m.FolderID, vm.FolderID)
	if !m.HostID.IsNull() && vm.HostID != "" {
		m.HostID = types.StringValue(vm.HostID)
	}
	group := ""
	if len(vm.PlacementGroupIDs) > 0 {
		group = vm.PlacementGroupIDs[0]
	}
	if slices.Contains(vm.PlacementGroupIDs, m.PlacementGroupID.ValueString()) {
		group = m.PlacementGroupID.ValueString()
	}
	m.PlacementGroupID = shownID(m.PlacementGroupID, group)
}

// shownID is an id as Tower shows it. None is "" where that was asked for, else
// null.
func shownID(prior types.String, shown string) types.String {
	if shown == "" && attrs.IsKnown(prior) && prior.ValueString() == "" {
		return prior
	}
	return attrs.StringOrNull(shown)
}

// fillComputedPlacement keeps what the configuration leaves alone.
func fillComputedPlacement(config, plan, state *model) {
	if config.FolderID.IsNull() {
		plan.FolderID = state.FolderID
	}
	if config.PlacementGroupID.IsNull() {
		plan.PlacementGroupID = state.PlacementGroupID
	}
}

// checkPlacement refuses, at plan, a host, folder or placement group that does
// not exist or is of another cluster. What can't be looked up is left for the
// apply.
func (r *Resource) checkPlacement(ctx context.Context, plan, state *model, diags *diag.Diagnostics) {
	client, ok := r.data.TryClient()
	if !ok {
		return
	}
	for _, ref := range []struct {
		name, what     string
		planned, prior types.String
		read           func(id string) (canonical, clusterID string, err error)
	}{
		{"host_id", "host", plan.HostID, state.HostID, func(id string) (string, string, error) {
			found, err := client.Host(ctx, id)
			if err != nil {
				return "", "", err
			}
			return found.ID, found.ClusterID, nil
		}},
		{"folder_id", "VM folder", plan.FolderID, state.FolderID, func(id string) (string, string, error) {
			found, err := client.VMFolder(ctx, id)
			if err != nil {
				return "", "", err
			}
			return found.ID, found.ClusterID, nil
		}},
		{"placement_group_id", "VM placement group", plan.PlacementGroupID, state.PlacementGroupID, func(id string) (string, string, error) {
			found, err := client.PlacementGroup(ctx, id)
			if err != nil {
				return "", "", err
			}
			return found.ID, found.ClusterID, nil
		}},
	} {
		id := ref.planned.ValueString()
		if id == "" || ref.planned.Equal(ref.prior) {
			continue
		}
		canonical, clusterID, err := ref.read(id)
		at := path.Root(ref.name)
		switch {
		case errors.Is(err, tower.ErrNotFound):
			diags.AddAttributeError(at, fmt.Sprintf("No such %s", ref.what),
				fmt.Sprintf("Tower has no %s with the id %q, or this user may not see it. Check the id.", ref.what, id))
		case err != nil:
		case canonical != id:
			diags.AddAttributeError(at, "Not Tower's id", fmt.Sprintf("%q is the id of the %s inside its cluster. Use Tower's id, %q.", id, ref.what, canonical))
		case attrs.IsKnown(plan.ClusterID) && clusterID != "" && clusterID != plan.ClusterID.ValueString():
			diags.AddAttributeError(at, fmt.Sprintf("%s of another cluster", diagx.Capitalise(ref.what)),
				fmt.Sprintf("The %s %s belongs to the cluster %s, not to that of the VM, %s. Choose one of the VM's cluster.", ref.what, id, clusterID, plan.ClusterID.ValueString()))
		}
	}
}

// applyFolder moves the VM into the folder that is planned.
func applyFolder(ctx context.Context, client *tower.Client, plan, applied *model) error {
	if plan.FolderID.IsUnknown() || plan.FolderID.Equal(applied.FolderID) {
		return nil
	}
	if plan.FolderID.ValueString() != applied.FolderID.ValueString() {
		if err := client.SetVMFolder(ctx, applied.ID.ValueString(), plan.FolderID.ValueString()); err != nil {
			return fmt.Errorf("moving the VM to another folder: %w", err)
		}
	}
	applied.FolderID = plan.FolderID
	return nil
}

// applyGroup makes the VM a member of the placement group that is planned.
func applyGroup(ctx context.Context, client *tower.Client, plan, applied *model) error {
	if plan.PlacementGroupID.IsUnknown() || plan.PlacementGroupID.Equal(applied.PlacementGroupID) {
		return nil
	}
	if group := plan.PlacementGroupID.ValueString(); group != applied.PlacementGroupID.ValueString() {
		vm, err := client.VM(ctx, applied.ID.ValueString())
		if err == nil {
			err = client.SetVMPlacementGroup(ctx, vm, group)
		}
		if err != nil {
			return fmt.Errorf("changing the placement group of the VM: %w", err)
		}
	}
	applied.PlacementGroupID = plan.PlacementGroupID
	return nil
}

// applyPlacement brings the VM to the folder, owner and placement group of the
// plan, before it may change its host, which the rules of the group must allow.
// An owner that comes with the configuration of an imported VM is taken for the
// one that it has.
func applyPlacement(ctx context.Context, client *tower.Client, keepOwner bool, plan, applied *model) error {
	if err := applyFolder(ctx, client, plan, applied); err != nil {
		return err
	}
	if owner := ownerOf(plan.Owner); owner != nil && !plan.Owner.Equal(applied.Owner) && !keepOwner {
		if err := client.SetVMOwner(ctx, applied.ID.ValueString(), *owner); err != nil {
			return fmt.Errorf("changing the owner of the VM: %w", err)
		}
	}
	applied.Owner = plan.Owner
	return applyGroup(ctx, client, plan, applied)
}

// applyHost migrates the VM to the host that is planned: live while it runs.
func applyHost(ctx context.Context, client *tower.Client, plan, applied *model) error {
	if attrs.IsKnown(plan.HostID) && !plan.HostID.Equal(applied.HostID) {
		if err := client.MigrateVM(ctx, applied.ID.ValueString(), plan.HostID.ValueString()); err != nil {
			return fmt.Errorf("migrating the VM: %w", err)
		}
	}
	applied.HostID = plan.HostID
	return nil
}

// warnKeptOwner says that the owner which comes with the configuration of an
// imported VM is not sent.
func warnKeptOwner(plan, state *model, diags *diag.Diagnostics) {
	if !state.Owner.IsNull() || plan.Owner.IsNull() {
		return
	}
	diags.AddAttributeWarning(path.Root("owner"), fmt.Sprintf("Owner of VM %q stays", plan.Name.ValueString()),
		"Tower does not tell who owns a VM that was imported or moved, so the owner that is configured now is taken for the one that it has, and nothing is sent. "+
			"Where it is another one, apply this first, then remove owner and set it again, or change it in Tower.")
}
