// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// shapeOfVM is the hardware of a VM, for its copies: the same disks with new
// volumes, the same NICs with MACs of their own.
func (w *world) shapeOfVM(v *vm) shape {
	s := shape{
		cores: v.row.CPU.Cores, sockets: v.row.CPU.Sockets, memory: v.row.Memory, firmware: v.row.Firmware, ha: v.row.HA,
		cloudInit: v.row.CloudInitSupported != nil && *v.row.CloudInitSupported, guestOS: v.row.GuestOSType, videoType: v.row.VideoType,
		ioPolicy: v.row.IOPolicy,
		limits: ioLimits{
			iops: v.row.MaxIOPS, iopsPolicy: v.row.MaxIOPSPolicy, bandwidth: v.row.MaxBandwidth, bandwidthPolicy: v.row.MaxBandwidthPolicy,
		},
	}

	for _, n := range v.nics {
		copied := nicShape{vlan: n.vlan, enabled: true, model: wire.VMNicModelVirtio}
		assign(&copied.enabled, n.row.Enabled)
		assign(&copied.mirror, n.row.Mirror)
		assign(&copied.model, n.row.Model)
		s.nics = append(s.nics, copied)
	}

	for _, d := range v.disks {
		if d.row.CloudInitImageName != nil {
			continue
		}

		copied := diskShape{
			kind: d.row.Type, bus: d.row.Bus, boot: d.row.Boot, key: d.row.Key, index: d.index, image: d.image,
			limits: ioLimits{
				iops: d.row.MaxIOPS, iopsPolicy: d.row.MaxIOPSPolicy, bandwidth: d.row.MaxBandwidth, bandwidthPolicy: d.row.MaxBandwidthPolicy,
			},
		}
		if d.volume != nil {
			copied.size, copied.policy = d.volume.row.Size, d.volume.row.ElfStoragePolicy
		}

		s.disks = append(s.disks, copied)
	}

	return s
}

func createVMFromTemplate(c *call, in *[]wire.VMCreateVMFromTemplateParams) (any, error) {
	return createEach(c, *in, func(p *wire.VMCreateVMFromTemplateParams) (*blueprint, error) {
		source, ok := c.templates.get(p.TemplateID)
		if !ok {
			return nil, notFound("There is no VM template %s", p.TemplateID)
		}

		if err := c.sameCluster(p.ClusterID, source.cluster, "VM template", p.TemplateID); err != nil {
			return nil, err
		}

		b := &blueprint{
			shape: source.shape.clone(), mutation: "createVmFromTemplate", name: p.Name, cluster: source.cluster, cloud: p.CloudInit,
			about: text{
				en: "Create a VM " + p.Name + " from a VM template " + source.row.Name,
				zh: "从虚拟机模板 " + source.row.Name + " 创建虚拟机 " + p.Name,
			},
		}

		err := c.complete(b, &common{
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
	})
}

func cloneVM(c *call, in *[]wire.VMCloneParams) (any, error) {
	return createEach(c, *in, func(p *wire.VMCloneParams) (*blueprint, error) {
		source, ok := c.vms.get(p.SrcVMID)
		if !ok {
			return nil, notFound("There is no VM %s", p.SrcVMID)
		}

		if err := c.sameCluster(p.ClusterID, source.cluster, "VM", p.SrcVMID); err != nil {
			return nil, err
		}

		if err := c.free(source); err != nil {
			return nil, err
		}

		b := &blueprint{
			shape: c.shapeOfVM(source), mutation: "cloneVm", name: p.Name, cluster: source.cluster, description: source.row.Description,
			about: text{en: "Clone VM " + source.row.Name + " to " + p.Name, zh: "克隆虚拟机 " + source.row.Name + " 为 " + p.Name},
		}

		err := c.complete(b, &common{
			description: p.Description, folderID: p.FolderID, hostID: p.HostID, owner: p.Owner, status: p.Status,
			ha: p.HA, firmware: p.Firmware, guestOS: p.GuestOSType, vcpu: p.VCPU, cores: p.CPUCores, sockets: p.CPUSockets,
			memory: p.Memory, memoryUnit: p.MemoryUnit, nics: p.VMNics,
		})
		if err != nil {
			return nil, err
		}

		return b, c.copyDisks(b, p.VMDisks, p.IsFullCopy)
	})
}

func rebuildVM(c *call, in *[]wire.VMRebuildParams) (any, error) {
	return createEach(c, *in, func(p *wire.VMRebuildParams) (*blueprint, error) {
		source, ok := c.snapshots.get(p.RebuildFromSnapshotID)
		if !ok {
			return nil, notFound("There is no VM snapshot %s", p.RebuildFromSnapshotID)
		}

		if err := c.sameCluster(p.ClusterID, source.cluster, "VM snapshot", p.RebuildFromSnapshotID); err != nil {
			return nil, err
		}

		if err := c.free(source); err != nil {
			return nil, err
		}

		b := &blueprint{
			shape: source.shape.clone(), mutation: "rebuildVm", name: p.Name, cluster: source.cluster, description: source.row.Description,
			about: text{
				en: "Rebuild VM " + p.Name + " from the snapshot " + source.row.Name,
				zh: "从快照 " + source.row.Name + " 重建虚拟机 " + p.Name,
			},
		}

		err := c.complete(b, &common{
			description: p.Description, folderID: p.FolderID, hostID: p.HostID, owner: p.Owner, status: p.Status,
			ha: p.HA, firmware: p.Firmware, guestOS: p.GuestOSType, vcpu: p.VCPU, cores: p.CPUCores, sockets: p.CPUSockets,
			memory: p.Memory, memoryUnit: p.MemoryUnit, nics: p.VMNics,
		})
		if err != nil {
			return nil, err
		}

		return b, c.copyDisks(b, p.VMDisks, p.IsFullCopy)
	})
}

// createEach accepts all creations of a request, or none of them.
func createEach[T any](c *call, in []T, read func(p *T) (*blueprint, error)) (any, error) {
	if len(in) == 0 {
		return nil, badRequest("body: expected at least 1 element")
	}

	blueprints := make([]*blueprint, len(in))

	for i := range in {
		b, err := read(&in[i])
		if err != nil {
			return nil, err
		}

		blueprints[i] = b
	}

	return mapped(blueprints, c.create), nil
}

// sameCluster refuses a source that lies in another cluster than the one asked
// for.
func (c *call) sameCluster(id *string, of *cluster, what, source string) error {
	if id == nil {
		return nil
	}

	in, err := c.clusterNamed(*id)
	if err != nil {
		return err
	}

	if in != of {
		return badRequest("The %s %s is not in the cluster %s", what, source, *id)
	}

	return nil
}

// copyDisks settles the disks of a copy: those of the source, or the ones that
// were sent in their place.
func (c *call) copyDisks(b *blueprint, in *wire.VMDiskParams, fullCopy *bool) error {
	if in == nil {
		for i := range b.disks {
			b.disks[i].linked = fullCopy == nil || !*fullCopy
		}

		return nil
	}

	shapes, err := c.diskShapes(in, b.cluster)
	if err != nil {
		return err
	}

	b.disks = shapes

	return nil
}
