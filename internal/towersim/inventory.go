// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"net/netip"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const (
	gibibyte = 1 << 30
	mebibyte = 1 << 20
	tebibyte = 1 << 40

	hzPerCore = 2_600_000_000

	// defaultPolicy is the storage policy of the disks that a scenario
	// describes.
	defaultPolicy = wire.VMVolumeElfStoragePolicyTypeReplica2ThinProvision
)

// addInventory adds the objects of the scenario's inventory. The ids of named
// objects come from their names, so that they are the same in every run.
func (w *world) addInventory() {
	inventory := &w.scenario.Inventory

	for i, spec := range inventory.Users {
		w.users.add(w.newUser(spec, i == 0))
	}

	o := &organization{row: wire.Organization{ID: namedIDSource("organization", "default").cuid(), Name: "default"}}
	w.organizations.add(o)

	d := &datacenter{organization: o}
	d.row = wire.Datacenter{
		ID: namedIDSource("datacenter", "datacenter-1").cuid(), Name: "datacenter-1", Labels: []wire.NestedLabel{},
		Organization: wire.NestedOrganization{ID: o.row.ID, Name: o.row.Name},
	}
	w.datacenters.add(d)

	w.addGlobalSettings()

	for i := range inventory.Clusters {
		d.clusters = append(d.clusters, w.addCluster(&inventory.Clusters[i], i))
	}

	for i := range inventory.ContentLibraryVMTemplates {
		w.addScenarioLibraryTemplate(&inventory.ContentLibraryVMTemplates[i])
	}

	for i := range inventory.VMTemplates {
		spec := &inventory.VMTemplates[i]
		for _, c := range w.clusters.list {
			if c.row.Name == spec.Cluster {
				w.addScenarioTemplate(spec, c, nil)
			}
		}
	}

	for i := range inventory.VMs {
		w.addScenarioVM(&inventory.VMs[i])
	}
}

func (w *world) addCluster(spec *ClusterSpec, index int) *cluster {
	id := namedIDSource("cluster", spec.Name)
	ip := fmt.Sprintf("198.18.%d.10", index%256)
	c := &cluster{capacity: int64(spec.StorageTiB * tebibyte)}
	c.row = wire.Cluster{
		ID: id.cuid(), LocalID: wire.Ptr(id.uuid()), Name: spec.Name, IP: ip, ManagementVip: wire.Ptr(ip), Version: "6.2.0",
		Architecture: wire.ArchitectureX8664, Hypervisor: wire.Ptr(wire.HypervisorElf), Type: wire.ClusterTypeSmtxOS,
		ConnectState: wire.ConnectStateConnected, Stretch: wire.Ptr(false), HasMetrox: wire.Ptr(false),
		TotalDataCapacity: wire.Ptr(c.capacity), FailureDataSpace: wire.Ptr(int64(0)),
	}
	c.refreshLabels()
	w.clusters.add(c)

	for i := range spec.Hosts {
		w.addHost(c, &spec.Hosts[i], index, i)
	}

	w.addNetworks(c, spec)

	for _, name := range spec.ISOs {
		w.newImage(c, name, "", 2*gibibyte, namedIDSource("elf-image", spec.Name+"/"+name))
	}

	for i := range spec.GPUs {
		w.addGPU(w.clusterHosts(c)[spec.GPUs[i].Host], &spec.GPUs[i], i)
	}

	w.newToolsImage(c, "SMTX_VMTOOLS-3.2.1.iso", 321, gibibyte/4, namedIDSource("svt-image", spec.Name))
	w.addVPC(c, index)
	w.addStoragePolicies(c)
	w.addClusterSettings(c)

	return c
}

func (w *world) addHost(c *cluster, spec *HostSpec, clusterIndex, index int) {
	id := namedIDSource("host", c.row.Name+"/"+spec.Name)
	ip := fmt.Sprintf("198.18.%d.%d", clusterIndex%256, 11+index%240)
	state := hostStates[spec.State]
	h := &host{cluster: c}
	h.row = wire.Host{
		ID: id.cuid(), LocalID: id.uuid(), Name: spec.Name, ManagementIP: ip, HypervisorIP: wire.Ptr(ip), Cluster: c.nested(),
		ChunkID: fmt.Sprint(index + 1), CPUBrand: "Intel(R) Xeon(R) Platinum 8350C", CPUModel: "Icelake-Server", Model: "towersim",
		CPUHzPerCore: hzPerCore, TotalCPUCores: spec.Cores, TotalCPUHz: int64(spec.Cores) * hzPerCore,
		TotalCPUSockets: wire.Ptr(2), TotalMemoryBytes: int64(spec.MemoryGiB) * gibibyte, NicCount: 2, SsdDiskCount: 4,
		State: wire.HostStateInUse, Status: wire.HostStatus(state.status),
		HostState: &wire.NestedMaintenanceHostState{State: wire.MaintenanceModeEnum(state.maintenance)},
	}

	if state.maintenance != "IN_USE" {
		h.row.HostState.EnterMaintenanceTime = formatTime(w.now)
	}

	h.refreshLabels()
	w.hosts.add(h)
	w.addHostNICs(h)
}

func (w *world) addNetworks(c *cluster, spec *ClusterSpec) {
	id := namedIDSource("vds", spec.Name)
	v := &vds{cluster: c}
	v.row = wire.Vds{
		ID: id.cuid(), LocalID: id.uuid(), Name: "vds-" + spec.Name, Cluster: c.nested(), BondMode: "active-backup",
		OvsbrName: "ovsbr-vm", Type: wire.NetworkTypeVM, WorkMode: wire.Ptr("active-backup"), Nics: []wire.NestedNic{},
	}
	v.refreshLabels()
	w.vdses.add(v)

	for i := range spec.VLANs {
		w.addVLAN(v, &spec.VLANs[i])
	}
}

func (w *world) addVLAN(of *vds, spec *VLANSpec) {
	id := namedIDSource("vlan", of.cluster.row.Name+"/"+spec.Name)
	l := &vlan{vds: of}
	l.row = wire.Vlan{
		ID: id.cuid(), LocalID: *of.cluster.row.LocalID + "_" + id.uuid(), Name: spec.Name, VlanID: spec.VLANID,
		NetworkIDs: wire.List[string]{fmt.Sprint(spec.VLANID)}, Type: wire.NetworkTypeVM,
		ModeType: wire.Ptr(wire.VlanModeTypeVlanAccess), Vds: wire.NestedVds{ID: of.row.ID, Name: of.row.Name},
	}

	if prefix, err := netip.ParsePrefix(spec.DHCP); err == nil {
		l.pool = newDHCPPool(prefix, w.fixedAddresses())
	}

	l.refreshLabels()
	w.vlans.add(l)
}

// fixedAddresses returns the addresses that the scenario gives to guests.
func (w *world) fixedAddresses() []netip.Addr {
	var fixed []netip.Addr

	for _, guest := range w.scenario.Guests {
		for _, spec := range guest.NICs {
			if address, err := netip.ParseAddr(spec.Address); err == nil {
				fixed = append(fixed, address)
			}
		}
	}

	return fixed
}

func (w *world) clusterVLANs(c *cluster) []*vlan {
	return filterSlice(w.vlans.list, func(v *vlan) bool { return v.cluster() == c })
}

// networkFor returns the VM network with a name in a cluster. If there is none,
// it returns the cluster's first network, which Tower uses instead of a network
// that a template brings from another cluster.
func (w *world) networkFor(c *cluster, name string) *vlan {
	vlans := w.clusterVLANs(c)

	for _, v := range vlans {
		if v.row.Name == name {
			return v
		}
	}

	if len(vlans) > 0 {
		return vlans[0]
	}

	return nil
}

func (w *world) addScenarioVM(spec *VMSpec) {
	for _, c := range w.clusters.list {
		if c.row.Name != spec.Cluster {
			continue
		}

		b := &blueprint{
			name: spec.Name, cluster: c, running: spec.Power == "RUNNING",
			hardware: hardware{
				cores: 1, sockets: spec.NumCPUs, memory: int64(spec.MemoryMiB) * mebibyte, ha: true, firmware: wire.VMFirmwareBios,
				disks: []diskConfig{{kind: wire.VMDiskTypeDisk, bus: wire.BusVirtio, boot: 1, size: 40 * gibibyte, policy: defaultPolicy}},
			},
		}

		for _, name := range spec.NICs {
			b.nics = append(b.nics, nicConfig{
				vlan: w.networkFor(c, name), model: wire.VMNicModelVirtio, enabled: true, mac: w.ids.mac(),
			})
		}

		w.buildScenarioVM(b)
	}
}

// buildScenarioVM adds a VM of the scenario. Its ids are the same after each
// reset, also if several VMs have its name.
func (w *world) buildScenarioVM(b *blueprint) {
	name := b.cluster.row.Name + "/" + b.name

	twins := len(filterSlice(w.clusterVMs(b.cluster), func(v *vm) bool { return v.row.Name == b.name }))
	if twins > 0 {
		name += fmt.Sprintf("/%d", twins)
	}

	general := w.ids
	w.ids = namedIDSource("vm", name)

	defer func() { w.ids = general }()

	// The VMs of a scenario exist even if they do not fit on their hosts; then
	// they are stopped.
	v := w.addPlaceholder(b, w.ids)
	if failed := w.buildVM(v, b); failed != nil {
		b.running = false
		_ = w.buildVM(v, b)
	}
}
