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

// RecycleBinEnabled reports whether VMs of a cluster can be moved to the recycle bin: by the cluster's own setting or,
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
		params := global_settings.NewGetGlobalSettingsesParamsWithContext(ctx).WithRequestBody(&models.GetGlobalSettingsesRequestBody{})
		list, err := payload(global_settings.New(c.sdk()).GetGlobalSettingses(params))
		for _, m := range list {
			if m != nil && m.VMRecycleBin != nil {
				return deref(m.VMRecycleBin.Enabled), err
			}
		}
		return false, err
	})
}

// clusterRecycleBin is the cluster's own setting, nil where it follows Tower's.
func (c *Client) clusterRecycleBin(ctx context.Context, clusterID string) (*bool, error) {
	body := &models.GetClusterSettingsesRequestBody{Where: &models.ClusterSettingsWhereInput{Cluster: &models.ClusterWhereInput{ID: ptr(clusterID)}}}
	return invoke(ctx, c, operation{opGetClusterSettings, kindRead}, func(ctx context.Context) (*bool, error) {
		params := cluster_settings.NewGetClusterSettingsesParamsWithContext(ctx).WithRequestBody(body)
		list, err := payload(cluster_settings.New(c.sdk()).GetClusterSettingses(params))
		for _, m := range list {
			if m != nil && m.VMRecycleBin != nil {
				return m.VMRecycleBin.Enabled, err
			}
		}
		return nil, err
	})
}
