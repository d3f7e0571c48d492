// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/cluster"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

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

func (v Cluster) identity() identity { return identity{id: v.ID, localID: v.LocalID, name: v.Name} }

// Cluster reads a cluster by id or local id.
func (c *Client) Cluster(ctx context.Context, id string) (*Cluster, error) {
	return c.clusters.get(ctx, id)
}

// Clusters lists clusters, by name, then id.
func (c *Client) Clusters(ctx context.Context, where Where) ([]Cluster, error) {
	return c.clusters.list(ctx, where)
}

func newClusters(c *Client) *objects[Cluster] {
	return newObjects(c, "get-clusters", "cluster", clusterOf, func(ctx context.Context, body *models.GetClustersRequestBody) ([]*models.Cluster, error) {
		return payload(cluster.New(c.sdk()).GetClusters(cluster.NewGetClustersParamsWithContext(ctx).WithRequestBody(body)))
	})
}

func clusterOf(m *models.Cluster) Cluster {
	return Cluster{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), Type: text(m.Type), Version: deref(m.Version),
		IP: deref(m.IP), ManagementIP: deref(m.ManagementVip), Architecture: text(m.Architecture), Hypervisor: text(m.Hypervisor),
		ConnectState: text(m.ConnectState), HostCount: number(m.HostNum), Labels: labelsOf(m.Labels),
	}
}
