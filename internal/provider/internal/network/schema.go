// SPDX-License-Identifier: MPL-2.0

package network

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

// MaxNICs is how many NICs a VM has at most: cloud-init networks are numbered
// 0 to 15.
const MaxNICs = 16

// NICArguments is the schema of a NIC's arguments. With computed, those that
// Tower chooses or tells are results, too.
func NICArguments(computed bool) map[string]schema.Attribute {
	arguments := guestArguments()
	for name, attribute := range deviceArguments(computed) {
		arguments[name] = attribute
	}
	return arguments
}

// guestArguments say how the guest configures the NIC. Tower can't tell them.
func guestArguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"network_type": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "How the guest configures the NIC: `IPV4_DHCP` (default), `IPV4` (static, needs `ip_address` and `netmask`) " +
				"or `NONE` (not at all, so it is never waited for).",
			Validators: []validator.String{stringvalidator.OneOf(TypeDHCP, TypeStatic, TypeNone)},
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
		"routes": routes(),
		"default_route": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether this NIC holds the guest's default route and so `default_ip_address`. Default `false`; at most one NIC.",
		},
		"wait_for_ip": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether network readiness takes this NIC into account. Default `true`, but `false` for a NIC that is `NONE` or disabled, " +
				"where setting it `true` is refused. Changing it touches nothing in Tower.",
		},
	}
}

// deviceArguments are the NIC as a device.
func deviceArguments(computed bool) map[string]schema.Attribute {
	model := schema.StringAttribute{
		Optional: true, Computed: computed,
		MarkdownDescription: "The device that the guest sees: `VIRTIO` (default) or `E1000`.",
		Validators:          []validator.String{stringvalidator.OneOf(ModelVirtio, ModelE1000)},
	}
	enabled := schema.BoolAttribute{
		Optional: true, Computed: computed,
		MarkdownDescription: "Whether the NIC is plugged in. Default `true`. A disabled NIC is never waited for.",
	}
	mirror := schema.BoolAttribute{
		Optional: true, Computed: computed,
		MarkdownDescription: "Whether the NIC receives the mirrored traffic of its network. Default `false`.",
	}
	if computed {
		model.Default = stringdefault.StaticString(ModelVirtio)
		enabled.Default = booldefault.StaticBool(true)
		mirror.Default = booldefault.StaticBool(false)
	}
	return map[string]schema.Attribute{
		"vlan_id": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "Tower's id of the VM network that the NIC is on (the `id` of an `elf_vlan`, not an 802.1Q tag).",
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"mac_address": schema.StringAttribute{
			Optional: true, Computed: computed,
			MarkdownDescription: "The MAC address, six octets with colons. Tower chooses one where absent.",
			Validators:          []validator.String{validators.MACAddress()},
		},
		"model":   model,
		"enabled": enabled,
		"mirror":  mirror,
	}
}

func routes() schema.Attribute {
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

// ReadinessArgument is the schema of network_readiness.
func ReadinessArgument() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "How the create, and an update that needs it, waits until the network is ready. Changing it touches nothing in Tower and starts no wait by itself.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to wait. Default `true`. With `false`, the addresses are looked up once, `network_ready` is null, and no wait is resumed.",
			},
			"timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long to wait, such as `\"90s\"`; `timeouts.create` or `timeouts.update` ends the wait, too. Default `\"15m\"`.",
				Validators:          []validator.String{validators.DurationAtLeast(0)},
			},
			"on_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "`\"error\"` (default): the apply fails, and what it was creating is kept but tainted, so that the next apply replaces it. `\"warn\"`: the apply succeeds with a warning, " +
					"untainted and with `network_ready = false`, and the next apply resumes the wait in place.",
				Validators: []validator.String{stringvalidator.OneOf(OnTimeoutError, OnTimeoutWarn)},
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
				MarkdownDescription: "How long the addresses must have stayed the same before they count, such as `\"10s\"`. Default `\"0s\"`.",
				Validators:          []validator.String{validators.DurationAtLeast(0)},
			},
			"kubernetes_node": kubernetesNodeArgument(),
		},
	}
}

// ReportAttribute is the schema of network_readiness_report.
func ReportAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "How the last wait for the network went; null where none has taken place. A refresh never changes it.",
		Attributes: map[string]schema.Attribute{
			"source": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "What made the network ready: `tower` (Tower's report), `kubernetes_node` (the address of the VM's node was needed), " +
					"or `none` (there was nothing to wait for, or it is not ready).",
			},
			"ready_at": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "When the network was found ready, in RFC 3339; null while it is not.",
			},
			"waited": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "How long the wait took, such as `1m12.5s`.",
			},
		},
	}
}
