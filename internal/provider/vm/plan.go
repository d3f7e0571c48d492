// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// ModifyPlan says what a change does: whether it replaces the VM, whether it
// stops it, and which discovered values it makes unknown. Everything else keeps
// the value it has, so that an unrelated change disturbs no dependant.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer diagx.NameArguments(&resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		r.modifyDestroy(ctx, req, resp)
		return
	}
	var config, plan model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := planContext(ctx, plan.Timeouts)
	defer cancel()
	network.CheckKubernetesNode(ctx, plan.NetworkReadiness, r.data, &resp.Diagnostics)
	if req.State.Raw.IsNull() {
		r.modifyCreate(ctx, &config, &plan, resp)
		return
	}
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	rec, diags := readRecord(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if rec.Takeover.unread() {
		resp.Diagnostics.Append(leaveComputedUnknown(req.Config, &resp.Plan)...)
		client, ok := r.data.TryClient()
		if !ok {
			return
		}
		resp.Diagnostics.Append(r.readTakenOver(ctx, client, &state, &ownership{})...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	plan.LabelsAll = r.labelsAll(plan.Labels)
	r.checkPlacement(ctx, &plan, &state, &resp.Diagnostics)
	adopted, diags := r.adoptNICs(ctx, &plan, &state)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.adoptDisks(ctx, &config, &state, rec.Takeover.unapplied())...)
	resp.Diagnostics.Append(r.adoptGPUs(ctx, &plan, &state)...)
	change, diags := compare(ctx, &config, &plan, &state, rec.Takeover.nullMeansUnknown(adopted), rec.StartPending)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(change.replace) > 0 {
		resp.RequiresReplace = append(resp.RequiresReplace, change.replace...)
		r.giveUpAddresses(&state)
		r.checkDestroy(ctx, &state, &resp.Diagnostics)
		return
	}
	r.checkPlanned(ctx, &config, &plan, &state, &resp.Diagnostics)
	r.warnSharedAddresses(ctx, &plan, &state, change.nics.edits, &resp.Diagnostics)
	resp.Diagnostics.Append(r.checkVolumes(ctx, &config, state.ID.ValueString(), change.disks.edits, false)...)
	resp.Diagnostics.Append(r.checkISOs(ctx, &plan, &state)...)
	resp.Diagnostics.Append(r.checkGPUs(ctx, &plan, &state, state.ID.ValueString(), false)...)
	change.warn(&plan, &resp.Diagnostics)
	change.disks.warnDeletedVolumes(rec.Volumes, &resp.Diagnostics)
	if rec.Takeover.unapplied() {
		warnKeptLabels(&plan, &state, &resp.Diagnostics)
		warnKeptOwner(&plan, &state, &resp.Diagnostics)
		resp.Diagnostics.Append(warnKeptDisks(ctx, &config, &state)...)
	}
	if rec.Takeover.unread() {
		return
	}
	resp.Diagnostics.Append(change.fillComputed(ctx, &config, &plan, &state)...)
	checkHA(ctx, &config, &plan, &resp.Diagnostics)
	checkTopology(&config, &plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// modifyCreate gives the plan of a new VM, and refuses what can be known to fail.
func (r *Resource) modifyCreate(ctx context.Context, config, plan *model, resp *resource.ModifyPlanResponse) {
	validateCreate(ctx, config, &resp.Diagnostics)
	resp.Diagnostics.Append(planDisksOfCreate(ctx, config, plan)...)
	resp.Diagnostics.Append(r.checkVolumes(ctx, config, "", nil, false)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("system_disk"), plan.SystemDisk)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("data_disks"), plan.DataDisks)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("labels_all"), r.labelsAll(plan.Labels))...)
	if config.IOPolicy.IsNull() {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("io_policy"), ioPolicyOf(config, types.StringUnknown()))...)
	}
	r.checkPlacement(ctx, plan, &model{}, &resp.Diagnostics)
	r.checkPlanned(ctx, config, plan, &model{}, &resp.Diagnostics)
	r.warnSharedAddresses(ctx, plan, &model{}, nil, &resp.Diagnostics)
	resp.Diagnostics.Append(r.checkISOs(ctx, plan, &model{})...)
	checkHA(ctx, config, plan, &resp.Diagnostics)
	resp.Diagnostics.Append(r.checkGPUs(ctx, plan, &model{}, "", false)...)
}

// modifyDestroy refuses a destroy that can be known to fail.
func (r *Resource) modifyDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.giveUpAddresses(&state)
	ctx, cancel := planContext(ctx, state.Timeouts)
	defer cancel()
	r.checkDestroy(ctx, &state, &resp.Diagnostics)
}

// planContext limits what a plan looks up in Tower to the time of a read. Whether
// the argument parses is not the plan's to say: its validator has done so.
func planContext(ctx context.Context, limits timeouts.Value) (context.Context, context.CancelFunc) {
	timeout, _ := limits.Read(ctx, defaultReadTimeout)
	return context.WithTimeout(ctx, timeout)
}

// validateCreate refuses what only a create can't do.
func validateCreate(ctx context.Context, config *model, diags *diag.Diagnostics) {
	if config.PowerState.ValueString() == tower.StatusSuspended {
		diags.AddAttributeError(path.Root("power_state"), "Invalid power state",
			"A VM can't be created suspended: create it RUNNING or STOPPED, and suspend it afterwards.")
	}
	if !config.Source.IsNull() {
		return
	}
	if !config.CloudInit.IsNull() {
		// Not attached to cloud_init: Terraform would print it, secrets included.
		diags.AddError("Cloud-init without a template",
			"cloud_init is set, but not source. A VM without a source is blank: no guest reads cloud-init data. Set source to a template, or remove cloud_init.")
	}
	system, d := systemDiskFrom(ctx, config.SystemDisk)
	diags.Append(d...)
	if system != nil && system.SizeGiB.IsNull() {
		diags.AddAttributeError(path.Root("system_disk").AtName("size_gib"), "Missing size",
			"The system disk of a VM without a source is made anew, so it needs size_gib.")
	}
}

// change is what an update of an existing VM comes to.
type change struct {
	replace      []path.Path // what forces a replacement
	nics         nicsChange
	disks        disksChange
	gpus         gpusChange
	unknown      bool     // what may stop, start or have the VM waited for is not known yet
	power        string   // the power state to bring about, "" for none
	startPending bool     // power is RUNNING because an earlier change left the VM off
	stops        []string // why a running VM must be stopped and started
	waits        bool     // the network is waited for
	waitsForAll  bool     // all of it, not only the NICs that have changed

	unapplied bool // no configuration has been applied since the VM was imported
}

// compare finds what a plan changes. Arguments that an import left null never
// force a replacement. A VM that is off and whose start is pending is started.
func compare(ctx context.Context, config, plan, state *model, null nullMeansUnknown, startPending bool) (change, diag.Diagnostics) {
	c := change{unapplied: null.vm}
	for name, pair := range map[string][2]attr.Value{
		"cluster_id":    {plan.ClusterID, state.ClusterID},
		"guest_os_type": {plan.GuestOSType, state.GuestOSType},
		"firmware":      {plan.Firmware, state.Firmware},
	} {
		if attrs.IsKnown(pair[0]) && attrs.IsKnown(pair[1]) && !pair[0].Equal(pair[1]) {
			c.replace = append(c.replace, path.Root(name))
		}
	}
	for name, pair := range map[string][2]types.Object{
		"source":     {plan.Source, state.Source},
		"cloud_init": {plan.CloudInit, state.CloudInit},
	} {
		if (!null.creation || !pair[1].IsNull()) && !sameObject(pair[0], pair[1]) {
			c.replace = append(c.replace, path.Root(name))
		}
	}
	runs := state.Status.ValueString() == tower.StatusRunning
	if attrs.IsKnown(config.PowerState) && !config.PowerState.Equal(state.PowerState) {
		c.power = config.PowerState.ValueString()
	}
	if startPending && config.PowerState.IsNull() && state.Status.ValueString() == tower.StatusStopped {
		c.power, c.startPending = tower.StatusRunning, true
	}
	if len(c.replace) > 0 || !plan.ClusterID.Equal(state.ClusterID) {
		return c, nil // another VM is made, which need not come about by changing this one
	}
	diags := c.comparePower(state)
	c.compareSizes(plan, state)
	diags.Append(c.compareNICs(ctx, config, plan, state, null.nics)...)
	diags.Append(c.compareDisks(ctx, config, state, null.vm)...)
	diags.Append(c.compareGPUs(ctx, plan, state)...)
	diags.Append(c.refuseSuspended(state)...)
	may, d := c.mayAffectRun(ctx, config, state)
	diags.Append(d...)
	c.unknown = c.unknown || may
	settings, d := network.SettingsOf(ctx, plan.NetworkReadiness)
	diags.Append(d...)
	// network_ready is false only where a wait is due, or has ended without success.
	unfinished := !state.NetworkReady.IsNull() && !state.NetworkReady.ValueBool()
	c.waitsForAll = unfinished || c.power == tower.StatusRunning || len(c.stops) > 0
	c.waits = settings.Enabled && (c.waitsForAll || c.unknown || runs && c.power == "" && c.nics.waits())
	return c, diags
}

// sameObject compares objects in which a null member means its default of
// false, so that writing the default down is no change.
func sameObject(a, b types.Object) bool {
	if a.Equal(b) {
		return true
	}
	if !attrs.IsKnown(a) || !attrs.IsKnown(b) {
		return false
	}
	before := b.Attributes()
	for name, value := range a.Attributes() {
		if writeOnly[name] || value.Equal(before[name]) {
			continue
		}
		flag, isBool := value.(types.Bool)
		prior, _ := before[name].(types.Bool)
		if !isBool || flag.IsUnknown() || flag.ValueBool() != prior.ValueBool() {
			return false
		}
	}
	return true
}

// fillComputed gives the plan's computed values: what the change leaves alone keeps
// its value, what it can alter is unknown.
func (c *change) fillComputed(ctx context.Context, config, plan, state *model) diag.Diagnostics {
	affectsRun := c.affectsRun()
	fillComputedPlacement(config, plan, state)
	fillComputedIO(config, plan, state)
	keepString(&plan.Description, config.Description, state.Description, false)
	keepString(&plan.GuestOSType, config.GuestOSType, state.GuestOSType, false)
	keepString(&plan.Firmware, config.Firmware, state.Firmware, false)
	keepString(&plan.PowerState, config.PowerState, state.PowerState, affectsRun)
	if c.startPending {
		plan.PowerState = types.StringValue(tower.StatusRunning)
	}
	keepInt(&plan.NumCPUs, config.NumCPUs, state.NumCPUs)
	keepInt(&plan.MemoryMiB, config.MemoryMiB, state.MemoryMiB)
	keepInt(&plan.NumCoresPerSocket, config.NumCoresPerSocket, coresFor(plan, state))
	if config.HA.IsNull() && !state.HA.IsNull() {
		plan.HA = state.HA
	}
	keepString(&plan.LocalID, types.StringNull(), state.LocalID, affectsRun)
	keepString(&plan.ProviderID, types.StringNull(), state.ProviderID, affectsRun)

	plan.Status, plan.VMToolsStatus = state.Status, state.VMToolsStatus
	plan.NetworkReady, plan.NetworkReadinessReport = state.NetworkReady, state.NetworkReadinessReport
	plan.IPAddresses, plan.DefaultIPAddress = state.IPAddresses, state.DefaultIPAddress
	if affectsRun {
		plan.Status, plan.VMToolsStatus = types.StringUnknown(), types.StringUnknown()
		plan.NetworkReady, plan.NetworkReadinessReport = types.BoolUnknown(), types.ObjectUnknown(network.ReportType())
		plan.IPAddresses, plan.DefaultIPAddress = types.ListUnknown(types.StringType), types.StringUnknown()
	}
	if !c.unknown && (c.power == tower.StatusStopped || c.power == tower.StatusSuspended) {
		plan.NetworkReady, plan.NetworkReadinessReport = types.BoolNull(), types.ObjectNull(network.ReportType())
	}
	if c.nics.changesTower() {
		plan.IPAddresses, plan.DefaultIPAddress = types.ListUnknown(types.StringType), types.StringUnknown()
	}
	diags := c.fillComputedDisks(ctx, config, plan, state)
	diags.Append(c.fillComputedNICs(ctx, config, plan)...)
	diags.Append(fillComputedAddresses(ctx, plan, state)...)
	return diags
}

// affectsRun reports whether the change starts, stops or waits for the VM as a
// whole.
func (c *change) affectsRun() bool {
	return c.waits || c.unknown || c.power != "" || len(c.stops) > 0
}

// coresFor is the cores per socket where the configuration gives none: as they
// are, as long as the number of vCPUs stays a multiple of them, else all in one
// socket. Unknown as long as that number is.
func coresFor(plan, state *model) types.Int64 {
	if plan.NumCPUs.IsUnknown() {
		return types.Int64Unknown()
	}
	cores, cpus := state.NumCoresPerSocket.ValueInt64(), plan.NumCPUs.ValueInt64()
	if cores > 0 && cpus%cores != 0 {
		return plan.NumCPUs
	}
	return state.NumCoresPerSocket
}

// keepString gives a computed value that the configuration does not set its
// prior value. Where that is null and the change may bring a value (mayLearn), it
// is unknown.
func keepString(planned *types.String, config, prior types.String, mayLearn bool) {
	switch {
	case !config.IsNull():
	case prior.IsNull() && mayLearn:
		*planned = types.StringUnknown()
	default:
		*planned = prior
	}
}

func keepInt(planned *types.Int64, config, prior types.Int64) {
	if config.IsNull() && !prior.IsNull() {
		*planned = prior
	}
}
