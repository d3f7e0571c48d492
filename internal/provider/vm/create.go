// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Task codes of Tower that one argument is to blame for.
const (
	codeDuplicatedName = "VM_DUPLICATED_NAME"
	codeCloudInit      = "VM_CLOUD_INIT_CONFIG_ERROR"
	codeGPUTaken       = "GPU_ASSIGN_FAILED"
	codeTooFewVGPUs    = "PRECHECK_REQUEST_VGPU_COUNT_MORE_THAN_AVAILABLE"
)

// Create makes the VM and returns when its network is ready. The id is in the
// state from the moment Tower has told it: nothing that follows may lose it.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer diagx.NameArguments(&resp.Diagnostics)
	var plan, config model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client, ok := r.data.Client(&resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Create(ctx, defaultCreateTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	in, diags := plan.toCreate(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(config.addSecrets(ctx, &in)...)
	if resp.Diagnostics.HasError() || !r.prepare(ctx, client, &config, &plan, &in, &resp.Diagnostics) {
		return
	}
	creation, err := client.CreateVM(ctx, in)
	if err != nil {
		addCreateError(&resp.Diagnostics, in.Name, err)
		return
	}
	defer creation.Release()
	if creation.Adopted {
		resp.Diagnostics.AddWarning(fmt.Sprintf("VM %q was adopted after a lost reply", in.Name),
			fmt.Sprintf("The connection to Tower broke while the VM was being created. Its name was free before and VM %s has appeared since, so it is taken for the new VM. Nothing was created twice.", creation.ID))
	}

	// Saved before any wait: an error, a crash or Ctrl-C from here on must
	// leave a VM that Terraform knows.
	plan.ID = types.StringValue(creation.ID)
	saved, runs := plan, meantToRun(config.PowerState)
	saved.expectWait(ctx, runs)
	resp.Diagnostics.Append(saved.save(ctx, &resp.State)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, plan.ID)...)
	var rec record
	rec.Volumes.Given, diags = config.givenVolumes(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(rec.save(ctx, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return
	}

	vm, err := creation.Wait(ctx)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		addCancelled(&resp.Diagnostics, in.Name, creation.ID, "while Tower was still creating the VM")
		return
	case isTaskError(err) || errors.Is(err, tower.ErrNotFound):
		// Tower removes the record of a VM that it failed to create.
		resp.State.RemoveResource(ctx)
		addCreateError(&resp.Diagnostics, in.Name, err)
		return
	case err != nil:
		addCreateError(&resp.Diagnostics, in.Name, fmt.Errorf("waiting for the VM %s, which is kept in the state: %w", creation.ID, err))
		return
	}
	plan.fillStatus(vm)
	r.finishCreate(ctx, client, &plan, vm, &resp.Diagnostics)
	finishStorage(ctx, client, &config, &plan, &rec.Volumes, &resp.Diagnostics)
	plan.fillUnset(vm)
	if r.waitNetwork(ctx, client, &plan, waitScope{runs: runs}, &resp.Diagnostics) {
		resp.State.RemoveResource(ctx)
		return
	}
	if diags := plan.save(ctx, &resp.State); diags.HasError() {
		resp.Diagnostics.Append(diags...)
		return
	}
	resp.Diagnostics.Append(rec.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, plan.ID)...)
}

// prepare finds out, before anything is created, what would make the create
// fail: objects that do not exist, and a name that is taken. It completes the
// sizes that need the template.
func (r *Resource) prepare(ctx context.Context, client *tower.Client, config, plan *model, in *tower.VMCreate, diags *diag.Diagnostics) bool {
	diags.Append(r.checkISOs(ctx, plan, &model{})...)
	checkHA(ctx, config, plan, diags)
	diags.Append(r.checkGPUs(ctx, plan, &model{}, "", true)...)
	if diags.HasError() {
		return false
	}
	if err := r.checkReferences(ctx, client, plan, in, diags); err != nil {
		diagx.AddError(diags, "create", object, in.Name, err)
	}
	if diags.HasError() {
		return false
	}
	if diags.Append(r.checkVolumes(ctx, config, "", nil, true)...); diags.HasError() {
		return false
	}
	existing, err := client.VMByName(ctx, in.ClusterID, in.Name)
	switch {
	case errors.Is(err, tower.ErrNotFound):
		return true
	case err != nil:
		diagx.AddError(diags, "create", object, in.Name, fmt.Errorf("looking up whether the name is free: %w", err))
		return false
	}
	addNameTaken(diags, existing)
	return false
}

// checkReferences looks up the objects that the VM refers to. These reads are
// shared with the other VMs of the same apply.
func (r *Resource) checkReferences(ctx context.Context, client *tower.Client, plan *model, in *tower.VMCreate, diags *diag.Diagnostics) error {
	err := checkReference(diags, in.Name, reference{path.Root("cluster_id"), "cluster", in.ClusterID}, func() (string, error) {
		cluster, err := client.Cluster(ctx, in.ClusterID)
		if err != nil {
			return "", err
		}
		return cluster.ID, nil
	})
	if err != nil {
		return err
	}
	if err := checkSource(ctx, client, plan, in, diags); err != nil {
		return err
	}
	nics, d := nicsFrom(ctx, plan.NICs)
	diags.Append(d...)
	for i, nic := range nics {
		id := nic.VLANID.ValueString()
		err := checkReference(diags, in.Name, reference{path.Root("nics").AtListIndex(i).AtName("vlan_id"), "VM network", id}, func() (string, error) {
			vlan, err := client.VLAN(ctx, id)
			if err != nil {
				return "", err
			}
			return vlan.ID, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillUnset fills the arguments that the configuration left to Tower.
func (m *model) fillUnset(vm *tower.VM) {
	shown := *m
	shown.fillVM(vm)
	m.FolderID, m.PlacementGroupID = known(m.FolderID, shown.FolderID), known(m.PlacementGroupID, shown.PlacementGroupID)
	m.fillUnknownIO(&shown)
	m.Description, m.HA = known(m.Description, shown.Description), known(m.HA, shown.HA)
	m.GuestOSType, m.Firmware = known(m.GuestOSType, shown.GuestOSType), known(m.Firmware, shown.Firmware)
	m.NumCPUs, m.NumCoresPerSocket, m.MemoryMiB = known(m.NumCPUs, shown.NumCPUs), known(m.NumCoresPerSocket, shown.NumCoresPerSocket), known(m.MemoryMiB, shown.MemoryMiB)
}

func isTaskError(err error) bool {
	var task *tower.TaskError
	return errors.As(err, &task)
}

// addCreateError attaches a failed create to the argument at fault where
// Tower's code tells it.
func addCreateError(diags *diag.Diagnostics, name string, err error) {
	var task *tower.TaskError
	if errors.As(err, &task) {
		switch task.Code {
		case codeDuplicatedName:
			diagx.AddAttributeError(diags, path.Root("name"), "create", object, name, err)
			return
		case codeGPUTaken, codeTooFewVGPUs:
			diagx.AddAttributeError(diags, path.Root("gpu_devices"), "create", object, name, err)
			return
		case codeCloudInit:
			// Not attached to cloud_init: Terraform would print it, secrets included.
			diagx.AddError(diags, "create", object, name, fmt.Errorf("cloud_init or the networks of nics: %w", err))
			return
		}
	}
	diagx.AddError(diags, "create", object, name, err)
}

func addNameTaken(diags *diag.Diagnostics, existing *tower.VM) {
	age := ""
	if !existing.CreatedAt.IsZero() {
		age = ", created " + existing.CreatedAt.UTC().Format(time.RFC3339)
		if since := time.Since(existing.CreatedAt).Round(time.Second); since >= 0 { // by Tower's clock it may be yet to come
			age += fmt.Sprintf(" (%s ago)", since)
		}
	}
	diags.AddAttributeError(path.Root("name"), diagx.Summary("create", object, existing.Name),
		fmt.Sprintf("The cluster has a VM of this name already: id %s%s, power state %s. Nothing was created.\n\n"+
			"If it is the VM that this configuration describes (an earlier apply may have been killed), take it over with an import block, "+
			"in which the address is that of this resource:\n\n  import {\n    to = elf_vm.example\n    id = %q\n  }\n\nIf this VM is to replace it with create_before_destroy: "+
			"a name can't be taken twice in a cluster, so leave create_before_destroy out or change the name with it. Otherwise choose another name.",
			existing.ID, age, attrs.StringOr(attrs.StringOrNull(existing.Status), "unknown"), existing.ID))
}

// addCancelled says that the user has interrupted the create. It is a warning:
// an error would taint a good VM, and the next apply would destroy it.
func addCancelled(diags *diag.Diagnostics, name, id, when string) {
	diags.AddWarning(fmt.Sprintf("Creation of VM %q cancelled", name),
		fmt.Sprintf("The create was cancelled %s. VM %s is kept and in the state; the next apply goes on with it in place.", when, id))
}
