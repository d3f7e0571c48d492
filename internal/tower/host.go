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

func (v Host) identity() identity {
	return identity{id: v.ID, localID: v.LocalID, name: v.Name, async: v.EntityAsyncStatus}
}

// Host reads a host by id or local id.
func (c *Client) Host(ctx context.Context, id string) (*Host, error) { return c.hosts.get(ctx, id) }

// ClusterHosts reads the hosts of a cluster, by the cluster's id.
func (c *Client) ClusterHosts(ctx context.Context, clusterID string) ([]Host, error) {
	return c.clusterHosts.get(ctx, clusterID)
}

func newHosts(c *Client) *objects[Host] {
	return newObjects(c, "get-hosts", "host", hostOf, func(ctx context.Context, body *models.GetHostsRequestBody) ([]*models.Host, error) {
		return payload(host.New(c.sdk()).GetHosts(host.NewGetHostsParamsWithContext(ctx).WithRequestBody(body)))
	})
}

func newClusterHosts(hosts *objects[Host]) *lists[Host] {
	return hosts.listedBy("cluster", ownedBy("cluster"), func(v Host) []string { return []string{v.ClusterID} }, byName)
}

func hostOf(m *models.Host) Host {
	cluster := deref(m.Cluster)
	return Host{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), ManagementIP: deref(m.ManagementIP), Status: text(m.Status),
		State: text(deref(m.HostState).State), ClusterID: deref(cluster.ID), ClusterName: deref(cluster.Name),
		TotalMemoryBytes: deref(m.TotalMemoryBytes), AllocatableMemoryBytes: deref(m.AllocatableMemoryBytes), TotalCPUCores: number(m.TotalCPUCores),
		EntityAsyncStatus: text(m.EntityAsyncStatus),
	}
}
