// SPDX-License-Identifier: MPL-2.0

package managed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Model is a resource as Terraform holds it: a struct that embeds State or
// LocalState.
type Model[T any] interface {
	// Fill takes over what Tower shows of an object.
	Fill(object T)
	// Common returns the part of the model that all resources have.
	Common() *State
	// IDs returns the ids that lead to the object, Tower's id first. Those that are
	// not known are "".
	IDs() []string
}

// State is what the models of all resources embed.
type State struct {
	ID       types.String   `tfsdk:"id"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// Common implements Model.
func (s *State) Common() *State { return s }

// IDs implements Model.
func (s *State) IDs() []string { return []string{s.ID.ValueString()} }

// LocalState is State for objects that have an id inside their cluster, too.
type LocalState struct {
	State

	LocalID types.String `tfsdk:"local_id"`
}

// IDs implements Model.
func (s *LocalState) IDs() []string { return append(s.State.IDs(), s.LocalID.ValueString()) }

// FillIDs takes over the ids that Tower shows.
func (s *LocalState) FillIDs(id, localID string) {
	s.ID, s.LocalID = types.StringValue(id), types.StringValue(localID)
}

// Operation is a method of a resource that is under way.
type Operation[T tower.Object] struct {
	// Client makes the requests.
	Client *tower.Client

	base     *Base[T]
	verb     string
	name     string // of the object, in messages
	model    Model[T]
	plan     tfsdk.Plan // of a create
	diags    *diag.Diagnostics
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	cancel   context.CancelFunc
}

// begin takes the client, and lets the context end in time.
func (op *Operation[T]) begin(ctx context.Context, timeout Timeout, byDefault time.Duration) (context.Context, *Operation[T]) {
	named := op.state.GetAttribute
	if op.verb == "create" {
		named = op.plan.GetAttribute
	}
	var name types.String
	if d := named(ctx, path.Root("name"), &name); d.HasError() || name.ValueString() == "" {
		name = op.model.Common().ID // the objects of some kinds have no name, and imported ones have none yet
	}
	op.name = name.ValueString()
	ctx, op.Client, op.cancel = op.base.Begin(ctx, timeout, byDefault, op.diags)
	return ctx, op
}

// End ends the operation's context.
func (op *Operation[T]) End() { op.cancel() }

// Failed reports whether there is an error already.
func (op *Operation[T]) Failed() bool { return op.diags.HasError() }

// Find reads the object by Tower's id or by its local id, which stays where Tower
// gives the object a new one. A refresh looks a second time before it says that
// there is none: tower.ErrNotFound.
func (op *Operation[T]) Find(ctx context.Context) (*T, error) {
	ids := op.model.IDs()
	read := func(ctx context.Context, id string) (*T, error) { return op.base.get(op.Client, ctx, id) }
	if op.verb == "read" {
		return lookup.Twice(ctx, op.base.Data.PollInterval, read, ids[0], ids[1:]...)
	}
	return lookup.ByIDs(ctx, read, ids[0], ids[1:]...)
}

// Save writes the object as Tower shows it to the state, or says why the operation
// failed, where err is not nil. An object that a refresh does not find leaves the
// state.
func (op *Operation[T]) Save(ctx context.Context, object *T, err error) {
	switch {
	case op.verb == "read" && errors.Is(err, tower.ErrNotFound):
		op.state.RemoveResource(ctx)
	case err != nil:
		op.Fail(err)
	default:
		op.model.Fill(*object)
		op.diags.Append(op.state.Set(ctx, op.model)...)
		op.diags.Append(Identify(ctx, op.identity, op.model.Common().ID)...)
	}
}

// Refresh reads the object and writes it to the state.
func (op *Operation[T]) Refresh(ctx context.Context) {
	object, err := op.Find(ctx)
	op.Save(ctx, object, err)
}

// Updated refreshes the object after its change, or says why the change failed,
// where err is not nil.
func (op *Operation[T]) Updated(ctx context.Context, err error) {
	if err != nil {
		op.Fail(err)
		return
	}
	op.Refresh(ctx)
}

// Deleted says why a deletion failed, where err is not nil. That the object is
// gone already is a success.
func (op *Operation[T]) Deleted(err error) {
	if err != nil && !errors.Is(err, tower.ErrNotFound) {
		op.Fail(err)
	}
}

// Fail says why the operation failed.
func (op *Operation[T]) Fail(err error) {
	if id := op.model.Common().ID; id.ValueString() != "" {
		err = fmt.Errorf("%s %s: %w", op.base.Object, id.ValueString(), err)
	}
	diagx.AddError(op.diags, op.verb, op.base.Object, op.name, err)
}

// maxUsers is how many of the objects that need another one an error names.
const maxUsers = 10

// InUse is why an object can't be deleted: others need it, of which there are
// pages, or could not be looked up. It is nil where there are none.
func InUse[T any](what string, pages iter.Seq2[[]T, error], name func(T) string) error {
	var names []string
	for page, err := range pages {
		if err != nil {
			return fmt.Errorf("looking for %s: %w", what, err)
		}
		for _, other := range page {
			names = append(names, strconv.Quote(name(other)))
		}
		if len(names) > maxUsers {
			break
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	if len(names) > maxUsers {
		names = append(names[:maxUsers], "and more")
	}
	return fmt.Errorf("there are %s: %s. Nothing was deleted. Move or delete those first", what, strings.Join(names, ", "))
}
