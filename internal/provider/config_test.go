// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func str(s string) types.String { return types.StringValue(s) }

func headers(values map[string]attr.Value) types.Map {
	return types.MapValueMust(types.StringType, values)
}

// block returns an empty provider block with the given changes.
func block(changes ...func(*config)) config {
	c := config{Headers: types.MapNull(types.StringType)}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func login(c *config) { c.Server, c.Username, c.Password = str("tower"), str("root"), str("secret") }

// defaults returns the client's configuration for a block that sets only the
// server and the credentials, with the given changes.
func defaults(changes ...func(*tower.Config)) tower.Config {
	cfg := tower.Config{
		Server: "tower", Username: "root", Password: "secret",
		RequestTimeout: 30 * time.Second, MaxRetries: 5, MaxConcurrentRequests: 8, PollInterval: 5 * time.Second,
	}
	for _, change := range changes {
		change(&cfg)
	}
	return cfg
}

func TestConfig_towerConfig(t *testing.T) {
	t.Parallel()
	everything := map[string]string{
		"ELF_SERVER": "env-tower", "ELF_USERNAME": "env-user", "ELF_PASSWORD": "env-password", "ELF_USER_SOURCE": "LDAP",
		"ELF_AUTH_CONFIG_ID": "env-strategy", "ELF_CA_CERTIFICATE": "/env/ca.pem", "ELF_INSECURE": "false",
		"ELF_REQUEST_TIMEOUT": "10s", "ELF_MAX_RETRIES": "0", "ELF_MAX_CONCURRENT_REQUESTS": "2", "ELF_POLL_INTERVAL": "60s",
	}
	cases := map[string]struct {
		block config
		env   map[string]string
		want  tower.Config
	}{
		"defaults": {block: block(login), want: defaults()},
		"all from the environment": {block: block(), env: everything, want: tower.Config{
			Server: "env-tower", Username: "env-user", Password: "env-password", UserSource: "LDAP", AuthConfigID: "env-strategy",
			CACertificate: "/env/ca.pem", RequestTimeout: 10 * time.Second, MaxConcurrentRequests: 2, PollInterval: time.Minute,
		}},
		"the block goes first": {
			block: block(login, func(c *config) {
				c.UserSource, c.AuthConfigID, c.CACertificate = str("AUTHN"), str("strategy"), str("/ca.pem")
				c.Insecure = types.BoolValue(false)
				c.RequestTimeout, c.PollInterval = str("1m"), str("100ms")
				c.MaxRetries, c.MaxConcurrentRequests = types.Int64Value(1), types.Int64Value(3)
				c.Headers = headers(map[string]attr.Value{"x-bypass": str("true")})
			}),
			env: everything,
			want: tower.Config{
				Server: "tower", Username: "root", Password: "secret", UserSource: "AUTHN", AuthConfigID: "strategy",
				CACertificate: "/ca.pem", RequestTimeout: time.Minute, MaxRetries: 1, MaxConcurrentRequests: 3,
				PollInterval: 100 * time.Millisecond, Headers: map[string]string{"x-bypass": "true"},
			},
		},
		"mixed": {
			block: block(func(c *config) { c.Server, c.Username = str("tower"), str("root") }),
			env:   map[string]string{"ELF_PASSWORD": "secret", "ELF_USERNAME": "other"},
			want:  defaults(),
		},
		"token": {
			block: block(func(c *config) { c.Server, c.APIToken = str("tower"), str("key") }),
			env:   map[string]string{"ELF_USERNAME": "other", "ELF_PASSWORD": "other"},
			want:  defaults(func(c *tower.Config) { c.Username, c.Password, c.APIToken = "", "", "key" }),
		},
		"token from the environment": {
			block: block(),
			env:   map[string]string{"ELF_SERVER": "tower", "ELF_API_TOKEN": "key", "ELF_USERNAME": "other", "ELF_PASSWORD": "other"},
			want:  defaults(func(c *tower.Config) { c.Username, c.Password, c.APIToken = "", "", "key" }),
		},
		"configured user and a token in the environment": {
			block: block(login), env: map[string]string{"ELF_API_TOKEN": "key"}, want: defaults(),
		},
		"empty variables are not set": {
			block: block(login),
			env: map[string]string{
				"ELF_API_TOKEN": "", "ELF_INSECURE": "", "ELF_MAX_RETRIES": "", "ELF_POLL_INTERVAL": "", "ELF_USER_SOURCE": "",
			},
			want: defaults(),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !tc.block.known() {
				t.Fatal("the block counts as not known")
			}
			got, diags := tc.block.towerConfig(t.Context(), lookupIn(tc.env))
			if len(diags) != 0 {
				t.Errorf("diagnostics %v", diags)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

func TestConfig_refused(t *testing.T) {
	t.Parallel()
	const fromEnv = " The value comes from the environment variable "
	cases := map[string]struct {
		block                      config
		env                        map[string]string
		attribute, summary, detail string
	}{
		"no server": {
			block:     block(func(c *config) { c.Username, c.Password = str("root"), str("secret") }),
			attribute: "server", summary: "Missing server",
			detail: "Tower's address is not set. Set server in the provider block, or set the environment variable ELF_SERVER.",
		},
		"no credentials": {
			block:     block(func(c *config) { c.Server = str("tower") }),
			attribute: "username", summary: "Missing credentials",
			detail: "Neither a user nor an API token is set. Set username and password, or api_token, in the provider block, " +
				"or set the environment variables ELF_USERNAME and ELF_PASSWORD, or ELF_API_TOKEN.",
		},
		"no password": {
			block:     block(func(c *config) { c.Server, c.Username = str("tower"), str("root") }),
			env:       map[string]string{"ELF_API_TOKEN": "key"},
			attribute: "password", summary: "Missing password",
			detail: `No password is set for the user "root". Set password in the provider block, or set the environment variable ELF_PASSWORD.`,
		},
		"no user": {
			block:     block(func(c *config) { c.Server, c.Password = str("tower"), str("secret") }),
			attribute: "username", summary: "Missing username",
			detail: "A password is set, but no username. Set username in the provider block, or set the environment variable ELF_USERNAME.",
		},
		"scheme in the environment": {
			block: block(login, func(c *config) { c.Server = types.StringNull() }), env: map[string]string{"ELF_SERVER": "ftp://tower"},
			attribute: "server", summary: "Invalid server",
			detail: `server is "ftp://tower": the scheme "ftp" is neither https nor http. It must be a host, host:port or URL such as "https://tower.example.com".` +
				fromEnv + "ELF_SERVER.",
		},
		"poll interval in the environment": {
			block: block(login), env: map[string]string{"ELF_POLL_INTERVAL": "2m"},
			attribute: "poll_interval", summary: "Invalid duration",
			detail: `poll_interval is "2m": that is longer than 1m. It must be a duration such as "30s" or "1m30s", from 100ms to 1m.` + fromEnv + "ELF_POLL_INTERVAL.",
		},
		"request timeout in the environment": {
			block: block(login), env: map[string]string{"ELF_REQUEST_TIMEOUT": "soon"},
			attribute: "request_timeout", summary: "Invalid duration",
			detail: `request_timeout is "soon": that is not a duration. It must be a duration such as "30s" or "1m30s", at least 100ms.` + fromEnv + "ELF_REQUEST_TIMEOUT.",
		},
		"retries in the environment": {
			block: block(login), env: map[string]string{"ELF_MAX_RETRIES": "many"},
			attribute: "max_retries", summary: "Invalid number",
			detail: `"many" is not a whole number.` + fromEnv + "ELF_MAX_RETRIES.",
		},
		"requests in the environment": {
			block: block(login), env: map[string]string{"ELF_MAX_CONCURRENT_REQUESTS": "0"},
			attribute: "max_concurrent_requests", summary: "Invalid Attribute Value",
			detail: "Attribute max_concurrent_requests value must be between 1 and 1000, got: 0" + fromEnv + "ELF_MAX_CONCURRENT_REQUESTS.",
		},
		"insecure in the environment": {
			block: block(login), env: map[string]string{"ELF_INSECURE": "maybe"},
			attribute: "insecure", summary: "Invalid boolean",
			detail: `"maybe" is neither true nor false.` + fromEnv + "ELF_INSECURE.",
		},
		"user source in the environment": {
			block: block(login), env: map[string]string{"ELF_USER_SOURCE": "ldap"},
			attribute: "user_source", summary: "Invalid Attribute Value Match",
			detail: `Attribute user_source value must be one of: ["LOCAL" "LDAP" "AUTHN" "SSO"], got: "ldap"` + fromEnv + "ELF_USER_SOURCE.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := tc.block.towerConfig(t.Context(), lookupIn(tc.env))
			var want diag.Diagnostics
			want.AddAttributeError(path.Root(tc.attribute), tc.summary, tc.detail)
			if diff := cmp.Diff(want, diags); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tower.Config{}, got); diff != "" {
				t.Errorf("a refused configuration is still used:\n%s", diff)
			}
		})
	}
}

func TestConfig_warnings(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		block              config
		env                map[string]string
		attribute, summary string
	}{
		"http": {
			block:     block(login, func(c *config) { c.Server = str("HTTP://tower") }),
			attribute: "server", summary: "Connection to Tower is not encrypted",
		},
		"http and insecure": {
			block:     block(login, func(c *config) { c.Server, c.Insecure = str("http://tower"), types.BoolValue(true) }),
			attribute: "server", summary: "Connection to Tower is not encrypted",
		},
		"insecure": {
			block:     block(login, func(c *config) { c.Insecure = types.BoolValue(true) }),
			attribute: "insecure", summary: "Certificate of Tower is not verified",
		},
		"insecure in the environment": {
			block: block(login), env: map[string]string{"ELF_INSECURE": "1"},
			attribute: "insecure", summary: "Certificate of Tower is not verified",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, diags := tc.block.towerConfig(t.Context(), lookupIn(tc.env))
			if cfg.Server == "" {
				t.Error("a warning must not drop the configuration")
			}
			if len(diags) != 1 || diags.WarningsCount() != 1 {
				t.Fatalf("diagnostics %v, want one warning", diags)
			}
			d, ok := diags[0].(diag.DiagnosticWithPath)
			if !ok || !d.Path().Equal(path.Root(tc.attribute)) || d.Summary() != tc.summary {
				t.Errorf("diagnostic %v, want %q on %s", diags[0], tc.summary, tc.attribute)
			}
		})
	}
}

func TestConfig_validate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		block   config
		refused bool
	}{
		"user":                         {block: block(login)},
		"token":                        {block: block(func(c *config) { c.APIToken = str("key") })},
		"token and user":               {block: block(login, func(c *config) { c.APIToken = str("key") }), refused: true},
		"token and password":           {block: block(func(c *config) { c.APIToken, c.Password = str("key"), str("x") }), refused: true},
		"token and unknown user":       {block: block(func(c *config) { c.APIToken, c.Username = str("key"), types.StringUnknown() })},
		"unknown token and known user": {block: block(login, func(c *config) { c.APIToken = types.StringUnknown() })},
	}
	for name, tc := range cases {
		diags := tc.block.validate()
		switch {
		case !tc.refused && len(diags) != 0:
			t.Errorf("%s: diagnostics %v", name, diags)
		case tc.refused && (len(diags) != 1 || diags[0].Summary() != "Invalid combination of credentials"):
			t.Errorf("%s: diagnostics %v, want one error", name, diags)
		}
	}
}

func TestConfig_known(t *testing.T) {
	t.Parallel()
	unknown := map[string]func(*config){
		"server":      func(c *config) { c.Server = types.StringUnknown() },
		"password":    func(c *config) { c.Password = types.StringUnknown() },
		"api_token":   func(c *config) { c.APIToken = types.StringUnknown() },
		"insecure":    func(c *config) { c.Insecure = types.BoolUnknown() },
		"max_retries": func(c *config) { c.MaxRetries = types.Int64Unknown() },
		"headers":     func(c *config) { c.Headers = types.MapUnknown(types.StringType) },
		"one header":  func(c *config) { c.Headers = headers(map[string]attr.Value{"x": types.StringUnknown()}) },
	}
	for name, change := range unknown {
		if c := block(login, change); c.known() {
			t.Errorf("a block with unknown %s counts as known", name)
		}
	}
	if !block().known() || !block(login).known() {
		t.Error("a block without unknown values counts as not known")
	}
}

// TestServerCheck checks that the schema accepts exactly the servers that the
// client accepts.
func TestServerCheck(t *testing.T) {
	t.Parallel()
	for _, server := range []string{
		"tower", "tower.example.com", "tower:8443", "10.0.0.2", "10.0.0.2:80", "fd00::2", "[fd00::2]:443", "https://tower", "HTTP://tower/",
		"http://127.0.0.1:8080", "ftp://tower", "://tower", "https://", ":443", "tower:0", "tower:70000", "tower:", "tower:x",
		"https://tower/v2/api", "https://tower?a", "https://tower#a", "https://u:p@tower", "my tower", "", "https://[fd00::2", "a/b", "tower?",
	} {
		resp := validator.StringResponse{}
		serverCheck.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("server"), ConfigValue: str(server)}, &resp)
		_, err := tower.ParseServer(server)
		if (err != nil) != resp.Diagnostics.HasError() {
			t.Errorf("%q: the schema says %v, the client %v", server, resp.Diagnostics, err)
		}
		for _, d := range resp.Diagnostics {
			if strings.Contains(d.Detail(), "u:p") {
				t.Errorf("%q: the diagnostic shows the password: %s", server, d.Detail())
			}
		}
	}
}
