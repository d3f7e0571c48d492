// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/cluster"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// ListFilter narrows a list. What is empty does not narrow.
type ListFilter struct {
	ID           string // also matches the local id
	Name         string
	NameContains string
	NameIn       []string
	ClusterID    string
}

// Cluster is a cluster as Tower shows it.
type Cluster struct {
	ID           string
	LocalID      string
	Name         string
	Type         string // SMTX_OS, SMTX_ZBS, SMTX_ELF, BLUESHARK, …
	Version      string
	IP           string
	ManagementIP string
	Architecture string // X86_64, AARCH64
	Hypervisor   string // ELF, VMWARE, …
	ConnectState string // CONNECTED, DISCONNECTED, INITIALIZING, REMOVING, …
	HostCount    int
	Labels       []Label
}

// Cluster reads a cluster by id or local id.
func (c *Client) Cluster(ctx context.Context, id string) (*Cluster, error) {
	return readOne(ctx, c.reads.clusters, opGetClusters, "cluster", id)
}

// Clusters lists clusters, by name, then id.
func (c *Client) Clusters(ctx context.Context, filter ListFilter) ([]Cluster, error) {
	where := &models.ClusterWhereInput{Name: optional(filter.Name), NameContains: optional(filter.NameContains), NameIn: filter.NameIn}
	for _, id := range []string{filter.ID, filter.ClusterID} {
		if id != "" {
			where.AND = append(where.AND, clusterByAnyID(id))
		}
	}
	list, err := c.getClusters(ctx, where)
	sortNamed(list, func(v Cluster) (string, string) { return v.Name, v.ID })
	return list, err
}

const opGetClusters = "get-clusters"

// clusterByAnyID matches a cluster by id or local id.
func clusterByAnyID(id string) *models.ClusterWhereInput {
	return &models.ClusterWhereInput{OR: []*models.ClusterWhereInput{{ID: ptr(id)}, {LocalID: ptr(id)}}}
}

// getClusters calls get-clusters.
func (c *Client) getClusters(ctx context.Context, where *models.ClusterWhereInput) ([]Cluster, error) {
	return invoke(ctx, c, operation{opGetClusters, kindRead}, func(ctx context.Context) ([]Cluster, error) {
		reply, err := c.api.clusters.GetClusters(cluster.NewGetClustersParamsWithContext(ctx).WithRequestBody(&models.GetClustersRequestBody{Where: where}))
		if err != nil {
			return nil, err
		}
		out := make([]Cluster, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, clusterOf(m))
			}
		}
		return out, nil
	})
}

// fetchClusters reads clusters by id or local id.
func (c *Client) fetchClusters(ctx context.Context, keys []string) (map[string]Cluster, error) {
	list, err := c.getClusters(ctx, &models.ClusterWhereInput{OR: []*models.ClusterWhereInput{{IDIn: keys}, {LocalIDIn: keys}}})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v Cluster) []string { return []string{v.ID, v.LocalID} }), nil
}

// clusterOf converts a cluster of the SDK.
func clusterOf(m *models.Cluster) Cluster {
	return Cluster{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Type: text(m.Type), Version: deref(m.Version),
		IP: deref(m.IP), ManagementIP: deref(m.ManagementVip), Architecture: text(m.Architecture), Hypervisor: text(m.Hypervisor),
		ConnectState: text(m.ConnectState), HostCount: number(m.HostNum), Labels: labelsOf(m.Labels),
	}
}
