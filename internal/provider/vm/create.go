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
)

// Create makes the VM and returns when its network is ready. The id is in the
// state from the moment Tower has told it: nothing that follows may lose it.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
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
	if resp.Diagnostics.HasError() || !r.prepare(ctx, client, &plan, &in, &resp.Diagnostics) {
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
			fmt.Sprintf("The connection to Tower broke while the VM was being created. Its name was free before and VM %s has appeared since, so it is taken for the new VM. Nothing was created twice.", creation.VMID))
	}

	// Saved before any wait: an error, a crash or Ctrl-C from here on must
	// leave a VM that Terraform knows.
	plan.ID = types.StringValue(creation.VMID)
	saved := plan
	resp.Diagnostics.Append(saved.nullUnknowns(ctx)...)
	saved.NetworkReady = types.BoolValue(false)
	resp.Diagnostics.Append(resp.State.Set(ctx, &saved)...)
	if resp.Diagnostics.HasError() {
		return
	}

	vm, err := creation.Wait(ctx)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		addCancelled(&resp.Diagnostics, in.Name, creation.VMID, "while Tower was still creating the VM")
		return
	case isTaskError(err) || errors.Is(err, tower.ErrNotFound):
		// Tower removes the record of a VM that it failed to create.
		resp.State.RemoveResource(ctx)
		addCreateError(&resp.Diagnostics, in.Name, err)
		return
	case err != nil:
		addCreateError(&resp.Diagnostics, in.Name, fmt.Errorf("waiting for the VM %s, which is kept in the state: %w", creation.VMID, err))
		return
	}
	plan.fillStatus(vm)
	plan.fillUnset(vm)
	r.finishCreate(ctx, client, &plan, vm, &resp.Diagnostics)
	runs := meantToRun(config.PowerState)
	if r.waitNetwork(ctx, client, &plan, waitScope{runs: runs}, &resp.Diagnostics) {
		resp.State.RemoveResource(ctx)
		return
	}
	resp.Diagnostics.Append(plan.nullUnknowns(ctx)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// prepare finds out, before anything is created, what would make the create
// fail: objects that do not exist, and a name that is taken. It completes the
// sizes that need the template.
func (r *Resource) prepare(ctx context.Context, client *tower.Client, plan *model, in *tower.VMCreate, diags *diag.Diagnostics) bool {
	if err := r.checkReferences(ctx, client, plan, in, diags); err != nil {
		diagx.AddError(diags, "create", object, in.Name, err)
	}
	if diags.HasError() {
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
	missing := func(at path.Path, what, id, canonical string, err error) error {
		switch {
		case errors.Is(err, tower.ErrNotFound):
			diags.AddAttributeError(at, diagx.Summary("create", object, in.Name),
				fmt.Sprintf("Tower has no %s with the id %q, or this user may not see it. Nothing was created. Check the id; a data source finds it by name.", what, id))
			return nil
		case err == nil && canonical != id:
			diags.AddAttributeError(at, diagx.Summary("create", object, in.Name),
				fmt.Sprintf("%q is not Tower's id of the %s, but its id inside the cluster. Use %q.", id, what, canonical))
		}
		return err
	}
	cluster, err := client.Cluster(ctx, in.ClusterID)
	if err == nil {
		err = missing(path.Root("cluster_id"), "cluster", in.ClusterID, cluster.ID, nil)
	} else {
		err = missing(path.Root("cluster_id"), "cluster", in.ClusterID, "", err)
	}
	if err != nil {
		return err
	}
	at := path.Root("source").AtName("content_library_vm_template_id")
	template, err := client.ContentLibraryVMTemplate(ctx, in.ContentLibraryVMTemplateID)
	if err != nil {
		if err := missing(at, "content library VM template", in.ContentLibraryVMTemplateID, "", err); err != nil {
			return err
		}
	} else {
		checkTemplate(at, plan, in, template, diags)
	}
	nics, d := nicsFrom(ctx, plan.NICs)
	diags.Append(d...)
	for i, nic := range nics {
		at := path.Root("nics").AtListIndex(i).AtName("vlan_id")
		id := nic.VLANID.ValueString()
		vlan, err := client.VLAN(ctx, id)
		if err == nil {
			err = missing(at, "VM network", id, vlan.ID, nil)
		} else {
			err = missing(at, "VM network", id, "", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkTemplate completes the sizes that follow from the template and refuses
// what it can't do.
func checkTemplate(at path.Path, plan *model, in *tower.VMCreate, template *tower.ContentLibraryVMTemplate, diags *diag.Diagnostics) {
	distributed := len(template.Clusters) == 0 // an old Tower that does not tell
	for _, cluster := range template.Clusters {
		distributed = distributed || cluster.ID == in.ClusterID
	}
	if !distributed {
		diags.AddAttributeError(at, diagx.Summary("create", object, in.Name),
			fmt.Sprintf("The template %q (id %s) is not distributed to the cluster %s. Distribute it to that cluster in the content library first.", template.Name, template.ID, in.ClusterID))
	}
	if !plan.CloudInit.IsNull() && !template.CloudInitSupported {
		diags.AddAttributeError(path.Root("cloud_init"), diagx.Summary("create", object, in.Name),
			fmt.Sprintf("The template %q (id %s) is not marked as supporting cloud-init. Use another template, or remove cloud_init.", template.Name, template.ID))
	}
	if !template.CloudInitSupported {
		in.CloudInit = nil // networks alone: a template without cloud-init can't take them
	}
	if in.CPUCores != nil && in.CPUSockets == nil && template.VCPU > 0 {
		if template.VCPU%*in.CPUCores != 0 {
			diags.AddAttributeError(path.Root("num_cores_per_socket"), diagx.Summary("create", object, in.Name),
				fmt.Sprintf("The template has %d vCPUs, which is no multiple of num_cores_per_socket (%d). Set num_cpus, too.", template.VCPU, *in.CPUCores))
			return
		}
		sockets := template.VCPU / *in.CPUCores
		in.CPUSockets = &sockets
	}
}

// fillUnset fills the arguments that the configuration left to Tower.
func (m *model) fillUnset(vm *tower.VM) {
	fresh := *m
	fresh.fillVM(vm)
	for _, pair := range []struct{ to, from *types.String }{
		{&m.Description, &fresh.Description}, {&m.GuestOSType, &fresh.GuestOSType}, {&m.Firmware, &fresh.Firmware},
	} {
		if pair.to.IsUnknown() {
			*pair.to = *pair.from
		}
	}
	for _, pair := range []struct{ to, from *types.Int64 }{
		{&m.NumCPUs, &fresh.NumCPUs}, {&m.NumCoresPerSocket, &fresh.NumCoresPerSocket}, {&m.MemoryMiB, &fresh.MemoryMiB},
	} {
		if pair.to.IsUnknown() {
			*pair.to = *pair.from
		}
	}
	if m.HA.IsUnknown() {
		m.HA = fresh.HA
	}
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
		case codeCloudInit:
			diagx.AddAttributeError(diags, path.Root("cloud_init"), "create", object, name, err)
			return
		}
	}
	diagx.AddError(diags, "create", object, name, err)
}

func addNameTaken(diags *diag.Diagnostics, existing *tower.VM) {
	age := ""
	if !existing.CreatedAt.IsZero() {
		age = fmt.Sprintf(", created %s (%s ago)", existing.CreatedAt.UTC().Format(time.RFC3339), time.Since(existing.CreatedAt).Round(time.Second))
	}
	diags.AddAttributeError(path.Root("name"), diagx.Summary("create", object, existing.Name),
		fmt.Sprintf("The cluster has a VM of this name already: id %s%s, power state %s. Nothing was created.\n\n"+
			"If it is the VM that this configuration describes (an earlier apply may have been killed), take it over with an import block, "+
			"in which the address is that of this resource:\n\n  import {\n    to = elf_vm.example\n    id = %q\n  }\n\nOtherwise choose another name.",
			existing.ID, age, attrs.StringOr(attrs.StringOrNull(existing.Status), "unknown"), existing.ID))
}

// addCancelled says that the user has interrupted the create. It is a warning:
// an error would taint a good VM, and the next apply would destroy it.
func addCancelled(diags *diag.Diagnostics, name, id, when string) {
	diags.AddWarning(fmt.Sprintf("Creation of VM %q cancelled", name),
		fmt.Sprintf("The create was cancelled %s. VM %s is kept and in the state; the next apply goes on with it in place.", when, id))
}

// addUnfinished says what of a new VM could not be done. It is a warning: an
// error would taint a good VM, and the next apply would destroy it.
func addUnfinished(diags *diag.Diagnostics, at path.Path, what string, plan *model, err error) {
	diags.AddAttributeWarning(at, fmt.Sprintf("VM %q was created without its %s", plan.Name.ValueString(), what),
		fmt.Sprintf("%s\n\nVM %s is kept; the next apply sets what is missing in place.", diagx.Detail(err), plan.ID.ValueString()))
}
