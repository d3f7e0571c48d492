// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// Scenario says what a simulated Tower holds, how long its work takes, what its
// guests do and which of its answers go wrong. [DefaultScenario] is the one to
// start from; [ParseScenario] reads one from YAML.
type Scenario struct {
	// Version is the Tower release that is simulated, 2.8.0 to 4.8.0.
	Version string `yaml:"version"`
	// UniqueVMNames refuses a second VM of one name in a cluster.
	UniqueVMNames bool `yaml:"unique_vm_names"`
	// DeleteRunning lets a running VM be deleted; else the task fails.
	DeleteRunning bool `yaml:"delete_running"`
	// StaleAddresses keeps reported addresses over a power-off.
	StaleAddresses bool `yaml:"stale_addresses"`
	// MFA refuses log-in by password, as a Tower with two-factor log-in does.
	MFA bool `yaml:"mfa"`
	// RecycleBin switches the recycle bin on.
	RecycleBin bool `yaml:"recycle_bin"`
	// Inventory is what exists at the start.
	Inventory Inventory `yaml:"inventory"`
	// Timing is how long things take where a guest does not say.
	Timing Timing `yaml:"timing"`
	// Guests are the guests' stories; the first whose Match fits a VM's name is its.
	Guests []Guest `yaml:"guests"`
	// Faults are the requests and tasks that go wrong.
	Faults []Fault `yaml:"faults"`
}

// Inventory is what a Tower holds at the start.
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

// HostList is a cluster's hosts. A scenario gives their number or lists them.
type HostList []HostSpec

// HostSpec is one host. Omitted members are NAME-host-1, NAME-host-2 … by the
// cluster's name and the position, 1024 GiB and 128 cores, in use.
type HostSpec struct {
	Name      string `yaml:"name"`
	MemoryGiB int    `yaml:"memory_gib"`
	Cores     int    `yaml:"cores"`
	// State is IN_USE, ENTERING_MAINTENANCE_MODE, MAINTENANCE_MODE or REMOVING, or
	// one of the connection states CONNECTED_ERROR, CONNECTING, INITIALIZING and
	// SESSION_EXPIRED.
	State string `yaml:"state"`
}

// VLANSpec is one VM network. DHCP is the range its DHCP server gives from, in
// CIDR notation; without it nobody answers a DHCP client there.
type VLANSpec struct {
	Name   string `yaml:"name"`
	DHCP   string `yaml:"dhcp"`
	VLANID int    `yaml:"vlan_id"`
}

// GPUSpec is one GPU of the host at the index Host of its cluster.
type GPUSpec struct {
	Host  int    `yaml:"host"`
	Model string `yaml:"model"`
	Usage string `yaml:"usage"` // PASS_THROUGH or VGPU
}

// TemplateSpec is a template of the content library, or with Cluster one of a
// cluster.
type TemplateSpec struct {
	Name      string   `yaml:"name"`
	NumCPUs   int      `yaml:"num_cpus"`
	MemoryMiB int      `yaml:"memory_mib"`
	DiskGiB   int      `yaml:"disk_gib"`
	CloudInit bool     `yaml:"cloud_init"`
	Firmware  string   `yaml:"firmware"`
	NICs      []string `yaml:"nics"` // names of VM networks; nil: the first of each cluster
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

// UserSpec is somebody who may log in. APIKey, where given, is accepted as a
// token of this user without any log-in.
type UserSpec struct {
	Username string `yaml:"username"`
	Password string `yaml:"password"`
	Source   string `yaml:"source"` // LOCAL, LDAP, AUTHN or SSO
	APIKey   string `yaml:"api_key"`
}

// Timing is how long things take.
type Timing struct {
	// Task is the life of a task. At zero every task is done at its first poll.
	Task time.Duration `yaml:"task"`
	// Boot is the time from power-on until the guest's network comes up.
	Boot time.Duration `yaml:"boot"`
	// DHCP is the time from there to the lease.
	DHCP time.Duration `yaml:"dhcp"`
	// VMToolsSync is the time from the lease to Tower's report of it.
	VMToolsSync time.Duration `yaml:"vmtools_sync"`
}

// Guest is the story of the VMs whose names match. All its times count from the
// power-on.
type Guest struct {
	Match          string     `yaml:"match"` // a glob over the VM's name
	NICs           []GuestNIC `yaml:"nics"`
	KubernetesNode *GuestNode `yaml:"kubernetes_node"`
	VMTools        string     `yaml:"vmtools"` // running (default), not_running or not_installed
	ACPI           *bool      `yaml:"acpi"`    // false: the guest ignores a shutdown
	PowersOff      *Delay     `yaml:"powers_off"`
	// ExtraIPs appear in the VM's list of addresses though no NIC has them, as the
	// bridges of container engines do.
	ExtraIPs []string `yaml:"extra_ips"`
}

// GuestNIC is the story of one NIC. What is nil follows the scenario's timing.
type GuestNIC struct {
	Index    int    `yaml:"index"`
	Address  string `yaml:"address"`  // "": from the network's DHCP range, or as cloud-init configured it
	DHCP     *Delay `yaml:"dhcp"`     // when the NIC gets its address
	Reported *Delay `yaml:"reported"` // when Tower shows it
	// LinkLocalFirst makes Tower show a 169.254 address until then.
	LinkLocalFirst bool `yaml:"link_local_first"`
	// NewLease makes each power-on yield another address of the DHCP range.
	NewLease bool `yaml:"new_lease"`
}

// GuestNode is the Kubernetes node that the guest registers, under the VM's name.
type GuestNode struct {
	Registered *Delay `yaml:"registered"`
	InternalIP string `yaml:"internal_ip"` // "": the address of the first NIC that has one
	ProviderID *bool  `yaml:"provider_id"` // false: left empty
}

// DefaultScenario returns the scenario that an empty document means: one
// cluster, two VM networks, one template, one user, no guests' stories and no
// faults.
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

// maxHosts is far beyond what a cluster has, and far below what fills the memory.
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
		return fmt.Errorf("must be %d hosts at most, not %d", maxHosts, number)
	}

	*h = hostsByNumber(number)

	return nil
}

// clone returns a scenario that shares nothing with this one that completing
// it would change.
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
