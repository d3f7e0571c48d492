// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// writeOnly are the members of cloud_init that only the configuration holds:
// plan and state have no value to compare.
var writeOnly = map[string]bool{"user_data_wo": true, "default_user_password_wo": true}

// addSecrets gives the create call what only the configuration holds.
func (m *model) addSecrets(ctx context.Context, in *tower.VMCreate) diag.Diagnostics {
	cloud, ok, diags := objectAs[cloudInitModel](ctx, m.CloudInit)
	if !ok || in.CloudInit == nil {
		return diags
	}
	if attrs.IsKnown(cloud.UserDataWO) {
		in.CloudInit.UserData = cloud.UserDataWO.ValueString()
	}
	in.CloudInit.DefaultUserPassword = cloud.DefaultUserPasswordWO.ValueString()
	return diags
}

// validateCloudInit refuses what the members of cloud_init can't be together.
// None of its errors is attached to an attribute: Terraform would print the
// lines of the configuration that hold the secrets.
func validateCloudInit(ctx context.Context, config *model, diags *diag.Diagnostics) {
	cloud, ok, d := objectAs[cloudInitModel](ctx, config.CloudInit)
	diags.Append(d...)
	if !ok {
		return
	}
	for _, data := range []struct {
		name  string
		value interface{ ValueString() string }
	}{{"user_data", cloud.UserData}, {"user_data_wo", cloud.UserDataWO}} {
		if size := len(data.value.ValueString()); size > maxUserDataBytes {
			diags.AddError("User data too long", fmt.Sprintf("cloud_init.%s has %d bytes; it must have at most 32 KiB (%d bytes).", data.name, size, maxUserDataBytes))
		}
	}
	if !cloud.UserData.IsNull() && !cloud.UserDataWO.IsNull() {
		diags.AddError("Two kinds of user data", "cloud_init has user_data and user_data_wo. Set one of them.")
	}
	for _, pair := range []struct {
		name          string
		value, number attr.Value
	}{
		{"user_data_wo", cloud.UserDataWO, cloud.UserDataWOVersion},
		{"default_user_password_wo", cloud.DefaultUserPasswordWO, cloud.DefaultUserPasswordWOVersion},
	} {
		if pair.value.IsNull() && !pair.number.IsNull() {
			diags.AddError("Version of nothing", fmt.Sprintf("cloud_init has %s_version, but no %s that it is the version of. Set both, or neither.", pair.name, pair.name))
		}
	}
}
