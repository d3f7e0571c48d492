// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// createVM makes VMs that have no source.
func createVM(c *call, in *[]wire.VMCreationParams) (any, error) {
	if len(*in) == 0 {
		return nil, badRequest("body: expected at least 1 element")
	}

	blueprints := make([]*blueprint, len(*in))

	for i := range *in {
		b, err := c.blueprintOfBlank(&(*in)[i])
		if err != nil {
			return nil, err
		}

		blueprints[i] = b
	}

	return mapped(blueprints, c.create), nil
}

func (c *call) blueprintOfBlank(p *wire.VMCreationParams) (*blueprint, error) {
	in, err := c.clusterNamed(p.ClusterID)
	if err != nil {
		return nil, err
	}

	b := &blueprint{
		shape:    shape{cores: 1, sockets: 1, ioPolicy: p.IOPolicy},
		mutation: "createVm", name: p.Name, cluster: in,
		about: text{en: "Create VM " + p.Name, zh: "创建虚拟机 " + p.Name},
	}
	b.limits = limitsOf(p.MaxIOPS, p.MaxIOPSPolicy, p.MaxBandwidth, p.MaxBandwidthPolicy)

	err = c.complete(b, &common{
		description: p.Description, folderID: p.FolderID, hostID: p.HostID, owner: p.Owner, status: &p.Status,
		ha: &p.HA, firmware: &p.Firmware, guestOS: p.GuestOSType, vcpu: p.VCPU, cores: &p.CPUCores, sockets: &p.CPUSockets,
		memory: &p.Memory, memoryUnit: p.MemoryUnit, nics: p.VMNics,
	})
	if err != nil {
		return nil, err
	}

	b.disks, err = c.diskShapes(&p.VMDisks, in)

	return b, err
}
