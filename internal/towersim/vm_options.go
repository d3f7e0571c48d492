// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net/netip"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// updateVMHostOptions changes the hostname, the DNS servers and the time
// servers of the guest. It needs the VM tools.
func updateVMHostOptions(c *call, in *wire.VMUpdateHostOptionsParams) (any, error) {
	d := &in.Data

	for _, server := range d.DNSServers {
		if _, err := netip.ParseAddr(server); err != nil {
			return nil, badRequest("body.data.dns_servers: %q is not an IP address", server)
		}
	}

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "updateVmHostOptions", description: describeVM("Edit the guest options of VM", "编辑虚拟机系统选项"),
		apply: func(v *vm) *taskFailure {
			if v.row.VMToolsStatus != wire.VMToolsStatusRunning {
				return failure("VM_TOOLS_NOT_RUNNING", "The VM tools of the VM %s are not running.", v.row.Name)
			}

			if d.Hostname != nil {
				v.row.Hostname = d.Hostname
			}

			if d.DNSServers != nil {
				v.row.DNSServers = wire.Ptr(strings.Join(d.DNSServers, ","))
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

func updateVMAdvancedOptions(c *call, in *wire.VMUpdateAdvancedOptionsParams) (any, error) {
	d := &in.Data

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "updateVmAdvancedOptions", description: describeVM("Edit the advanced options of VM", "编辑虚拟机高级选项"),
		allowedFrom: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure {
			setIfSent(&v.row.ClockOffset, d.ClockOffset)
			setIfSent(&v.row.CPUModel, d.CPUModel)
			setIfSent(&v.row.WinOpt, d.WindowsOptimize)

			if d.VideoType != nil {
				v.row.VideoType = d.VideoType
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

// updateVMIOPolicy limits the I/O of a whole VM, or of each disk. The disks are
// named by their boot order.
func updateVMIOPolicy(c *call, in *wire.VMUpdateIOPolicyParams) (any, error) {
	d := &in.Data

	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	for _, v := range vms {
		for _, each := range d.EachDisk {
			if v.diskAt(each.Boot) == nil {
				return nil, badRequest("body.data.each_disk: the VM %s has no disk at %d", v.row.Name, each.Boot)
			}
		}
	}

	return c.changeVMs(vms, vmChange{
		mutation: "updateVmIoPolicy", description: describeVM("Edit the I/O policy of VM", "编辑虚拟机 I/O 策略"),
		apply: func(v *vm) *taskFailure {
			if d.IOPolicy.Set {
				v.setIOLimits(ioLimits{})
				v.row.IOPolicy = d.IOPolicy.Ptr()
			}

			if whole := d.WholeVM; whole != nil {
				v.setIOLimits(newIOLimits(whole.MaxIOPS, whole.MaxIOPSPolicy, whole.MaxBandwidth, whole.MaxBandwidthPolicy))
			}

			for i := range d.EachDisk {
				data := &d.EachDisk[i].Data
				v.diskAt(d.EachDisk[i].Boot).setIOLimits(newIOLimits(data.MaxIOPS, data.MaxIOPSPolicy, data.MaxBandwidth, data.MaxBandwidthPolicy))
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

func (v *vm) diskAt(boot int) *disk {
	for _, d := range v.disks {
		if d.row.Boot == boot {
			return d
		}
	}

	return nil
}

func (v *vm) setIOLimits(l ioLimits) {
	v.row.MaxIOPS, v.row.MaxIOPSPolicy = l.iops, l.iopsPolicy
	v.row.MaxBandwidth, v.row.MaxBandwidthPolicy = l.bandwidth, l.bandwidthPolicy
}

func (d *disk) setIOLimits(l ioLimits) {
	d.row.MaxIOPS, d.row.MaxIOPSPolicy = l.iops, l.iopsPolicy
	d.row.MaxBandwidth, d.row.MaxBandwidthPolicy = l.bandwidth, l.bandwidthPolicy
}

func updateVMNicQoSOption(c *call, in *wire.VMUpdateNicQoSOptionsParams) (any, error) {
	vms, chosen, err := c.matchNICs(in.Where, nil)
	if err != nil {
		return nil, err
	}

	return c.changeVMs(vms, vmChange{
		mutation: "updateVmNicQosOption", description: describeVM("Edit a NIC of VM", "编辑虚拟网卡"),
		apply: func(v *vm) *taskFailure {
			for _, n := range chosen[v] {
				n.setQoS(in.Data.QoS)
			}

			c.renewPartIDs(v)

			return nil
		},
	})
}

func (n *nic) setQoS(q *wire.VMNicQoSOption) {
	if q == nil {
		return
	}

	if t := q.Egress; t != nil {
		n.row.EgressRateLimitEnabled = wire.Ptr(t.Enabled)
		n.row.EgressRateLimitBurstInBit = floatPtr(t.Burst)
		n.row.EgressRateLimitMaxRateInBitps = floatPtr(t.RateLimit)
	}

	if t := q.Ingress; t != nil {
		n.row.IngressRateLimitEnabled = wire.Ptr(t.Enabled)
		n.row.IngressRateLimitBurstInBit = floatPtr(t.Burst)
		n.row.IngressRateLimitMaxRateInBitps = floatPtr(t.RateLimit)
	}
}

func floatPtr(sent wire.Opt[int64]) *float64 {
	if n := sent.Ptr(); n != nil {
		return wire.Ptr(float64(*n))
	}

	return nil
}

func getVMVNCInfo(c *call, in *wire.GetVMVNCInfoParams) (any, error) {
	v, err := c.uniqueVM(&in.VM)
	if err != nil {
		return nil, err
	}

	ip := v.cluster.row.IP
	path := "/websockify/" + v.row.LocalID + "?token=" + c.ids.token()

	return &wire.VMVNCInfo{
		ClusterIP: ip, Direct: wire.Ptr("wss://" + ip + path), Redirect: "wss://" + c.request.Host + path,
		Terminal: "https://" + c.request.Host + "/terminal/" + v.row.ID, VM: v.row,
	}, nil
}
