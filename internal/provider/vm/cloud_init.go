// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"context"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Limits that Tower sets on what it hands to cloud-init.
const (
	maxNameservers   = 3
	maxPublicKeys    = 10
	maxUserDataBytes = 32 * 1024
)

const anyAddress = "0.0.0.0"

// hostnamePattern takes host names and full domain names (RFC 1123).
var hostnamePattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)

// cloudInitModel is the argument cloud_init.
type cloudInitModel struct {
	Hostname    types.String `tfsdk:"hostname"`
	Nameservers types.List   `tfsdk:"nameservers"`
	PublicKeys  types.List   `tfsdk:"public_keys"`
	UserData    types.String `tfsdk:"user_data"`

	UserDataWO                   types.String `tfsdk:"user_data_wo"`
	UserDataWOVersion            types.Int64  `tfsdk:"user_data_wo_version"`
	DefaultUserPasswordWO        types.String `tfsdk:"default_user_password_wo"`
	DefaultUserPasswordWOVersion types.Int64  `tfsdk:"default_user_password_wo_version"`
}

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

func cloudInitAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What cloud-init does in the guest at its first boot, beside the networks, which follow from `nics`. The template must support cloud-init. " +
			"It can't be read back from Tower. Any change replaces the VM.",
		Attributes: map[string]schema.Attribute{
			"hostname": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Host name of the guest: letters, digits, hyphens, and dots in a full domain name.",
				Validators: []validator.String{stringvalidator.LengthBetween(1, 253), stringvalidator.RegexMatches(hostnamePattern,
					"must be a host name: labels of letters, digits and hyphens (at most 63 characters, no hyphen first or last), joined by dots")},
			},
			"nameservers": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "IPv4 addresses of DNS servers, at most 3.",
				Validators: []validator.List{
					listvalidator.SizeAtMost(maxNameservers), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(validators.IPv4Address()),
				},
			},
			"public_keys": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "SSH public keys of the default user, at most 10.",
				Validators: []validator.List{
					listvalidator.SizeAtMost(maxPublicKeys), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"user_data": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "User data in plain text, not base64, at most 32 KiB. It is kept in the state; `user_data_wo` is not.",
			},
			"user_data_wo": schema.StringAttribute{
				Optional: true, WriteOnly: true, Sensitive: true,
				MarkdownDescription: "User data, in place of `user_data`, that is kept in neither plan nor state (Terraform 1.11 and later). Nothing tells when it changes: change `user_data_wo_version` with it.",
			},
			"user_data_wo_version": schema.Int64Attribute{
				Optional:            true,
				MarkdownDescription: "Version of `user_data_wo`, any number. Changing it replaces the VM.",
			},
			"default_user_password_wo": schema.StringAttribute{
				Optional: true, WriteOnly: true, Sensitive: true,
				MarkdownDescription: "Password of the image's default user, kept in neither plan nor state (Terraform 1.11 and later). Nothing tells when it changes: change `default_user_password_wo_version` with it.",
			},
			"default_user_password_wo_version": schema.Int64Attribute{
				Optional:            true,
				MarkdownDescription: "Version of `default_user_password_wo`, any number. Changing it replaces the VM.",
			},
		},
	}
}

// cloudInit is what cloud-init is told: the argument's own members, and a
// network for each NIC that the guest has to configure, with or without the
// argument. Nil where there is nothing to tell.
func (m *model) cloudInit(ctx context.Context, nics []nicModel) (*tower.CloudInit, diag.Diagnostics) {
	in, given, diags := objectAs[cloudInitModel](ctx, m.CloudInit)
	out := tower.CloudInit{Hostname: in.Hostname.ValueString(), UserData: in.UserData.ValueString()}
	var d diag.Diagnostics
	out.Nameservers, d = attrs.Strings(ctx, in.Nameservers)
	diags.Append(d...)
	out.PublicKeys, d = attrs.Strings(ctx, in.PublicKeys)
	diags.Append(d...)
	gateway := gatewayNIC(nics)
	for i, nic := range nics {
		if nic.Type() == network.TypeNone {
			continue
		}
		guest, d := nic.cloudInitNetwork(ctx, i, i == gateway)
		diags.Append(d...)
		out.Networks = append(out.Networks, guest)
	}
	if !given && len(out.Networks) == 0 {
		return nil, diags
	}
	return &out, diags
}

// gatewayNIC is the index of the NIC whose gateway is sent: a guest has one
// default route. -1 where none is.
func gatewayNIC(nics []nicModel) int {
	first := -1
	for i, nic := range nics {
		if attrs.BoolOr(nic.DefaultRoute, false) {
			return i
		}
		if first < 0 && attrs.IsKnown(nic.Gateway) {
			first = i
		}
	}
	return first
}

func (n nicModel) cloudInitNetwork(ctx context.Context, index int, withGateway bool) (tower.CloudInitNetwork, diag.Diagnostics) {
	out := tower.CloudInitNetwork{
		NICIndex: index, Type: n.Type(), IPAddress: n.IPAddress.ValueString(), Netmask: n.Netmask.ValueString(),
	}
	if withGateway && attrs.IsKnown(n.Gateway) {
		out.Routes = append(out.Routes, tower.CloudInitRoute{Network: anyAddress, Netmask: anyAddress, Gateway: n.Gateway.ValueString()})
	}
	routes, diags := network.Elements(ctx, n.Routes, func() network.Route { return network.Route{} })
	for _, route := range routes {
		out.Routes = append(out.Routes, tower.CloudInitRoute{
			Network: attrs.StringOr(route.Network, anyAddress), Netmask: attrs.StringOr(route.Netmask, anyAddress), Gateway: route.Gateway.ValueString(),
		})
	}
	return out, diags
}
