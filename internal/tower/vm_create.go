// SPDX-License-Identifier: MPL-2.0

package tower

import "github.com/smartxworks/cloudtower-go-sdk/v2/models"

// The ways to name an owner.
const (
	OwnerByUsername = "username"
	OwnerByID       = "id"
)

// Owner names the user who is to own a VM.
type Owner struct {
	SearchFor string // "username" or "id"
	Value     string
}

// VMCreate describes a VM to be created, from a source or blank. What is nil or "" is the source's.
type VMCreate struct {
	Name      string
	ClusterID string

	// The source, at most one of these. Without any the VM is blank: then Firmware, HA, CPUs and memory are needed.
	ContentLibraryVMTemplateID string
	VMTemplateID               string
	SourceVMID                 string // the VM to clone
	VMSnapshotID               string

	FullCopy bool // the disks are copied in full instead of sharing blocks with the source

	Description *string
	FolderID    *string
	HostID      *string // nil: Tower chooses
	GuestOSType *string
	Firmware    *string
	HA          *bool
	Owner       *Owner

	PlacementGroupID string // "" = none

	CPUSockets  *int
	CPUCores    *int // in each socket
	MemoryBytes *int64
	Running     bool // the power state after the create

	NICs      []NICCreate // nil = the source's NICs, else they are replaced by these, in this order
	CloudInit *CloudInit  // nil = none; only templates take it

	GPUs []VMGPU // they need a host, and no HA

	// Only templates and blank VMs take the next ones.
	Disks       []DiskCreate  // beside those of the source
	CDROMs      []CDROMCreate // beside those of the source
	SystemDisk  *DiskBus      // nil = as in the template; a blank VM's is the first of Disks
	RemoveDisks []int         // disks and drives of the template, by their places in its list, that the VM does not get
}

// DiskBus puts a disk of a template on another bus.
type DiskBus struct {
	Index int // in the template's list of disks
	Bus   string
}

// NICCreate describes a NIC. It has no address: addresses are given to the guest by cloud-init, and
// Tower would show them as if the guest had reported them.
type NICCreate struct {
	VLANID  string
	Model   string // VIRTIO, E1000; "" = Tower's default
	MAC     string // "" = Tower makes one
	Enabled *bool
	Mirror  *bool
}

// CloudInit is what the guest is told at its first boot.
type CloudInit struct {
	Hostname            string
	UserData            string // plain text
	DefaultUserPassword string
	Nameservers         []string
	PublicKeys          []string
	Networks            []CloudInitNetwork
}

// CloudInitNetwork configures one NIC of the guest.
type CloudInitNetwork struct {
	NICIndex  int
	Type      string // IPV4 or IPV4_DHCP
	IPAddress string // for IPV4
	Netmask   string // for IPV4
	Routes    []CloudInitRoute
}

// CloudInitRoute is a route of the guest; network and netmask 0.0.0.0 make the default route.
type CloudInitRoute struct {
	Network string
	Netmask string
	Gateway string
}

func (in NICCreate) params() *models.VMNicParams {
	return &models.VMNicParams{
		ConnectVlanID: ptr(in.VLANID), Model: enum[models.VMNicModel](&in.Model), MacAddress: optional(in.MAC), Enabled: in.Enabled, Mirror: in.Mirror,
	}
}

func (in CloudInit) params() *models.TemplateCloudInit {
	out := &models.TemplateCloudInit{
		Hostname: optional(in.Hostname), UserData: optional(in.UserData), DefaultUserPassword: optional(in.DefaultUserPassword),
		Nameservers: in.Nameservers, PublicKeys: in.PublicKeys,
	}
	for _, network := range in.Networks {
		n := &models.CloudInitNetWork{
			NicIndex: int32s(&network.NICIndex), Type: enum[models.CloudInitNetworkTypeEnum](&network.Type),
			IPAddress: optional(network.IPAddress), Netmask: optional(network.Netmask),
		}
		for _, r := range network.Routes {
			n.Routes = append(n.Routes, &models.CloudInitNetWorkRoute{Network: ptr(r.Network), Netmask: ptr(r.Netmask), Gateway: ptr(r.Gateway)})
		}
		out.Networks = append(out.Networks, n)
	}
	return out
}
