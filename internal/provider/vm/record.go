// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
)

// recordKey is where the private state holds the record.
const recordKey = "record"

// recordVersion is the version of the record that this build writes. It grows
// when a member changes its meaning; a new member needs no new version.
const recordVersion = 1

// record is what the provider has to remember of a VM beside its state, in
// Terraform's private state. It describes the state beside it, so it is saved
// only together with that.
type record struct {
	Version int `json:"version"`
	// Takeover is how far the takeover of a VM that was not created here has come.
	Takeover takeoverStage `json:"takeover,omitempty"`
	// StartPending says that a failed change has left the VM off, or about to go
	// off, although nobody wanted it off. The next apply then starts it, whatever
	// else it does, unless it has run meanwhile.
	StartPending bool `json:"start_pending,omitempty"`
	// Volumes says whose the VM's volumes are.
	Volumes ownership `json:"volumes"`
}

// recordReader is the part of the framework's private state that is read.
type recordReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// recordWriter is the part of the framework's private state that is written to.
type recordWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// readRecord reads the record, also as builds before version 1 wrote it. It is
// empty where there is none.
func readRecord(ctx context.Context, private recordReader) (record, diag.Diagnostics) {
	value, diags := private.GetKey(ctx, recordKey)
	if diags.HasError() {
		return record{}, diags
	}
	if len(value) == 0 {
		return readOlderRecord(ctx, private)
	}
	var r record
	if err := json.Unmarshal(value, &r); err != nil {
		diagx.AddBug(&diags, "Unreadable private state", "The record beside the state of the VM can't be read: "+err.Error())
		return record{}, diags
	}
	if r.Version > recordVersion {
		diags.AddError("State of a newer provider",
			fmt.Sprintf("The state of the VM was written by a newer version of the elf provider (its record has version %d, and this provider knows %d at most). Use that version, or a newer one.", r.Version, recordVersion))
	}
	return r, diags
}

// save writes the record in place of what older builds wrote.
func (r record) save(ctx context.Context, private recordWriter) diag.Diagnostics {
	r.Version = recordVersion
	var diags diag.Diagnostics
	value, err := json.Marshal(r)
	if err != nil {
		diagx.AddBug(&diags, "Private state not written", err.Error())
		return diags
	}
	diags.Append(private.SetKey(ctx, recordKey, value)...)
	for _, key := range []string{olderTakeoverKey, olderStartKey, olderVolumesKey} {
		diags.Append(private.SetKey(ctx, key, nil)...)
	}
	return diags
}

// The keys under which builds before version 1 kept the members of the record.
const (
	olderTakeoverKey = "imported"   // "unread", true: unapplied, false: applied
	olderStartKey    = "owes_start" // true or false
	olderVolumesKey  = "volumes"    // an ownership
)

// readOlderRecord reads what builds before version 1 wrote.
func readOlderRecord(ctx context.Context, private recordReader) (record, diag.Diagnostics) {
	var (
		r        record
		takeover any
		diags    diag.Diagnostics
	)
	for _, member := range []struct {
		key string
		to  any
	}{{olderTakeoverKey, &takeover}, {olderStartKey, &r.StartPending}, {olderVolumesKey, &r.Volumes}} {
		value, d := private.GetKey(ctx, member.key)
		diags.Append(d...)
		if len(value) == 0 {
			continue
		}
		if err := json.Unmarshal(value, member.to); err != nil {
			diagx.AddBug(&diags, "Unreadable private state", fmt.Sprintf("%q beside the state of the VM can't be read: %s", member.key, err))
		}
	}
	switch takeover {
	case "unread":
		r.Takeover = takeoverUnread
	case true:
		r.Takeover = takeoverUnapplied
	case false:
		r.Takeover = takeoverApplied
	}
	return r, diags
}
