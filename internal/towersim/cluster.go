// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net/netip"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func (c *cluster) setAsyncStatus(status *wire.EntityAsyncStatus) { c.row.EntityAsyncStatus = status }

// connectCluster makes Tower manage new clusters. A new cluster has what a
// cluster of a scenario has by default.
func connectCluster(c *call, in *[]wire.ClusterCreationParams) (any, error) {
	if err := checkNotEmptyList(*in); err != nil {
		return nil, err
	}

	for i := range *in {
		p := &(*in)[i]
		if _, err := netip.ParseAddr(p.IP); err != nil {
			return nil, badRequest("body[%d].ip: %q is not an IP address", i, p.IP)
		}

		for _, connected := range c.clusters.list {
			if connected.row.IP == p.IP {
				return nil, badRequest("CLUSTER_DUPLICATED: the cluster at %s is already connected", p.IP)
			}
		}

		if err := checkNotEmpty("username", &p.Username); err != nil {
			return nil, err
		}

		if _, err := c.datacenterByID(p.DatacenterID); err != nil {
			return nil, err
		}
	}

	return mapSlice(*in, c.connect), nil
}

func (w *world) datacenterByID(id *string) (*datacenter, error) {
	if deref(id) == "" {
		return nil, nil
	}

	d, ok := w.datacenters.get(*id)
	if !ok {
		return nil, notFound("There is no datacenter %s", *id)
	}

	return d, nil
}

func (c *call) connect(p wire.ClusterCreationParams) wire.WithTask[*wire.Cluster] {
	var spec ClusterSpec

	spec.setDefaults()
	spec.Name = "cluster-" + p.IP

	made := c.addCluster(&spec, len(c.clusters.list))
	made.row.IP, made.row.ManagementVip = p.IP, wire.Ptr(p.IP)
	made.row.ConnectState = wire.ConnectStateInitializing

	if d, err := c.datacenterByID(p.DatacenterID); err == nil && d != nil {
		c.moveClustersTo(d, []*cluster{made})
	}

	c.dirty = true
	c.derive()

	t := c.startTask(taskWork{
		mutation: "connectCluster", resource: "Cluster", id: made.row.ID, cluster: made,
		description: localizedText{en: "Connect cluster " + p.IP, zh: "关联集群 " + p.IP},
		status:      wire.EntityAsyncStatusCreating, objects: []asyncObject{made},
		apply: func() *taskFailure {
			made.row.ConnectState = wire.ConnectStateConnected

			return nil
		},
		undo: func() { c.forgetCluster(made) },
	})
	shown := made.row

	return wire.WithTask[*wire.Cluster]{TaskID: wire.Ptr(t.row.ID), Data: &shown}
}

func updateCluster(c *call, in *wire.ClusterUpdationParams) (any, error) {
	found, err := matching(c.world, &c.clusters, wire.EntityCluster, in.Where)
	if err != nil {
		return nil, err
	}

	into, err := c.datacenterByID(in.Data.DatacenterID)
	if err != nil {
		return nil, err
	}

	if in.Data.IP != nil {
		if _, err := netip.ParseAddr(*in.Data.IP); err != nil {
			return nil, badRequest("body.data.ip: %q is not an IP address", *in.Data.IP)
		}
	}

	return startChanges(c, found, change[*cluster]{
		mutation: "updateCluster", resource: "Cluster",
		description: describe("Edit cluster", "编辑集群", func(x *cluster) string { return x.row.Name }),
		cluster:     func(x *cluster) *cluster { return x },
		apply: func(x *cluster) *taskFailure {
			setIfSent(&x.row.IP, in.Data.IP)

			if into != nil {
				c.moveClustersTo(into, []*cluster{x})
			}

			return nil
		},
	}, func(x *cluster) *wire.Cluster { return wire.Ptr(x.row) }), nil
}

// deleteCluster makes Tower forget clusters and all that is in them. In reality
// the clusters would go on without Tower.
func deleteCluster(c *call, in *wire.ClusterDeletionParams) (any, error) {
	return deleteMatching(c, &c.clusters, wire.EntityCluster, in.Where, change[*cluster]{
		mutation: "deleteCluster", resource: "Cluster",
		description: describe("Remove cluster", "移除集群", func(x *cluster) string { return x.row.Name }),
		cluster:     func(x *cluster) *cluster { return x },
		apply: func(x *cluster) *taskFailure {
			c.forgetCluster(x)

			return nil
		},
	})
}

func (w *world) forgetCluster(c *cluster) {
	for _, v := range w.clusterVMs(c) {
		w.removeVM(v)
	}

	for _, d := range w.datacenters.list {
		d.clusters = slices.DeleteFunc(slices.Clone(d.clusters), func(x *cluster) bool { return x == c })
	}

	for _, l := range w.libraryImages.list {
		if i := w.copyOf(l, c); i != nil {
			w.images.remove(i)
			w.refreshCopies(l)
		}
	}

	for _, t := range slices.Clone(w.templates.list) {
		if t.cluster == c {
			w.dropTemplate(t)
		}
	}

	for _, v := range filterSlice(w.volumes.list, func(v *volume) bool { return v.cluster == c }) {
		w.removeVolume(v)
	}

	removeWhere(&w.hostNICs, func(n *hostNIC) bool { return n.host.cluster == c })
	removeWhere(&w.hosts, func(h *host) bool { return h.cluster == c })
	removeWhere(&w.gpus, func(g *gpu) bool { return g.host.cluster == c })
	removeWhere(&w.vlans, func(v *vlan) bool { return v.cluster() == c })
	removeWhere(&w.vdses, func(v *vds) bool { return v.cluster == c })
	removeWhere(&w.images, func(i *image) bool { return i.cluster == c })
	removeWhere(&w.toolsImages, func(i *toolsImage) bool { return i.cluster == c })
	removeWhere(&w.snapshots, func(s *snapshot) bool { return s.cluster == c })
	removeWhere(&w.groups, func(g *group) bool { return g.cluster == c })
	removeWhere(&w.folders, func(f *folder) bool { return f.cluster == c })
	removeWhere(&w.policies, func(p *storagePolicy) bool { return p.cluster == c })
	removeWhere(&w.clusterSettings, func(s *clusterSettings) bool { return s.cluster == c })
	removeWhere(&w.iscsiTargets, func(t *iscsiTarget) bool { return t.cluster == c })
	removeWhere(&w.iscsiLuns, func(l *iscsiLun) bool { return l.target.cluster == c })
	removeWhere(&w.iscsiSnapshots, func(s *iscsiSnapshot) bool { return s.target.cluster == c })
	removeWhere(&w.floatingIPs, func(f *floatingIP) bool { return f.vpc.cluster == c })
	removeWhere(&w.vpcSubnets, func(s *vpcSubnet) bool { return s.vpc.cluster == c })
	removeWhere(&w.vpcs, func(v *vpc) bool { return v.cluster == c })
	w.clusters.remove(c)
}

// removeWhere removes the objects of a table for which a condition is true.
func removeWhere[T object](t *table[T], condition func(T) bool) {
	for _, x := range filterSlice(t.list, condition) {
		t.remove(x)
	}
}
