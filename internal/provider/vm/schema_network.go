// SPDX-License-Identifier: MPL-2.0

package vm

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

// Limits that Tower sets on what it hands to cloud-init.
const (
	maxNICs          = 16 // cloud-init networks are numbered 0 to 15
	maxNameservers   = 3
	maxPublicKeys    = 10
	maxUserDataBytes = 32 * 1024
)

func nicsAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "The VM's NICs, in the order in which the guest sees them. Where absent, the NICs of the source stay as they are and this stays null. " +
			"For now, any change but `wait_for_ip` replaces the VM.",
		Validators: []validator.List{listvalidator.SizeAtMost(maxNICs), listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"vlan_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Tower's id of the VM network that the NIC is on (the `id` of an `elf_vlan`, not an 802.1Q tag).",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"network_type": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How the guest configures the NIC: `IPV4_DHCP` (default), `IPV4` (static, needs `ip_address` and `netmask`) " +
					"or `NONE` (not at all, so it is never waited for).",
				Validators: []validator.String{stringvalidator.OneOf(networkDHCP, networkStatic, networkNone)},
			},
			"ip_address": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The static IPv4 address, for `IPV4` only. What the guest really has is in `ip_addresses`.",
				Validators:          []validator.String{validators.IPv4HostAddress()},
			},
			"netmask": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The netmask of `ip_address`, such as `255.255.255.0`, for `IPV4` only.",
				Validators:          []validator.String{validators.IPv4Netmask()},
			},
			"gateway": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Gateway of the default route. A guest has one default route: that of the NIC with `default_route`, " +
					"else of the first NIC with a gateway; the others' gateways are not sent.",
				Validators: []validator.String{validators.IPv4HostAddress()},
			},
			"routes": routesAttribute(),
			"default_route": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether this NIC holds the guest's default route and so `default_ip_address`. Default `false`; at most one NIC.",
			},
			"mac_address": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The MAC address, six octets with colons. Tower chooses one where absent.",
				Validators:          []validator.String{validators.MACAddress()},
			},
			"model": schema.StringAttribute{
				Optional: true, Computed: true,
				Default:             stringdefault.StaticString(nicVirtio),
				MarkdownDescription: "The device that the guest sees: `VIRTIO` (default) or `E1000`.",
				Validators:          []validator.String{stringvalidator.OneOf(nicVirtio, nicE1000)},
			},
			"enabled": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default:             booldefault.StaticBool(true),
				MarkdownDescription: "Whether the NIC is plugged in. Default `true`. A disabled NIC is never waited for.",
			},
			"mirror": schema.BoolAttribute{
				Optional: true, Computed: true,
				Default:             booldefault.StaticBool(false),
				MarkdownDescription: "Whether the NIC receives the mirrored traffic of its network. Default `false`.",
			},
			"wait_for_ip": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether network readiness takes this NIC into account. Default `true`, but `false` for a NIC that is `NONE` or disabled, " +
					"where setting it `true` is refused. Changing it touches nothing in Tower.",
			},
			"ip_addresses": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "The usable addresses discovered on this NIC; `[]` while there is none. A refresh rewrites it.",
			},
		}},
	}
}

func routesAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Further routes of the NIC. Cloud-init sets them at the first boot.",
		Validators:          []validator.List{listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"gateway": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The next hop, an address in the NIC's own network.",
				Validators:          []validator.String{validators.IPv4HostAddress()},
			},
			"network": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The destination network. Default `0.0.0.0`.",
				Validators:          []validator.String{validators.IPv4Address()},
			},
			"netmask": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The destination's netmask. Default `0.0.0.0`.",
				Validators:          []validator.String{validators.IPv4Netmask()},
			},
		}},
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
				MarkdownDescription: "User data in plain text, not base64, at most 32 KiB.",
				Validators:          []validator.String{validators.SizeAtMost(maxUserDataBytes)},
			},
		},
	}
}

func networkReadinessAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "How the create, and an update that needs it, waits until the network is ready. Changing it touches nothing in Tower and starts no wait by itself.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to wait. Default `true`. With `false`, one look is taken and the wait is never resumed.",
			},
			"timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long to wait, inside `timeouts.create`. Default `\"15m\"`.",
				Validators:          []validator.String{validators.DurationAtLeast(0)},
			},
			"on_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "`\"error\"` (default): the create fails, the VM is kept and tainted. `\"warn\"`: the VM is kept untainted with `network_ready = false`, " +
					"and the next apply resumes the wait in place.",
				Validators: []validator.String{stringvalidator.OneOf(onTimeoutError, onTimeoutWarn)},
			},
			"require_static": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether each static NIC that is waited for must also report its own configured address to Tower. Default `false`.",
			},
			"ignored_cidrs": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "IPv4 networks whose addresses never count and are not shown, such as a container network. Loopback, unspecified, multicast and " +
					"link-local addresses (169.254.0.0/16) and IPv6 never count anyway. Default `[]`.",
				Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(validators.IPv4CIDR())},
			},
			"settle": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long the addresses must have stayed the same before they count. Default `\"0s\"`.",
				Validators:          []validator.String{validators.DurationAtLeast(0)},
			},
		},
	}
}
