// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The resource of SmartX's older provider that can be moved here.
const (
	olderNamespace     = "smartxworks"
	olderProvider      = "cloudtower"
	olderType          = "cloudtower_vm"
	olderSchemaVersion = 0 // that of all its releases
)

// MoveState takes over VMs of SmartX's older provider, by
//
//	moved {
//	  from = cloudtower_vm.x
//	  to   = elf_vm.x
//	}
//
// Every other source is left to the framework, which says that it is none.
func (r *Resource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: moveCloudTowerVM}}
}

// moveCloudTowerVM takes from the older state what says which VM it is. All else
// is read from Tower by the refresh that follows or, without one, by the plan.
func moveCloudTowerVM(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if req.SourceTypeName != olderType || !isOlderProvider(req.SourceProviderAddress) {
		return
	}
	if req.SourceSchemaVersion != olderSchemaVersion {
		resp.Diagnostics.AddError("Unable to move the state of a VM",
			fmt.Sprintf("The state of %s was written in version %d of its schema; only version %d, that of its releases 0.1, is known. %s",
				olderType, req.SourceSchemaVersion, olderSchemaVersion, importInstead("the VM's id")))
		return
	}
	older, err := readOlderVM(req.SourceRawState)
	if err != nil {
		resp.Diagnostics.AddError("Unable to move the state of a VM",
			fmt.Sprintf("The state of %s can't be read: %s. %s", olderType, err, importInstead("the VM's id")))
		return
	}
	if older.id == "" {
		resp.Diagnostics.AddError("Unable to move the state of a VM",
			fmt.Sprintf("The state of %s %q holds no id, so its VM can't be found: its create never came to an end. "+
				"If Tower has the VM: %s If it has none: remove the moved block and, with `terraform state rm`, the old entry; then %s is created anew.",
				olderType, older.name, importInstead("cluster-name/vm-name"), ResourceType))
		return
	}
	resp.Diagnostics.Append(older.write(ctx, resp)...)
}

// importInstead says what does without the older state.
func importInstead(id string) string {
	return fmt.Sprintf("Remove the moved block, take the old entry out of the state (`terraform state rm`), and take the VM over with an import block (to = %s.…, id = %s).", ResourceType, id)
}

// isOlderProvider tells the older provider by its address, from whatever
// registry or mirror it came.
func isOlderProvider(address string) bool {
	parts := strings.Split(address, "/")
	return len(parts) == 3 && parts[1] == olderNamespace && parts[2] == olderProvider
}

// olderVM is what is needed of a state of the older provider.
type olderVM struct {
	id, name, clusterID string
}

// readOlderVM reads a state of any release: what it has besides does not matter.
func readOlderVM(raw *tfprotov6.RawState) (olderVM, error) {
	if raw == nil || len(raw.JSON) == 0 {
		return olderVM{}, fmt.Errorf("it is not in JSON")
	}
	var attributes map[string]any
	if err := json.Unmarshal(raw.JSON, &attributes); err != nil {
		return olderVM{}, err
	}
	text := func(name string) string {
		s, _ := attributes[name].(string)
		return s
	}
	return olderVM{id: text("id"), name: text("name"), clusterID: text("cluster_id")}, nil
}

// write makes the state of elf_vm. How a VM is stopped and deleted takes effect
// even where it is destroyed next, so that it has the defaults.
func (v olderVM) write(ctx context.Context, resp *resource.MoveStateResponse) diag.Diagnostics {
	var diags diag.Diagnostics
	set := func(name string, value any) {
		diags.Append(resp.TargetState.SetAttribute(ctx, path.Root(name), value)...)
	}
	set("id", v.id)
	for name, value := range map[string]string{"name": v.name, "cluster_id": v.clusterID} {
		if value != "" {
			set(name, value)
		}
	}
	set("shutdown_timeout", defaultShutdownTimeout)
	set("force_power_off", true)
	set("delete_mode", deletePermanent)
	set("delete_snapshots", false)
	diags.Append(identify(ctx, resp.TargetIdentity, types.StringValue(v.id))...)
	diags.Append(record{Takeover: takeoverUnread}.save(ctx, resp.TargetPrivate)...)
	return diags
}
