// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// createParams are the parameters that all operations have that create VMs.
// Parameters that are nil were not sent.
type createParams struct {
	Name               string                        `json:"name"`
	Description        *string                       `json:"description"`
	FolderID           *string                       `json:"folder_id"`
	HostID             *string                       `json:"host_id"`
	Owner              *wire.VMOwnerParams           `json:"owner"`
	Status             *wire.VMStatus                `json:"status"`
	HA                 *bool                         `json:"ha"`
	Firmware           *wire.VMFirmware              `json:"firmware"`
	GuestOSType        *wire.VMGuestsOperationSystem `json:"guest_os_type"`
	VCPU               *int                          `json:"vcpu"`
	CPUCores           *int                          `json:"cpu_cores"`
	CPUSockets         *int                          `json:"cpu_sockets"`
	Memory             *int64                        `json:"memory"`
	MemoryUnit         *wire.ByteUnit                `json:"memory_unit"`
	VMNics             []wire.VMNicParams            `json:"vm_nics"`
	GPUDevices         []wire.VMGPUOperationParams   `json:"gpu_devices"`
	PCINics            json.RawMessage               `json:"pci_nics"`
	VMPlacementGroup   json.RawMessage               `json:"vm_placement_group"`
	IOPolicy           *wire.VMDiskIOPolicy          `json:"io_policy"`
	MaxIOPS            *int64                        `json:"max_iops"`
	MaxIOPSPolicy      *wire.VMDiskIORestrictType    `json:"max_iops_policy"`
	MaxBandwidth       *int64                        `json:"max_bandwidth"`
	MaxBandwidthPolicy *wire.VMDiskIORestrictType    `json:"max_bandwidth_policy"`
}

// applyParams applies the parameters of a request to a blueprint, which has the
// hardware of its source.
func (c *call) applyParams(b *blueprint, params any) error {
	var p createParams
	if err := copyByJSON(&p, params); err != nil {
		return err
	}

	p.dropUnknown(c.version)

	if err := p.check(); err != nil {
		return err
	}

	if err := b.setCPUs(p.VCPU, p.CPUCores, p.CPUSockets); err != nil {
		return err
	}

	b.name = p.Name
	b.running = p.Status != nil && *p.Status == wire.VMStatusRunning
	setIfSent(&b.description, p.Description)
	setIfSent(&b.ha, p.HA)
	setIfSent(&b.firmware, p.Firmware)

	if p.Memory != nil {
		b.memory = bytesOf(*p.Memory, p.MemoryUnit)
	}

	if p.GuestOSType != nil {
		b.guestOS = p.GuestOSType
	}

	if p.IOPolicy != nil {
		if b.isCopy && c.version.atLeast(3, 2) && (b.ioPolicy == nil || *b.ioPolicy != *p.IOPolicy) {
			return badRequest("io_policy: a copy has the I/O policy of its source, not %s", *p.IOPolicy)
		}

		b.ioPolicy = p.IOPolicy
		b.limits = newIOLimits(p.MaxIOPS, p.MaxIOPSPolicy, p.MaxBandwidth, p.MaxBandwidthPolicy)
	}

	return c.resolveReferences(b, &p)
}

func (p *createParams) check() error {
	switch {
	case p.Name == "":
		return badRequest("name: must not be empty")
	case p.Status != nil && *p.Status != wire.VMStatusRunning && *p.Status != wire.VMStatusStopped:
		return badRequest("status: a VM can be created RUNNING or STOPPED, not %s", *p.Status)
	case p.Memory != nil && *p.Memory <= 0:
		return badRequest("memory: must be more than 0")
	}

	return nil
}

// resolveReferences looks up the objects that a request names.
func (c *call) resolveReferences(b *blueprint, p *createParams) error {
	var err error

	if b.host, err = c.hostByID(deref(p.HostID), b.cluster); err != nil {
		return err
	}

	if b.folder, err = c.folderByID(p.FolderID, b.cluster); err != nil {
		return err
	}

	if p.Owner != nil {
		by := ""
		if p.Owner.SearchFor != nil {
			by = string(*p.Owner.SearchFor)
		}

		if b.owner, err = c.findUser(by, p.Owner.Value); err != nil {
			return err
		}
	}

	if p.VMNics != nil {
		if b.nics, err = c.nicConfigs(p.VMNics, b.cluster); err != nil {
			return err
		}
	}

	if p.VMPlacementGroup != nil {
		if b.groups, err = matching(c.world, &c.groups, wire.EntityVMPlacementGroup, p.VMPlacementGroup); err != nil {
			return err
		}
	}

	if p.PCINics != nil {
		if b.hostNICs, err = c.passThroughNICs("pci_nics", p.PCINics); err != nil {
			return err
		}

		if b.host == nil {
			return badRequest("host_id: a VM with PCI NICs needs a host")
		}
	}

	return c.resolveGPUs(b, p.GPUDevices)
}

func (c *call) resolveGPUs(b *blueprint, params []wire.VMGPUOperationParams) error {
	claims, err := c.gpuClaims(params)
	if err != nil || len(claims) == 0 {
		return err
	}

	if b.ha {
		return badRequest("ha: a VM with GPU devices cannot be highly available")
	}

	if b.host == nil {
		return badRequest("host_id: a VM with GPU devices needs a host")
	}

	b.gpus = claims

	return nil
}

// applyDiskOperate changes the disks of a template for a VM. The template's
// CD-ROM drives are dropped unless the request changes disks.
func (c *call) applyDiskOperate(b *blueprint, in *wire.VMDiskOperate, fullCopy bool) error {
	for i := range b.disks {
		b.disks[i].linked = !fullCopy
	}

	if in == nil || in.NewDisks == nil && len(in.ModifyDisks) == 0 && in.RemoveDisks == nil {
		b.disks = filterSlice(b.disks, func(s diskConfig) bool { return s.kind != wire.VMDiskTypeCdRom })

		return nil
	}

	for _, modified := range in.ModifyDisks {
		if modified.DiskIndex < 0 || modified.DiskIndex >= len(b.disks) {
			return badRequest("disk_operate.modify_disks: the template has no disk %d", modified.DiskIndex)
		}

		setIfSent(&b.disks[modified.DiskIndex].bus, modified.Bus)
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

	added, err := c.diskConfigs(in.NewDisks, b.cluster)
	if err != nil {
		return err
	}

	b.disks = append(b.disks, added...)

	return nil
}
