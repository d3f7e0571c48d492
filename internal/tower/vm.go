// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"fmt"
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
	ID        string
	Key       string
	Value     string
	CreatedAt time.Time // zero where Tower shows the label as part of another object
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

func (v VM) identity() identity {
	return identity{id: v.ID, localID: v.LocalID, name: v.Name, async: v.EntityAsyncStatus}
}

// VM reads a VM by Tower's id or its local id. ErrNotFound: there is none.
func (c *Client) VM(ctx context.Context, id string) (*VM, error) { return c.vms.get(ctx, id) }

// VMByName finds a VM by cluster and name; VMs in the recycle bin have given their names back. ErrNotFound: the name is
// free. Where a cluster has several VMs of the name, it is the oldest.
func (c *Client) VMByName(ctx context.Context, clusterID, name string) (*VM, error) {
	list, err := c.VMsByName(ctx, clusterID, name)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, notFound(c.vms.op, fmt.Sprintf("the cluster has no VM with the name %q", name))
	}
	return &list[0], nil
}

// VMsByName returns the VMs of a name in a cluster, the oldest first, without those in the recycle bin. Names are unique
// there unless Tower has been told otherwise or made a VM again that it had lost.
func (c *Client) VMsByName(ctx context.Context, clusterID, name string) ([]VM, error) {
	if clusterID == "" || name == "" {
		return nil, notFound(c.vms.op, "a VM is looked for without its cluster or without its name")
	}
	return c.namedVMs.get(ctx, pairKey(clusterID, name))
}

func newVMs(c *Client) *objects[VM] {
	vms := newObjects(c, "get-vms", "VM", vmOf, func(ctx context.Context, body *models.GetVmsRequestBody) ([]*models.VM, error) {
		return payload(vm.New(c.sdk()).GetVms(vm.NewGetVmsParamsWithContext(ctx).WithRequestBody(body)))
	})
	read := vms.read
	vms.read = func(ctx context.Context, k kind, q query) ([]VM, error) {
		list, err := read(ctx, k, q)
		// Those who poll do not look at labels, which may lack their keys then.
		if err == nil && k == kindRead {
			err = c.nameLabels(ctx, list)
		}
		return list, err
	}
	return vms
}

// newNamedVMs reads the VMs of a name in a cluster, by pairs of cluster and name.
func newNamedVMs(vms *objects[VM]) *lists[VM] {
	where := func(keys []string) Where {
		var groups []Where
		for clusterID, names := range byFirst(keys) {
			groups = append(groups, Where{"cluster": Where{"id": clusterID}, "name_in": names})
		}
		return Where{"OR": groups, "in_recycle_bin": false}
	}
	key := func(v VM) []string {
		if v.InRecycleBin {
			return nil
		}
		return []string{pairKey(v.ClusterID, v.Name)}
	}
	return vms.listedBy("cluster", where, key, func(a, b VM) int { return a.CreatedAt.Compare(b.CreatedAt) })
}

func vmOf(m *models.VM) VM {
	cpu, cluster := deref(m.CPU), deref(m.Cluster)
	out := VM{
		ID: deref(m.ID), LocalID: realLocalID(m.LocalID), Name: deref(m.Name), Description: deref(m.Description),
		Status: text(m.Status), ToolsStatus: text(m.VMToolsStatus), ToolsVersion: deref(m.VMToolsVersion),
		Firmware: text(m.Firmware), GuestOSType: text(m.GuestOsType), EntityAsyncStatus: text(m.EntityAsyncStatus),
		HA: deref(m.Ha), InRecycleBin: deref(m.InRecycleBin), Internal: deref(m.Internal),
		VCPU: number(m.Vcpu), MemoryBytes: deref(m.Memory), CreatedAt: instant(m.LocalCreatedAt), Labels: labelsOf(m.Labels),
		CPUCores: number(cpu.Cores), CPUSockets: number(cpu.Sockets), ClusterID: deref(cluster.ID), ClusterName: deref(cluster.Name),
		HostID: deref(deref(m.Host).ID), FolderID: deref(deref(m.Folder).ID),
		IO: IOLimits{
			Policy: text(m.IoPolicy), MaxIOPS: int64(deref(m.MaxIops)), MaxIOPSPolicy: text(m.MaxIopsPolicy),
			MaxBandwidth: deref(m.MaxBandwidth), MaxBandwidthPolicy: text(m.MaxBandwidthPolicy),
		},
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
	return out
}
