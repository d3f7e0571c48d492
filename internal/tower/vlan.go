// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vlan"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// VLAN is a VM network as Tower shows it.
type VLAN struct {
	ID      string
	LocalID string
	Name    string
	VlanID  int    // the 802.1Q tag
	Type    string // VM, MANAGEMENT, STORAGE, …
	VDSID   string
	VDSName string
	Labels  []Label
}

func (v VLAN) identity() identity { return identity{id: v.ID, localID: v.LocalID, name: v.Name} }

// VLAN reads a VM network by id or local id.
func (c *Client) VLAN(ctx context.Context, id string) (*VLAN, error) { return c.vlans.get(ctx, id) }

// VLANs lists VM networks, by name, then id.
func (c *Client) VLANs(ctx context.Context, where Where) ([]VLAN, error) {
	return c.vlans.list(ctx, where)
}

// VLANInCluster reports whether a VM network is one of a cluster, both by Tower's ids. A VM network knows its cluster
// through its switch only.
func (c *Client) VLANInCluster(ctx context.Context, vlanID, clusterID string) (bool, error) {
	found, _, err := c.clusterVLANs.Get(ctx, pairKey(clusterID, vlanID))
	if err != nil {
		return false, asError(c.vlans.op, err)
	}
	return found, nil
}

// fetchClusterVLANs asks, with one request for each cluster, which VM networks are the cluster's. The keys are pairs of
// cluster and VM network.
func (c *Client) fetchClusterVLANs(ctx context.Context, keys []string) (map[string]bool, error) {
	found := map[string]bool{}
	for clusterID, ids := range byFirst(keys) {
		list, err := c.vlans.fetch(ctx, kindRead, Where{"id_in": ids, "vds": Where{"cluster": Where{"id": clusterID}}})
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			found[pairKey(clusterID, v.ID)] = true
		}
	}
	return found, nil
}

func newVLANs(c *Client) *objects[VLAN] {
	return newObjects(c, "get-vlans", "VM network", vlanOf, func(ctx context.Context, body *models.GetVlansRequestBody) ([]*models.Vlan, error) {
		return payload(vlan.New(c.sdk()).GetVlans(vlan.NewGetVlansParamsWithContext(ctx).WithRequestBody(body)))
	})
}

func vlanOf(m *models.Vlan) VLAN {
	vds := deref(m.Vds)
	return VLAN{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), VlanID: number(m.VlanID), Type: text(m.Type),
		VDSID: deref(vds.ID), VDSName: deref(vds.Name), Labels: labelsOf(m.Labels),
	}
}
