// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func createVMFromContentLibraryTemplate(c *call, in *[]wire.VMCreateVMFromContentLibraryTemplateParams) (any, error) {
	return createVMs(c, *in, c.blueprintFromLibrary)
}

// createVMs creates a VM for each set of parameters, or none if one set is
// refused.
func createVMs[P any](c *call, params []P, plan func(*P) (*blueprint, error)) (any, error) {
	blueprints, err := planEach(params, func(_ int, p *P) (*blueprint, error) { return plan(p) })
	if err != nil {
		return nil, err
	}

	return mapSlice(blueprints, c.startCreate), nil
}

// createVMFromContentLibraryTemplateBatch creates VMs and replies with one
// task: that of the last VM. All tasks take equally long.
func createVMFromContentLibraryTemplateBatch(c *call, in *wire.VMCreateVMFromContentLibraryTemplateBatchParams) (any, error) {
	if err := checkNotEmptyList(in.VMs); err != nil {
		return nil, err
	}

	blueprints := make([]*blueprint, len(in.VMs))

	for i := range in.VMs {
		p := wire.VMCreateVMFromContentLibraryTemplateParams{TemplateID: in.TemplateID}
		if err := copyByJSON(&p, in.VMs[i]); err != nil {
			return nil, err
		}

		b, err := c.blueprintFromLibrary(&p)
		if err != nil {
			return nil, err
		}

		blueprints[i] = b
	}

	reply := wire.WithTask[wire.List[*wire.VM]]{}

	for _, b := range blueprints {
		made := c.startCreate(b)
		reply.TaskID, reply.Data = made.TaskID, append(reply.Data, made.Data)
	}

	return reply, nil
}

// blueprintFromLibrary returns the VM that a request describes. What the
// request omits is taken from the template.
func (c *call) blueprintFromLibrary(p *wire.VMCreateVMFromContentLibraryTemplateParams) (*blueprint, error) {
	in, err := c.clusterByID(p.ClusterID)
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
		isCopy: true, hardware: source.hardware.clone(), mutation: "createVmFromContentLibraryTemplate", cluster: in, cloudInitData: p.CloudInit,
		taskDescription: localizedText{
			en: "Create a VM " + p.Name + " from a VM template " + library.row.Name,
			zh: "从虚拟机模板 " + library.row.Name + " 创建虚拟机 " + p.Name,
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

// diskConfigs returns the disks and drives that a request describes.
func (w *world) diskConfigs(in *wire.VMDiskParams, of *cluster) ([]diskConfig, error) {
	if in == nil {
		return nil, nil
	}

	var shapes []diskConfig

	for i := range in.MountCdRoms {
		p := &in.MountCdRoms[i]

		mounted, err := w.imageByID(p.ElfImageID, p.ContentLibraryImageID, of)
		if err != nil {
			return nil, err
		}

		s := diskConfig{kind: wire.VMDiskTypeCdRom, bus: wire.BusIde, boot: p.Boot, key: p.Key, image: mounted}
		setIfSent(&s.index, p.Index)
		shapes = append(shapes, s)
	}

	for i := range in.MountDisks {
		p := &in.MountDisks[i]

		existing, err := w.volumeByID(p.VMVolumeID, of)
		if err != nil {
			return nil, err
		}

		if err := w.checkKnownValue("mount_disks.bus", string(p.Bus)); err != nil {
			return nil, err
		}

		s := diskConfig{kind: wire.VMDiskTypeDisk, bus: p.Bus, boot: p.Boot, key: p.Key, volume: existing}
		s.limits = newIOLimits(p.MaxIOPS, p.MaxIOPSPolicy, p.MaxBandwidth, p.MaxBandwidthPolicy)
		setIfSent(&s.index, p.Index)
		shapes = append(shapes, s)
	}

	for i := range in.MountNewCreateDisks {
		p := &in.MountNewCreateDisks[i]
		if p.VMVolume.Size <= 0 {
			return nil, badRequest("%s.vm_volume.size: must be more than 0", fmt.Sprintf("mount_new_create_disks[%d]", i))
		}

		for field, value := range map[string]string{"bus": string(p.Bus), "vm_volume.elf_storage_policy": string(p.VMVolume.ElfStoragePolicy)} {
			if err := w.checkKnownValue("mount_new_create_disks."+field, value); err != nil {
				return nil, err
			}
		}

		s := diskConfig{
			kind: wire.VMDiskTypeDisk, bus: p.Bus, boot: p.Boot, key: p.Key, name: p.VMVolume.Name,
			size: bytesOf(p.VMVolume.Size, p.VMVolume.SizeUnit), policy: p.VMVolume.ElfStoragePolicy,
			limits: newIOLimits(p.MaxIOPS, p.MaxIOPSPolicy, p.MaxBandwidth, p.MaxBandwidthPolicy),
		}
		setIfSent(&s.index, p.Index)
		shapes = append(shapes, s)
	}

	return shapes, nil
}

func newIOLimits(iops *int64, iopsPolicy *wire.VMDiskIORestrictType, bandwidth *int64, bandwidthPolicy *wire.VMDiskIORestrictType) ioLimits {
	limits := ioLimits{iopsPolicy: iopsPolicy, bandwidth: bandwidth, bandwidthPolicy: bandwidthPolicy}
	if iops != nil {
		limits.iops = wire.Ptr(int(*iops))
	}

	return limits
}
