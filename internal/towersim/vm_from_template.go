// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func createVMFromContentLibraryTemplate(c *call, in *[]wire.VMCreateVMFromContentLibraryTemplateParams) (any, error) {
	return createEach(c, *in, c.blueprintFromLibrary)
}

// blueprintFromLibrary turns the parameters of a creation into what is to be
// made. What they leave out is as in the template.
func (c *call) blueprintFromLibrary(p *wire.VMCreateVMFromContentLibraryTemplateParams) (*blueprint, error) {
	in, err := c.clusterNamed(p.ClusterID)
	if err != nil {
		return nil, err
	}

	library, ok := c.libraryTemplates.get(p.TemplateID)
	if !ok {
		return nil, notFound("There is no content library VM template %s", p.TemplateID)
	}

	source := library.in(in)
	if source == nil {
		return nil, notFound("The content library VM template %s is not in the cluster %s", p.TemplateID, p.ClusterID)
	}

	b := &blueprint{
		shape: source.shape.clone(), mutation: "createVmFromContentLibraryTemplate", name: p.Name, cluster: in, cloud: p.CloudInit,
		about: text{
			en: "Create a VM " + p.Name + " from a VM template " + library.row.Name,
			zh: "从虚拟机模板 " + library.row.Name + " 创建虚拟机 " + p.Name,
		},
	}

	err = c.complete(b, &common{
		description: p.Description, folderID: p.FolderID, hostID: p.HostID, owner: p.Owner, status: p.Status,
		ha: p.HA, firmware: p.Firmware, guestOS: p.GuestOSType, vcpu: p.VCPU, cores: p.CPUCores, sockets: p.CPUSockets,
		memory: p.Memory, memoryUnit: p.MemoryUnit, nics: p.VMNics,
	})
	if err != nil {
		return nil, err
	}

	if err := c.operateDisks(b, p.DiskOperate, p.IsFullCopy); err != nil {
		return nil, err
	}

	return b, checkCloudInit(p.CloudInit)
}

// common is what the operations that make VMs have in common.
type common struct {
	description, folderID, hostID *string
	owner                         *wire.VMOwnerParams
	status                        *wire.VMStatus
	ha                            *bool
	firmware                      *wire.VMFirmware
	guestOS                       *wire.VMGuestsOperationSystem
	vcpu, cores, sockets          *int
	memory                        *int64
	memoryUnit                    *wire.ByteUnit
	nics                          []wire.VMNicParams
}

// complete fills a blueprint with what was sent.
func (c *call) complete(b *blueprint, p *common) error {
	if b.name == "" {
		return badRequest("name: must not be empty")
	}

	if p.status != nil && *p.status != wire.VMStatusRunning && *p.status != wire.VMStatusStopped {
		return badRequest("status: a VM can be created RUNNING or STOPPED, not %s", *p.status)
	}

	if p.memory != nil && *p.memory <= 0 {
		return badRequest("memory: must be more than 0")
	}

	if err := b.processors(p.vcpu, p.cores, p.sockets); err != nil {
		return err
	}

	b.running = p.status != nil && *p.status == wire.VMStatusRunning
	assign(&b.description, p.description)
	assign(&b.ha, p.ha)
	assign(&b.firmware, p.firmware)

	if p.memory != nil {
		b.memory = bytesOf(*p.memory, p.memoryUnit)
	}

	if p.guestOS != nil {
		b.guestOS = p.guestOS
	}

	return c.resolveReferences(b, p)
}

// resolveReferences looks up the objects that a creation names by their ids.
func (c *call) resolveReferences(b *blueprint, p *common) error {
	var err error

	if b.host, err = c.hostNamed(valueOf(p.hostID), b.cluster); err != nil {
		return err
	}

	if b.folder, err = c.folderNamed(p.folderID, b.cluster); err != nil {
		return err
	}

	if p.owner != nil {
		by := ""
		if p.owner.SearchFor != nil {
			by = string(*p.owner.SearchFor)
		}

		if b.owner, err = c.userNamed(by, p.owner.Value); err != nil {
			return err
		}
	}

	if p.nics != nil {
		if b.nics, err = c.nicShapes(p.nics, b.cluster); err != nil {
			return err
		}
	}

	return nil
}

// operateDisks changes the disks that a template brings along.
func (c *call) operateDisks(b *blueprint, in *wire.VMDiskOperate, fullCopy bool) error {
	for i := range b.disks {
		b.disks[i].linked = !fullCopy
	}

	if in == nil {
		return nil
	}

	for _, change := range in.ModifyDisks {
		if change.DiskIndex < 0 || change.DiskIndex >= len(b.disks) {
			return badRequest("disk_operate.modify_disks: the template has no disk %d", change.DiskIndex)
		}

		assign(&b.disks[change.DiskIndex].bus, change.Bus)
	}

	if in.RemoveDisks != nil {
		for _, index := range in.RemoveDisks.DiskIndex {
			if index < 0 || index >= len(b.disks) {
				return badRequest("disk_operate.remove_disks: the template has no disk %d", index)
			}
		}

		kept := b.disks[:0:0]
		for i := range b.disks {
			if !slices.Contains(in.RemoveDisks.DiskIndex, i) {
				kept = append(kept, b.disks[i])
			}
		}

		b.disks = kept
	}

	added, err := c.diskShapes(in.NewDisks, b.cluster)
	if err != nil {
		return err
	}

	b.disks = append(b.disks, added...)

	return nil
}

// diskShapes reads the disks and drives of a request for a VM of a cluster.
func (w *world) diskShapes(in *wire.VMDiskParams, of *cluster) ([]diskShape, error) {
	if in == nil {
		return nil, nil
	}

	var shapes []diskShape

	for i := range in.MountCdRoms {
		p := &in.MountCdRoms[i]

		mounted, err := w.imageNamed(p.ElfImageID, p.ContentLibraryImageID, of)
		if err != nil {
			return nil, err
		}

		s := diskShape{kind: wire.VMDiskTypeCdRom, bus: wire.BusIde, boot: p.Boot, key: p.Key, image: mounted}
		assign(&s.index, p.Index)
		shapes = append(shapes, s)
	}

	for i := range in.MountDisks {
		p := &in.MountDisks[i]

		existing, ok := w.volumes.get(p.VMVolumeID)
		if !ok {
			return nil, notFound("There is no VM volume %s", p.VMVolumeID)
		}

		if existing.cluster != of {
			return nil, badRequest("The VM volume %s is not in the cluster %s", p.VMVolumeID, of.row.ID)
		}

		s := diskShape{kind: wire.VMDiskTypeDisk, bus: p.Bus, boot: p.Boot, key: p.Key, volume: existing}
		s.limits = limitsOf(p.MaxIOPS, p.MaxIOPSPolicy, p.MaxBandwidth, p.MaxBandwidthPolicy)
		assign(&s.index, p.Index)
		shapes = append(shapes, s)
	}

	for i := range in.MountNewCreateDisks {
		p := &in.MountNewCreateDisks[i]
		if p.VMVolume.Size <= 0 {
			return nil, badRequest("%s.vm_volume.size: must be more than 0", fmt.Sprintf("mount_new_create_disks[%d]", i))
		}

		s := diskShape{
			kind: wire.VMDiskTypeDisk, bus: p.Bus, boot: p.Boot, key: p.Key, name: p.VMVolume.Name, path: valueOf(p.VMVolume.Path),
			size: bytesOf(p.VMVolume.Size, p.VMVolume.SizeUnit), policy: p.VMVolume.ElfStoragePolicy,
			limits: limitsOf(p.MaxIOPS, p.MaxIOPSPolicy, p.MaxBandwidth, p.MaxBandwidthPolicy),
		}
		assign(&s.index, p.Index)
		shapes = append(shapes, s)
	}

	return shapes, nil
}

func limitsOf(iops *int64, iopsPolicy *wire.VMDiskIORestrictType, bandwidth *int64, bandwidthPolicy *wire.VMDiskIORestrictType) ioLimits {
	limits := ioLimits{iopsPolicy: iopsPolicy, bandwidth: bandwidth, bandwidthPolicy: bandwidthPolicy}
	if iops != nil {
		limits.iops = wire.Ptr(int(*iops))
	}

	return limits
}
