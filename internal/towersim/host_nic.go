// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// entityHostNIC is the entity's name in filters.
const entityHostNIC = "Nic"

// Each host has two ports for its own networks, and one that can be passed
// through to a VM.
const (
	hostPorts       = 2
	passThroughPort = "ens4f0"
)

// hostNICRow is what filters see of a host NIC. No operation lists host NICs.
type hostNICRow struct {
	ID          string `json:"id"`
	LocalID     string `json:"local_id"`
	Name        string `json:"name"`
	MACAddress  string `json:"mac_address"`
	Driver      string `json:"driver"`
	DriverState string `json:"driver_state"`
	Model       string `json:"model"`
	IommuStatus string `json:"iommu_status"`
	UserUsage   string `json:"user_usage"`
	MTU         int    `json:"mtu"`
	Speed       int64  `json:"speed"`
	Physical    bool   `json:"physical"`
	Running     bool   `json:"running"`
	Up          bool   `json:"up"`
	SRIOV       bool   `json:"is_sriov"`
}

type hostNIC struct {
	row  hostNICRow
	host *host
	labelSet
}

func (n *hostNIC) id() string     { return n.row.ID }
func (n *hostNIC) rowPtr() any    { return &n.row }
func (n *hostNIC) refreshLabels() {} // no operation shows the labels of a host NIC

func (n *hostNIC) nested() wire.NestedNic { return wire.NestedNic{ID: n.row.ID, Name: n.row.Name} }

func (w *world) addHostNICs(h *host) {
	names := []string{passThroughPort}
	for i := range hostPorts {
		names = append(names, fmt.Sprintf("eth%d", i))
	}

	slices.Sort(names)

	for i, name := range names {
		id := namedIDSource("host-nic", h.cluster.row.Name+"/"+h.row.Name+"/"+name)
		n := &hostNIC{host: h}
		n.row = hostNICRow{
			ID: id.cuid(), LocalID: id.uuid(), Name: name, Driver: "mlx5_core", DriverState: "READY", Model: "ConnectX-5",
			IommuStatus: "ENABLE", UserUsage: "DEFAULT", MTU: 1500, Speed: 25_000_000_000, Physical: true, Running: true, Up: true,
			MACAddress: fmt.Sprintf("b8:59:9f:%02x:%02x:%02x", len(w.hostNICs.list)>>8&0xff, len(w.hostNICs.list)&0xff, i),
		}

		if name == passThroughPort {
			n.row.UserUsage = "PASS_THROUGH"
		}

		w.hostNICs.add(n)
	}

	h.row.Nics = mapSlice(w.nicsOf(h), (*hostNIC).nested)
	h.row.NicCount = len(h.row.Nics)
}

func (w *world) nicsOf(h *host) []*hostNIC {
	return filterSlice(w.hostNICs.list, func(n *hostNIC) bool { return n.host == h })
}

func (w *world) hostNICEntity() *entity {
	return newEntity(&w.hostNICs, false, map[string]func(*hostNIC) []any{
		"host":   func(n *hostNIC) []any { return toOne(n.host) },
		"labels": func(n *hostNIC) []any { return rowPtrs(n.labels) },
		"vms": func(n *hostNIC) []any {
			return rowPtrs(filterSlice(w.visible(), func(v *vm) bool { return slices.Contains(v.hostNICs, n) }))
		},
	})
}

// passThroughNICs returns the host NICs that a filter selects. All of them must
// be for passing through.
func (c *call) passThroughNICs(field string, where json.RawMessage) ([]*hostNIC, error) {
	nics, err := matching(c.world, &c.hostNICs, entityHostNIC, where)
	if err != nil {
		return nil, err
	}

	if len(nics) == 0 {
		return nil, notFound("There is no host NIC that matches %s", field)
	}

	for _, n := range nics {
		if n.row.UserUsage != "PASS_THROUGH" {
			return nil, badRequest("%s: the NIC %s of the host %s cannot be passed through", field, n.row.Name, n.host.row.Name)
		}

		if n.host != nics[0].host {
			return nil, badRequest("%s: the NICs belong to more than one host", field)
		}
	}

	return nics, nil
}

// checkHostNICs refuses to run a VM on a host, or where it is, if its host NICs
// are on another host or if other running VMs have them.
func (w *world) checkHostNICs(v *vm, on *host) *taskFailure {
	for _, n := range v.hostNICs {
		if on != nil && n.host != on {
			return failure("PCI_NIC_ASSIGN_FAILED", "The NIC %s is not on the host %s.", n.row.Name, on.row.Name)
		}

		for _, other := range w.vms.list {
			if other != v && other.holdsMemory() && !other.row.InRecycleBin && slices.Contains(other.hostNICs, n) {
				return failure("PCI_NIC_ASSIGN_FAILED", "The NIC %s of the host %s is in use.", n.row.Name, n.host.row.Name)
			}
		}
	}

	return nil
}

func addVMPCINic(c *call, in *wire.VMOperatePCINicParams) (any, error) {
	nics, err := c.passThroughNICs("body.data.pci_nics", in.Data.PCINics)
	if err != nil {
		return nil, err
	}

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "addVmPciNic", description: describeVM("Add a PCI NIC to VM", "添加 PCI 网卡"), allowedFrom: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure {
			if nics[0].host.cluster != v.cluster {
				return failure("PCI_NIC_ASSIGN_FAILED", "The host %s is in another cluster.", nics[0].host.row.Name)
			}

			for _, n := range v.hostNICs {
				if n.host != nics[0].host {
					return failure("PCI_NIC_ASSIGN_FAILED", "The VM %s has a NIC of the host %s.", v.row.Name, n.host.row.Name)
				}
			}

			for _, n := range nics {
				if !slices.Contains(v.hostNICs, n) {
					v.hostNICs = append(slices.Clone(v.hostNICs), n)
				}
			}

			v.host = nics[0].host
			c.renewPartIDs(v)

			return nil
		},
	})
}

func removeVMPCINic(c *call, in *wire.VMOperatePCINicParams) (any, error) {
	nics, err := c.passThroughNICs("body.data.pci_nics", in.Data.PCINics)
	if err != nil {
		return nil, err
	}

	return c.changeMatchingVMs(in.Where, vmChange{
		mutation: "removeVmPciNic", description: describeVM("Remove a PCI NIC from VM", "移除 PCI 网卡"), allowedFrom: []wire.VMStatus{wire.VMStatusStopped},
		apply: func(v *vm) *taskFailure {
			v.hostNICs = slices.DeleteFunc(slices.Clone(v.hostNICs), func(n *hostNIC) bool { return slices.Contains(nics, n) })
			c.renewPartIDs(v)

			return nil
		},
	})
}
