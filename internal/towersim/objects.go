// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// The types below hold a row, as the API shows it, and what the simulation
// needs besides. Rows are updated at each change, except for the members that
// derive computes.

type organization struct {
	row wire.Organization
}

type datacenter struct {
	row          wire.Datacenter
	organization *organization
	clusters     []*cluster
	labelSet
}

type cluster struct {
	row      wire.Cluster
	capacity int64 // bytes of storage
	labelSet
}

type host struct {
	row     wire.Host
	cluster *cluster
	labelSet
}

type vds struct {
	row     wire.Vds
	cluster *cluster
	labelSet
}

type vlan struct {
	row  wire.Vlan
	vds  *vds
	pool *dhcpPool // nil if the network has no DHCP server
	labelSet
}

func (v *vlan) cluster() *cluster { return v.vds.cluster }

// template is a VM template of one cluster: its own, or the copy of a template
// of the content library.
type template struct {
	row      wire.VMTemplate
	cluster  *cluster
	library  *libraryTemplate
	hardware hardware
	labelSet
}

// libraryTemplate is a VM template of the content library.
type libraryTemplate struct {
	row    wire.ContentLibraryVMTemplate
	copies []*template
	labelSet
}

// in returns the copy of the template in a cluster, or nil.
func (t *libraryTemplate) in(c *cluster) *template {
	for _, copied := range t.copies {
		if copied.cluster == c {
			return copied
		}
	}

	return nil
}

type volume struct {
	row     wire.VMVolume
	cluster *cluster
	linked  bool // shares the data of its source and takes no space
	disks   []*disk
	labelSet
}

type disk struct {
	row    wire.VMDisk
	vm     *vm
	volume *volume
	image  *image
	index  int

	formerIDs []string
	tools     *toolsImage // in a CD-ROM drive
}

type folder struct {
	row     wire.VMFolder
	cluster *cluster
}

type user struct {
	row  wire.User
	spec UserSpec
}

type nic struct {
	row  wire.VMNic
	vm   *vm
	vlan *vlan    // nil in a VPC
	vpc  *vpcNIC  // nil on a VM network
	port *hostNIC // for SR-IOV

	mac             string         // row.MACAddress shows it, sometimes later
	static          *staticAddress // set by cloud-init or the VM tools; nil for DHCP
	toolsConfigured bool           // set by the VM tools, overrides the scenario
	unconfigured    bool           // cloud-init configures only other NICs
	requested       nicAddress     // the address in the request, shown until a report
	showsReport     bool           // the row shows a reported address
	plugCount       int            // changes when earlier plans for the NIC become invalid

	formerIDs []string

	plan             nicPlan // valid while plannedPlugCount equals plugCount
	plannedPlugCount int

	// The history of the current guest run, for the control API. All are zero
	// until they happen.
	leasedAt, reportedAt time.Time
	address              nicAddress
}

// nicAddress is an address with its mask and gateway. Members may be empty.
type nicAddress struct {
	ip, mask, gateway string
}

// staticAddress is an address that the guest configures itself.
type staticAddress nicAddress

type vm struct {
	row     wire.VM
	cluster *cluster
	host    *host
	folder  *folder
	owner   *user
	nics    []*nic
	disks   []*disk
	gpus    []gpuClaim
	labelSet

	hostNICs []*hostNIC

	hiddenUntil time.Time // the API does not show the VM before
	guestRun    *guestRun
	order       uint64 // position in the order of creation

	createdAt, poweredOnAt, poweredOffAt, nodeRegisteredAt, deletedAt time.Time
}

// existsInCluster reports whether the VM exists in its cluster, not only in
// Tower.
func (v *vm) existsInCluster() bool { return !v.deleted() && !isPlaceholder(v.row.LocalID) }

func (v *vm) deleted() bool { return !v.deletedAt.IsZero() }

func (o *organization) id() string     { return o.row.ID }
func (o *organization) rowPtr() any    { return &o.row }
func (d *datacenter) id() string       { return d.row.ID }
func (d *datacenter) rowPtr() any      { return &d.row }
func (c *cluster) id() string          { return c.row.ID }
func (c *cluster) rowPtr() any         { return &c.row }
func (h *host) id() string             { return h.row.ID }
func (h *host) rowPtr() any            { return &h.row }
func (v *vds) id() string              { return v.row.ID }
func (v *vds) rowPtr() any             { return &v.row }
func (v *vlan) id() string             { return v.row.ID }
func (v *vlan) rowPtr() any            { return &v.row }
func (t *template) id() string         { return t.row.ID }
func (t *template) rowPtr() any        { return &t.row }
func (t *libraryTemplate) id() string  { return t.row.ID }
func (t *libraryTemplate) rowPtr() any { return &t.row }
func (v *volume) id() string           { return v.row.ID }
func (v *volume) rowPtr() any          { return &v.row }
func (d *disk) id() string             { return d.row.ID }
func (d *disk) rowPtr() any            { return &d.row }
func (f *folder) id() string           { return f.row.ID }
func (f *folder) rowPtr() any          { return &f.row }
func (u *user) id() string             { return u.row.ID }
func (u *user) rowPtr() any            { return &u.row }
func (n *nic) id() string              { return n.row.ID }
func (n *nic) rowPtr() any             { return &n.row }
func (v *vm) id() string               { return v.row.ID }
func (v *vm) rowPtr() any              { return &v.row }

func (c *cluster) nested() wire.NestedCluster {
	return wire.NestedCluster{ID: c.row.ID, Name: c.row.Name}
}

func (h *host) nested() wire.NestedHost {
	return wire.NestedHost{ID: h.row.ID, Name: h.row.Name, ManagementIP: h.row.ManagementIP}
}

func (v *vlan) nested() wire.NestedVlan { return wire.NestedVlan{ID: v.row.ID, Name: v.row.Name} }
func (v *vm) nested() wire.NestedVM     { return wire.NestedVM{ID: v.row.ID, Name: v.row.Name} }

// formatTime formats an instant as Tower does.
func formatTime(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func formatTimePtr(t time.Time) *string {
	return wire.Ptr(formatTime(t))
}
