// SPDX-License-Identifier: MPL-2.0

package tower

import "time"

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
}

// HasRealLocalID reports whether the cluster has really made the VM. Until then Tower shows a placeholder.
func (vm *VM) HasRealLocalID() bool { return vm != nil && vm.LocalID != "" }

// VMNIC is a network card of a VM as Tower shows it. Tower rebuilds these records: ID changes at every edit of
// the VM, so a NIC is recognised by its MAC.
type VMNIC struct {
	ID          string
	VMID        string
	MAC         string // "" for a short while after a NIC was added
	VLANID      string
	VLANName    string
	Model       string // VIRTIO, E1000, SRIOV
	Type        string // VLAN or VPC
	Order       int    // position in the guest, from 0
	Enabled     bool   // true where Tower does not tell
	Mirror      bool
	IPAddresses []string // as reported by the guest's tools, in Tower's order; empty when unknown
	Gateway     string
	SubnetMask  string
}
