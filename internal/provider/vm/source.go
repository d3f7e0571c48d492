// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// The members of source, of which one is set.
const (
	sourceLibrary  = "content_library_vm_template_id"
	sourceTemplate = "vm_template_id"
	sourceVM       = "vm_id"
	sourceSnapshot = "vm_snapshot_id"
)

// sourceModel is the argument source.
type sourceModel struct {
	ContentLibraryVMTemplateID types.String `tfsdk:"content_library_vm_template_id"`
	VMTemplateID               types.String `tfsdk:"vm_template_id"`
	VMID                       types.String `tfsdk:"vm_id"`
	VMSnapshotID               types.String `tfsdk:"vm_snapshot_id"`
	FullCopy                   types.Bool   `tfsdk:"full_copy"`
}

// sourceID is one member of source.
type sourceID struct {
	name string
	id   types.String
}

func (s sourceModel) ids() []sourceID {
	return []sourceID{
		{sourceLibrary, s.ContentLibraryVMTemplateID}, {sourceTemplate, s.VMTemplateID}, {sourceVM, s.VMID}, {sourceSnapshot, s.VMSnapshotID},
	}
}

// isTemplate reports whether the source can be a template, the only kind that
// takes cloud-init data.
func (s sourceModel) isTemplate() bool {
	return !s.ContentLibraryVMTemplateID.IsNull() || !s.VMTemplateID.IsNull()
}

func (s sourceModel) create(in *tower.VMCreate) {
	in.ContentLibraryVMTemplateID = s.ContentLibraryVMTemplateID.ValueString()
	in.VMTemplateID = s.VMTemplateID.ValueString()
	in.SourceVMID = s.VMID.ValueString()
	in.VMSnapshotID = s.VMSnapshotID.ValueString()
	in.FullCopy = attrs.BoolOr(s.FullCopy, false)
}

func sourceAttribute() schema.Attribute {
	id := func(description string) schema.Attribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: description, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What the VM is made from, one of the ids below; or absent for a blank VM: one vCPU, 1024 MiB, `BIOS` and HA where nothing else is set. What no other argument sets is the source's. Changing it replaces the VM. " +
			"It can't be read back from Tower, so it is null after an import or a move; setting it then changes nothing.",
		Attributes: map[string]schema.Attribute{
			sourceLibrary:  id("Tower's id of a VM template in the content library that is distributed to the cluster."),
			sourceTemplate: id("Tower's id of a VM template of the cluster."),
			sourceVM:       id("Tower's id of a VM of the cluster to clone. The guest comes as it is: cloud-init is not told anything, neither `cloud_init` nor the addresses of `nics`."),
			sourceSnapshot: id("Tower's id of a snapshot of a VM of the cluster, from which the VM is rebuilt. The guest comes as it was, as with `vm_id`."),
			"full_copy": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether the disks are copied in full instead of sharing blocks with the source. Default `false`.",
			},
		},
	}
}

// validateSource refuses a source that is none or more than one, and cloud-init
// for a guest that is not made from a template.
func validateSource(ctx context.Context, config *model, diags *diag.Diagnostics) {
	source, known, d := objectAs[sourceModel](ctx, config.Source)
	diags.Append(d...)
	if !known {
		return
	}
	var set, unknown []string // an unknown id may still turn out to be null
	for _, member := range source.ids() {
		switch {
		case member.id.IsUnknown():
			unknown = append(unknown, member.name)
		case !member.id.IsNull():
			set = append(set, member.name)
		}
	}
	switch {
	case len(set)+len(unknown) == 0:
		diags.AddAttributeError(path.Root("source"), "Missing source",
			fmt.Sprintf("Set one of %s, %s, %s and %s.", sourceLibrary, sourceTemplate, sourceVM, sourceSnapshot))
	case len(set) > 1:
		diags.AddAttributeError(path.Root("source").AtName(set[1]), "More than one source",
			fmt.Sprintf("A VM is made from one source, but %s are set.", strings.Join(set, " and ")))
	case !source.isTemplate() && attrs.IsKnown(config.CloudInit):
		// Not attached to cloud_init: Terraform would print it, secrets included.
		diags.AddAttributeError(path.Root("source").AtName(append(set, unknown...)[0]), "Cloud-init without a template",
			fmt.Sprintf("Tower gives cloud-init data only to VMs that are made from a template, not with source.%s: such a guest has been configured before. Remove cloud_init.", append(set, unknown...)[0]))
	}
}

// foundSource is what a create needs to know of its source.
type foundSource struct {
	at        path.Path
	kind      string // in words
	id, name  string
	vcpu      int
	template  bool
	disks     []tower.TemplateDisk
	cloudInit bool     // the template's guest reads cloud-init data
	clusters  []string // where VMs can be made from it; nil: Tower does not tell
}

// findSource reads the source of a create.
func findSource(ctx context.Context, client *tower.Client, in *tower.VMCreate) (foundSource, error) {
	at := path.Root("source")
	switch {
	case in.ContentLibraryVMTemplateID != "":
		o := foundSource{at: at.AtName(sourceLibrary), kind: "content library VM template", template: true}
		found, err := client.ContentLibraryVMTemplate(ctx, in.ContentLibraryVMTemplateID)
		if err != nil {
			return o, err
		}
		for _, cluster := range found.Clusters {
			o.clusters = append(o.clusters, cluster.ID)
		}
		o.id, o.name, o.vcpu, o.cloudInit, o.disks = found.ID, found.Name, found.VCPU, found.CloudInitSupported, found.Disks
		return o, nil
	case in.VMTemplateID != "":
		o := foundSource{at: at.AtName(sourceTemplate), kind: "VM template", template: true}
		found, err := client.VMTemplate(ctx, in.VMTemplateID)
		if err != nil {
			return o, err
		}
		o.id, o.name, o.vcpu, o.cloudInit, o.clusters, o.disks = found.ID, found.Name, found.VCPU, found.CloudInitSupported, []string{found.ClusterID}, found.Disks
		return o, nil
	case in.SourceVMID != "":
		o := foundSource{at: at.AtName(sourceVM), kind: "VM"}
		found, err := client.VM(ctx, in.SourceVMID)
		if err != nil {
			return o, err
		}
		if found.InRecycleBin {
			return o, fmt.Errorf("VM %q is in the recycle bin: %w", found.Name, tower.ErrNotFound)
		}
		o.id, o.name, o.vcpu, o.clusters = found.ID, found.Name, found.VCPU, []string{found.ClusterID}
		return o, nil
	}
	o := foundSource{at: at.AtName(sourceSnapshot), kind: "VM snapshot"}
	found, err := client.VMSnapshot(ctx, in.VMSnapshotID)
	if err != nil {
		return o, err
	}
	o.id, o.name, o.vcpu, o.clusters = found.ID, found.Name, found.VCPU, []string{found.ClusterID}
	return o, nil
}

// checkSource looks the source up, refuses what can't be made from it and
// completes the sizes that follow from it.
func checkSource(ctx context.Context, client *tower.Client, plan *model, in *tower.VMCreate, diags *diag.Diagnostics) error {
	if plan.Source.IsNull() {
		plan.completeBlank(in)
		return plan.disksOfBlank(ctx, client, in, diags)
	}
	o, err := findSource(ctx, client, in)
	wanted := in.ContentLibraryVMTemplateID + in.VMTemplateID + in.SourceVMID + in.VMSnapshotID // one of them is set
	if err := checkReference(diags, in.Name, reference{o.at, o.kind, wanted}, func() (string, error) { return o.id, err }); err != nil || o.id == "" {
		return err
	}
	refuse := func(at path.Path, format string, args ...any) {
		diags.AddAttributeError(at, diagx.Summary("create", object, in.Name), fmt.Sprintf(format, args...))
	}
	here := len(o.clusters) == 0 // an old Tower that does not tell
	for _, cluster := range o.clusters {
		here = here || cluster == in.ClusterID
	}
	switch {
	case !here && o.at.Equal(path.Root("source").AtName(sourceLibrary)):
		refuse(o.at, "The template %q (id %s) is not distributed to the cluster %s. Distribute it to that cluster in the content library first.", o.name, o.id, in.ClusterID)
	case !here:
		refuse(o.at, "The %s %q (id %s) belongs to another cluster, %s. A VM is made in the cluster of its source; only templates of the content library are distributed to several.",
			o.kind, o.name, o.id, strings.Join(o.clusters, ", "))
	}
	if o.template {
		if err := plan.disksOfTemplate(ctx, client, in, o.disks, diags); err != nil {
			return err
		}
	}
	if o.template && !o.cloudInit {
		if attrs.IsKnown(plan.CloudInit) {
			refuse(o.at, "The template %q (id %s) is not marked as supporting cloud-init. Use another template, or remove cloud_init.", o.name, o.id)
		}
		in.CloudInit = nil // networks alone: a template without cloud-init can't take them
	}
	if in.CPUCores != nil && in.CPUSockets == nil && o.vcpu > 0 {
		if o.vcpu%*in.CPUCores != 0 {
			refuse(path.Root("num_cores_per_socket"), "The %s has %d vCPUs, which is no multiple of num_cores_per_socket (%d). Set num_cpus, too.", o.kind, o.vcpu, *in.CPUCores)
			return nil
		}
		sockets := o.vcpu / *in.CPUCores
		in.CPUSockets = &sockets
	}
	return nil
}

// reference is an id in the configuration that must exist in Tower.
type reference struct {
	at       path.Path
	what, id string
}

// checkReference attaches to the argument that an object does not exist, or that
// its id is not the one that the API takes. lookUp returns that one. Every other
// error of it is returned.
func checkReference(diags *diag.Diagnostics, name string, ref reference, lookUp func() (canonical string, err error)) error {
	canonical, err := lookUp()
	switch {
	case errors.Is(err, tower.ErrNotFound):
		diags.AddAttributeError(ref.at, diagx.Summary("create", object, name),
			fmt.Sprintf("Tower has no %s with the id %q, or this user may not see it. Nothing was created. Check the id; a data source finds it by name.", ref.what, ref.id))
		return nil
	case err == nil && canonical != ref.id:
		diags.AddAttributeError(ref.at, diagx.Summary("create", object, name),
			fmt.Sprintf("%q is not Tower's id of the %s, but its id inside the cluster. Use %q.", ref.id, ref.what, canonical))
	}
	return err
}
