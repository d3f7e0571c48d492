// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseServer(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"tower.example.com", "https://tower.example.com"},
		{"  tower.example.com ", "https://tower.example.com"},
		{"tower.example.com:8443", "https://tower.example.com:8443"},
		{"https://tower.example.com", "https://tower.example.com"},
		{"https://tower.example.com/", "https://tower.example.com"},
		{"HTTP://tower.example.com:80/", "http://tower.example.com:80"},
		{"http://10.0.0.1", "http://10.0.0.1"},
		{"10.0.0.1:443", "https://10.0.0.1:443"},
		{"fd00::1", "https://[fd00::1]"},
		{"[fd00::1]:8443", "https://[fd00::1]:8443"},
		{"https://[fd00::1]", "https://[fd00::1]"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			u, err := ParseServer(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := u.String(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestParseServer_refused(t *testing.T) {
	for _, tc := range []struct{ name, in, says string }{
		{"empty", "", "missing"},
		{"blank", "  ", "missing"},
		{"scheme", "ftp://tower", `"ftp"`},
		{"user", "https://root:hunter2@tower", "username and password"},
		{"path", "https://tower/v2/api", `"/v2/api"`},
		{"path without scheme", "tower/x", `"/x"`},
		{"query", "https://tower?x=1", "query"},
		{"fragment", "https://tower/#x", "fragment"},
		{"no host", "https://", "host is missing"},
		{"no host but a port", ":443", "host is missing"},
		{"port of letters", "tower:https", "not a host"},
		{"port too large", "tower:70000", "70000"},
		{"port zero", "tower:0", "between"},
		{"port empty", "tower:", "port is missing"},
		{"space", "to wer", "not a host"},
		{"bad user", "https://root:hunter2%zz@tower", "not a host"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u, err := ParseServer(tc.in)
			var refused *ConfigError
			if !errors.As(err, &refused) || refused.Field != "server" {
				t.Fatalf("got %v, %v; want a ConfigError of server", u, err)
			}
			if !strings.Contains(err.Error(), tc.says) {
				t.Errorf("the error does not say %q: %v", tc.says, err)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

func TestNew_refusesSettings(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.pem")
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		field  string
		name   string
		change func(*Config)
	}{
		{"server", "scheme", func(c *Config) { c.Server = "gopher://x" }},
		{"username", "no credentials", func(c *Config) { c.Username, c.Password = "", "" }},
		{"password", "no password", func(c *Config) { c.Password = "" }},
		{"api_token", "both", func(c *Config) { c.APIToken = "t" }},
		{"user_source", "unknown", func(c *Config) { c.UserSource = "KERBEROS" }},
		{"ca_certificate", "no file", func(c *Config) { c.CACertificate = missing }},
		{"ca_certificate", "no certificate", func(c *Config) { c.CACertificate = empty }},
		{"ca_certificate", "broken PEM", func(c *Config) { c.CACertificate = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----" }},
		{"headers", "own header", func(c *Config) { c.Headers = map[string]string{"Authorization": "x"} }},
		{"headers", "bad name", func(c *Config) { c.Headers = map[string]string{"a b": "x"} }},
		{"headers", "bad value", func(c *Config) { c.Headers = map[string]string{"a": "x\r\ny"} }},
		{"request_timeout", "negative", func(c *Config) { c.RequestTimeout = -1 }},
		{"poll_interval", "negative", func(c *Config) { c.PollInterval = -1 }},
		{"max_retries", "negative", func(c *Config) { c.MaxRetries = -1 }},
		{"max_concurrent_requests", "negative", func(c *Config) { c.MaxConcurrentRequests = -1 }},
	} {
		t.Run(tc.field+" "+tc.name, func(t *testing.T) {
			cfg := Config{Server: "tower", Username: "root", Password: "p"}
			tc.change(&cfg)
			c, err := New(cfg)
			var refused *ConfigError
			if !errors.As(err, &refused) || refused.Field != tc.field {
				t.Fatalf("got %v, %v; want a ConfigError of %s", c, err, tc.field)
			}
		})
	}
}

func TestNew_defaults(t *testing.T) {
	c, err := New(Config{Server: "tower", Username: "root", Password: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if c.cfg.RequestTimeout != 30*time.Second || c.cfg.PollInterval != 5*time.Second || c.cfg.MaxConcurrentRequests != 8 || c.cfg.MaxRetries != 0 {
		t.Errorf("unexpected defaults: %+v", c.cfg)
	}
	if c.taskInterval != 2*time.Second {
		t.Errorf("tasks are looked at every %s", c.taskInterval)
	}
	if c.Server() != "https://tower" || c.Version() != "" {
		t.Errorf("server %q, version %q", c.Server(), c.Version())
	}
	if c.cfg.UserSource != SourceLocal {
		t.Errorf("source %q", c.cfg.UserSource)
	}
}
