// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
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

// Defaults and limits of the provider's arguments.
const (
	defaultRequestTimeout        = 30 * time.Second
	defaultMaxRetries            = 5
	defaultMaxConcurrentRequests = 8
	defaultPollInterval          = 5 * time.Second

	minRequestTimeout = 100 * time.Millisecond
	minPollInterval   = 100 * time.Millisecond
	maxPollInterval   = time.Minute
)

// The validators of arguments that the environment can set, too. They check the
// value wherever it comes from.
var (
	serverCheck                = validators.ServerURL()
	userSourceCheck            = stringvalidator.OneOf("LOCAL", "LDAP", "AUTHN", "SSO")
	requestTimeoutCheck        = validators.DurationAtLeast(minRequestTimeout)
	pollIntervalCheck          = validators.DurationBetween(minPollInterval, maxPollInterval)
	maxRetriesCheck            = int64validator.Between(0, 100)
	maxConcurrentRequestsCheck = int64validator.Between(1, 1000)
)

func providerSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"default_labels": schema.MapAttribute{
			Optional:    true,
			ElementType: types.StringType,
			MarkdownDescription: "Labels for every resource that has labels, as a map from keys to values; `\"\"` is a label without a value. " +
				"A resource's own `labels` take precedence, and its `labels_all` shows both. Default: none.",
			Validators: []validator.Map{mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)), mapvalidator.NoNullValues()},
		},
		attrKubernetes: network.KubernetesProviderArgument(),
	}
	maps.Copy(attributes, connectionAttributes())
	maps.Copy(attributes, credentialAttributes())
	maps.Copy(attributes, requestAttributes())
	return schema.Schema{
		MarkdownDescription: "Manages virtual machines on SmartX ELF clusters, and what belongs to them, through CloudTower.",
		Attributes:          attributes,
	}
}

// connectionAttributes say where Tower is and which certificate it may show.
func connectionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"server": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Address of Tower: a host, `host:port` or a URL. The connection uses https unless the URL begins with `http://`; " +
				"then the credentials travel unencrypted, and the provider warns about it. Required, here or in the environment variable `ELF_SERVER`.",
			Validators: []validator.String{serverCheck},
		},
		"ca_certificate": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Certificates of the authorities to trust in addition to the system's: PEM text, or the path of a file that contains it. " +
				"Environment variable: `ELF_CA_CERTIFICATE`.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"insecure": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to accept any certificate from the server, about which the provider warns. Default: `false`. " +
				"Environment variable: `ELF_INSECURE`.",
		},
	}
}

// credentialAttributes say who logs in.
func credentialAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
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
			MarkdownDescription: "Directory that the user belongs to: `LOCAL`, `LDAP`, `AUTHN` or `SSO`. Default: `AUTHN` if `auth_config_id` is set, else `LOCAL`. " +
				"Environment variable: `ELF_USER_SOURCE`.",
			Validators: []validator.String{userSourceCheck},
		},
		"auth_config_id": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Id of the log-in strategy of a user who is not local. Default: for `LDAP`, the provider looks up Tower's LDAP strategy. " +
				"Environment variable: `ELF_AUTH_CONFIG_ID`.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"api_token": schema.StringAttribute{
			Optional:  true,
			Sensitive: true,
			MarkdownDescription: "API key or token that replaces `username` and `password`. Required if Tower asks for a second factor at log-in. " +
				"Environment variable: `ELF_API_TOKEN`, which is ignored if `username` or `password` is set here.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
	}
}

// requestAttributes say how requests are sent to Tower.
func requestAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"request_timeout": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "How long one request to Tower may take, a duration such as `\"1m\"`, at least `\"100ms\"`. Default: `\"30s\"`. " +
				"Environment variable: `ELF_REQUEST_TIMEOUT`.",
			Validators: []validator.String{requestTimeoutCheck},
		},
		"max_retries": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "How many times a request is repeated that failed for a temporary reason, from `0` to `100`. A request that changes something is repeated " +
				"only if it can't have had an effect. Until Tower has replied once, a connection that fails is tried again for 3 seconds at most, " +
				"so that a wrong address shows at once. Default: `5`. Environment variable: `ELF_MAX_RETRIES`.",
			Validators: []validator.Int64{maxRetriesCheck},
		},
		"max_concurrent_requests": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "How many requests to Tower may be in flight at a time, from `1` to `1000`. Default: `8`. " +
				"Environment variable: `ELF_MAX_CONCURRENT_REQUESTS`.",
			Validators: []validator.Int64{maxConcurrentRequestsCheck},
		},
		"poll_interval": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Time between two looks at running tasks and awaited addresses, a duration from `\"100ms\"` to `\"60s\"`. " +
				"One look serves all waiting VMs. Default: `\"5s\"`. Environment variable: `ELF_POLL_INTERVAL`.",
			Validators: []validator.String{pollIntervalCheck},
		},
		"headers": schema.MapAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "HTTP headers to send with every request, for a Tower behind a gateway that needs them. Default: none.",
			Validators:          []validator.Map{mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)), mapvalidator.NoNullValues()},
		},
	}
}
