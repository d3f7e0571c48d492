// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func createVM(c *call, in *[]wire.VMCreationParams) (any, error) {
	return createVMs(c, *in, c.blueprintOfBlank)
}

func (c *call) blueprintOfBlank(p *wire.VMCreationParams) (*blueprint, error) {
	in, err := c.clusterByID(p.ClusterID)
	if err != nil {
		return nil, err
	}

	b := &blueprint{
		hardware: hardware{cores: 1, sockets: 1, videoType: wire.Ptr(wire.VMVideoTypeVga)}, cluster: in, mutation: "createVm",
		taskDescription: localizedText{en: "Create a VM " + p.Name, zh: "创建虚拟机 " + p.Name},
	}

	if err := c.applyParams(b, p); err != nil {
		return nil, err
	}

	b.disks, err = c.diskConfigs(&p.VMDisks, in)

	return b, err
}

func createVMFromTemplate(c *call, in *[]wire.VMCreateVMFromTemplateParams) (any, error) {
	return createVMs(c, *in, c.blueprintFromTemplate)
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
		isCopy: true, hardware: source.hardware.clone(), mutation: "createVmFromTemplate", cluster: source.cluster, cloudInitData: p.CloudInit,
		taskDescription: localizedText{
			en: "Create a VM " + p.Name + " from a VM template " + source.row.Name,
			zh: "从虚拟机模板 " + source.row.Name + " 创建虚拟机 " + p.Name,
		},
	}

	if err := c.applyParams(b, p); err != nil {
		return nil, err
	}

	if err := c.applyDiskOperate(b, p.DiskOperate, p.IsFullCopy); err != nil {
		return nil, err
	}

	return b, checkCloudInit(p.CloudInit)
}

// sameCluster refuses another cluster than the source's.
func (c *call) sameCluster(id *string, of *cluster, source string) error {
	if id == nil || *id == "" {
		return nil
	}

	wanted, err := c.clusterByID(*id)
	if err != nil {
		return err
	}

	if wanted != of {
		return badRequest("cluster_id: the %s is in the cluster %s", source, of.row.ID)
	}

	return nil
}

func cloneVM(c *call, in *[]wire.VMCloneParams) (any, error) {
	return createVMs(c, *in, c.blueprintOfClone)
}

func (c *call) blueprintOfClone(p *wire.VMCloneParams) (*blueprint, error) {
	source, ok := c.vms.get(p.SrcVMID)
	if !ok {
		return nil, notFound("There is no VM %s", p.SrcVMID)
	}

	if err := c.sameCluster(p.ClusterID, source.cluster, "VM"); err != nil {
		return nil, err
	}

	if err := c.checkUnlocked(source); err != nil {
		return nil, err
	}

	b := &blueprint{
		isCopy: true, hardware: source.hardware(), mutation: "cloneVm", cluster: source.cluster, description: source.row.Description,
		taskDescription: localizedText{
			en: "Clone VM " + source.row.Name + " to " + p.Name, zh: "克隆虚拟机 " + source.row.Name + " 为 " + p.Name,
		},
	}

	return b, c.applyCopyParams(b, p, p.VMDisks, p.IsFullCopy)
}

func rebuildVM(c *call, in *[]wire.VMRebuildParams) (any, error) {
	return createVMs(c, *in, c.blueprintOfRebuild)
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
		isCopy: true, hardware: source.hardware.clone(), mutation: "rebuildVm", cluster: source.cluster, description: source.row.Description,
		taskDescription: localizedText{
			en: "Rebuild VM " + p.Name + " from VM snapshot " + source.row.Name,
			zh: "从快照 " + source.row.Name + " 重建虚拟机 " + p.Name,
		},
	}

	for i := range b.nics {
		b.nics[i].mac = ""
	}

	return b, c.applyCopyParams(b, p, p.VMDisks, p.IsFullCopy)
}

// applyCopyParams is applyParams for copies of VMs. The request may replace all
// their disks.
func (c *call) applyCopyParams(b *blueprint, params any, disks *wire.VMDiskParams, fullCopy *bool) error {
	if err := c.applyParams(b, params); err != nil {
		return err
	}

	for i := range b.disks {
		b.disks[i].linked = fullCopy == nil || !*fullCopy
	}

	if disks == nil {
		return nil
	}

	var err error

	b.disks, err = c.diskConfigs(disks, b.cluster)

	return err
}

// hardware returns the VM's hardware for a copy of it. The copy gets its own
// volumes and MAC addresses.
func (v *vm) hardware() hardware {
	s := hardware{
		cores: v.row.CPU.Cores, sockets: v.row.CPU.Sockets, memory: v.row.Memory, firmware: v.row.Firmware, ha: v.row.HA,
		cloudInit: v.row.CloudInitSupported != nil && *v.row.CloudInitSupported, guestOS: v.row.GuestOSType,
		videoType: v.row.VideoType, ioPolicy: v.row.IOPolicy,
		limits: ioLimits{v.row.MaxIOPS, v.row.MaxIOPSPolicy, v.row.MaxBandwidth, v.row.MaxBandwidthPolicy},
	}

	for _, n := range v.nics {
		copied := nicConfig{vlan: n.vlan, port: n.port, model: *n.row.Model, enabled: *n.row.Enabled, mirror: *n.row.Mirror}
		if n.vpc != nil {
			copied.vpc = &vpcConfig{subnet: n.vpc.subnet}
		}

		s.nics = append(s.nics, copied)
	}

	for _, d := range v.disks {
		if !d.isCloudInitDrive() {
			s.disks = append(s.disks, d.config())
		}
	}

	return s
}

// isCloudInitDrive reports whether the disk is the drive with the cloud-init
// data.
func (d *disk) isCloudInitDrive() bool { return d.row.CloudInitImageName != nil }

func (d *disk) config() diskConfig {
	s := diskConfig{
		kind: d.row.Type, bus: d.row.Bus, boot: d.row.Boot, index: d.index, key: d.row.Key, image: d.image,
		limits: ioLimits{d.row.MaxIOPS, d.row.MaxIOPSPolicy, d.row.MaxBandwidth, d.row.MaxBandwidthPolicy},
	}

	if d.volume != nil {
		s.size, s.policy = d.volume.row.Size, d.volume.row.ElfStoragePolicy
	}

	return s
}
