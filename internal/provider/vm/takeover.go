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

// takeoverStage is how far the takeover of a VM has come that was not created
// here but imported, or moved here from a resource of another provider. What the
// state of such a VM lacks is null because nobody knows it, not because the
// configuration left it out.
type takeoverStage string

const (
	notTakenOver      takeoverStage = ""          // created here
	takeoverUnread    takeoverStage = "unread"    // the state holds ids only: nothing has been read from Tower yet
	takeoverUnapplied takeoverStage = "unapplied" // read, but no configuration has been applied since
	takeoverApplied   takeoverStage = "applied"   // applied since; how the VM was created stays unknown
)

// unread reports whether the state still lacks what Tower can tell.
func (s takeoverStage) unread() bool { return s == takeoverUnread }

// unapplied reports whether no configuration has been applied since the takeover.
func (s takeoverStage) unapplied() bool { return s == takeoverUnread || s == takeoverUnapplied }

// after is the stage once the first read is done and an update has ended with err.
func (s takeoverStage) after(err error) takeoverStage {
	switch {
	case !s.unapplied():
		return s
	case err != nil:
		return takeoverUnapplied
	}
	return takeoverApplied
}

// nullMeansUnknown says in which parts of the state a null means "not known"
// rather than "left out of the configuration".
type nullMeansUnknown struct {
	creation bool // source, cloud_init: how the VM was created, for good
	vm, nics bool // the rest of the VM and its NICs, until the next apply
}

// nullMeansUnknown is that of a VM at this stage. nicsRead says that its NICs have
// just been read from Tower, because the state had none.
func (s takeoverStage) nullMeansUnknown(nicsRead bool) nullMeansUnknown {
	return nullMeansUnknown{creation: s != notTakenOver, vm: s.unapplied(), nics: s.unapplied() || nicsRead}
}

// readTakenOver reads what the state of a VM lacks that was taken over. It is needed where a
// plan follows a move without a refresh.
func (r *Resource) readTakenOver(ctx context.Context, client *tower.Client, state *model, owns *ownership) diag.Diagnostics {
	var diags diag.Diagnostics
	vm, err := client.VM(ctx, state.ID.ValueString())
	switch {
	case errors.Is(err, tower.ErrNotFound):
		err = fmt.Errorf("the VM of the imported or moved state is gone; let Terraform refresh the state, without -refresh=false: %w", err)
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

// leaveComputedUnknown makes every attribute that the configuration leaves to the
// provider unknown in the plan of a VM whose state has not been read: what was
// looked up for the plan may have changed when it is applied.
func leaveComputedUnknown(config tfsdk.Config, plan *tfsdk.Plan) diag.Diagnostics {
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
