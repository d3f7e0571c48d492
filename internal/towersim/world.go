// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"regexp"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// world is everything that is simulated. It has no lock of its own: the lock of
// the server protects it.
type world struct {
	eventQueue

	scenario *Scenario
	version  version
	clock    *clock
	ids      *idSource
	sessions map[string]string // user names by token; a reset does not change them
	guests   []compiledGuest
	faults   []*faultRule
	requests map[string]int
	total    int
	journal  *journal // nil before 4.6
	dirty    bool     // the derived members of rows are out of date

	organizations    table[*organization]
	datacenters      table[*datacenter]
	clusters         table[*cluster]
	hosts            table[*host]
	vdses            table[*vds]
	vlans            table[*vlan]
	templates        table[*template]
	libraryTemplates table[*libraryTemplate]
	users            table[*user]
	folders          table[*folder]
	labels           table[*label]
	volumes          table[*volume]
	vms              table[*vm]
	nics             table[*nic]
	images           table[*image]
	libraryImages    table[*libraryImage]
	toolsImages      table[*toolsImage]
	groups           table[*group]
	gpus             table[*gpu]
	policies         table[*storagePolicy]
	clusterSettings  table[*clusterSettings]
	globalSettings   table[*globalSettings]
	iscsiTargets     table[*iscsiTarget]
	iscsiLuns        table[*iscsiLun]
	iscsiSnapshots   table[*iscsiSnapshot]
	disks            table[*disk]
	snapshots        table[*snapshot]
	hostNICs         table[*hostNIC]
	vpcs             table[*vpc]
	vpcSubnets       table[*vpcSubnet]
	vpcNICs          table[*vpcNIC]
	floatingIPs      table[*floatingIP]
	tasks            table[*task]

	formerDisks map[string]*disk // by former ids
	formerNICs  map[string]*nic
	uploads     map[string]*upload
	deletedVMs  []*vm // the newest ones, oldest first, for the control API and the status page
	mutations   history[Mutation]
	lastUsers   map[string]*vm // by the id of a volume: the last VM that had it
	vmOrder     uint64
	nodes       nodeStore
	entities    map[string]*entity
}

type compiledGuest struct {
	Guest

	match *regexp.Regexp
}

// newWorld makes the world of a complete scenario.
func newWorld(scenario *Scenario, c *clock, ids *idSource, sessions map[string]string) *world {
	w := &world{
		scenario: scenario,
		clock:    c,
		ids:      ids,
		sessions: sessions,
		requests: map[string]int{},
		dirty:    true,

		formerDisks: map[string]*disk{},
		formerNICs:  map[string]*nic{},
		lastUsers:   map[string]*vm{},
		uploads:     map[string]*upload{},
	}

	w.now = c.now()
	// The version and the globs of a complete scenario have been checked.
	w.version, _ = parseVersion(scenario.Version)

	for _, guest := range scenario.Guests {
		match, err := compileGlob(guest.Match)
		if err == nil {
			w.guests = append(w.guests, compiledGuest{Guest: guest, match: match})
		}
	}

	w.entities = w.newEntities()
	w.addInventory()
	w.startJournal()

	for _, fault := range scenario.Faults {
		w.addFault(fault)
	}

	return w
}

// guestOf returns the scenario's settings for a VM's guest, or empty ones.
func (w *world) guestOf(name string) Guest {
	for _, guest := range w.guests {
		if guest.match.MatchString(name) {
			return guest.Guest
		}
	}

	return Guest{}
}

// visible returns the VMs that the API shows.
func (w *world) visible() []*vm {
	return filterSlice(w.vms.list, func(v *vm) bool { return v.visibleAt(w.now) })
}

// clusterVMs returns the VMs of a cluster, also those in the recycle bin.
func (w *world) clusterVMs(c *cluster) []*vm {
	return filterSlice(w.vms.list, func(v *vm) bool { return v.cluster == c })
}

func (w *world) insertNIC(n *nic) {
	w.nics.add(n)
	n.vm.nics = append(n.vm.nics, n)
}

func (w *world) insertDisk(d *disk) {
	w.disks.add(d)
	d.vm.disks = append(d.vm.disks, d)

	if d.volume != nil {
		d.volume.disks = append(d.volume.disks, d)
	}
}

// renewPartIDs gives the NICs and disks of a VM new ids, and sorts the disks by
// their boot order. Each edit of a VM does so, because Tower rebuilds these
// rows.
func (w *world) renewPartIDs(v *vm) {
	for _, n := range v.nics {
		n.formerIDs = keepFormerID(w.formerNICs, n, n.formerIDs, n.row.ID)
		w.nics.changeID(n, func() { n.row.ID = w.ids.cuid() })
	}

	slices.SortStableFunc(v.disks, func(a, b *disk) int { return a.row.Boot - b.row.Boot })

	for _, d := range v.disks {
		d.formerIDs = keepFormerID(w.formerDisks, d, d.formerIDs, d.row.ID)
		w.disks.changeID(d, func() { d.row.ID = w.ids.cuid() })
	}

	w.refreshVM(v)
}

// maxFormer is the number of former ids that are kept of a NIC or a disk.
const maxFormer = 100

// keepFormerID adds an id to the former ids of x. If there are too many, it
// drops the oldest.
func keepFormerID[T any](by map[string]T, x T, ids []string, id string) []string {
	by[id] = x

	if ids = append(ids, id); len(ids) > maxFormer {
		delete(by, ids[0])
		ids = ids[1:]
	}

	return ids
}

// refreshVM updates the members of a VM's row that reflect its parts.
func (w *world) refreshVM(v *vm) {
	v.row.Cluster = wire.Ptr(v.cluster.nested())
	v.row.Host = nil
	v.row.NodeIP = ""

	if v.host != nil {
		v.row.Host = wire.Ptr(v.host.nested())
		v.row.NodeIP = v.host.row.ManagementIP
	}

	v.row.Folder = nil
	if v.folder != nil {
		v.row.Folder = &wire.NestedVMFolder{ID: v.folder.row.ID, Name: v.folder.row.Name}
	}

	v.row.VMNics = mapSlice(v.nics, func(n *nic) wire.NestedVMNic { return wire.NestedVMNic{ID: n.row.ID} })
	v.row.VMDisks = mapSlice(v.disks, func(d *disk) wire.NestedVMDisk { return wire.NestedVMDisk{ID: d.row.ID} })

	for order, n := range v.nics {
		n.row.Order = wire.Ptr(order)
		n.row.VM = v.nested()
	}

	v.row.Snapshots = mapSlice(w.snapshotsOf(v), func(s *snapshot) wire.NestedVMSnapshot {
		s.row.VM = wire.Ptr(v.nested())
		w.journal.touch(s)

		return s.nested()
	})
	v.row.VMPlacementGroup = mapSlice(w.groupsOf(v), func(g *group) wire.NestedVMPlacementGroup {
		return wire.NestedVMPlacementGroup{ID: g.row.ID, Name: g.row.Name}
	})
	v.row.GPUDevices = mapSlice(v.gpus, func(claim gpuClaim) wire.NestedGPUDevice {
		return wire.NestedGPUDevice{ID: claim.gpu.row.ID, Name: claim.gpu.row.Name}
	})

	v.row.PCINics = mapSlice(v.hostNICs, (*hostNIC).nested)

	var size int64

	for _, d := range v.disks {
		d.row.VM = v.nested()

		if d.volume != nil {
			size += d.volume.row.Size
		}
	}

	v.row.ProvisionedSize, v.row.Size = wire.Ptr(size), wire.Ptr(size)
	v.refreshLabels()
	w.touchVM(v)
}
