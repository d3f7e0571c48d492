// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func TestTowerLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &out)
	log := towerLog("hunter2", "")
	levels := map[tower.LogLevel]string{tower.LogTrace: "trace", tower.LogDebug: "debug", tower.LogInfo: "info", tower.LogWarn: "warn"}
	for level, name := range levels {
		out.Reset()
		log(ctx, level, "the password is hunter2", map[string]any{
			"path": "/v2/api/login", "echo": "pw=hunter2", "token": "abc123", "authorization": "abc123", "password": "xyz",
		})
		entries, err := tflogtest.MultilineJSONDecode(&out)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 1 {
			t.Fatalf("%d lines at level %s, want one", len(entries), name)
		}
		if entries[0]["@level"] != name || entries[0]["path"] != "/v2/api/login" {
			t.Errorf("line %v, want level %s and the path", entries[0], name)
		}
		for _, secret := range []string{"hunter2", "abc123", "xyz"} {
			if strings.Contains(fmt.Sprint(entries[0]), secret) {
				t.Errorf("%s shows in %v", secret, entries[0])
			}
		}
	}
}

func TestLoginAttribute(t *testing.T) {
	t.Parallel()
	cases := map[tower.LoginProblem]string{
		tower.LoginWrongCredentials: "username",
		tower.LoginTwoFactor:        "username",
		tower.LoginTokenRefused:     "",
		tower.LoginUnreachable:      "server",
		tower.LoginNotTower:         "server",
		tower.LoginTLS:              "server",
		tower.LoginDirectory:        "user_source",
		tower.LoginFailed:           "",
	}
	for problem, want := range cases {
		err := fmt.Errorf("wrapped: %w", &tower.LoginError{Problem: problem})
		if got := loginAttribute(err, tower.Config{}); got != want {
			t.Errorf("%s: attribute %q, want %q", problem, got, want)
		}
	}
	for cause, want := range map[error]string{x509.UnknownAuthorityError{}: "ca_certificate", http.ErrSchemeMismatch: "server"} {
		err := &tower.LoginError{Problem: tower.LoginTLS, Err: cause}
		if got := loginAttribute(err, tower.Config{CACertificate: "x"}); got != want {
			t.Errorf("%v with a configured authority: attribute %q, want %q", cause, got, want)
		}
	}
	if got := loginAttribute(errors.New("other"), tower.Config{}); got != "" {
		t.Errorf("another error: attribute %q", got)
	}
}
