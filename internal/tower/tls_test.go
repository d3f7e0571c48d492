// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newTLSFake is a fake behind TLS; it returns its certificate.
func newTLSFake(t *testing.T) (f *fake, certificate string) {
	t.Helper()
	f = newFake(t)
	f.Close()
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.StartTLS()
	t.Cleanup(f.Close)
	return f, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw}))
}

func TestTLS(t *testing.T) {
	f, certificate := newTLSFake(t)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte(certificate), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"PEM text": func(c *Config) { c.CACertificate = certificate },
		"file":     func(c *Config) { c.CACertificate = file },
		"insecure": func(c *Config) { c.Insecure = true },
		"no scheme": func(c *Config) {
			c.CACertificate = certificate
			c.Server = strings.TrimPrefix(c.Server, "https://")
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := f.client(change).Login(short(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTLS_notTrusted(t *testing.T) {
	f, certificate := newTLSFake(t)
	err := f.client().Login(short(t))
	wantLogin(t, err, LoginTLS, "ca_certificate", "insecure")

	// The right authority, the wrong name.
	err = f.client(func(c *Config) {
		c.CACertificate = certificate
		c.Server = strings.Replace(c.Server, "127.0.0.1", "localhost", 1)
	}).Login(short(t))
	wantLogin(t, err, LoginTLS, "localhost")
	if len(f.requests) != 0 {
		t.Errorf("%d requests reached the server", len(f.requests))
	}
}

func TestTLS_plainServer(t *testing.T) {
	f := newFake(t)
	err := f.client(func(c *Config) { c.Server = strings.TrimPrefix(c.Server, "http://") }).Login(short(t))
	wantLogin(t, err, LoginTLS, "http://")
}

func TestTLS_plainClient(t *testing.T) {
	f, _ := newTLSFake(t)
	err := f.client(func(c *Config) { c.Server = strings.Replace(c.Server, "https://", "http://", 1) }).Login(short(t))
	wantLogin(t, err, LoginNotTower)
}
