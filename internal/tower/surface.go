// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"net/url"
	"time"
)

var errPending = errors.New("not available yet")

// Client talks to one Tower as one user.
type Client struct{}

// New checks the configuration and returns a client; it does no I/O besides reading the certificate file. The
// error is a *ConfigError that names the setting at fault.
func New(cfg Config) (*Client, error) { return nil, errPending }

// ParseServer turns the server setting into scheme and host. The error is a *ConfigError.
func ParseServer(server string) (*url.URL, error) { return nil, errPending }

// Server returns scheme and host.
func (c *Client) Server() string { return "" }

// Login logs in, or checks the API token, and reads Tower's version. The error is a *LoginError.
func (c *Client) Login(ctx context.Context) error { return errPending }

// Version returns Tower's version as read by Login, "" if it told none.
func (c *Client) Version() string { return "" }

// VM reads a VM by Tower's id or its local id. ErrNotFound: there is none.
func (c *Client) VM(ctx context.Context, id string) (*VM, error) { return nil, errPending }

// VMByName finds a VM by cluster and name. ErrNotFound: the name is free.
func (c *Client) VMByName(ctx context.Context, clusterID, name string) (*VM, error) {
	return nil, errPending
}

// VMNICs reads the network cards of a VM, by Order. A VM that does not exist has none.
func (c *Client) VMNICs(ctx context.Context, vmID string) ([]VMNIC, error) { return nil, errPending }

// Cluster reads a cluster by id or local id.
func (c *Client) Cluster(ctx context.Context, id string) (*Cluster, error) { return nil, errPending }

// VLAN reads a VM network by id or local id.
func (c *Client) VLAN(ctx context.Context, id string) (*VLAN, error) { return nil, errPending }

// Host reads a host by id or local id.
func (c *Client) Host(ctx context.Context, id string) (*Host, error) { return nil, errPending }

// Folder reads a VM folder by id or local id.
func (c *Client) Folder(ctx context.Context, id string) (*Folder, error) { return nil, errPending }

// ContentLibraryVMTemplate reads a template by id.
func (c *Client) ContentLibraryVMTemplate(ctx context.Context, id string) (*ContentLibraryVMTemplate, error) {
	return nil, errPending
}

// ListFilter narrows a list. What is empty does not narrow.
type ListFilter struct {
	ID           string // also matches the local id
	Name         string
	NameContains string
	NameIn       []string
	ClusterID    string
}

// VLANFilter narrows a list of VM networks.
type VLANFilter struct {
	ListFilter
	VDSID  string
	VlanID *int   // the 802.1Q tag
	Type   string // VM, MANAGEMENT, …
}

// Clusters lists clusters by name, then id.
func (c *Client) Clusters(ctx context.Context, filter ListFilter) ([]Cluster, error) {
	return nil, errPending
}

// VLANs lists VM networks by name, then id.
func (c *Client) VLANs(ctx context.Context, filter VLANFilter) ([]VLAN, error) {
	return nil, errPending
}

// ContentLibraryVMTemplates lists templates by name, then id. ClusterID keeps those distributed to that cluster.
func (c *Client) ContentLibraryVMTemplates(ctx context.Context, filter ListFilter) ([]ContentLibraryVMTemplate, error) {
	return nil, errPending
}

// Cluster is a cluster as Tower shows it.
type Cluster struct {
	ID           string
	LocalID      string
	Name         string
	Type         string // SMTX_OS, SMTX_ZBS, SMTX_ELF, BLUESHARK, …
	Version      string
	IP           string
	ManagementIP string
	Architecture string // X86_64, AARCH64
	Hypervisor   string // ELF, VMWARE, …
	ConnectState string // CONNECTED, DISCONNECTED, INITIALIZING, REMOVING, …
	HostCount    int
	Labels       []Label
}

// VLAN is a VM network as Tower shows it.
type VLAN struct {
	ID      string
	LocalID string
	Name    string
	VlanID  int    // the 802.1Q tag
	Type    string // VM, MANAGEMENT, STORAGE, …
	VDSID   string
	VDSName string
	Labels  []Label
}

// ContentLibraryVMTemplate is a VM template of the content library as Tower shows it.
type ContentLibraryVMTemplate struct {
	ID                 string
	Name               string
	Description        string
	OS                 string
	Architecture       string
	Firmware           string // "" before Tower 4.5
	CloudInitSupported bool
	VCPU               int
	CPUCores           int // in each socket; 0 before Tower 4.5
	CPUSockets         int // 0 before Tower 4.5
	MemoryBytes        int64
	SizeBytes          int64
	Clusters           []ClusterRef // where it is distributed to
	EntityAsyncStatus  string
	CreatedAt          time.Time
	Labels             []Label
}

// ClusterRef names a cluster.
type ClusterRef struct {
	ID   string
	Name string
}

// Host is a host as Tower shows it.
type Host struct {
	ID                     string
	LocalID                string
	Name                   string
	ManagementIP           string
	ClusterID              string
	ClusterName            string
	Status                 string // CONNECTED_HEALTHY, CONNECTED_ERROR, …
	State                  string // IN_USE, MAINTENANCE_MODE, …; "" before Tower 3.3
	TotalMemoryBytes       int64
	AllocatableMemoryBytes int64
	TotalCPUCores          int
	EntityAsyncStatus      string
}

// Folder is a VM folder as Tower shows it.
type Folder struct {
	ID          string
	LocalID     string
	Name        string
	ClusterID   string
	ClusterName string
}

// CreateVM sends one create call.
func (c *Client) CreateVM(ctx context.Context, in VMCreate) (*Creation, error) {
	return nil, errPending
}

// Creation is a VM that Tower is creating.
type Creation struct {
	VMID      string // Tower's id, good from now on
	TaskID    string // "" when the VM was adopted
	RequestID string // x-tower-request-id of the create call
	Adopted   bool   // the reply was lost, and this VM of the wanted name has appeared since
}

// Wait waits until the VM is made and idle.
func (cr *Creation) Wait(ctx context.Context) (*VM, error) { return nil, errPending }

// Release gives the create slot back without waiting.
func (cr *Creation) Release() {}

// StartVM powers a VM on; hostID "" lets Tower choose.
func (c *Client) StartVM(ctx context.Context, vmID, hostID string) error { return errPending }

// StopOptions says how to stop a VM.
type StopOptions struct {
	Graceful time.Duration // how long the guest may take to shut down
	Force    bool          // power off when it does not
}

// StopVM stops a VM.
func (c *Client) StopVM(ctx context.Context, vmID string, opts StopOptions) error { return errPending }

// SuspendVM suspends a running VM.
func (c *Client) SuspendVM(ctx context.Context, vmID string) error { return errPending }

// ResumeVM resumes a suspended VM.
func (c *Client) ResumeVM(ctx context.Context, vmID string) error { return errPending }

// UpdateVM changes name, description, HA, CPU or memory.
func (c *Client) UpdateVM(ctx context.Context, vmID string, in VMUpdate) error { return errPending }

// DeleteVM deletes a VM for good and waits until it is gone. A VM already gone is success.
func (c *Client) DeleteVM(ctx context.Context, vmID string) error { return errPending }

// MoveVMToRecycleBin moves a VM to the recycle bin.
func (c *Client) MoveVMToRecycleBin(ctx context.Context, vmID string) error { return errPending }

// VMObservation is what one look at a waiting VM showed.
type VMObservation struct {
	VM   *VM // nil: not found
	NICs []VMNIC
}

// WatchVM hands each look at the VM to observe until it returns true (nil is returned) or ctx ends.
func (c *Client) WatchVM(ctx context.Context, vmID string, observe func(obs VMObservation, err error) (done bool)) error {
	return errPending
}

// Advice returns one sentence on what a person can do about err, "" where nothing useful is known.
func Advice(err error) string { return "" }
