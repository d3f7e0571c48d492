// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// checkPlanned refuses, at plan, what Tower would refuse later: a cluster or a
// source that can't serve, networks that are none of the cluster's, more memory
// than a host has. The state is empty for a VM that is to be created. What is
// not known yet, or can't be looked up, is left for the apply.
func (r *Resource) checkPlanned(ctx context.Context, config, plan, state *model, diags *diag.Diagnostics) {
	client, ok := r.data.TryClient()
	if !ok {
		return
	}
	isNew := state.ID.IsNull()
	if isNew {
		checkClusterAndSource(ctx, client, config, plan, diags)
	}
	if !attrs.IsKnown(plan.ClusterID) || diags.HasError() {
		return
	}
	checkNetworks(ctx, client, plan, state, diags)
	checkMemory(ctx, client, config, plan, state, diags)
	if isNew && config.DeleteMode.ValueString() == deleteRecycleBin {
		if recycleBinOff(ctx, client, plan.ClusterID.ValueString()) {
			diags.AddAttributeWarning(path.Root("delete_mode"), "The recycle bin is switched off",
				"The recycle bin is switched off in Tower for this cluster, so destroying the VM will be refused as long as delete_mode is RECYCLE_BIN.")
		}
	}
}

// checkClusterAndSource checks the cluster and the source of a VM that is to be created.
func checkClusterAndSource(ctx context.Context, client *tower.Client, config, plan *model, diags *diag.Diagnostics) {
	// What the create call would be is made up with what is known.
	in, d := plan.toCreate(ctx)
	if d.HasError() {
		return
	}
	if config.NumCPUs.IsUnknown() {
		in.CPUCores = nil // what they make of the source's vCPUs would be taken for what is wanted
	}
	if id := plan.ClusterID.ValueString(); id != "" {
		// An error is left for the apply.
		_ = checkReference(diags, in.Name, reference{path.Root("cluster_id"), "cluster", id}, func() (string, error) {
			cluster, err := client.Cluster(ctx, id)
			if err != nil {
				return "", err
			}
			return cluster.ID, nil
		})
	}
	source, ok, d := objectAs[sourceModel](ctx, config.Source)
	if !ok || d.HasError() || !attrs.IsKnown(plan.ClusterID) || diags.HasError() {
		return
	}
	for _, member := range source.ids() {
		if member.id.IsUnknown() {
			return
		}
	}
	_ = checkSource(ctx, client, plan, &in, diags)
}

// checkNetworks refuses networks that a NIC is to be on and that do not exist or
// are another cluster's.
func checkNetworks(ctx context.Context, client *tower.Client, plan, state *model, diags *diag.Diagnostics) {
	nics, d := nicsFrom(ctx, plan.NICs)
	current, more := nicsFrom(ctx, state.NICs)
	if d.HasError() || more.HasError() {
		return
	}
	seen := map[string]bool{"": true}
	for _, nic := range current {
		seen[nic.VLANID.ValueString()] = true
	}
	for i, nic := range nics {
		id := nic.VLANID.ValueString()
		if seen[id] {
			continue
		}
		seen[id] = true
		at := path.Root("nics").AtListIndex(i).AtName("vlan_id")
		vlan, err := client.VLAN(ctx, id)
		switch {
		case errors.Is(err, tower.ErrNotFound):
			diags.AddAttributeError(at, "No such VM network", fmt.Sprintf("Tower has no VM network with the id %q, or this user may not see it. Check the id; the data source elf_vlan finds it by name.", id))
			continue
		case err != nil:
			continue
		case vlan.ID != id:
			diags.AddAttributeError(at, "Not Tower's id", fmt.Sprintf("%q is the id of the VM network inside its cluster. Use Tower's id, %q.", id, vlan.ID))
			continue
		}
		if here, err := client.VLANInCluster(ctx, id, plan.ClusterID.ValueString()); err == nil && !here {
			diags.AddAttributeError(at, "VM network of another cluster",
				fmt.Sprintf("The VM network %q (%s) is none of the cluster %s. Choose one of the VM's cluster; the data source elf_vlan takes cluster_id.", vlan.Name, id, plan.ClusterID.ValueString()))
		}
	}
}

// checkMemory refuses more memory than the host, or any host of the cluster, has.
func checkMemory(ctx context.Context, client *tower.Client, config, plan, state *model, diags *diag.Diagnostics) {
	if !attrs.IsKnown(config.MemoryMiB) || config.MemoryMiB.Equal(state.MemoryMiB) && config.HostID.Equal(state.HostID) || config.HostID.IsUnknown() {
		return
	}
	at, wanted := path.Root("memory_mib"), config.MemoryMiB.ValueInt64()
	if id := config.HostID.ValueString(); id != "" {
		host, err := client.Host(ctx, id)
		if err == nil && host.TotalMemoryBytes > 0 && wanted > host.TotalMemoryBytes/mebibyte {
			diags.AddAttributeError(at, "No host has so much memory",
				fmt.Sprintf("memory_mib is %d MiB, but the host %q (%s) has %d MiB in all. Lower memory_mib, or choose another host.", wanted, host.Name, id, host.TotalMemoryBytes/mebibyte))
		}
		return
	}
	cluster := plan.ClusterID.ValueString()
	hosts, err := client.ClusterHosts(ctx, cluster)
	largest := int64(0)
	for _, host := range hosts {
		if host.TotalMemoryBytes <= 0 {
			return
		}
		largest = max(largest, host.TotalMemoryBytes/mebibyte)
	}
	if err == nil && largest > 0 && wanted > largest {
		diags.AddAttributeError(at, "No host has so much memory",
			fmt.Sprintf("memory_mib is %d MiB, but the largest host of the cluster %s has %d MiB in all. Lower memory_mib.", wanted, cluster, largest))
	}
}

// checkTopology refuses a number of vCPUs that the sockets can't be made of, which
// shows only with what the VM has.
func checkTopology(config, plan *model, diags *diag.Diagnostics) {
	if !attrs.IsKnown(plan.NumCPUs) || !attrs.IsKnown(plan.NumCoresPerSocket) {
		return
	}
	cpus, cores := plan.NumCPUs.ValueInt64(), plan.NumCoresPerSocket.ValueInt64()
	if cores <= 0 || cpus%cores == 0 {
		return
	}
	at := path.Root("num_cores_per_socket")
	if config.NumCoresPerSocket.IsNull() {
		at = path.Root("num_cpus")
	}
	diags.AddAttributeError(at, "Invalid number of vCPUs",
		fmt.Sprintf("num_cpus (%d) must be a multiple of num_cores_per_socket (%d). The one that is not configured is what the VM has; set both.", cpus, cores))
}

// recycleBinOff reports whether the recycle bin is known to be switched off. What
// can't be looked up is left for the apply.
func recycleBinOff(ctx context.Context, client *tower.Client, clusterID string) bool {
	enabled, err := client.RecycleBinEnabled(ctx, clusterID)
	return err == nil && !enabled
}

// checkDestroy refuses the end of a VM, by a destroy or a replacement, that the
// recycle bin can't have: earlier than the apply, which would stop half-way. It
// warns of snapshots that the end would leave.
func (r *Resource) checkDestroy(ctx context.Context, state *model, diags *diag.Diagnostics) {
	client, ok := r.data.TryClient()
	if !ok {
		return
	}
	if state.DeleteMode.ValueString() != deleteRecycleBin {
		warnSnapshots(ctx, client, state, diags)
		return
	}
	vm, err := client.VM(ctx, state.ID.ValueString())
	if err != nil || vm.InRecycleBin {
		return // there is nothing to move, or the apply tells what is wrong
	}
	if recycleBinOff(ctx, client, vm.ClusterID) {
		diags.AddAttributeError(path.Root("delete_mode"), fmt.Sprintf("VM %q can't be moved to the recycle bin", state.Name.ValueString()), binOff)
	}
}

// binOff says what to do where the recycle bin is wanted and off.
const binOff = "delete_mode is RECYCLE_BIN, but the recycle bin is switched off in Tower for this cluster, so nothing was done to the VM. " +
	"Switch the recycle bin on, or set delete_mode = \"PERMANENT\" and apply before destroying"
