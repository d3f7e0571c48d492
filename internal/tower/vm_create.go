// SPDX-License-Identifier: MPL-2.0

package tower

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

// VMCreate describes a VM to be created from a content library template. What is nil or "" is the template's.
type VMCreate struct {
	Name                       string
	ClusterID                  string
	ContentLibraryVMTemplateID string
	FullCopy                   bool

	Description *string
	FolderID    *string
	HostID      *string // nil: Tower chooses
	GuestOSType *string
	Firmware    *string
	HA          *bool
	Owner       *Owner

	CPUSockets  *int
	CPUCores    *int // in each socket
	MemoryBytes *int64
	Running     bool // the power state after the create

	NICs      []NICCreate // nil = the template's NICs, else they are replaced by these, in this order
	CloudInit *CloudInit  // nil = none
}

// NICCreate describes a network card. It has no address: addresses are given to the guest by cloud-init, and
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

// CloudInitNetwork configures one network card of the guest.
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

// VMUpdate says what to change of a VM; what is nil stays.
type VMUpdate struct {
	Name        *string
	Description *string
	HA          *bool
	CPUSockets  *int
	CPUCores    *int // in each socket
	MemoryBytes *int64
}
