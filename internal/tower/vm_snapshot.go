// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm_snapshot"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// VMSnapshot is a snapshot of a VM as Tower shows it. It can outlive its VM.
type VMSnapshot struct {
	ID                string
	LocalID           string
	Name              string
	Description       string
	ClusterID         string
	ClusterName       string
	VMID              string // "" when the VM is gone
	VMName            string
	ConsistentType    string // CRASH_CONSISTENT, FILE_SYSTEM_CONSISTENT, …
	Firmware          string
	HA                bool
	VCPU              int
	CPUCores          int // in each socket
	CPUSockets        int
	MemoryBytes       int64
	SizeBytes         int64
	EntityAsyncStatus string
	CreatedAt         time.Time
	Labels            []Label
}

// VMSnapshot reads a snapshot of a VM by id or local id.
func (c *Client) VMSnapshot(ctx context.Context, id string) (*VMSnapshot, error) {
	return readOne(ctx, c.reads.snapshots, opGetVMSnapshots, "VM snapshot", id)
}

const opGetVMSnapshots = "get-vm-snapshots"

// getVMSnapshots calls get-vm-snapshots.
func (c *Client) getVMSnapshots(ctx context.Context, where *models.VMSnapshotWhereInput) ([]VMSnapshot, error) {
	body := &models.GetVMSnapshotsRequestBody{Where: where}
	return invoke(ctx, c, operation{opGetVMSnapshots, kindRead}, func(ctx context.Context) ([]VMSnapshot, error) {
		reply, err := c.api.snapshots.GetVMSnapshots(vm_snapshot.NewGetVMSnapshotsParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := make([]VMSnapshot, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, vmSnapshotOf(m))
			}
		}
		return out, nil
	})
}

// fetchVMSnapshots reads snapshots by id or local id.
func (c *Client) fetchVMSnapshots(ctx context.Context, keys []string) (map[string]VMSnapshot, error) {
	list, err := c.getVMSnapshots(ctx, &models.VMSnapshotWhereInput{OR: []*models.VMSnapshotWhereInput{{IDIn: keys}, {LocalIDIn: keys}}})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v VMSnapshot) []string { return []string{v.ID, v.LocalID} }), nil
}

// vmSnapshotOf converts a snapshot of the SDK.
func vmSnapshotOf(m *models.VMSnapshot) VMSnapshot {
	out := VMSnapshot{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Description: deref(m.Description), Firmware: text(m.Firmware),
		ConsistentType: text(m.ConsistentType), HA: deref(m.Ha), VCPU: number(m.Vcpu), MemoryBytes: deref(m.Memory), SizeBytes: deref(m.Size),
		EntityAsyncStatus: text(m.EntityAsyncStatus), CreatedAt: instant(m.LocalCreatedAt), Labels: labelsOf(m.Labels),
	}
	if m.CPU != nil {
		out.CPUCores, out.CPUSockets = number(m.CPU.Cores), number(m.CPU.Sockets)
	}
	if m.Cluster != nil {
		out.ClusterID, out.ClusterName = deref(m.Cluster.ID), deref(m.Cluster.Name)
	}
	if m.VM != nil {
		out.VMID, out.VMName = deref(m.VM.ID), deref(m.VM.Name)
	}
	return out
}
