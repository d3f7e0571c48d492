// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// takeoverKey holds, in the private state, how far a VM has been taken over that
// was not created here.
const takeoverKey = "imported"

// takeover tells how far a VM that was imported, or moved from a resource of
// another provider, has been taken over. What the state of such a VM lacks is
// null because nobody knows it, not because the configuration left it out. Its
// values are JSON, as the private state wants them.
type takeover string

const (
	takeoverNone    takeover = ""         // created here
	takeoverUnread  takeover = `"unread"` // Tower has not been asked for it since
	takeoverFresh   takeover = `true`     // not applied since
	takeoverApplied takeover = `false`    // applied since; how it was created stays unknown
)

// unread tells that the state lacks what Tower can tell, too.
func (t takeover) unread() bool { return t == takeoverUnread }

// fresh tells that the configuration has not been applied since.
func (t takeover) fresh() bool { return t == takeoverUnread || t == takeoverFresh }

// origin tells of which parts of the state a null member is not known rather
// than left out.
type origin struct {
	created  bool // how the VM was created, for good
	vm, nics bool // until the next apply
}

// origin is that of a VM whose NICs may have been adopted from Tower just now.
func (t takeover) origin(adopted bool) origin {
	return origin{created: t != takeoverNone, vm: t.fresh(), nics: t.fresh() || adopted}
}

// privateState is the part of the framework's private state that is needed.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// keySetter is the part of the framework's private state that is written to.
type keySetter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func takeoverFrom(ctx context.Context, private privateState) (takeover, diag.Diagnostics) {
	value, diags := private.GetKey(ctx, takeoverKey)
	return takeover(value), diags
}

func (t takeover) save(ctx context.Context, private keySetter) diag.Diagnostics {
	return private.SetKey(ctx, takeoverKey, []byte(t))
}

// catchUp reads what the state of a VM lacks that was taken over and not read
// since: a plan that follows a move may do without the refresh.
func (r *Resource) catchUp(ctx context.Context, client *tower.Client, state *model, owns *ownership) diag.Diagnostics {
	var diags diag.Diagnostics
	vm, err := client.VM(ctx, state.ID.ValueString())
	switch {
	case errors.Is(err, tower.ErrNotFound):
		err = fmt.Errorf("the VM that the state was taken over of is gone; let Terraform refresh the state, without -refresh=false: %w", err)
	case err == nil && vm.InRecycleBin:
		err = errors.New("the VM is in the recycle bin; restore it in Tower first, or let Terraform refresh the state, without -refresh=false, to drop it")
	}
	if err != nil {
		diagx.AddError(&diags, "read", object, state.Name.ValueString(), err)
		return diags
	}
	diags.Append(r.observe(ctx, client, vm, state, owns, true)...)
	return diags
}

// promiseNothing makes all that the configuration leaves to the provider unknown
// in the plan of a VM whose state has not been read: what was looked up for the
// plan may be another thing when it is applied.
func promiseNothing(config tfsdk.Config, plan *tfsdk.Plan) diag.Diagnostics {
	var diags diag.Diagnostics
	configured, planned := map[string]tftypes.Value{}, map[string]tftypes.Value{}
	err := errors.Join(config.Raw.As(&configured), plan.Raw.As(&planned))
	if err != nil {
		diags.AddError("Unreadable plan", err.Error()+". This is a bug in the provider; please report it.")
		return diags
	}
	for name, attribute := range plan.Schema.GetAttributes() {
		if attribute.IsComputed() && configured[name].IsNull() && planned[name].IsNull() {
			planned[name] = tftypes.NewValue(planned[name].Type(), tftypes.UnknownValue)
		}
	}
	plan.Raw = tftypes.NewValue(plan.Raw.Type(), planned)
	return diags
}
