// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfig_check(t *testing.T) {
	s := newAPIServer(t)
	good := s.kubeconfig(withToken())
	dir := t.TempDir()
	file := writeFile(t, filepath.Join(dir, "good"), good)
	junk := writeFile(t, filepath.Join(dir, "junk"), "junk")
	for _, c := range []struct {
		name   string
		config Config
		field  string
		text   string
	}{
		{"nothing", Config{}, "config_path", "no Kubernetes cluster is configured"},
		{"a token alone", Config{Token: goodToken}, "config_path", "no Kubernetes cluster is configured"},
		{"both kubeconfigs", Config{ConfigPath: file, ConfigContent: good}, "config_path", "exclude each other"},
		{"context without a kubeconfig", Config{Host: s.URL, ConfigContext: "good"}, "config_context", "part of a kubeconfig"},
		{"content that is no kubeconfig", Config{ConfigContent: "junk"}, "config_content", "it is not a kubeconfig"},
		{"content that is no YAML", Config{ConfigContent: "{"}, "config_content", "it is not a kubeconfig"},
		{"content that says nothing", Config{ConfigContent: "\n"}, "config_content", "no current context"},
		{"file that is no kubeconfig", Config{ConfigPath: junk}, "config_path", "it is not a kubeconfig"},
		{"file that is a folder", Config{ConfigPath: dir}, "config_path", "can't be read"},
		{"context that is not there", Config{ConfigContent: good, ConfigContext: "bad"}, "config_context", `no context "bad", it has good, nobody`},
		{"context that the file has not", Config{ConfigPath: file, ConfigContext: "bad"}, "config_context", `no context "bad"`},
		{"current context that is not there", Config{ConfigContent: strings.Replace(good, `"current-context":"good"`, `"current-context":"bad"`, 1)}, "config_content", `no context "bad"`},
		{"no current context", Config{ConfigContent: strings.Replace(good, `"current-context":"good",`, "", 1)}, "config_content", "set config_context to one of good, nobody"},
		{"no context at all", Config{ConfigContent: "kind: Config\napiVersion: v1\n"}, "config_content", "one of none"},
		{"cluster that is not there", Config{ConfigContent: strings.Replace(good, `"name":"c"}`, `"name":"d"}`, 1)}, "config_content", `no cluster "c"`},
		{"user that is not there", Config{ConfigContent: strings.Replace(good, `"name":"u"`, `"name":"v"`, 1)}, "config_content", `no user "u"`},
		{"host of another scheme", Config{Host: "ftp://h"}, "host", "neither an http(s) URL nor host:port"},
		{"host without a name", Config{Host: "https://:6443"}, "host", "neither"},
		{"host that is no URL", Config{Host: "https://a b"}, "host", "neither"},
		{"authority that is no PEM", Config{Host: s.URL, ClusterCACertificate: "junk"}, "cluster_ca_certificate", "PEM"},
		{"authority and insecure", Config{Host: s.URL, ClusterCACertificate: s.ca, Insecure: true}, "insecure", "exclude each other"},
		{"certificate without a key", Config{Host: s.URL, ClientCertificate: s.clientCert}, "client_key", "needs its key"},
		{"key without a certificate", Config{Host: s.URL, ClientKey: s.clientKey}, "client_certificate", "needs its certificate"},
		{"key of another certificate", Config{Host: s.URL, ClientCertificate: s.ca, ClientKey: s.clientKey}, "client_certificate", "usable pair"},

		{"host and port", Config{Host: "10.0.0.1:6443"}, "", ""},
		{"host alone", Config{Host: "kube.example.com"}, "", ""},
		{"http", Config{Host: "http://127.0.0.1:8080"}, "", ""},
		{"content", Config{ConfigContent: good}, "", ""},
		{"content and context", Config{ConfigContent: good, ConfigContext: "nobody"}, "", ""},
		{"file", Config{ConfigPath: file}, "", ""},
		{"file that is not there", Config{ConfigPath: filepath.Join(dir, "later"), ConfigContext: "any"}, "", ""},
		{"folder that is not there", Config{ConfigPath: filepath.Join(dir, "later", "config")}, "", ""},
		{"host that replaces the cluster", Config{ConfigContent: strings.Replace(good, `"name":"c"}`, `"name":"d"}`, 1), Host: s.URL}, "", ""},
		{"host that needs no context", Config{ConfigContent: "kind: Config\napiVersion: v1\n", Host: s.URL}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.config.Check()
			var config *ConfigError
			switch {
			case c.field == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.field == "":
			case !errors.As(err, &config):
				t.Errorf("got %v, want an error on %s", err, c.field)
			case config.Field != c.field || !strings.Contains(config.Err.Error(), c.text) || err.Error() != c.field+": "+config.Err.Error():
				t.Errorf("got %v, want %s: %s", err, c.field, c.text)
			}
		})
	}
	if err := (Config{ConfigPath: filepath.Join(dir, "junk", "below")}).Check(); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("below a file: got %v", err)
	}
	t.Setenv("HOME", "")
	if err := (Config{ConfigPath: "~/config"}).Check(); err == nil || !strings.Contains(err.Error(), "home directory") {
		t.Errorf("without a home: got %v", err)
	}
	if n := s.lists.Load(); n != 0 {
		t.Errorf("the checks asked the API server %d times", n)
	}
}
