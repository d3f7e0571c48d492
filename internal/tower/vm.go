// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// The power states of a VM that Tower reports. Others may come.
const (
	StatusRunning   = "RUNNING"
	StatusStopped   = "STOPPED"
	StatusSuspended = "SUSPENDED"
	StatusUnknown   = "UNKNOWN" // the host cannot be reached
	StatusDeleted   = "DELETED"
)

// Label is a key and a value attached to an object.
type Label struct {
	ID    string
	Key   string
	Value string
}

// VM is a virtual machine as Tower shows it. Strings are "" where Tower tells nothing.
type VM struct {
	ID                string
	LocalID           string // the VM's UUID in its cluster; "" until the VM has really been made
	Name              string
	Description       string
	ClusterID         string
	ClusterName       string
	HostID            string
	FolderID          string
	Status            string // RUNNING, STOPPED, SUSPENDED, UNKNOWN, DELETED, …
	ToolsStatus       string // NOT_INSTALLED, NOT_RUNNING, RESTRICTION, RUNNING, …
	ToolsVersion      string
	Firmware          string // BIOS or UEFI
	GuestOSType       string // LINUX, WINDOWS, UNKNOWN
	EntityAsyncStatus string // CREATING, UPDATING, DELETING; "" = idle
	HA                bool
	InRecycleBin      bool
	Internal          bool // Tower's own system VM
	VCPU              int  // CPUCores x CPUSockets
	CPUCores          int  // in each socket
	CPUSockets        int
	MemoryBytes       int64
	CreatedAt         time.Time // zero if not known
	Labels            []Label
	PlacementGroupIDs []string
	GPUIDs            []string // of the GPU devices assigned to it
	IO                IOLimits
}

// HasRealLocalID reports whether the cluster has really made the VM. Until then Tower shows a placeholder.
func (v *VM) HasRealLocalID() bool { return v != nil && v.LocalID != "" }

// VM reads a VM by Tower's id or its local id. ErrNotFound: there is none.
func (c *Client) VM(ctx context.Context, id string) (*VM, error) {
	return readOne(ctx, c.reads.vms, opGetVMs, "VM", id)
}

// VMByName finds a VM by cluster and name; VMs in the recycle bin have given their names back. ErrNotFound: the name is
// free. Where a cluster has several VMs of the name, it is the oldest.
func (c *Client) VMByName(ctx context.Context, clusterID, name string) (*VM, error) {
	list, err := c.VMsByName(ctx, clusterID, name)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, notFound(opGetVMs, fmt.Sprintf("the cluster has no VM with the name %q", name))
	}
	return &list[0], nil
}

// VMsByName returns the VMs of a name in a cluster, the oldest first, without those in the recycle bin. Names are unique
// there unless Tower has been told otherwise or lost sight of a VM that it then made again.
func (c *Client) VMsByName(ctx context.Context, clusterID, name string) ([]VM, error) {
	if clusterID == "" || name == "" {
		return nil, notFound(opGetVMs, "a VM is looked for without its cluster or without its name")
	}
	list, _, err := c.reads.names.Get(ctx, nameKey(clusterID, name))
	if err != nil {
		return nil, asError(opGetVMs, err)
	}
	return list, nil
}

const opGetVMs = "get-vms"

// nameKey makes one key of cluster and name; a name may hold anything but a zero byte.
func nameKey(clusterID, name string) string { return clusterID + "\x00" + name }

// getVMs calls get-vms. A filter that is nil would ask for every VM there is, so it is refused.
func (c *Client) getVMs(ctx context.Context, k kind, where *models.VMWhereInput) ([]VM, error) {
	if where == nil {
		return nil, &Error{Operation: opGetVMs, Class: ClassRefused, Message: "a filter is missing"}
	}
	return c.callGetVMs(ctx, k, &models.GetVmsRequestBody{Where: where})
}

// callGetVMs calls get-vms as it is told. Those who poll do not look at labels, which may lack their keys then.
func (c *Client) callGetVMs(ctx context.Context, k kind, body *models.GetVmsRequestBody) ([]VM, error) {
	list, err := invoke(ctx, c, operation{opGetVMs, k}, func(ctx context.Context) ([]VM, error) {
		reply, err := c.api.vms.GetVms(vm.NewGetVmsParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := make([]VM, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, vmOf(m))
			}
		}
		return out, nil
	})
	if err == nil && k == kindRead {
		err = c.nameLabels(ctx, list)
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// fetchVMs reads VMs by id or local id.
func (c *Client) fetchVMs(ctx context.Context, keys []string) (map[string]VM, error) {
	list, err := c.getVMs(ctx, kindRead, &models.VMWhereInput{OR: []*models.VMWhereInput{{IDIn: keys}, {LocalIDIn: keys}}})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v VM) []string { return []string{v.ID, v.LocalID} }), nil
}

// fetchStates reads VMs by id for those who wait for one to become idle.
func (c *Client) fetchStates(ctx context.Context, keys []string) (map[string]VM, error) {
	list, err := c.getVMs(ctx, kindPoll, &models.VMWhereInput{IDIn: keys})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v VM) []string { return []string{v.ID} }), nil
}

// fetchVMsByName reads VMs by the keys of nameKey.
func (c *Client) fetchVMsByName(ctx context.Context, keys []string) (map[string][]VM, error) {
	names := map[string][]string{}
	for _, key := range keys {
		clusterID, name, _ := strings.Cut(key, "\x00")
		names[clusterID] = append(names[clusterID], name)
	}
	var groups []*models.VMWhereInput
	for clusterID, list := range names {
		groups = append(groups, &models.VMWhereInput{Cluster: &models.ClusterWhereInput{ID: ptr(clusterID)}, NameIn: list})
	}
	list, err := c.getVMs(ctx, kindRead, &models.VMWhereInput{OR: groups, InRecycleBin: ptr(false)})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b VM) int { return a.CreatedAt.Compare(b.CreatedAt) })
	out := map[string][]VM{}
	for _, v := range list {
		if !v.InRecycleBin {
			key := nameKey(v.ClusterID, v.Name)
			out[key] = append(out[key], v)
		}
	}
	return out, nil
}

// vmOf converts a VM of the SDK.
func vmOf(m *models.VM) VM {
	out := VM{
		ID: deref(m.ID), LocalID: realLocalID(m.LocalID), Name: deref(m.Name), Description: deref(m.Description),
		Status: text(m.Status), ToolsStatus: text(m.VMToolsStatus), ToolsVersion: deref(m.VMToolsVersion),
		Firmware: text(m.Firmware), GuestOSType: text(m.GuestOsType), EntityAsyncStatus: text(m.EntityAsyncStatus),
		HA: deref(m.Ha), InRecycleBin: deref(m.InRecycleBin), Internal: deref(m.Internal),
		VCPU: number(m.Vcpu), MemoryBytes: deref(m.Memory), CreatedAt: instant(m.LocalCreatedAt), Labels: labelsOf(m.Labels),
	}
	if m.CPU != nil {
		out.CPUCores, out.CPUSockets = number(m.CPU.Cores), number(m.CPU.Sockets)
	}
	if m.Cluster != nil {
		out.ClusterID, out.ClusterName = deref(m.Cluster.ID), deref(m.Cluster.Name)
	}
	if m.Host != nil {
		out.HostID = deref(m.Host.ID)
	}
	for _, g := range m.VMPlacementGroup {
		if g != nil {
			out.PlacementGroupIDs = append(out.PlacementGroupIDs, deref(g.ID))
		}
	}
	for _, g := range m.GpuDevices {
		if g != nil {
			out.GPUIDs = append(out.GPUIDs, deref(g.ID))
		}
	}
	out.IO = IOLimits{
		Policy: text(m.IoPolicy), MaxIOPS: int64(deref(m.MaxIops)), MaxIOPSPolicy: text(m.MaxIopsPolicy),
		MaxBandwidth: deref(m.MaxBandwidth), MaxBandwidthPolicy: text(m.MaxBandwidthPolicy),
	}
	if m.Folder != nil {
		out.FolderID = deref(m.Folder.ID)
	}
	return out
}
