// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (v *vds) setAsyncStatus(status *wire.EntityAsyncStatus)  { v.row.EntityAsyncStatus = status }
func (v *vlan) setAsyncStatus(status *wire.EntityAsyncStatus) { v.row.EntityAsyncStatus = status }

func createVds(c *call, in *[]wire.VdsCreationParams) (any, error) {
	made, err := planEach(*in, func(i int, p *wire.VdsCreationParams) (*vds, error) {
		of, err := c.clusterByID(p.ClusterID)
		if err != nil {
			return nil, err
		}

		if err := checkNotEmpty("name", &p.Name); err != nil {
			return nil, err
		}

		v := &vds{cluster: of}
		v.row = wire.Vds{
			ID: c.ids.cuid(), LocalID: c.ids.uuid(), Name: p.Name, Cluster: of.nested(), BondMode: "active-backup",
			OvsbrName: fmt.Sprintf("ovsbr-%d", len(c.vdses.list)+i), Type: wire.NetworkTypeVM, WorkMode: p.WorkMode,
			Nics: []wire.NestedNic{}, Vlans: []wire.NestedVlan{},
		}
		setIfSent(&v.row.BondMode, p.BondMode)
		v.refreshLabels()

		return v, nil
	})
	if err != nil {
		return nil, err
	}

	for _, v := range made {
		c.vdses.add(v)
	}

	return startChanges(c, made, change[*vds]{
		mutation: "createVds", resource: "Vds", status: wire.EntityAsyncStatusCreating,
		description: describe("Create virtual distributed switch", "创建虚拟分布式交换机", func(v *vds) string { return v.row.Name }),
		cluster:     func(v *vds) *cluster { return v.cluster },
		apply:       func(v *vds) *taskFailure { return c.checkVdsName(v, v.row.Name, true) },
		undo:        func(v *vds) { c.vdses.remove(v) },
	}, vdsReply), nil
}

func vdsReply(v *vds) *wire.Vds { return wire.Ptr(v.row) }

func (w *world) checkVdsName(v *vds, name string, creating bool) *taskFailure {
	clashes := func(other *vds) bool { return other.cluster == v.cluster && other.row.Name == name }

	return checkName(w.vdses.list, v, creating, clashes,
		failure("VDS_DUPLICATED_NAME", "The name %s is used by another virtual distributed switch.", name))
}

func updateVds(c *call, in *wire.VdsUpdationParams) (any, error) {
	found, err := matching(c.world, &c.vdses, wire.EntityVds, in.Where)
	if err != nil {
		return nil, err
	}

	d := &in.Data
	if err := checkNotEmpty("body.data.name", d.Name); err != nil {
		return nil, err
	}

	return startChanges(c, found, change[*vds]{
		mutation: "updateVds", resource: "Vds",
		description: describe("Edit virtual distributed switch", "编辑虚拟分布式交换机", func(v *vds) string { return v.row.Name }),
		cluster:     func(v *vds) *cluster { return v.cluster },
		apply: func(v *vds) *taskFailure {
			if d.Name != nil {
				if failed := c.checkVdsName(v, *d.Name, false); failed != nil {
					return failed
				}
			}

			setIfSent(&v.row.Name, d.Name)
			setIfSent(&v.row.BondMode, d.BondMode)

			if d.WorkMode != nil {
				v.row.WorkMode = d.WorkMode
			}

			for _, l := range c.vlans.list {
				l.row.Vds = wire.NestedVds{ID: l.vds.row.ID, Name: l.vds.row.Name}
			}

			return nil
		},
	}, vdsReply), nil
}

func deleteVds(c *call, in *wire.VdsDeletionParams) (any, error) {
	return deleteMatching(c, &c.vdses, wire.EntityVds, in.Where, change[*vds]{
		mutation: "deleteVds", resource: "Vds",
		description: describe("Delete virtual distributed switch", "删除虚拟分布式交换机", func(v *vds) string { return v.row.Name }),
		cluster:     func(v *vds) *cluster { return v.cluster },
		apply: func(v *vds) *taskFailure {
			if slices.ContainsFunc(c.vlans.list, func(l *vlan) bool { return l.vds == v }) {
				return failure("VDS_IN_USE", "The virtual distributed switch %s has networks.", v.row.Name)
			}

			c.vdses.remove(v)

			return nil
		},
	})
}

func createVMVlan(c *call, in *[]wire.VMVlanCreationParams) (any, error) {
	made, err := planEach(*in, func(_ int, p *wire.VMVlanCreationParams) (*vlan, error) {
		of, ok := c.vdses.get(p.VdsID)
		if !ok {
			return nil, notFound("There is no virtual distributed switch %s", p.VdsID)
		}

		if err := checkNotEmpty("name", &p.Name); err != nil {
			return nil, err
		}

		l := &vlan{vds: of}
		l.row = wire.Vlan{
			ID: c.ids.cuid(), LocalID: *of.cluster.row.LocalID + "_" + c.ids.uuid(), Name: p.Name, Type: wire.NetworkTypeVM,
			ModeType: wire.Ptr(wire.VlanModeTypeVlanAccess), Vds: wire.NestedVds{ID: of.row.ID, Name: of.row.Name},
			VMNics: []wire.NestedVMNic{},
		}
		l.set(vlanData(p))
		l.refreshLabels()

		return l, nil
	})
	if err != nil {
		return nil, err
	}

	for _, l := range made {
		c.vlans.add(l)
	}

	return startChanges(c, made, change[*vlan]{
		mutation: "createVmVlan", resource: "Vlan", status: wire.EntityAsyncStatusCreating,
		description: describe("Create VM network", "创建虚拟机网络", func(l *vlan) string { return l.row.Name }),
		cluster:     (*vlan).cluster,
		apply:       func(l *vlan) *taskFailure { return c.checkVlanName(l, l.row.Name, true) },
		undo:        func(l *vlan) { c.vlans.remove(l) },
	}, vlanReply), nil
}

func vlanReply(l *vlan) *wire.Vlan { return wire.Ptr(l.row) }

// vlanData returns the data of a creation as that of an update.
func vlanData(p *wire.VMVlanCreationParams) *wire.VMVlanUpdationParamsData {
	return &wire.VMVlanUpdationParamsData{
		ModeType: p.ModeType, NetworkIDs: p.NetworkIDs, VlanID: p.VlanID, QoSPriority: p.QoSPriority,
		QoSBurst: p.QoSBurst, QoSMaxBandwidth: p.QoSMaxBandwidth, QoSMinBandwidth: p.QoSMinBandwidth,
	}
}

// set updates a network's row.
func (v *vlan) set(d *wire.VMVlanUpdationParamsData) {
	setIfSent(&v.row.Name, d.Name)
	setIfSent(&v.row.VlanID, d.VlanID)

	if d.ModeType != nil {
		v.row.ModeType = d.ModeType
	}

	switch {
	case d.NetworkIDs != nil:
		v.row.NetworkIDs = d.NetworkIDs
	case d.VlanID != nil || v.row.NetworkIDs == nil:
		v.row.NetworkIDs = wire.List[string]{fmt.Sprint(v.row.VlanID)}
	}

	for to, sent := range map[**float64]wire.Opt[int64]{
		&v.row.QoSBurst: d.QoSBurst, &v.row.QoSMaxBandwidth: d.QoSMaxBandwidth, &v.row.QoSMinBandwidth: d.QoSMinBandwidth,
	} {
		if !sent.Set {
			continue
		}

		*to = nil
		if n := sent.Ptr(); n != nil {
			*to = wire.Ptr(float64(*n))
		}
	}

	if d.QoSPriority != nil {
		v.row.QoSPriority = wire.Ptr(int(*d.QoSPriority))
	}
}

func (w *world) checkVlanName(l *vlan, name string, creating bool) *taskFailure {
	clashes := func(other *vlan) bool { return other.vds == l.vds && other.row.Name == name }

	return checkName(w.vlans.list, l, creating, clashes,
		failure("VLAN_DUPLICATED_NAME", "The name %s is used by another VM network.", name))
}

func updateVMVlan(c *call, in *wire.VMVlanUpdationParams) (any, error) {
	found, err := matching(c.world, &c.vlans, wire.EntityVlan, in.Where)
	if err != nil {
		return nil, err
	}

	if err := checkNotEmpty("body.data.name", in.Data.Name); err != nil {
		return nil, err
	}

	return startChanges(c, found, change[*vlan]{
		mutation: "updateVmVlan", resource: "Vlan",
		description: describe("Edit VM network", "编辑虚拟机网络", func(l *vlan) string { return l.row.Name }),
		cluster:     (*vlan).cluster,
		apply: func(l *vlan) *taskFailure {
			if in.Data.Name != nil {
				if failed := c.checkVlanName(l, *in.Data.Name, false); failed != nil {
					return failed
				}
			}

			l.set(&in.Data)

			for _, n := range c.nics.list {
				if n.vlan == l {
					n.row.Vlan = wire.Ptr(l.nested())
					c.journal.touch(n)
				}
			}

			return nil
		},
	}, vlanReply), nil
}

func deleteVMVlan(c *call, in *wire.VlanDeletionParams) (any, error) {
	return deleteMatching(c, &c.vlans, wire.EntityVlan, in.Where, change[*vlan]{
		mutation: "deleteVmVlan", resource: "Vlan",
		description: describe("Delete VM network", "删除虚拟机网络", func(l *vlan) string { return l.row.Name }),
		cluster:     (*vlan).cluster,
		apply: func(l *vlan) *taskFailure {
			if slices.ContainsFunc(c.nics.list, func(n *nic) bool { return n.vlan == l }) {
				return failure("VLAN_IN_USE", "The VM network %s is in use by VMs.", l.row.Name)
			}

			c.vlans.remove(l)

			return nil
		},
	})
}
