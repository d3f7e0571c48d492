// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"strings"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vlan"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// VLANFilter narrows a list of VM networks.
type VLANFilter struct {
	ListFilter
	VDSID  string
	VlanID *int   // the 802.1Q tag
	Type   string // VM, MANAGEMENT, …
}

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

// VLAN reads a VM network by id or local id.
func (c *Client) VLAN(ctx context.Context, id string) (*VLAN, error) {
	return readOne(ctx, c.reads.vlans, opGetVLANs, "VM network", id)
}

// VLANs lists VM networks, by name, then id.
func (c *Client) VLANs(ctx context.Context, filter VLANFilter) ([]VLAN, error) {
	where := &models.VlanWhereInput{
		Name: optional(filter.Name), NameContains: optional(filter.NameContains), NameIn: filter.NameIn,
		VlanID: int32s(filter.VlanID), Type: enum[models.NetworkType](&filter.Type),
	}
	if filter.ID != "" {
		where.OR = []*models.VlanWhereInput{{ID: ptr(filter.ID)}, {LocalID: ptr(filter.ID)}}
	}
	// A VM network knows its cluster through its switch only.
	if filter.ClusterID != "" {
		where.AND = append(where.AND, &models.VlanWhereInput{Vds: &models.VdsWhereInput{Cluster: clusterByAnyID(filter.ClusterID)}})
	}
	if filter.VDSID != "" {
		either := []*models.VdsWhereInput{{ID: ptr(filter.VDSID)}, {LocalID: ptr(filter.VDSID)}}
		where.AND = append(where.AND, &models.VlanWhereInput{Vds: &models.VdsWhereInput{OR: either}})
	}
	list, err := c.getVLANs(ctx, where)
	sortNamed(list, func(v VLAN) (string, string) { return v.Name, v.ID })
	return list, err
}

// VLANInCluster tells whether a VM network is one of a cluster, both by Tower's ids. A VM network knows its cluster
// through its switch only.
func (c *Client) VLANInCluster(ctx context.Context, vlanID, clusterID string) (bool, error) {
	here, _, err := c.reads.here.Get(ctx, clusterID+pairSeparator+vlanID)
	if err != nil {
		return false, asError(opGetVLANs, err)
	}
	return here, nil
}

const (
	opGetVLANs = "get-vlans"
	// pairSeparator is part of no id.
	pairSeparator = "\x00"
)

// fetchHere asks, with one call for each cluster, which VM networks are the cluster's.
func (c *Client) fetchHere(ctx context.Context, keys []string) (map[string]bool, error) {
	byCluster, out := map[string][]string{}, map[string]bool{}
	for _, key := range keys {
		clusterID, vlanID, _ := strings.Cut(key, pairSeparator)
		byCluster[clusterID] = append(byCluster[clusterID], vlanID)
	}
	for clusterID, ids := range byCluster {
		list, err := c.getVLANs(ctx, &models.VlanWhereInput{IDIn: ids, Vds: &models.VdsWhereInput{Cluster: &models.ClusterWhereInput{ID: ptr(clusterID)}}})
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			out[clusterID+pairSeparator+v.ID] = true
		}
	}
	return out, nil
}

// getVLANs calls get-vlans.
func (c *Client) getVLANs(ctx context.Context, where *models.VlanWhereInput) ([]VLAN, error) {
	return invoke(ctx, c, operation{opGetVLANs, kindRead}, func(ctx context.Context) ([]VLAN, error) {
		reply, err := c.api.vlans.GetVlans(vlan.NewGetVlansParamsWithContext(ctx).WithRequestBody(&models.GetVlansRequestBody{Where: where}))
		if err != nil {
			return nil, err
		}
		out := make([]VLAN, 0, len(reply.Payload))
		for _, m := range reply.Payload {
			if m != nil {
				out = append(out, vlanOf(m))
			}
		}
		return out, nil
	})
}

// fetchVLANs reads VM networks by id or local id.
func (c *Client) fetchVLANs(ctx context.Context, keys []string) (map[string]VLAN, error) {
	list, err := c.getVLANs(ctx, &models.VlanWhereInput{OR: []*models.VlanWhereInput{{IDIn: keys}, {LocalIDIn: keys}}})
	if err != nil {
		return nil, err
	}
	return pick(keys, list, func(v VLAN) []string { return []string{v.ID, v.LocalID} }), nil
}

// vlanOf converts a VM network of the SDK.
func vlanOf(m *models.Vlan) VLAN {
	out := VLAN{
		ID: deref(m.ID), LocalID: deref(m.LocalID), Name: deref(m.Name), VlanID: number(m.VlanID), Type: text(m.Type), Labels: labelsOf(m.Labels),
	}
	if m.Vds != nil {
		out.VDSID, out.VDSName = deref(m.Vds.ID), deref(m.Vds.Name)
	}
	return out
}
