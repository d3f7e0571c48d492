// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// hardwareOf returns the hardware of a scenario's template in a cluster.
func (w *world) hardwareOf(spec *TemplateSpec, c *cluster) hardware {
	s := hardware{
		cores: 1, sockets: spec.NumCPUs, memory: int64(spec.MemoryMiB) * mebibyte, cloudInit: spec.CloudInit,
		firmware: wire.VMFirmware(spec.Firmware), ha: true, videoType: wire.Ptr(wire.VMVideoTypeVga),
		guestOS: wire.Ptr(wire.VMGuestsOperationSystemLinux),
	}

	if spec.DiskGiB > 0 {
		s.disks = []diskConfig{{
			kind: wire.VMDiskTypeDisk, bus: wire.BusVirtio, boot: 1, size: int64(spec.DiskGiB) * gibibyte, policy: defaultPolicy,
		}}
	}

	names := spec.NICs
	if names == nil {
		names = []string{""}
	}

	for _, name := range names {
		if v := w.networkFor(c, name); v != nil {
			s.nics = append(s.nics, nicConfig{vlan: v, model: wire.VMNicModelVirtio, enabled: true})
		}
	}

	return s
}

func (w *world) addScenarioTemplate(spec *TemplateSpec, c *cluster, library *libraryTemplate) *template {
	id := namedIDSource("vm-template", c.row.Name+"/"+spec.Name)
	t := &template{cluster: c, library: library, hardware: w.hardwareOf(spec, c)}
	t.row = wire.VMTemplate{ID: id.cuid(), LocalID: id.uuid(), Name: spec.Name, Cluster: c.nested(), LocalCreatedAt: formatTimePtr(w.now)}

	if library != nil {
		// A cluster can have its own template with the same name.
		id = namedIDSource("content-library-vm-template-copy", c.row.Name+"/"+spec.Name)
		t.row.ID, t.row.LocalID = id.cuid(), id.uuid()
		t.row.ContentLibraryVMTemplate = &wire.NestedContentLibraryVMTemplate{ID: library.row.ID, Name: library.row.Name}
	}

	t.refreshHardware()
	t.refreshLabels()
	w.templates.add(t)

	return t
}

// refreshHardware writes the template's hardware into its row.
func (t *template) refreshHardware() {
	s := &t.hardware
	t.row.ClockOffset, t.row.CPUModel = wire.VMClockOffsetUtc, "cluster_default"
	t.row.CPU, t.row.VCPU = wire.NestedCPU{Cores: s.cores, Sockets: s.sockets}, s.vcpu()
	t.row.Memory, t.row.Firmware, t.row.HA, t.row.CloudInitSupported = s.memory, s.firmware, s.ha, s.cloudInit
	t.row.IOPolicy, t.row.MaxIOPS, t.row.MaxIOPSPolicy = s.ioPolicy, s.limits.iops, s.limits.iopsPolicy
	t.row.MaxBandwidth, t.row.MaxBandwidthPolicy = s.limits.bandwidth, s.limits.bandwidthPolicy
	t.row.VMDisks, t.row.VMNics, t.row.Size = []wire.NestedFrozenDisks{}, []wire.NestedTemplateNic{}, 0

	if s.videoType != nil {
		t.row.VideoType = wire.Ptr(string(*s.videoType))
	}

	for i := range s.disks {
		if d := &s.disks[i]; d.kind == wire.VMDiskTypeDisk {
			d.path = volumePath(namedIDSource("template-disk", fmt.Sprintf("%s/%d", t.row.LocalID, i)).uuid())
		}

		t.row.VMDisks = append(t.row.VMDisks, s.disks[i].frozen(i))
		t.row.Size += s.disks[i].size
	}

	for i := range s.nics {
		n := &s.nics[i]
		t.row.VMNics = append(t.row.VMNics, wire.NestedTemplateNic{
			Index: i, Enabled: wire.Ptr(n.enabled), Mirror: wire.Ptr(n.mirror), Model: wire.Ptr(n.model),
			Type: wire.Ptr(n.kind()), Vlan: n.vlan.frozen(), VPCNic: n.vpc.frozen(),
		})
	}
}

// frozen returns a disk as templates and snapshots show it.
func (d *diskConfig) frozen(index int) wire.NestedFrozenDisks {
	f := wire.NestedFrozenDisks{
		Boot: d.boot, Bus: d.bus, Index: index, Key: d.key, Type: d.kind, Path: d.path, Size: d.size, Disabled: wire.Ptr(false),
		MaxIOPS: d.limits.iops, MaxIOPSPolicy: d.limits.iopsPolicy,
		MaxBandwidth: d.limits.bandwidth, MaxBandwidthPolicy: d.limits.bandwidthPolicy,
	}

	if d.image != nil {
		f.ElfImageLocalID, f.ImageName, f.Path = d.image.row.LocalID, wire.Ptr(d.image.row.Name), d.image.row.Path
	}

	if d.kind == wire.VMDiskTypeDisk {
		f.DiskName = wire.Ptr(d.name)
		f.StoragePolicyUUID = policyUUID(d.policy)
	}

	return f
}

// policyUUID returns the UUID of a storage policy in SMTX OS.
func policyUUID(policy wire.VMVolumeElfStoragePolicyType) string {
	return namedIDSource("storage-policy", string(policy)).uuid()
}

func (v *vlan) frozen() wire.NestedFrozenVlan {
	if v == nil {
		return wire.NestedFrozenVlan{}
	}

	return wire.NestedFrozenVlan{
		Name: v.row.Name, VlanID: v.row.VlanID, VlanLocalID: v.row.LocalID, VdsOvs: v.vds.row.OvsbrName, NetworkIDs: v.row.NetworkIDs,
	}
}

func (w *world) addScenarioLibraryTemplate(spec *TemplateSpec) {
	t := &libraryTemplate{}
	t.row = wire.ContentLibraryVMTemplate{
		ID: namedIDSource("content-library-vm-template", spec.Name).cuid(), Name: spec.Name, CreatedAt: formatTime(w.now),
		Architecture: wire.ArchitectureX8664, OS: wire.Ptr("Rocky Linux 8"),
	}

	for _, c := range w.clusters.list {
		t.copies = append(t.copies, w.addScenarioTemplate(spec, c, t))
	}

	t.refreshCopies()

	if len(t.copies) == 0 {
		t.row.CloudInitSupported = spec.CloudInit
		t.row.Memory, t.row.VCPU = int64(spec.MemoryMiB)*mebibyte, spec.NumCPUs
	}

	t.refreshLabels()
	w.libraryTemplates.add(t)
}

// refreshCopies updates the members of the row that reflect the template's
// copies.
func (t *libraryTemplate) refreshCopies() {
	t.row.Clusters = mapSlice(t.copies, func(c *template) wire.NestedCluster { return c.cluster.nested() })
	t.row.VMTemplates = mapSlice(t.copies, func(c *template) wire.NestedVMTemplate {
		return wire.NestedVMTemplate{ID: c.row.ID, Name: c.row.Name}
	})
	t.row.VMTemplateUUIDs = mapSlice(t.copies, func(c *template) string { return c.row.LocalID })
	t.row.VMDisks, t.row.VMNics = []wire.NestedContentLibraryVMTemplateDisk{}, []wire.NestedContentLibraryVMTemplateNic{}

	if len(t.copies) == 0 {
		return
	}

	s := &t.copies[0].hardware
	t.row.CPU, t.row.VCPU = &wire.NestedCPU{Cores: s.cores, Sockets: s.sockets}, s.vcpu()
	t.row.Memory, t.row.Size, t.row.CloudInitSupported = s.memory, t.copies[0].row.Size, s.cloudInit
	t.row.Firmware, t.row.HA = wire.Ptr(s.firmware), wire.Ptr(s.ha)
	t.row.ClockOffset, t.row.CPUModel = wire.Ptr(wire.VMClockOffsetUtc), wire.Ptr("cluster_default")
	t.row.VideoType, t.row.WinOpt = t.copies[0].row.VideoType, wire.Ptr(false)

	for i := range s.disks {
		d := &s.disks[i]
		shown := wire.NestedContentLibraryVMTemplateDisk{
			Boot: d.boot, Bus: d.bus, Index: i, Type: d.kind, Size: wire.Ptr(d.size), DiskName: wire.Ptr(d.name), Path: wire.Ptr(d.path),
			Disabled: wire.Ptr(false),
		}

		if d.policy != "" {
			shown.StoragePolicy = wire.Ptr(d.policy)
		}

		t.row.VMDisks = append(t.row.VMDisks, shown)
	}

	for i := range s.nics {
		n := &s.nics[i]
		t.row.VMNics = append(t.row.VMNics, wire.NestedContentLibraryVMTemplateNic{
			Index: i, Enabled: wire.Ptr(n.enabled), Mirror: wire.Ptr(n.mirror), Model: wire.Ptr(n.model),
			Type: wire.Ptr(n.kind()), Vlan: wire.Ptr(n.vlan.frozen()), VPCNic: n.vpc.frozen(),
		})
	}
}
