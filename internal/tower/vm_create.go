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

// params converts the description for the SDK.
func (in VMCreate) params() *models.VMCreateVMFromContentLibraryTemplateParams {
	status := models.VMStatusSTOPPED
	if in.Running {
		status = models.VMStatusRUNNING
	}
	out := &models.VMCreateVMFromContentLibraryTemplateParams{
		Name: ptr(in.Name), ClusterID: ptr(in.ClusterID), TemplateID: ptr(in.ContentLibraryVMTemplateID), IsFullCopy: ptr(in.FullCopy),
		Description: in.Description, FolderID: in.FolderID, HostID: in.HostID, GuestOsType: enum[models.VMGuestsOperationSystem](in.GuestOSType),
		Firmware: enum[models.VMFirmware](in.Firmware), Ha: in.HA,
		CPUSockets: int32s(in.CPUSockets), CPUCores: int32s(in.CPUCores), Memory: in.MemoryBytes, Status: &status,
	}
	if in.CPUSockets != nil && in.CPUCores != nil {
		out.Vcpu = ptr(*out.CPUSockets * *out.CPUCores)
	}
	if in.Owner != nil {
		out.Owner = &models.VMOwnerParams{SearchFor: optional(in.Owner.SearchFor), Value: ptr(in.Owner.Value)}
	}
	if in.NICs != nil {
		out.VMNics = make([]*models.VMNicParams, 0, len(in.NICs))
		for _, nic := range in.NICs {
			out.VMNics = append(out.VMNics, nic.params())
		}
	}
	if in.CloudInit != nil {
		out.CloudInit = in.CloudInit.params()
	}
	return out
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
