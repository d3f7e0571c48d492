// SPDX-License-Identifier: MPL-2.0

package managed

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// CheckName looks before the first write: it reports whether cluster_id is Tower's
// id of a cluster and no object of the kind has the name there, and adds an error
// where it is not so. An earlier apply may have been killed after it made the
// object, and another one must not be made.
func (op *Operation[T]) CheckName(ctx context.Context, clusterID, name types.String) bool {
	if !op.checkCluster(ctx, clusterID.ValueString()) {
		return false
	}
	found, err := op.base.kind.Find(ctx, op.Client, lookup.Filters{"cluster_id": clusterID.ValueString(), "name": name.ValueString()})
	if err != nil {
		op.Fail(fmt.Errorf("looking up whether the name is free: %w", err))
		return false
	}
	for _, object := range found {
		id, _ := op.base.kind.Key(object)
		op.base.AddNameTaken(op.diags, op.name, id, "")
	}
	return len(found) == 0
}

func (op *Operation[T]) checkCluster(ctx context.Context, id string) bool {
	at := path.Root("cluster_id")
	cluster, err := op.Client.Cluster(ctx, id)
	switch {
	case errors.Is(err, tower.ErrNotFound):
		diagx.AddNotFound(op.diags, at, "cluster", id)
	case err != nil:
		op.Fail(fmt.Errorf("looking for the cluster: %w", err))
	case cluster.ID != id:
		op.diags.AddAttributeError(at, "Invalid cluster_id", fmt.Sprintf("%q is not Tower's id of the cluster, but the id that the cluster has given itself. Use %q.", id, cluster.ID))
	default:
		return true
	}
	return false
}

// Created takes over an object that Tower is creating: it is saved, waited for, and
// saved as it has come to be. Where err is not nil, it says why there is none.
//
// What goes wrong in between must not lose the object, nor taint a good one, which
// the next apply would destroy: a create that is cancelled ends with a warning, and
// one that failed leaves nothing, since Tower removes the record.
func (op *Operation[T]) Created(ctx context.Context, creation *tower.Creation[T], err error) {
	if err != nil {
		op.Fail(err)
		return
	}
	defer creation.Release()
	if creation.Adopted {
		op.diags.AddWarning(fmt.Sprintf("%s %q was adopted after a lost reply", diagx.Capitalise(op.base.Object), op.name),
			fmt.Sprintf("The connection to Tower broke while the %[1]s was being created. Its name was free before and %[1]s %[2]s has appeared since, so it is taken for the new one. Nothing was created twice.",
				op.base.Object, creation.ID))
	}
	op.saveEarly(ctx, creation.ID)
	object, err := creation.Wait(ctx)
	var failed *tower.TaskError
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		op.diags.AddWarning(fmt.Sprintf("Creation of %s %q cancelled", op.base.Object, op.name),
			fmt.Sprintf("The create was cancelled while Tower was still at it. The %s %s is kept and in the state; the next apply goes on with it in place.", op.base.Object, creation.ID))
	case errors.As(err, &failed) || errors.Is(err, tower.ErrNotFound):
		op.state.RemoveResource(ctx)
		op.Fail(err)
	case err != nil:
		op.Fail(fmt.Errorf("waiting for the %s %s, which is kept in the state: %w", op.base.Object, creation.ID, err))
	default:
		op.Save(ctx, object, nil)
	}
}

// saveEarly writes a new object to the state before the first wait: an error, a
// crash or Ctrl-C from then on must leave an object that Terraform knows. What the
// plan does not know yet is null.
func (op *Operation[T]) saveEarly(ctx context.Context, id string) {
	known, err := tftypes.Transform(op.plan.Raw, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if !v.IsKnown() {
			return tftypes.NewValue(v.Type(), nil), nil
		}
		return v, nil
	})
	if err != nil {
		diagx.AddBug(op.diags, "Unreadable plan", err.Error())
		return
	}
	op.state.Raw = known
	op.diags.Append(op.state.SetAttribute(ctx, path.Root("id"), id)...)
	op.diags.Append(Identify(ctx, op.identity, types.StringValue(id))...)
}

// AddNameTaken says that the object with the id has the name already, and how to
// take it over. About tells more of it, in words that follow the id.
func (r *Resource) AddNameTaken(diags *diag.Diagnostics, name, id, about string) {
	diags.AddAttributeError(path.Root("name"), diagx.Summary("create", r.Object, name),
		fmt.Sprintf("The cluster has a %[1]s of this name already: id %[2]s%[3]s. Nothing was created.\n\n"+
			"If it is the %[1]s that this configuration describes (an earlier apply may have been killed), take it over with an import block, "+
			"in which the address is that of this resource:\n\n  import {\n    to = %[4]s.example\n    id = %[2]q\n  }\n\nIf this %[1]s is to replace it with create_before_destroy: "+
			"a name can't be taken twice in a cluster, so leave create_before_destroy out or change the name with it. Otherwise choose another name.",
			r.Object, id, about, r.Name))
}
