// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// applyNICs removes, changes and adds NICs in Tower, and records each step in
// applied. NICs that the change leaves alone are not touched. The static addresses
// that the guest gets are left to configureNICs.
func (r *Resource) applyNICs(ctx context.Context, client *tower.Client, change nicsChange, plan, applied *model) (err error) {
	planned, diags := nicsFrom(ctx, plan.NICs)
	if diags.HasError() {
		return errors.New("the planned NICs can't be read")
	}
	for i, edit := range change.edits {
		if edit.guest != nil {
			planned[i].takeAddress(edit.prior)
		}
	}
	if !change.changesTower() {
		applied.NICs = plan.NICs
		return nil
	}
	id := applied.ID.ValueString()
	current := change.current()
	defer func() {
		if err != nil {
			// The state holds what has been applied so far.
			applied.NICs, _ = nicList(ctx, compact(current))
		}
	}()
	for k, nic := range change.removed {
		mac := nic.MACAddress.ValueString()
		if err := client.RemoveVMNIC(ctx, id, mac); err != nil {
			return fmt.Errorf("removing the NIC with the MAC address %s: %w", mac, err)
		}
		current[len(change.edits)+k] = nil
	}
	for i, edit := range change.edits {
		if edit.prior == nil || edit.device == (tower.NICUpdate{}) {
			continue
		}
		if err := client.UpdateVMNIC(ctx, id, edit.prior.MACAddress.ValueString(), edit.device); err != nil {
			return fmt.Errorf("changing NIC %d (MAC address %s): %w", i, edit.prior.MACAddress.ValueString(), err)
		}
		current[i] = &planned[i]
	}
	if err := r.addNICs(ctx, client, change, planned, current, applied); err != nil {
		return err
	}
	applied.NICs, diags = nicList(ctx, planned)
	return diagnosticsError(diags)
}

// takeAddress takes the static address of another NIC, none where that is nil.
func (n *nicModel) takeAddress(from *nicModel) {
	if from == nil {
		from = &nicModel{}
	}
	n.IPAddress, n.Netmask, n.Gateway = from.IPAddress, from.Netmask, from.Gateway
}

// current is the NICs as they are before the change: in the plan's order, nil for
// those that are to be added, the ones to be removed last.
func (c nicsChange) current() []*nicModel {
	current := make([]*nicModel, 0, len(c.edits)+len(c.removed))
	for _, edit := range c.edits {
		current = append(current, edit.prior)
	}
	for i := range c.removed {
		current = append(current, &c.removed[i])
	}
	return current
}

func compact(current []*nicModel) []nicModel {
	nics := make([]nicModel, 0, len(current))
	for _, nic := range current {
		if nic != nil {
			nics = append(nics, *nic)
		}
	}
	return nics
}

// addNICs plugs the new NICs in with one call and learns their MACs.
func (r *Resource) addNICs(ctx context.Context, client *tower.Client, change nicsChange, planned []nicModel, current []*nicModel, applied *model) error {
	var added []int
	var in []tower.NICCreate
	for i, edit := range change.edits {
		if edit.prior == nil {
			added = append(added, i)
			in = append(in, planned[i].create())
		}
	}
	if len(added) == 0 {
		return nil
	}
	id := applied.ID.ValueString()
	before, err := client.VMNICs(ctx, id)
	if err != nil {
		return fmt.Errorf("reading the NICs before adding some: %w", err)
	}
	if err := client.AddVMNICs(ctx, id, in); err != nil {
		return fmt.Errorf("adding %d NICs: %w", len(added), err)
	}
	shown, err := r.awaitAddedNICs(ctx, client, id, before, len(added))
	if err != nil {
		return err
	}
	for k, i := range added {
		// Tower appends in the order of the call.
		planned[i].MACAddress = known(planned[i].MACAddress, types.StringValue(shown[k].MAC))
		current[i] = &planned[i]
	}
	return nil
}

// awaitAddedNICs waits until Tower shows the NICs that were added, with their MACs,
// which it may learn later.
func (r *Resource) awaitAddedNICs(ctx context.Context, client *tower.Client, id string, before []tower.VMNIC, n int) ([]tower.VMNIC, error) {
	for {
		all, err := client.VMNICs(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("reading the NICs that were added: %w", err)
		}
		var shown []tower.VMNIC
		for _, nic := range all {
			old := slices.ContainsFunc(before, func(b tower.VMNIC) bool { return strings.EqualFold(b.MAC, nic.MAC) })
			if nic.MAC != "" && !old {
				shown = append(shown, nic)
			}
		}
		if len(shown) >= n {
			return shown, nil
		}
		timer := time.NewTimer(r.data.PollInterval)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("waiting for the MAC addresses of the NICs that were added: %w", ctx.Err())
		case <-timer.C:
		}
	}
}

// configureNICs has the guest's tools set the static addresses that changed. The
// state gets each address once it has been set, so that the next apply sets the
// others.
func (r *Resource) configureNICs(ctx context.Context, client *tower.Client, change nicsChange, plan, applied *model) error {
	planned, diags := nicsFrom(ctx, plan.NICs)
	nics, d := nicsFrom(ctx, applied.NICs)
	diags.Append(d...)
	if diags.HasError() || len(nics) < len(change.edits) || len(planned) < len(change.edits) {
		return errors.New("the NICs can't be read")
	}
	for i, edit := range change.edits {
		if edit.guest == nil {
			continue
		}
		if err := r.configureNIC(ctx, client, applied.ID.ValueString(), i, nics[i].MACAddress.ValueString(), *edit.guest); err != nil {
			return err
		}
		nics[i].takeAddress(&planned[i])
		if applied.NICs, diags = nicList(ctx, nics); diags.HasError() {
			return diagnosticsError(diags)
		}
	}
	return nil
}

func (r *Resource) configureNIC(ctx context.Context, client *tower.Client, id string, i int, mac string, address tower.NICAddress) error {
	if err := r.awaitTools(ctx, client, id); err != nil {
		return err
	}
	if err := client.ConfigureVMNIC(ctx, id, mac, address); err != nil {
		return fmt.Errorf("setting the address of NIC %d (MAC address %s) in the guest: %w", i, mac, err)
	}
	return nil
}

// awaitTools waits until the guest's tools run, which they do some time after a
// start.
func (r *Resource) awaitTools(ctx context.Context, client *tower.Client, id string) error {
	var last string
	err := client.WatchVM(ctx, id, func(obs tower.VMObservation, err error) bool {
		if err == nil && obs.VM != nil {
			last = obs.VM.ToolsStatus
		}
		return last == toolsRunning
	})
	if err != nil {
		return fmt.Errorf("waiting for the VM tools (%s), which set addresses in the guest: %w", last, err)
	}
	return nil
}
