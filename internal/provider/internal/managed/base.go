// SPDX-License-Identifier: MPL-2.0

package managed

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/lookup"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Base is embedded by a resource whose objects can be looked up, too, and which
// the client returns as T. It implements all methods of a resource but Schema,
// Create, Read, Update and Delete, and its list resource.
type Base[T tower.Object] struct {
	Resource

	kind  lookup.Kind[T]
	get   func(*tower.Client, context.Context, string) (*T, error)
	model func() Model[T]
}

// NewBase returns what the resource of a kind with the model M embeds. Get reads
// an object by Tower's id or its local id: a method of the client.
func NewBase[M any, T tower.Object, P interface {
	*M
	Model[T]
}](kind lookup.Kind[T], get func(*tower.Client, context.Context, string) (*T, error)) Base[T] {
	return Base[T]{Resource: Resource{Name: kind.Name, Object: kind.Object}, kind: kind, get: get, model: func() Model[T] { return P(new(M)) }}
}

// IdentitySchema describes the identity: Tower's id of the object.
func (r *Base[T]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = IdentitySchema(r.Object)
}

// BeginCreate reads the plan of an object that is to be created.
//
// The caller of this and the other Begin methods defers End, makes its requests
// under the context, which obeys the resource's timeouts, and returns at once
// where the operation has Failed.
func (r *Base[T]) BeginCreate(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse, plan Model[T]) (context.Context, *Operation[T]) {
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	op := &Operation[T]{base: r, verb: "create", model: plan, plan: req.Plan, diags: &resp.Diagnostics, state: &resp.State, identity: resp.Identity}
	return op.begin(ctx, plan.Common().Timeouts.Create, ChangeTimeout)
}

// BeginRead reads the state of an object that is to be refreshed.
func (r *Base[T]) BeginRead(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse, state Model[T]) (context.Context, *Operation[T]) {
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	op := &Operation[T]{base: r, verb: "read", model: state, diags: &resp.Diagnostics, state: &resp.State, identity: resp.Identity}
	// Also for an object that is gone: the framework wants an identity, which a
	// state from before there were any does not have.
	resp.Diagnostics.Append(Identify(ctx, resp.Identity, state.Common().ID)...)
	return op.begin(ctx, state.Common().Timeouts.Read, ReadTimeout)
}

// BeginUpdate reads the plan of an object that is to be changed. Its id is that of
// the state.
func (r *Base[T]) BeginUpdate(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse, plan Model[T]) (context.Context, *Operation[T]) {
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	op := &Operation[T]{base: r, verb: "update", model: plan, diags: &resp.Diagnostics, state: &resp.State, identity: resp.Identity}
	return op.begin(ctx, plan.Common().Timeouts.Update, ChangeTimeout)
}

// BeginDelete reads the state of an object that is to be deleted.
func (r *Base[T]) BeginDelete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse, state Model[T]) (context.Context, *Operation[T]) {
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	op := &Operation[T]{base: r, verb: "delete", model: state, diags: &resp.Diagnostics, state: &resp.State, identity: resp.Identity}
	return op.begin(ctx, state.Common().Timeouts.Delete, ChangeTimeout)
}
