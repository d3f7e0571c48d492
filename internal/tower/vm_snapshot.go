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

func (v VMSnapshot) identity() identity {
	return identity{id: v.ID, localID: v.LocalID, name: v.Name, async: v.EntityAsyncStatus}
}

// VMSnapshot reads a snapshot of a VM by id or local id.
func (c *Client) VMSnapshot(ctx context.Context, id string) (*VMSnapshot, error) {
	return c.snapshots.get(ctx, id)
}

// SnapshotsOfVM reads the snapshots of a VM by Tower's id, by their names. A VM that does not exist has none. Many callers
// share a request.
func (c *Client) SnapshotsOfVM(ctx context.Context, vmID string) ([]VMSnapshot, error) {
	return c.vmSnapshots.get(ctx, vmID)
}

func newVMSnapshots(c *Client) *objects[VMSnapshot] {
	return newObjects(c, "get-vm-snapshots", "VM snapshot", vmSnapshotOf, func(ctx context.Context, body *models.GetVMSnapshotsRequestBody) ([]*models.VMSnapshot, error) {
		return payload(vm_snapshot.New(c.sdk()).GetVMSnapshots(vm_snapshot.NewGetVMSnapshotsParamsWithContext(ctx).WithRequestBody(body)))
	})
}

func vmSnapshotOf(m *models.VMSnapshot) VMSnapshot {
	cpu, cluster, vm := deref(m.CPU), deref(m.Cluster), deref(m.VM)
	return VMSnapshot{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Description: deref(m.Description), Firmware: text(m.Firmware),
		ClusterID: deref(cluster.ID), ClusterName: deref(cluster.Name), VMID: deref(vm.ID), VMName: deref(vm.Name),
		ConsistentType: text(m.ConsistentType), HA: deref(m.Ha), VCPU: number(m.Vcpu), MemoryBytes: deref(m.Memory), SizeBytes: deref(m.Size),
		CPUCores: number(cpu.Cores), CPUSockets: number(cpu.Sockets),
		EntityAsyncStatus: text(m.EntityAsyncStatus), CreatedAt: instant(m.LocalCreatedAt), Labels: labelsOf(m.Labels),
	}
}
