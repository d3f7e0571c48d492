// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
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
	network.CheckKubernetesNode(ctx, plan.NetworkReadiness, r.data, &resp.Diagnostics)
	if req.State.Raw.IsNull() {
		r.modifyCreate(ctx, &config, &plan, resp)
		return
	}
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	taken, diags := takeoverFrom(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	if taken.unread() {
		resp.Diagnostics.Append(promiseNothing(req.Config, &resp.Plan)...)
		if r.data == nil || r.data.Tower == nil {
			return
		}
		resp.Diagnostics.Append(r.catchUp(ctx, r.data.Tower, &state, &ownership{})...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	plan.LabelsAll = r.labelsAll(plan.Labels)
	r.checkPlacement(ctx, &plan, &state, &resp.Diagnostics)
	adopted, diags := r.adoptNICs(ctx, &plan, &state)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.adoptDisks(ctx, &config, &state, taken.fresh())...)
	resp.Diagnostics.Append(r.adoptGPUs(ctx, &plan, &state)...)
	owed, diags := owesStartFrom(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	change, diags := compare(ctx, &config, &plan, &state, taken.origin(adopted), owed)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(change.replace) > 0 {
		resp.RequiresReplace = append(resp.RequiresReplace, change.replace...)
		r.checkEnd(ctx, &state, &resp.Diagnostics)
		return
	}
	r.checkPlanned(ctx, &config, &plan, &state, &resp.Diagnostics)
	resp.Diagnostics.Append(r.checkVolumes(ctx, &config, state.ID.ValueString(), change.disks.edits, false)...)
	resp.Diagnostics.Append(r.checkISOs(ctx, &plan, &state)...)
	resp.Diagnostics.Append(r.checkGPUs(ctx, &plan, &state, state.ID.ValueString(), false)...)
	change.warn(&plan, &resp.Diagnostics)
	if taken.fresh() {
		warnKeptLabels(&plan, &state, &resp.Diagnostics)
		warnKeptOwner(&plan, &state, &resp.Diagnostics)
		resp.Diagnostics.Append(warnKeptDisks(ctx, &config, &state)...)
	}
	if taken.unread() {
		return
	}
	resp.Diagnostics.Append(change.settle(ctx, &config, &plan, &state)...)
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
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("io_policy"), wholeVM(config, types.StringUnknown()))...)
	}
	r.checkPlacement(ctx, plan, &model{}, &resp.Diagnostics)
	r.checkPlanned(ctx, config, plan, &model{}, &resp.Diagnostics)
	resp.Diagnostics.Append(r.checkISOs(ctx, plan, &model{})...)
	checkHA(ctx, config, plan, &resp.Diagnostics)
	resp.Diagnostics.Append(r.checkGPUs(ctx, plan, &model{}, "", false)...)
}

// modifyDestroy refuses a destroy that can be known to fail.
func (r *Resource) modifyDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		r.checkEnd(ctx, &state, &resp.Diagnostics)
	}
}

// validateCreate refuses what only a create can't do.
func validateCreate(ctx context.Context, config *model, diags *diag.Diagnostics) {
	if config.PowerState.ValueString() == powerSuspended {
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
	replace []path.Path // what forces a replacement
	nics    nicsChange
	disks   disksChange
	gpus    gpusChange
	unknown bool     // what may stop, start or have the VM waited for is not known yet
	power   string   // the power state to bring about, "" for none
	owed    bool     // that is the start which an earlier change owes
	stops   []string // why a running VM must be stopped and started
	waits   bool     // the network is waited for
	full    bool     // all of it, not only the NICs that have changed

	imported bool // the VM was taken over and has not been applied since
}

// compare finds what a plan changes. Arguments that a takeover left null never
// force a replacement. A VM that is off and is owed a start is started.
func compare(ctx context.Context, config, plan, state *model, from origin, owed bool) (change, diag.Diagnostics) {
	c := change{imported: from.vm}
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
		if (!from.created || !pair[1].IsNull()) && !sameObject(pair[0], pair[1]) {
			c.replace = append(c.replace, path.Root(name))
		}
	}
	runs := state.Status.ValueString() == powerRunning
	if attrs.IsKnown(config.PowerState) && !config.PowerState.Equal(state.PowerState) {
		c.power = config.PowerState.ValueString()
	}
	if owed && config.PowerState.IsNull() && state.Status.ValueString() == powerStopped {
		c.power, c.owed = powerRunning, true
	}
	if len(c.replace) > 0 || !plan.ClusterID.Equal(state.ClusterID) {
		return c, nil // another VM is made, which need not come about by changing this one
	}
	diags := c.comparePower(state)
	c.compareSizes(plan, state)
	diags.Append(c.compareNICs(ctx, config, plan, state, from.nics)...)
	diags.Append(c.compareDisks(ctx, config, state, from.vm)...)
	diags.Append(c.compareGPUs(ctx, plan, state)...)
	diags.Append(c.refuseSuspended(state)...)
	may, d := c.mayDisturb(ctx, config, state)
	diags.Append(d...)
	c.unknown = c.unknown || may
	settings, d := network.SettingsOf(ctx, plan.NetworkReadiness)
	diags.Append(d...)
	// network_ready is false only where a wait has ended without success.
	unfinished := !state.NetworkReady.IsNull() && !state.NetworkReady.ValueBool()
	c.full = unfinished || c.power == powerRunning || len(c.stops) > 0
	c.waits = settings.Enabled && (c.full || c.unknown || runs && c.power == "" && c.nics.waits())
	return c, diags
}

func (c *change) compareDisks(ctx context.Context, config, state *model, fresh bool) diag.Diagnostics {
	disks, diags := compareDisks(ctx, config, state, fresh)
	configured, d := disksFrom(ctx, config.DataDisks)
	diags.Append(d...)
	c.disks = disks
	if !diags.HasError() && (c.interrupts(state) || c.suspended(state)) {
		c.stops = append(c.stops, disks.stops(configured)...)
	}
	return diags
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

func (c *change) compareNICs(ctx context.Context, config, plan, state *model, imported bool) diag.Diagnostics {
	if plan.NICs.IsNull() || state.NICs.IsNull() && imported {
		// Without the argument the VM's NICs are left as they are.
		return nil
	}
	if plan.NICs.IsUnknown() || state.NICs.IsNull() {
		c.unknown = true
		return nil
	}
	planned, diags := nicsFrom(ctx, plan.NICs)
	configured, d := nicsFrom(ctx, config.NICs)
	diags.Append(d...)
	current, d := nicsFrom(ctx, state.NICs)
	diags.Append(d...)
	if diags.HasError() || len(configured) != len(planned) {
		return diags
	}
	planner := nicPlanner{
		planned: planned, config: configured, state: current, imported: imported, open: openNICs(ctx, config.NICs), diags: &diags,
		runs:  state.Status.ValueString() == powerRunning && c.power != powerStopped && c.power != powerSuspended || c.power == powerRunning,
		tools: state.VMToolsStatus.ValueString() == toolsRunning || c.power == powerRunning,
	}
	c.nics = planner.compare(ctx)
	for i, edit := range c.nics.edits {
		switch {
		case !c.interrupts(state):
		case edit.device.Model != nil:
			c.stops = append(c.stops, fmt.Sprintf("the model of NIC %d changes to %s", i, *edit.device.Model))
		case configured[i].Model.IsUnknown():
			c.unknown = true
		}
	}
	return diags
}

// settle gives the plan's computed values: what the change leaves alone keeps
// its value, what it can alter is unknown.
func (c *change) settle(ctx context.Context, config, plan, state *model) diag.Diagnostics {
	changesRun := c.changesRun()
	settlePlacement(config, plan, state)
	settleIO(config, plan, state)
	keepString(&plan.Description, config.Description, state.Description, false)
	keepString(&plan.GuestOSType, config.GuestOSType, state.GuestOSType, false)
	keepString(&plan.Firmware, config.Firmware, state.Firmware, false)
	keepString(&plan.PowerState, config.PowerState, state.PowerState, changesRun)
	if c.owed {
		plan.PowerState = types.StringValue(powerRunning)
	}
	keepInt(&plan.NumCPUs, config.NumCPUs, state.NumCPUs)
	keepInt(&plan.MemoryMiB, config.MemoryMiB, state.MemoryMiB)
	keepInt(&plan.NumCoresPerSocket, config.NumCoresPerSocket, coresFor(plan, state))
	if config.HA.IsNull() && !state.HA.IsNull() {
		plan.HA = state.HA
	}
	keepString(&plan.LocalID, types.StringNull(), state.LocalID, changesRun)
	keepString(&plan.ProviderID, types.StringNull(), state.ProviderID, changesRun)

	plan.Status, plan.VMToolsStatus = state.Status, state.VMToolsStatus
	plan.NetworkReady, plan.NetworkReadinessReport = state.NetworkReady, state.NetworkReadinessReport
	plan.IPAddresses, plan.DefaultIPAddress = state.IPAddresses, state.DefaultIPAddress
	if changesRun {
		plan.Status, plan.VMToolsStatus = types.StringUnknown(), types.StringUnknown()
		plan.NetworkReady, plan.NetworkReadinessReport = types.BoolUnknown(), types.ObjectUnknown(network.ReportType())
		plan.IPAddresses, plan.DefaultIPAddress = types.ListUnknown(types.StringType), types.StringUnknown()
	}
	if c.nics.sends() {
		plan.IPAddresses, plan.DefaultIPAddress = types.ListUnknown(types.StringType), types.StringUnknown()
	}
	diags := c.settleDisks(ctx, config, plan, state)
	diags.Append(c.settleNICs(ctx, config, plan)...)
	diags.Append(settleAddresses(ctx, plan, state)...)
	return diags
}

// changesRun tells whether the change starts, stops or waits for the VM as a
// whole.
func (c *change) changesRun() bool {
	return c.waits || c.unknown || c.power != "" || len(c.stops) > 0
}

// settleNICs gives the computed members of the planned NICs. Those of a NIC that
// the change leaves alone stay.
func (c *change) settleNICs(ctx context.Context, config, plan *model) diag.Diagnostics {
	planned, diags := nicsFrom(ctx, plan.NICs)
	if planned == nil || diags.HasError() {
		return diags
	}
	configured, d := nicsFrom(ctx, config.NICs)
	diags.Append(d...)
	for i := range planned {
		if i >= len(configured) {
			continue
		}
		if i >= len(c.nics.edits) || c.nics.edits[i].prior == nil || c.nics.edits[i].open {
			if configured[i].MACAddress.IsNull() {
				planned[i].MACAddress = types.StringUnknown()
			}
			planned[i].IPAddresses = types.ListUnknown(types.StringType)
			continue
		}
		edit := c.nics.edits[i]
		planned[i].MACAddress = configured[i].MACAddress
		keepString(&planned[i].MACAddress, configured[i].MACAddress, edit.prior.MACAddress, true)
		planned[i].IPAddresses = edit.prior.IPAddresses
		if c.waits && (c.full || c.unknown) || c.power != "" || len(c.stops) > 0 || edit.sends() {
			planned[i].IPAddresses = types.ListUnknown(types.StringType)
		}
	}
	plan.NICs, d = nicList(ctx, planned)
	diags.Append(d...)
	return diags
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
// prior value. Where that is null and the change may bring a value (learns), it
// is unknown.
func keepString(planned *types.String, config, prior types.String, learns bool) {
	switch {
	case !config.IsNull():
	case prior.IsNull() && learns:
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
