// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// toCreate is the create call that the plan asks for. It carries everything
// Tower takes there, so that nothing has to be changed right after.
func (m *model) toCreate(ctx context.Context) (tower.VMCreate, diag.Diagnostics) {
	in := tower.VMCreate{
		Name:        m.Name.ValueString(),
		ClusterID:   m.ClusterID.ValueString(),
		Description: attrs.StringPtr(m.Description),
		GuestOSType: attrs.StringPtr(m.GuestOSType),
		Firmware:    attrs.StringPtr(m.Firmware),
		HA:          attrs.BoolPtr(m.HA),
		Running:     meantToRun(m.PowerState),
	}
	m.placeIn(&in)
	gpus, diags := m.gpus(ctx)
	in.GPUs = gpus
	source, _, d := objectAs[sourceModel](ctx, m.Source)
	diags.Append(d...)
	source.create(&in)
	in.CPUCores, in.CPUSockets = m.topology()
	if mib := attrs.Int64Ptr(m.MemoryMiB); mib != nil {
		bytes := *mib * mebibyte
		in.MemoryBytes = &bytes
	}
	nics, d := nicsFrom(ctx, m.NICs)
	diags.Append(d...)
	if nics != nil {
		in.NICs = make([]tower.NICCreate, 0, len(nics))
		for _, nic := range nics {
			in.NICs = append(in.NICs, nic.create())
		}
	}
	if source.isTemplate() {
		in.CloudInit, d = m.cloudInit(ctx, nics)
		diags.Append(d...)
	}
	return in, diags
}

// topology is the number of cores in each socket, and of sockets, as far as
// the arguments say: num_cpus alone means one socket.
func (m *model) topology() (cores, sockets *int) {
	cpus := attrs.IntPtr(m.NumCPUs)
	cores = attrs.IntPtr(m.NumCoresPerSocket)
	if cpus == nil {
		return cores, nil
	}
	if cores == nil || *cores == 0 {
		cores = cpus
	}
	n := *cpus / *cores
	return cores, &n
}
