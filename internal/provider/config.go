// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/attrs"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Names of the attributes that the code refers to.
const (
	attrServer                = "server"
	attrUsername              = "username"
	attrPassword              = "password"
	attrUserSource            = "user_source"
	attrAuthConfigID          = "auth_config_id"
	attrAPIToken              = "api_token"
	attrCACertificate         = "ca_certificate"
	attrInsecure              = "insecure"
	attrRequestTimeout        = "request_timeout"
	attrMaxRetries            = "max_retries"
	attrMaxConcurrentRequests = "max_concurrent_requests"
	attrPollInterval          = "poll_interval"
	attrKubernetes            = "kubernetes"
)

// config is the provider block.
type config struct {
	Server                types.String `tfsdk:"server"`
	Username              types.String `tfsdk:"username"`
	Password              types.String `tfsdk:"password"`
	UserSource            types.String `tfsdk:"user_source"`
	AuthConfigID          types.String `tfsdk:"auth_config_id"`
	APIToken              types.String `tfsdk:"api_token"`
	CACertificate         types.String `tfsdk:"ca_certificate"`
	Insecure              types.Bool   `tfsdk:"insecure"`
	RequestTimeout        types.String `tfsdk:"request_timeout"`
	MaxRetries            types.Int64  `tfsdk:"max_retries"`
	MaxConcurrentRequests types.Int64  `tfsdk:"max_concurrent_requests"`
	PollInterval          types.String `tfsdk:"poll_interval"`
	Headers               types.Map    `tfsdk:"headers"`
	DefaultLabels         types.Map    `tfsdk:"default_labels"`
	Kubernetes            types.Object `tfsdk:"kubernetes"`
}

// validate checks the attributes against each other. It accepts unknown values.
func (c config) validate() diag.Diagnostics {
	var diags diag.Diagnostics
	if attrs.IsKnown(c.APIToken) && (attrs.IsKnown(c.Username) || attrs.IsKnown(c.Password)) {
		// Terraform prints the line that an error is attached to, so that line must not have a secret.
		diags.AddAttributeError(path.Root(attrUsername), "Invalid combination of credentials",
			"api_token is used in place of username and password, so they can't be set together. Remove api_token, or remove username and password.")
	}
	return diags
}

// known reports whether all values that a client needs are known.
func (c config) known() bool {
	for _, v := range []attr.Value{
		c.Server, c.Username, c.Password, c.UserSource, c.AuthConfigID, c.APIToken, c.CACertificate, c.Insecure,
		c.RequestTimeout, c.MaxRetries, c.MaxConcurrentRequests, c.PollInterval, c.Headers,
	} {
		if v.IsUnknown() {
			return false
		}
	}
	for _, v := range c.Headers.Elements() {
		if v.IsUnknown() {
			return false
		}
	}
	return true
}

// towerConfig combines the block with the environment and the defaults, and
// warns about risky settings. All values must be known.
func (c config) towerConfig(ctx context.Context, lookupEnv func(string) (string, bool)) (tower.Config, diag.Diagnostics) {
	r := reader{lookupEnv: lookupEnv}
	cfg := tower.Config{
		Server:                r.text(ctx, attrServer, c.Server, serverCheck),
		CACertificate:         r.text(ctx, attrCACertificate, c.CACertificate),
		Insecure:              r.flag(attrInsecure, c.Insecure),
		RequestTimeout:        r.duration(ctx, attrRequestTimeout, c.RequestTimeout, defaultRequestTimeout, requestTimeoutCheck),
		MaxRetries:            r.number(ctx, attrMaxRetries, c.MaxRetries, defaultMaxRetries, maxRetriesCheck),
		MaxConcurrentRequests: r.number(ctx, attrMaxConcurrentRequests, c.MaxConcurrentRequests, defaultMaxConcurrentRequests, maxConcurrentRequestsCheck),
		PollInterval:          r.duration(ctx, attrPollInterval, c.PollInterval, defaultPollInterval, pollIntervalCheck),
	}
	r.diags.Append(c.Headers.ElementsAs(ctx, &cfg.Headers, false)...)
	if cfg.Server == "" && !r.diags.HasError() {
		r.missing(attrServer, "Missing server", "Tower's address is not set.")
	}
	c.credentials(ctx, &r, &cfg)
	if r.diags.HasError() {
		return tower.Config{}, r.diags
	}
	switch {
	case strings.HasPrefix(strings.ToLower(cfg.Server), "http://"):
		r.diags.AddAttributeWarning(path.Root(attrServer), "Connection to Tower is not encrypted",
			"The server's URL begins with http://, so the credentials and everything else travel unencrypted. Use https:// if Tower offers it.")
	case cfg.Insecure:
		r.diags.AddAttributeWarning(path.Root(attrInsecure), "Certificate of Tower is not verified",
			"insecure is set, so anybody on the network path can pose as Tower and read the credentials. "+
				"Set ca_certificate to the certificate of the authority that signed Tower's certificate instead.")
	}
	return cfg, r.diags
}

// credentials fills in either the API token or the user. The block takes
// precedence over the environment, so that a token which happens to be exported
// does not override a configured user.
func (c config) credentials(ctx context.Context, r *reader, cfg *tower.Config) {
	if c.Username.IsNull() && c.Password.IsNull() {
		cfg.APIToken = r.text(ctx, attrAPIToken, c.APIToken)
		if cfg.APIToken != "" {
			return
		}
	}
	cfg.Username = r.text(ctx, attrUsername, c.Username)
	cfg.Password = r.text(ctx, attrPassword, c.Password)
	cfg.UserSource = r.text(ctx, attrUserSource, c.UserSource, userSourceCheck)
	cfg.AuthConfigID = r.text(ctx, attrAuthConfigID, c.AuthConfigID)
	switch {
	case cfg.Username == "" && cfg.Password == "":
		r.diags.AddAttributeError(path.Root(attrUsername), "Missing credentials",
			fmt.Sprintf("Neither a user nor an API token is set. Set username and password, or api_token, in the provider block, "+
				"or set the environment variables %s and %s, or %s.", envName(attrUsername), envName(attrPassword), envName(attrAPIToken)))
	case cfg.Username == "":
		r.missing(attrUsername, "Missing username", "A password is set, but no username.")
	case cfg.Password == "":
		r.missing(attrPassword, "Missing password", fmt.Sprintf("No password is set for the user %q.", cfg.Username))
	}
}

// envName returns the environment variable that is read if an attribute is not
// set.
func envName(attribute string) string { return "ELF_" + strings.ToUpper(attribute) }

// reader reads each value from the provider block, else from the environment,
// else it uses the default. The framework has validated the block; the reader
// validates values from the environment in the same way.
type reader struct {
	lookupEnv func(string) (string, bool)
	diags     diag.Diagnostics
}

// env returns the value of the attribute's environment variable. An empty one
// counts as not set.
func (r *reader) env(attribute string) (string, bool) {
	value, ok := r.lookupEnv(envName(attribute))
	return value, ok && value != ""
}

func (r *reader) text(ctx context.Context, attribute string, v types.String, checks ...validator.String) string {
	if !v.IsNull() {
		return v.ValueString()
	}
	value, ok := r.env(attribute)
	if !ok {
		return ""
	}
	for _, check := range checks {
		resp := validator.StringResponse{}
		check.ValidateString(ctx, validator.StringRequest{
			Path: path.Root(attribute), PathExpression: path.MatchRoot(attribute), ConfigValue: types.StringValue(value),
		}, &resp)
		r.addEnvErrors(attribute, resp.Diagnostics)
	}
	return value
}

func (r *reader) duration(ctx context.Context, attribute string, v types.String, def time.Duration, check validator.String) time.Duration {
	text := r.text(ctx, attribute, v, check)
	if text == "" {
		return def
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return def // check has added an error
	}
	return d
}

func (r *reader) number(ctx context.Context, attribute string, v types.Int64, def int, check validator.Int64) int {
	if !v.IsNull() {
		return int(v.ValueInt64())
	}
	text, ok := r.env(attribute)
	if !ok {
		return def
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		r.addEnvErrors(attribute, oneError("Invalid number", fmt.Sprintf("%q is not a whole number.", text)))
		return def
	}
	resp := validator.Int64Response{}
	check.ValidateInt64(ctx, validator.Int64Request{
		Path: path.Root(attribute), PathExpression: path.MatchRoot(attribute), ConfigValue: types.Int64Value(n),
	}, &resp)
	r.addEnvErrors(attribute, resp.Diagnostics)
	return int(n)
}

func (r *reader) flag(attribute string, v types.Bool) bool {
	if !v.IsNull() {
		return v.ValueBool()
	}
	text, ok := r.env(attribute)
	if !ok {
		return false
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		r.addEnvErrors(attribute, oneError("Invalid boolean", fmt.Sprintf("%q is neither true nor false.", text)))
	}
	return b
}

// addEnvErrors adds the errors that a check has found in a value from the
// environment.
func (r *reader) addEnvErrors(attribute string, found diag.Diagnostics) {
	for _, d := range found {
		r.diags.AddAttributeError(path.Root(attribute), d.Summary(),
			fmt.Sprintf("%s The value comes from the environment variable %s.", strings.TrimSpace(d.Detail()), envName(attribute)))
	}
}

// missing adds an error that says how to set an attribute.
func (r *reader) missing(attribute, summary, what string) {
	r.diags.AddAttributeError(path.Root(attribute), summary,
		fmt.Sprintf("%s Set %s in the provider block, or set the environment variable %s.", what, attribute, envName(attribute)))
}

func oneError(summary, detail string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, detail)}
}
