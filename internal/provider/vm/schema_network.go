// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

// Limits that Tower sets on what it hands to cloud-init.
const (
	maxNameservers   = 3
	maxPublicKeys    = 10
	maxUserDataBytes = 32 * 1024
)

func nicsAttribute() schema.Attribute {
	attributes := network.NICArguments(true)
	attributes["ip_addresses"] = schema.ListAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "The usable addresses discovered on this NIC; `[]` while there is none. A refresh rewrites it.",
	}
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "The VM's NICs, in the order in which the guest sees them. Where absent, the NICs of the source stay as they are and this stays null. " +
			"A NIC that is added anywhere is appended in Tower, a changed one is changed in place, and the order of the list lives in the state alone. " +
			"A change of `model` stops and starts the VM. `routes` and `default_route` can't change, a `gateway` can't be removed, and a static NIC can't go back to DHCP: the plan refuses it.",
		Validators:   []validator.List{listvalidator.SizeAtMost(network.MaxNICs), listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{Attributes: attributes},
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
