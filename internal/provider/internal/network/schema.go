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

// MaxNICs is the largest number of NICs of a VM: cloud-init networks are numbered
// 0 to 15.
const MaxNICs = 16

// NICArguments returns the schema of a NIC's arguments. With computed, those that
// Tower chooses or shows are computed, too.
func NICArguments(computed bool) map[string]schema.Attribute {
	arguments := guestArguments()
	for name, attribute := range deviceArguments(computed) {
		arguments[name] = attribute
	}
	return arguments
}

// guestArguments say how the guest configures the NIC. Tower does not show them.
func guestArguments() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"network_type": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "How the guest configures the NIC: `IPV4_DHCP` (by DHCP), `IPV4` (with the static `ip_address` and `netmask`) " +
				"or `NONE` (not at all, so the NIC is never waited for). Default `IPV4_DHCP`.",
			Validators: []validator.String{stringvalidator.OneOf(TypeDHCP, TypeStatic, TypeNone)},
		},
		"ip_address": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Static IPv4 address of the NIC. Required for `IPV4`, not allowed otherwise. `ip_addresses` has the addresses that the guest reports.",
			Validators:          []validator.String{validators.IPv4HostAddress()},
		},
		"netmask": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Netmask of `ip_address`, such as `255.255.255.0`. Required for `IPV4`, not allowed otherwise.",
			Validators:          []validator.String{validators.IPv4Netmask()},
		},
		"gateway": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Gateway of the default route. A guest has one default route: that of the NIC with `default_route`, " +
				"else that of the first NIC with a gateway. The gateways of the other NICs are not used.",
			Validators: []validator.String{validators.IPv4HostAddress()},
		},
		"routes": routes(),
		"default_route": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether the guest's default route goes through this NIC. Its address is then the VM's `default_ip_address`. At most one NIC can have it. Default `false`.",
		},
		"wait_for_ip": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether this NIC is waited for. Default `true`, but `false` for a NIC that is `NONE` or disabled, " +
				"for which `true` is not allowed. Changing it touches nothing in Tower.",
		},
	}
}

// deviceArguments describe the NIC as a device of the VM.
func deviceArguments(computed bool) map[string]schema.Attribute {
	model := schema.StringAttribute{
		Optional: true, Computed: computed,
		MarkdownDescription: "Model of the NIC that the guest sees: `VIRTIO` or `E1000`. Default `VIRTIO`.",
		Validators:          []validator.String{stringvalidator.OneOf(ModelVirtio, ModelE1000)},
	}
	enabled := schema.BoolAttribute{
		Optional: true, Computed: computed,
		MarkdownDescription: "Whether the NIC is connected to its VM network. A disabled NIC is never waited for. Default `true`.",
	}
	mirror := schema.BoolAttribute{
		Optional: true, Computed: computed,
		MarkdownDescription: "Whether the NIC receives the mirrored traffic of its VM network. Default `false`.",
	}
	if computed {
		model.Default = stringdefault.StaticString(ModelVirtio)
		enabled.Default = booldefault.StaticBool(true)
		mirror.Default = booldefault.StaticBool(false)
	}
	return map[string]schema.Attribute{
		"vlan_id": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "Id of the VM network that the NIC is connected to: the `id` of an `elf_vlan`, not an 802.1Q VLAN ID.",
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"mac_address": schema.StringAttribute{
			Optional: true, Computed: computed,
			MarkdownDescription: "MAC address of the NIC: six octets separated by colons. Where absent, Tower chooses one.",
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
		MarkdownDescription: "Additional routes of the NIC. Cloud-init sets them at the first boot.",
		Validators:          []validator.List{listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"gateway": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Next hop, an address in the NIC's own network.",
				Validators:          []validator.String{validators.IPv4HostAddress()},
			},
			"network": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Destination network. Default `0.0.0.0`.",
				Validators:          []validator.String{validators.IPv4Address()},
			},
			"netmask": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Netmask of the destination network. Default `0.0.0.0`.",
				Validators:          []validator.String{validators.IPv4Netmask()},
			},
		}},
	}
}

// ReadinessArgument returns the schema of network_readiness.
func ReadinessArgument() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "How a create, or an update that needs it, waits until the network is ready. Changing it touches nothing in Tower and starts no wait by itself.",
		Attributes: map[string]schema.Attribute{
			"enabled": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to wait. With `false`, the provider looks for addresses only once, `network_ready` is null, and no wait is resumed. Default `true`.",
			},
			"timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long to wait, a duration such as `\"90s\"`. `timeouts.create` and `timeouts.update` limit the wait, too. Default `\"15m\"`.",
				Validators:          []validator.String{validators.DurationAtLeast(0)},
			},
			"on_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What happens if the network is not ready in time. `\"error\"`: the apply fails; an object that it was creating is kept but tainted, so the next apply replaces it. " +
					"`\"warn\"`: the apply succeeds with a warning, the object is not tainted, `network_ready` is `false`, and the next apply resumes the wait in place. Default `\"error\"`.",
				Validators: []validator.String{stringvalidator.OneOf(OnTimeoutError, OnTimeoutWarn)},
			},
			"require_static": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether Tower must also report, for each static NIC that is waited for, the address that is configured for that NIC. Default `false`.",
			},
			"ignored_cidrs": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "IPv4 networks whose addresses don't count and are not shown, in CIDR notation: a container network, for example. Loopback, unspecified, multicast, " +
					"link-local (169.254.0.0/16) and IPv6 addresses never count. Default `[]`.",
				Validators: []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(validators.IPv4CIDR())},
			},
			"settle": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long the addresses must stay the same before the network counts as ready, a duration such as `\"10s\"`. Default `\"0s\"`.",
				Validators:          []validator.String{validators.DurationAtLeast(0)},
			},
			"kubernetes_node": kubernetesNodeArgument(),
		},
	}
}

// ReportAttribute returns the schema of network_readiness_report.
func ReportAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "Outcome of the last wait for the network; null if none has taken place. A refresh never changes it.",
		Attributes: map[string]schema.Attribute{
			"source": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "What made the network ready: `tower` (Tower's report alone), `kubernetes_node` (the address of the VM's Kubernetes node was needed), " +
					"or `none` (there was nothing to wait for, or the network is not ready).",
			},
			"ready_at": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "When the network was found ready, in RFC 3339; null if it was not.",
			},
			"waited": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "How long the wait took, a duration such as `1m12.5s`.",
			},
		},
	}
}
