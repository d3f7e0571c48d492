// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/network"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/validators"
)

// Defaults and limits of the provider block.
const (
	defaultRequestTimeout        = 30 * time.Second
	defaultMaxRetries            = 5
	defaultMaxConcurrentRequests = 8
	defaultPollInterval          = 5 * time.Second

	minRequestTimeout = 100 * time.Millisecond
	minPollInterval   = 100 * time.Millisecond
	maxPollInterval   = time.Minute
)

// The checks of one attribute, whether its value comes from the configuration
// or from the environment.
var (
	serverCheck                = validators.ServerURL()
	userSourceCheck            = stringvalidator.OneOf("LOCAL", "LDAP", "AUTHN", "SSO")
	requestTimeoutCheck        = validators.DurationAtLeast(minRequestTimeout)
	pollIntervalCheck          = validators.DurationBetween(minPollInterval, maxPollInterval)
	maxRetriesCheck            = int64validator.Between(0, 100)
	maxConcurrentRequestsCheck = int64validator.Between(1, 1000)
)

func providerSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Manages virtual machines and their surroundings on SmartX ELF clusters through CloudTower.",
		Attributes: map[string]schema.Attribute{
			"server": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of Tower: a host, `host:port` or a URL. It is spoken to by https unless the URL says `http://`, " +
					"which sends the credentials in clear and gives a warning. Required, here or in the environment variable `ELF_SERVER`.",
				Validators: []validator.String{serverCheck},
			},
			"username": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of the user to log in as. Required unless `api_token` is set. " +
					"Environment variable: `ELF_USERNAME`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"password": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Password of the user. Required unless `api_token` is set. " +
					"Environment variable: `ELF_PASSWORD`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"user_source": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Where Tower knows the user from: `LOCAL`, `LDAP`, `AUTHN` or `SSO`. Default: `LOCAL`; `AUTHN` where `auth_config_id` is set. " +
					"Environment variable: `ELF_USER_SOURCE`.",
				Validators: []validator.String{userSourceCheck},
			},
			"auth_config_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Id of the log-in strategy of a user who is not local. Default: for `LDAP`, Tower's LDAP strategy is looked up. " +
					"Environment variable: `ELF_AUTH_CONFIG_ID`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"api_token": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "API key or token, in place of `username` and `password`. Needed where Tower asks for a second factor at log-in. " +
					"Environment variable: `ELF_API_TOKEN`; it is not read where `username` or `password` is set here.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"ca_certificate": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Certificates of the authorities to trust beside the system's: PEM text, or the path of a file with it. " +
					"Environment variable: `ELF_CA_CERTIFICATE`.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"insecure": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to accept any certificate of the server, which gives a warning. Default: `false`. " +
					"Environment variable: `ELF_INSECURE`.",
			},
			"request_timeout": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long one request to Tower may take, as a duration such as `\"30s\"` (default) or `\"1m\"`. " +
					"Environment variable: `ELF_REQUEST_TIMEOUT`.",
				Validators: []validator.String{requestTimeoutCheck},
			},
			"max_retries": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "How many times a request is repeated that failed for a passing reason. Requests that change something are repeated " +
					"only where they can't have had an effect. Until Tower has replied once, a connection that fails is tried again for 3 seconds at most, " +
					"so that a wrong address shows at once. Default: `5`. Environment variable: `ELF_MAX_RETRIES`.",
				Validators: []validator.Int64{maxRetriesCheck},
			},
			"max_concurrent_requests": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "How many requests to Tower may be under way at a time. Default: `8`. " +
					"Environment variable: `ELF_MAX_CONCURRENT_REQUESTS`.",
				Validators: []validator.Int64{maxConcurrentRequestsCheck},
			},
			"poll_interval": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How often Tower is asked about running tasks and awaited addresses, as a duration from `\"100ms\"` to `\"60s\"`. " +
					"One question serves all waiting VMs. Default: `\"5s\"`. Environment variable: `ELF_POLL_INTERVAL`.",
				Validators: []validator.String{pollIntervalCheck},
			},
			"headers": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Headers to send with every request, for Towers behind a gateway that asks for one. Default: none.",
				Validators:          []validator.Map{mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)), mapvalidator.NoNullValues()},
			},
			"default_labels": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Labels that every labelled resource gets, by their keys; `\"\"` is a label without a value. " +
					"A resource's own `labels` go before them, and its `labels_all` shows both. Default: none.",
				Validators: []validator.Map{mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)), mapvalidator.NoNullValues()},
			},
			attrKubernetes: network.KubernetesProviderArgument(),
		},
	}
}
