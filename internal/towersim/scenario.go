// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// Scenario says what a simulated Tower contains, how long its work takes, what
// its guests do, and which requests go wrong. Start from [DefaultScenario], or
// read a scenario from YAML with [ParseScenario].
type Scenario struct {
	// Version is the simulated Tower release, 2.8.0 to 4.8.0.
	Version string `yaml:"version"`
	// UniqueVMNames refuses a second VM with the same name in a cluster.
	UniqueVMNames bool `yaml:"unique_vm_names"`
	// DeleteRunning allows the deletion of a running VM. If it is false, the
	// task fails.
	DeleteRunning bool `yaml:"delete_running"`
	// StaleAddresses keeps the reported addresses after a power-off.
	StaleAddresses bool `yaml:"stale_addresses"`
	// MFA refuses log-ins by password, as a Tower with two-factor log-in does.
	MFA bool `yaml:"mfa"`
	// RecycleBin turns the recycle bin on.
	RecycleBin bool `yaml:"recycle_bin"`
	// Inventory is what exists at the start.
	Inventory Inventory `yaml:"inventory"`
	// Timing is how long things take, unless a guest has its own times.
	Timing Timing `yaml:"timing"`
	// Guests are the settings of the guests. The first one whose Match fits a
	// VM's name applies.
	Guests []Guest `yaml:"guests"`
	// Faults are the requests and tasks that go wrong.
	Faults []Fault `yaml:"faults"`
}

// Inventory is what a Tower contains at the start.
type Inventory struct {
	Clusters                  []ClusterSpec  `yaml:"clusters"`
	ContentLibraryVMTemplates []TemplateSpec `yaml:"content_library_vm_templates"`
	VMTemplates               []TemplateSpec `yaml:"vm_templates"`
	VMs                       []VMSpec       `yaml:"vms"`
	Users                     []UserSpec     `yaml:"users"`
}

// ClusterSpec is one SMTX cluster.
type ClusterSpec struct {
	Name       string     `yaml:"name"`
	Hosts      HostList   `yaml:"hosts"`
	StorageTiB float64    `yaml:"storage_tib"`
	VLANs      []VLANSpec `yaml:"vlans"`
	GPUs       []GPUSpec  `yaml:"gpus"`
	ISOs       []string   `yaml:"isos"`
}

// HostList is the list of a cluster's hosts. A scenario may give their number
// instead.
type HostList []HostSpec

// HostSpec is one host. The default name is the cluster's name with -host-1,
// -host-2 and so on; the other defaults are 1024 GiB, 128 cores and IN_USE.
type HostSpec struct {
	Name      string `yaml:"name"`
	MemoryGiB int    `yaml:"memory_gib"`
	Cores     int    `yaml:"cores"`
	// State is IN_USE, ENTERING_MAINTENANCE_MODE, MAINTENANCE_MODE or REMOVING, or
	// one of the connection states CONNECTED_ERROR, CONNECTING, INITIALIZING and
	// SESSION_EXPIRED.
	State string `yaml:"state"`
}

// VLANSpec is one VM network. DHCP is the address range of its DHCP server in
// CIDR notation; without it the network has no DHCP server.
type VLANSpec struct {
	Name   string `yaml:"name"`
	DHCP   string `yaml:"dhcp"`
	VLANID int    `yaml:"vlan_id"`
}

// GPUSpec is one GPU device. Host is the index of its host in the cluster.
type GPUSpec struct {
	Host  int    `yaml:"host"`
	Model string `yaml:"model"`
	Usage string `yaml:"usage"` // PASS_THROUGH or VGPU
}

// TemplateSpec is a template of the content library or, if Cluster is set, of a
// cluster.
type TemplateSpec struct {
	Name      string   `yaml:"name"`
	NumCPUs   int      `yaml:"num_cpus"`
	MemoryMiB int      `yaml:"memory_mib"`
	DiskGiB   int      `yaml:"disk_gib"`
	CloudInit bool     `yaml:"cloud_init"`
	Firmware  string   `yaml:"firmware"`
	NICs      []string `yaml:"nics"` // names of VM networks; nil means each cluster's first network
	Cluster   string   `yaml:"cluster"`
}

// VMSpec is a VM that exists at the start.
type VMSpec struct {
	Name      string   `yaml:"name"`
	Cluster   string   `yaml:"cluster"`
	NumCPUs   int      `yaml:"num_cpus"`
	MemoryMiB int      `yaml:"memory_mib"`
	NICs      []string `yaml:"nics"`
	Power     string   `yaml:"power"` // RUNNING or STOPPED
}

// UserSpec is a user who may log in. APIKey, if set, is a token of this user
// that is valid without a log-in.
type UserSpec struct {
	Username string `yaml:"username"`
	Password string `yaml:"password"`
	Source   string `yaml:"source"` // LOCAL, LDAP, AUTHN or SSO
	APIKey   string `yaml:"api_key"`
}

// Timing is how long things take, in simulated time.
type Timing struct {
	// Task is the duration of a task. If it is zero, every task is done at its
	// first poll.
	Task time.Duration `yaml:"task"`
	// Boot is the time from the power-on until the guest's network is up.
	Boot time.Duration `yaml:"boot"`
	// DHCP is the time from then to the lease.
	DHCP time.Duration `yaml:"dhcp"`
	// VMToolsSync is the time from the lease to the moment at which Tower shows
	// the address.
	VMToolsSync time.Duration `yaml:"vmtools_sync"`
}

// Guest is what the guests do in VMs whose names match. All its times count
// from the power-on.
type Guest struct {
	Match          string     `yaml:"match"` // a glob on the VM's name
	NICs           []GuestNIC `yaml:"nics"`
	KubernetesNode *GuestNode `yaml:"kubernetes_node"`
	VMTools        string     `yaml:"vmtools"` // running (default), not_running or not_installed
	ACPI           *bool      `yaml:"acpi"`    // if false, the guest ignores a shutdown
	PowersOff      *Delay     `yaml:"powers_off"`
	// ExtraIPs are addresses in the VM's flat list that no NIC has, such as
	// those of container bridges.
	ExtraIPs []string `yaml:"extra_ips"`
}

// GuestNIC is what happens on one NIC. Members that are nil follow the
// scenario's timing.
type GuestNIC struct {
	Index    int    `yaml:"index"`
	Address  string `yaml:"address"`  // "" means from DHCP, or as configured by cloud-init
	DHCP     *Delay `yaml:"dhcp"`     // when the NIC gets its address
	Reported *Delay `yaml:"reported"` // when Tower shows it
	// LinkLocalFirst makes Tower show a 169.254 address before the real one.
	LinkLocalFirst bool `yaml:"link_local_first"`
	// NewLease gives the NIC another address of the DHCP range at each
	// power-on.
	NewLease bool `yaml:"new_lease"`
}

// GuestNode is the Kubernetes node that the guest registers under the VM's
// name.
type GuestNode struct {
	Registered *Delay `yaml:"registered"`
	InternalIP string `yaml:"internal_ip"` // "" means the address of the first NIC that has one
	ProviderID *bool  `yaml:"provider_id"` // if false, the provider id is empty
}

// DefaultScenario returns the scenario of an empty document: one cluster, two
// VM networks, one template, one user, no guests and no faults.
func DefaultScenario() *Scenario {
	s := &Scenario{}
	s.setDefaults()

	return s
}

func (s *Scenario) setDefaults() {
	*s = Scenario{
		Version:       "4.6.0",
		UniqueVMNames: true,
		DeleteRunning: true,
		RecycleBin:    true,
	}
	s.Inventory.setDefaults()
	s.Timing.setDefaults()
}

func (i *Inventory) setDefaults() {
	var cluster ClusterSpec

	cluster.setDefaults()
	cluster.Name = "cluster-1"

	var template TemplateSpec

	template.setDefaults()
	template.Name = "rocky-8"

	*i = Inventory{
		Clusters:                  []ClusterSpec{cluster},
		ContentLibraryVMTemplates: []TemplateSpec{template},
		Users:                     []UserSpec{{Username: "root", Password: "tower-sim-password", Source: "LOCAL"}},
	}
}

func (c *ClusterSpec) setDefaults() {
	*c = ClusterSpec{
		Hosts:      hostsByNumber(3),
		StorageTiB: 100,
		VLANs:      []VLANSpec{{Name: "default", DHCP: "10.255.0.0/16"}, {Name: "ecp"}},
		ISOs:       []string{"rocky-8.iso"},
	}
}

// maxHosts is far more than a cluster has, and far less than would fill the
// memory.
const maxHosts = 10_000

func hostsByNumber(n int) HostList {
	hosts := make(HostList, n)
	for i := range hosts {
		hosts[i].setDefaults()
	}

	return hosts
}

func (h *HostSpec) setDefaults() {
	*h = HostSpec{MemoryGiB: 1024, Cores: 128, State: "IN_USE"}
}

func (g *GPUSpec) setDefaults() {
	*g = GPUSpec{Model: "A16", Usage: "PASS_THROUGH"}
}

func (t *TemplateSpec) setDefaults() {
	*t = TemplateSpec{NumCPUs: 2, MemoryMiB: 4096, DiskGiB: 40, CloudInit: true, Firmware: "BIOS"}
}

func (v *VMSpec) setDefaults() {
	*v = VMSpec{NumCPUs: 1, MemoryMiB: 1024, Power: "RUNNING"}
}

func (u *UserSpec) setDefaults() {
	*u = UserSpec{Source: "LOCAL"}
}

func (t *Timing) setDefaults() {
	*t = Timing{Task: 2 * time.Second, Boot: 20 * time.Second, DHCP: 2 * time.Second, VMToolsSync: 60 * time.Second}
}

func (h *HostList) fromNode(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return errDecodeAsList
	}

	var number int
	if err := n.Decode(&number); err != nil || number < 0 {
		return fmt.Errorf("must be the number of hosts or a list of them, not %s", nodeText(n))
	}

	if number > maxHosts {
		return fmt.Errorf("must be at most %d hosts, not %d", maxHosts, number)
	}

	*h = hostsByNumber(number)

	return nil
}

// clone returns a copy of the scenario. Completing the copy does not change the
// original.
func (s *Scenario) clone() *Scenario {
	c := *s
	c.Inventory.Clusters = slices.Clone(s.Inventory.Clusters)

	for i := range c.Inventory.Clusters {
		c.Inventory.Clusters[i].Hosts = slices.Clone(c.Inventory.Clusters[i].Hosts)
	}

	c.Inventory.ContentLibraryVMTemplates = slices.Clone(s.Inventory.ContentLibraryVMTemplates)
	c.Inventory.VMTemplates = slices.Clone(s.Inventory.VMTemplates)
	c.Inventory.VMs = slices.Clone(s.Inventory.VMs)
	c.Inventory.Users = slices.Clone(s.Inventory.Users)
	c.Guests = slices.Clone(s.Guests)
	c.Faults = slices.Clone(s.Faults)

	return &c
}
