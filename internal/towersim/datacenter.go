// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// Organizations and datacenters exist only in Tower, so changing them needs no
// task.

func createOrganization(c *call, in *[]wire.OrganizationCreationParams) (any, error) {
	if err := checkNotEmptyList(*in); err != nil {
		return nil, err
	}

	for i := range *in {
		if err := checkNotEmpty("name", &(*in)[i].Name); err != nil {
			return nil, err
		}
	}

	return mapSlice(*in, func(p wire.OrganizationCreationParams) wire.WithTask[*wire.Organization] {
		o := &organization{row: wire.Organization{ID: c.ids.cuid(), Name: p.Name, Datacenters: []wire.NestedDatacenter{}}}
		c.organizations.add(o)

		return withoutTask(&o.row)
	}), nil
}

func updateOrganization(c *call, in *wire.OrganizationUpdationParams) (any, error) {
	found, err := matching(c.world, &c.organizations, wire.EntityOrganization, in.Where)
	if err != nil {
		return nil, err
	}

	if err := checkNotEmpty("body.data.name", in.Data.Name); err != nil {
		return nil, err
	}

	return mapSlice(found, func(o *organization) wire.WithTask[*wire.Organization] {
		setIfSent(&o.row.Name, in.Data.Name)

		for _, d := range c.datacenters.list {
			d.refreshOrganization()
		}

		return withoutTask(&o.row)
	}), nil
}

func deleteOrganization(c *call, in *wire.OrganizationDeletionParams) (any, error) {
	found, err := matching(c.world, &c.organizations, wire.EntityOrganization, in.Where)
	if err != nil {
		return nil, err
	}

	for _, o := range found {
		if slices.ContainsFunc(c.datacenters.list, func(d *datacenter) bool { return d.organization == o }) {
			return nil, badRequest("The organization %s has datacenters", o.row.Name)
		}
	}

	return mapSlice(found, func(o *organization) wire.WithTask[wire.Deleted] {
		c.organizations.remove(o)

		return withoutTask(deletedReply(o))
	}), nil
}

func (d *datacenter) refreshOrganization() {
	d.row.Organization = wire.NestedOrganization{ID: d.organization.row.ID, Name: d.organization.row.Name}
}

func createDatacenter(c *call, in *[]wire.DatacenterCreationParams) (any, error) {
	made, err := planEach(*in, func(_ int, p *wire.DatacenterCreationParams) (*datacenter, error) {
		o, ok := c.organizations.get(p.OrganizationID)
		if !ok {
			return nil, notFound("There is no organization %s", p.OrganizationID)
		}

		if err := checkNotEmpty("name", &p.Name); err != nil {
			return nil, err
		}

		clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, p.Clusters)
		if err != nil {
			return nil, err
		}

		d := &datacenter{organization: o, clusters: clusters}
		d.row = wire.Datacenter{ID: c.ids.cuid(), Name: p.Name}
		d.refreshOrganization()
		d.refreshLabels()

		return d, nil
	})
	if err != nil {
		return nil, err
	}

	for _, d := range made {
		c.moveClustersTo(d, d.clusters)
		c.datacenters.add(d)
	}

	return c.datacenterReplies(made), nil
}

// moveClustersTo moves clusters into a datacenter. A cluster is in at most one
// datacenter.
func (w *world) moveClustersTo(into *datacenter, clusters []*cluster) {
	for _, d := range w.datacenters.list {
		d.clusters = slices.DeleteFunc(slices.Clone(d.clusters), func(x *cluster) bool { return slices.Contains(clusters, x) })
	}

	for _, x := range clusters {
		if !slices.Contains(into.clusters, x) {
			into.clusters = append(into.clusters, x)
		}
	}
}

func (c *call) datacenterReplies(list []*datacenter) []wire.WithTask[*wire.Datacenter] {
	c.dirty = true
	c.derive()

	return mapSlice(list, func(d *datacenter) wire.WithTask[*wire.Datacenter] { return withoutTask(&d.row) })
}

func updateDatacenter(c *call, in *wire.DatacenterUpdationParams) (any, error) {
	found, err := matching(c.world, &c.datacenters, wire.EntityDatacenter, in.Where)
	if err != nil {
		return nil, err
	}

	if err := checkNotEmpty("body.data.name", in.Data.Name); err != nil {
		return nil, err
	}

	clusters, err := matching(c.world, &c.clusters, wire.EntityCluster, in.Data.Clusters)
	if err != nil {
		return nil, err
	}

	for _, d := range found {
		setIfSent(&d.row.Name, in.Data.Name)

		if in.Data.Clusters != nil {
			d.clusters = nil
			c.moveClustersTo(d, clusters)
		}
	}

	return c.datacenterReplies(found), nil
}

func deleteDatacenter(c *call, in *wire.DatacenterDeletionParams) (any, error) {
	found, err := matching(c.world, &c.datacenters, wire.EntityDatacenter, in.Where)
	if err != nil {
		return nil, err
	}

	for _, d := range found {
		if len(d.clusters) > 0 {
			return nil, badRequest("The datacenter %s has clusters", d.row.Name)
		}
	}

	return mapSlice(found, func(d *datacenter) wire.WithTask[wire.Deleted] {
		c.datacenters.remove(d)

		return withoutTask(deletedReply(d))
	}), nil
}

func addClustersToDatacenter(c *call, in *[]wire.AddClustersToDatacenterParams) (any, error) {
	return changeDatacenters(c, *in, func(p wire.AddClustersToDatacenterParams) (wire.DatacenterWhereUniqueInput, json.RawMessage) {
		return p.Where, p.Data.Clusters
	}, c.moveClustersTo)
}

func removeClustersFromDatacenter(c *call, in *[]wire.RemoveClustersFromDatacenterParams) (any, error) {
	return changeDatacenters(c, *in, func(p wire.RemoveClustersFromDatacenterParams) (wire.DatacenterWhereUniqueInput, json.RawMessage) {
		return p.Where, p.Data.Clusters
	}, func(d *datacenter, clusters []*cluster) {
		d.clusters = slices.DeleteFunc(slices.Clone(d.clusters), func(x *cluster) bool { return slices.Contains(clusters, x) })
	})
}

func changeDatacenters[P any](c *call, params []P, parts func(P) (wire.DatacenterWhereUniqueInput, json.RawMessage), move func(*datacenter, []*cluster)) (any, error) {
	if err := checkNotEmptyList(params); err != nil {
		return nil, err
	}

	datacenters, clusters := make([]*datacenter, len(params)), make([][]*cluster, len(params))

	for i, p := range params {
		where, filter := parts(p)

		d, ok := c.datacenters.get(where.ID.Value)
		if !ok {
			return nil, notFound("There is no datacenter %s", where.ID.Value)
		}

		found, err := matching(c.world, &c.clusters, wire.EntityCluster, filter)
		if err != nil {
			return nil, err
		}

		datacenters[i], clusters[i] = d, found
	}

	for i, d := range datacenters {
		move(d, clusters[i])
	}

	return c.datacenterReplies(datacenters), nil
}
