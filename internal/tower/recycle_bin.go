// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/cluster_settings"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/global_settings"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	opGetClusterSettings = "get-cluster-settingses"
	opGetGlobalSettings  = "get-global-settingses"
)

// RecycleBinEnabled tells whether VMs of a cluster can be moved to the recycle bin: by the cluster's own setting or,
// where it has none, by Tower's.
func (c *Client) RecycleBinEnabled(ctx context.Context, clusterID string) (bool, error) {
	if clusterID == "" {
		return false, notFound(opGetClusterSettings, "the recycle bin of a cluster is asked for without the cluster's id")
	}
	own, err := c.clusterRecycleBin(ctx, clusterID)
	if err != nil || own != nil {
		return deref(own), err
	}
	return invoke(ctx, c, operation{opGetGlobalSettings, kindRead}, func(ctx context.Context) (bool, error) {
		reply, err := c.api.globalSettings.GetGlobalSettingses(global_settings.NewGetGlobalSettingsesParamsWithContext(ctx).WithRequestBody(&models.GetGlobalSettingsesRequestBody{}))
		if err != nil {
			return false, err
		}
		for _, m := range reply.Payload {
			if m != nil && m.VMRecycleBin != nil {
				return deref(m.VMRecycleBin.Enabled), nil
			}
		}
		return false, nil
	})
}

// clusterRecycleBin is the cluster's own setting, nil where it follows Tower's.
func (c *Client) clusterRecycleBin(ctx context.Context, clusterID string) (*bool, error) {
	body := &models.GetClusterSettingsesRequestBody{Where: &models.ClusterSettingsWhereInput{Cluster: &models.ClusterWhereInput{ID: ptr(clusterID)}}}
	return invoke(ctx, c, operation{opGetClusterSettings, kindRead}, func(ctx context.Context) (*bool, error) {
		reply, err := c.api.clusterSettings.GetClusterSettingses(cluster_settings.NewGetClusterSettingsesParamsWithContext(ctx).WithRequestBody(body))
		if err != nil {
			return nil, err
		}
		for _, m := range reply.Payload {
			if m != nil && m.VMRecycleBin != nil {
				return m.VMRecycleBin.Enabled, nil
			}
		}
		return nil, nil
	})
}
