// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/host"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// Host is a host as Tower shows it.
type Host struct {
	ID                     string
	LocalID                string
	Name                   string
	ManagementIP           string
	ClusterID              string
	ClusterName            string
	Status                 string // CONNECTED_HEALTHY, CONNECTED_ERROR, …
	State                  string // IN_USE, MAINTENANCE_MODE, …; "" before Tower 3.3
	TotalMemoryBytes       int64
	AllocatableMemoryBytes int64
	TotalCPUCores          int
	EntityAsyncStatus      string
}

// Host reads a host by id or local id.
func (c *Client) Host(ctx context.Context, id string) (*Host, error) {
	return readOne(ctx, c.reads.hosts, opGetHosts, "host", id)
}

// ClusterHosts reads the hosts of a cluster, by the cluster's id.
func (c *Client) ClusterHosts(ctx context.Context, clusterID string) ([]Host, error) {
	hosts, _, err := c.reads.clusterHosts.Get(ctx, clusterID)
	if err != nil {
		return nil, asError(opGetHosts, err)
	}
	return hosts, nil
}

const opGetHosts = "get-hosts"

// fetchHosts reads hosts by id or local id.
func (c *Client) fetchHosts(ctx context.Context, keys []string) (map[string]Host, error) {
	list, err := c.getHosts(ctx, &models.HostWhereInput{OR: []*models.HostWhereInput{{IDIn: keys}, {LocalIDIn: keys}}})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v Host) []string { return []string{v.ID, v.LocalID} }), nil
}

// fetchClusterHosts reads the hosts of clusters.
func (c *Client) fetchClusterHosts(ctx context.Context, clusters []string) (map[string][]Host, error) {
	list, err := c.getHosts(ctx, &models.HostWhereInput{Cluster: &models.ClusterWhereInput{IDIn: clusters}})
	if err != nil {
		return nil, err
	}
	out := map[string][]Host{}
	for _, h := range list {
		out[h.ClusterID] = append(out[h.ClusterID], h)
	}
	return out, nil
}

// getHosts calls get-hosts.
func (c *Client) getHosts(ctx context.Context, where *models.HostWhereInput) ([]Host, error) {
	body := &models.GetHostsRequestBody{Where: where}
	return invoke(ctx, c, operation{opGetHosts, kindRead}, func(ctx context.Context) ([]Host, error) {
		reply, err := c.api.hosts.GetHosts(host.NewGetHostsParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		out := make([]Host, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, hostOf(m))
			}
		}
		return out, nil
	})
}

// hostOf converts a host of the SDK.
func hostOf(m *models.Host) Host {
	out := Host{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), ManagementIP: deref(m.ManagementIP), Status: text(m.Status),
		TotalMemoryBytes: deref(m.TotalMemoryBytes), AllocatableMemoryBytes: deref(m.AllocatableMemoryBytes), TotalCPUCores: number(m.TotalCPUCores),
		EntityAsyncStatus: text(m.EntityAsyncStatus),
	}
	if m.HostState != nil {
		out.State = text(m.HostState.State)
	}
	if m.Cluster != nil {
		out.ClusterID, out.ClusterName = deref(m.Cluster.ID), deref(m.Cluster.Name)
	}
	return out
}
