// SPDX-License-Identifier: MPL-2.0

package vmnetworkreadiness

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
)

const defaultTimeout = 30 * time.Minute

// Schema describes elf_vm_network_readiness.
func (r *Resource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Waits until the network of a VM is ready, for a VM that is made elsewhere or whose own wait is switched off. " +
			"It changes nothing in Tower: where the wait fails, only the wait runs again at the next apply. Destroying it does nothing.",
		Attributes: map[string]schema.Attribute{
			"vm_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Tower's id of the VM. Changing it starts a new wait.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"nics": schema.ListNestedAttribute{
				Optional: true,
				MarkdownDescription: "How the VM's NICs are configured, in the order in which the guest sees them: the same arguments as `nics` of `elf_vm`, " +
					"so `nics = elf_vm.example.nics` works. Where absent, any one address of an enabled NIC makes the network ready. " +
					"A change starts a new wait only where it has a NIC waited for that was not.",
				Validators:   []validator.List{listvalidator.SizeAtMost(network.MaxNICs), listvalidator.NoNullValues()},
				NestedObject: schema.NestedAttributeObject{Attributes: network.NICArguments(false)},
			},
			"network_readiness": network.ReadinessArgument(),
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Any values; a change of one starts a new wait.",
				Validators:          []validator.Map{mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1))},
				PlanModifiers:       []planmodifier.Map{mapplanmodifier.RequiresReplace()},
			},
			"timeouts": attrs.Timeouts(ctx, timeouts.Opts{
				Create: true, Read: true, Update: true,
				CreateDescription: "For the whole wait. Default `30m`.",
				ReadDescription:   "For a refresh, which never waits for addresses. Default `5m`.",
				UpdateDescription: "For a wait that is resumed. Default `30m`.",
			}),

			"ip_addresses": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "All usable addresses that were discovered, in the order of the NICs; `[]` while there is none.",
			},
			"default_ip_address": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "The one address to reach the VM at: that of the NIC with `default_route`, else of the first DHCP NIC, else of the first static NIC, " +
					"else the first of `ip_addresses`; null while none is known.",
			},
			"nic_ip_addresses": schema.ListAttribute{
				Computed: true, ElementType: types.ListType{ElemType: types.StringType},
				MarkdownDescription: "The usable addresses of each NIC, in the order of `nics`, else of the VM's own NICs.",
			},
			"network_ready": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether the last wait found the network ready. While it is `false`, the next apply resumes the wait. " +
					"Null where no wait has taken place: `network_readiness.enabled` is `false`, or the VM is off and no NIC is to be waited for.",
			},
			"network_readiness_report": network.ReportAttribute(),
		},
	}
}
