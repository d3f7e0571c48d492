// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func createVM(c *call, in *[]wire.VMCreationParams) (any, error) {
	return createEach(c, *in, c.blueprintOfBlank)
}

func (c *call) blueprintOfBlank(p *wire.VMCreationParams) (*blueprint, error) {
	in, err := c.clusterNamed(p.ClusterID)
	if err != nil {
		return nil, err
	}

	b := &blueprint{
		shape: shape{cores: 1, sockets: 1, videoType: wire.Ptr(wire.VMVideoTypeVga)}, cluster: in, mutation: "createVm",
		about: text{en: "Create a VM " + p.Name, zh: "创建虚拟机 " + p.Name},
	}

	if err := c.complete(b, p); err != nil {
		return nil, err
	}

	b.disks, err = c.diskShapes(&p.VMDisks, in)

	return b, err
}

func createVMFromTemplate(c *call, in *[]wire.VMCreateVMFromTemplateParams) (any, error) {
	return createEach(c, *in, c.blueprintFromTemplate)
}

func (c *call) blueprintFromTemplate(p *wire.VMCreateVMFromTemplateParams) (*blueprint, error) {
	source, ok := c.templates.get(p.TemplateID)
	if !ok {
		return nil, notFound("There is no VM template %s", p.TemplateID)
	}

	if err := c.sameCluster(p.ClusterID, source.cluster, "VM template"); err != nil {
		return nil, err
	}

	b := &blueprint{
		copied: true, shape: source.shape.clone(), mutation: "createVmFromTemplate", cluster: source.cluster, cloud: p.CloudInit,
		about: text{
			en: "Create a VM " + p.Name + " from a VM template " + source.row.Name,
			zh: "从虚拟机模板 " + source.row.Name + " 创建虚拟机 " + p.Name,
		},
	}

	if err := c.complete(b, p); err != nil {
		return nil, err
	}

	if err := c.operateDisks(b, p.DiskOperate, p.IsFullCopy); err != nil {
		return nil, err
	}

	return b, checkCloudInit(p.CloudInit)
}

// sameCluster refuses a cluster that is not the source's: sources do not leave
// theirs.
func (c *call) sameCluster(id *string, of *cluster, source string) error {
	if id == nil || *id == "" {
		return nil
	}

	wanted, err := c.clusterNamed(*id)
	if err != nil {
		return err
	}

	if wanted != of {
		return badRequest("cluster_id: the %s is in the cluster %s", source, of.row.ID)
	}

	return nil
}

func cloneVM(c *call, in *[]wire.VMCloneParams) (any, error) {
	return createEach(c, *in, c.blueprintOfClone)
}

func (c *call) blueprintOfClone(p *wire.VMCloneParams) (*blueprint, error) {
	source, ok := c.vms.get(p.SrcVMID)
	if !ok {
		return nil, notFound("There is no VM %s", p.SrcVMID)
	}

	if err := c.sameCluster(p.ClusterID, source.cluster, "VM"); err != nil {
		return nil, err
	}

	if err := c.free(source); err != nil {
		return nil, err
	}

	b := &blueprint{
		copied: true, shape: source.shape(), mutation: "cloneVm", cluster: source.cluster, description: source.row.Description,
		about: text{
			en: "Clone VM " + source.row.Name + " to " + p.Name, zh: "克隆虚拟机 " + source.row.Name + " 为 " + p.Name,
		},
	}

	return b, c.completeCopy(b, p, p.VMDisks, p.IsFullCopy)
}

func rebuildVM(c *call, in *[]wire.VMRebuildParams) (any, error) {
	return createEach(c, *in, c.blueprintOfRebuild)
}

func (c *call) blueprintOfRebuild(p *wire.VMRebuildParams) (*blueprint, error) {
	source, ok := c.snapshots.get(p.RebuildFromSnapshotID)
	if !ok {
		return nil, notFound("There is no VM snapshot %s", p.RebuildFromSnapshotID)
	}

	if err := c.sameCluster(p.ClusterID, source.cluster, "VM snapshot"); err != nil {
		return nil, err
	}

	b := &blueprint{
		copied: true, shape: source.shape.clone(), mutation: "rebuildVm", cluster: source.cluster, description: source.row.Description,
		about: text{
			en: "Rebuild VM " + p.Name + " from VM snapshot " + source.row.Name,
			zh: "从快照 " + source.row.Name + " 重建虚拟机 " + p.Name,
		},
	}

	for i := range b.nics {
		b.nics[i].mac = ""
	}

	return b, c.completeCopy(b, p, p.VMDisks, p.IsFullCopy)
}

// completeCopy is complete for copies of VMs, whose disks a request replaces as
// a whole or not at all.
func (c *call) completeCopy(b *blueprint, params any, disks *wire.VMDiskParams, fullCopy *bool) error {
	if err := c.complete(b, params); err != nil {
		return err
	}

	for i := range b.disks {
		b.disks[i].linked = fullCopy == nil || !*fullCopy
	}

	if disks == nil {
		return nil
	}

	var err error

	b.disks, err = c.diskShapes(disks, b.cluster)

	return err
}

// shape is the VM's hardware as a copy of it would have it: with volumes and
// MAC addresses of its own.
func (v *vm) shape() shape {
	s := shape{
		cores: v.row.CPU.Cores, sockets: v.row.CPU.Sockets, memory: v.row.Memory, firmware: v.row.Firmware, ha: v.row.HA,
		cloudInit: v.row.CloudInitSupported != nil && *v.row.CloudInitSupported, guestOS: v.row.GuestOSType,
		videoType: v.row.VideoType, ioPolicy: v.row.IOPolicy,
		limits: ioLimits{v.row.MaxIOPS, v.row.MaxIOPSPolicy, v.row.MaxBandwidth, v.row.MaxBandwidthPolicy},
	}

	for _, n := range v.nics {
		s.nics = append(s.nics, nicShape{vlan: n.vlan, model: *n.row.Model, enabled: *n.row.Enabled, mirror: *n.row.Mirror})
	}

	for _, d := range v.disks {
		if !d.hidden() {
			s.disks = append(s.disks, d.shape())
		}
	}

	return s
}

// hidden tells whether the disk is the drive that holds cloud-init data.
func (d *disk) hidden() bool { return d.row.CloudInitImageName != nil }

func (d *disk) shape() diskShape {
	s := diskShape{
		kind: d.row.Type, bus: d.row.Bus, boot: d.row.Boot, index: d.index, key: d.row.Key, image: d.image,
		limits: ioLimits{d.row.MaxIOPS, d.row.MaxIOPSPolicy, d.row.MaxBandwidth, d.row.MaxBandwidthPolicy},
	}

	if d.volume != nil {
		s.size, s.policy = d.volume.row.Size, d.volume.row.ElfStoragePolicy
	}

	return s
}
