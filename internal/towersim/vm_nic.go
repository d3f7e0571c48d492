// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// nicConfigs returns the NICs that a request describes.
func (w *world) nicConfigs(params []wire.VMNicParams, in *cluster) ([]nicConfig, error) {
	shapes := make([]nicConfig, len(params))

	for i := range params {
		p, field := &params[i], fmt.Sprintf("vm_nics[%d]", i)

		s := nicConfig{model: wire.VMNicModelVirtio, enabled: true}
		if err := w.connect(field, &s, p, in); err != nil {
			return nil, err
		}

		setIfSent(&s.model, p.Model)
		setIfSent(&s.enabled, p.Enabled)
		setIfSent(&s.mirror, p.Mirror)
		setIfSent(&s.mac, p.MACAddress)

		if w.version.atLeast(3, 2) {
			s.qos = p.QoS
		}

		if err := s.requested.assign(field, p.IPAddress, p.SubnetMask, p.Gateway); err != nil {
			return nil, err
		}

		if err := checkMAC(field, p.MACAddress); err != nil {
			return nil, err
		}

		shapes[i] = s
	}

	return shapes, checkDistinctMACs(shapes)
}

// connect sets the network of a NIC: a VM network or, since 4.3, a VPC.
func (w *world) connect(field string, s *nicConfig, p *wire.VMNicParams, in *cluster) error {
	var err error

	if p.Type != nil && *p.Type == wire.VMNicTypeVPC && w.version.atLeast(4, 3) {
		s.vpc, err = w.newVPCConfig(field, p.VPCNic, in)

		return err
	}

	if p.ConnectVlanID == nil {
		return badRequest("%s.connect_vlan_id: required member is missing", field)
	}

	if s.vlan, err = w.vlanByID(*p.ConnectVlanID, in); err != nil {
		return err
	}

	if p.NicID == nil || *p.NicID == "" {
		return nil
	}

	port, ok := w.hostNICs.get(*p.NicID)
	if !ok || port.host.cluster != in {
		return notFound("There is no host NIC %s in the cluster %s", *p.NicID, in.row.ID)
	}

	s.port = port

	return nil
}

// assign sets the members that were sent. They must be addresses.
func (a *nicAddress) assign(field string, ip, mask, gateway *string) error {
	for name, value := range map[string]*string{"ip_address": ip, "subnet_mask": mask, "gateway": gateway} {
		if value == nil || *value == "" {
			continue
		}

		if _, err := netip.ParseAddr(*value); err != nil {
			return badRequest("%s.%s: %q is not an IP address", field, name, *value)
		}
	}

	setIfSent(&a.ip, ip)
	setIfSent(&a.mask, mask)
	setIfSent(&a.gateway, gateway)

	return nil
}

func addVMNic(c *call, in *wire.VMAddNicParams) (any, error) {
	if len(in.Data.VMNics) == 0 {
		return nil, badRequest("body.data.vm_nics: expected at least 1 element")
	}

	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	shapes := map[*vm][]nicConfig{}
	for _, v := range vms {
		if shapes[v], err = c.nicConfigs(in.Data.VMNics, v.cluster); err != nil {
			return nil, err
		}
	}

	added := map[*vm][]*nic{}

	return c.changeVMs(vms, vmChange{
		mutation: "addVmNic", description: describeVM("Add a NIC to VM", "添加虚拟网卡"),
		apply: func(v *vm) *taskFailure {
			nics, failed := c.prepareNICs(shapes[v], v.cluster, nil)
			if failed != nil {
				return failed
			}

			for i := range nics {
				n := c.addNIC(v, &nics[i])
				// Tower learns an address that it has chosen a moment later.
				n.row.MACAddress = nilIfEmpty(shapes[v][i].mac)
				added[v] = append(added[v], n)
			}

			c.renewPartIDs(v)

			for _, n := range added[v] {
				c.hotPlug(n)
			}

			return nil
		},
		onIdle: func(v *vm) {
			for _, n := range added[v] {
				n.row.MACAddress = wire.Ptr(n.mac)
			}
		},
	})
}

// hotPlug makes the guest of a running VM notice a new NIC.
func (w *world) hotPlug(n *nic) {
	s := n.vm.guestRun
	if s == nil {
		return
	}

	now := w.now
	if !s.suspendedAt.IsZero() {
		now = s.suspendedAt
	}

	w.planNIC(s, n, now.Sub(s.start))
}

func removeVMNic(c *call, in *wire.VMRemoveNicParams) (any, error) {
	vms, err := matching(c.world, &c.vms, wire.EntityVM, in.Where)
	if err != nil {
		return nil, err
	}

	chosen := map[*vm][]*nic{}

	for _, v := range vms {
		for _, index := range in.Data.NicIndex {
			if index < 0 || index >= len(v.nics) {
				return nil, badRequest("body.data.nic_index: the VM %s has no NIC %d", v.row.Name, index)
			}

			chosen[v] = append(chosen[v], v.nics[index])
		}
	}

	return c.removeNICs(vms, chosen)
}

func removeVMNicByWhere(c *call, in *wire.VMRemoveNicByWhereParams) (any, error) {
	if in.Effect.VMIDs == nil && isEmptyObject(in.Where) {
		return nil, badRequest("body.effect.vm_ids: is required if the filter is empty")
	}

	vms, chosen, err := c.matchNICs(in.Where, in.Effect.VMIDs)
	if err != nil {
		return nil, err
	}

	return c.removeNICs(vms, chosen)
}

func isEmptyObject(raw json.RawMessage) bool {
	var object map[string]json.RawMessage

	return json.Unmarshal(bytes.TrimSpace(raw), &object) == nil && len(object) == 0
}

// matchNICs returns the NICs that a filter selects, by their VMs. If ids are
// given, only the NICs of the VMs with these ids.
func (c *call) matchNICs(where json.RawMessage, ids []string) ([]*vm, map[*vm][]*nic, error) {
	nics, err := matching(c.world, &c.nics, wire.EntityVMNic, where)
	if err != nil {
		return nil, nil, err
	}

	var vms []*vm

	chosen := map[*vm][]*nic{}

	for _, n := range nics {
		if ids != nil && !slices.Contains(ids, n.vm.row.ID) {
			continue
		}

		if chosen[n.vm] == nil {
			vms = append(vms, n.vm)
		}

		chosen[n.vm] = append(chosen[n.vm], n)
	}

	return vms, chosen, nil
}

func (c *call) removeNICs(vms []*vm, chosen map[*vm][]*nic) (any, error) {
	return c.changeVMs(vms, vmChange{
		mutation: "removeVmNic", description: describeVM("Remove a NIC from VM", "删除虚拟网卡"),
		apply: func(v *vm) *taskFailure {
			for _, n := range chosen[v] {
				c.removeNIC(n)
			}

			c.renewPartIDs(v)

			if v.guestRun != nil && v.row.VMToolsStatus == wire.VMToolsStatusRunning {
				v.refreshIPs(v.guestRun.guest)
			}

			return nil
		},
	})
}
