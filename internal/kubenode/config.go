// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	// This makes kubeconfigs with an OIDC provider work, as they do in kubectl.
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Config names a Kubernetes cluster and the credentials for it. Equal Configs share one Directory.
type Config struct {
	// ConfigPath is the path of a kubeconfig file, which need not exist yet. A leading ~/ is the home directory.
	ConfigPath string
	// ConfigContent is the text of a kubeconfig, instead of ConfigPath.
	ConfigContent string
	// ConfigContext is the context of the kubeconfig to use. Empty means its current context.
	ConfigContext string
	// Host is the API server's URL or host:port (https). It replaces the kubeconfig's.
	Host string
	// Token is a bearer token. It replaces the kubeconfig's credentials.
	Token string
	// ClientCertificate and ClientKey are PEM texts. They replace the kubeconfig's credentials.
	ClientCertificate, ClientKey string
	// ClusterCACertificate is the PEM text of the certificates that sign the API server's certificate.
	ClusterCACertificate string
	// Insecure accepts any certificate of the API server.
	Insecure bool
}

// ConfigError says which member of a Config is wrong.
type ConfigError struct {
	// Field is the member's name in a configuration, such as config_path.
	Field string
	// Err says what is wrong with it.
	Err error
}

// Error returns the field and what is wrong with it.
func (e *ConfigError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns what is wrong with the field.
func (e *ConfigError) Unwrap() error { return e.Err }

func configError(field, format string, args ...any) error {
	return &ConfigError{Field: field, Err: fmt.Errorf(format, args...)}
}

// Check returns a *ConfigError if the Config can be seen to be wrong without asking the API server. A kubeconfig file
// need not exist yet, but is read if it does.
func (c Config) Check() error {
	switch {
	case c.ConfigPath != "" && c.ConfigContent != "":
		return configError("config_path", "config_path and config_content exclude each other")
	case c.ConfigPath == "" && c.ConfigContent == "" && c.Host == "":
		return configError("config_path", "no Kubernetes cluster is configured: set config_path, config_content or host")
	case c.ConfigPath == "" && c.ConfigContent == "" && c.ConfigContext != "":
		return configError("config_context", "a context is part of a kubeconfig: set config_path or config_content too")
	}
	if err := c.checkCredentials(); err != nil {
		return err
	}
	raw, err := c.kubeconfig()
	switch {
	case errors.Is(err, errEmpty), errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil, raw == nil:
		return err
	}
	_, err = c.parse(raw)
	return err
}

func (c Config) checkCredentials() error {
	if c.Host != "" {
		u, err := url.Parse(c.server())
		if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
			return configError("host", "%q is neither an http(s) URL nor host:port", c.Host)
		}
	}
	if c.ClusterCACertificate != "" {
		if c.Insecure {
			return configError("insecure", "insecure and cluster_ca_certificate exclude each other")
		}
		if !x509.NewCertPool().AppendCertsFromPEM([]byte(c.ClusterCACertificate)) {
			return configError("cluster_ca_certificate", "it has no certificate in PEM format")
		}
	}
	switch {
	case c.ClientCertificate != "" && c.ClientKey == "":
		return configError("client_key", "client_certificate needs its key: set client_key too")
	case c.ClientCertificate == "" && c.ClientKey != "":
		return configError("client_certificate", "client_key needs its certificate: set client_certificate too")
	case c.ClientCertificate != "":
		if _, err := tls.X509KeyPair([]byte(c.ClientCertificate), []byte(c.ClientKey)); err != nil {
			return configError("client_certificate", "client_certificate and client_key don't make a usable pair: %w", err)
		}
	}
	return nil
}

// server returns Host as a URL.
func (c Config) server() string {
	if c.Host == "" || strings.Contains(c.Host, "://") {
		return c.Host
	}
	return "https://" + c.Host
}

// path returns ConfigPath with a leading ~/ replaced by the home directory.
func (c Config) path() (string, error) {
	rest, ok := strings.CutPrefix(c.ConfigPath, "~/")
	if !ok {
		return c.ConfigPath, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", configError("config_path", "the home directory can't be found: %w", err)
	}
	return filepath.Join(home, rest), nil
}

// errEmpty means that the kubeconfig file has been created but not written yet.
var errEmpty = errors.New("the kubeconfig is still empty")

// kubeconfig returns the text of the kubeconfig, nil if none is configured.
func (c Config) kubeconfig() ([]byte, error) {
	if c.ConfigPath == "" {
		if c.ConfigContent == "" {
			return nil, nil
		}
		return []byte(c.ConfigContent), nil
	}
	path, err := c.path()
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, configError("config_path", "the kubeconfig can't be read: %w", err)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, configError("config_path", "%w", errEmpty)
	}
	return raw, nil
}

// missing reports whether there is no file at ConfigPath.
func (c Config) missing() bool {
	_, err := c.kubeconfig()
	return errors.Is(err, os.ErrNotExist)
}

// parse parses a kubeconfig and checks that its context is complete.
func (c Config) parse(raw []byte) (*clientcmdapi.Config, error) {
	field := "config_content"
	if c.ConfigPath != "" {
		field = "config_path"
	}
	config, err := clientcmd.Load(raw)
	if err != nil {
		return nil, configError(field, "it is not a kubeconfig: %w", err)
	}
	name := c.ConfigContext
	if name != "" {
		field = "config_context"
	} else {
		name = config.CurrentContext
	}
	if name == "" {
		if c.Host != "" {
			return config, nil
		}
		return nil, configError(field, "the kubeconfig has no current context: set config_context to one of %s", contexts(config))
	}
	selected, ok := config.Contexts[name]
	if !ok {
		return nil, configError(field, "the kubeconfig has no context %q, it has %s", name, contexts(config))
	}
	if _, ok := config.Clusters[selected.Cluster]; !ok && c.Host == "" {
		return nil, configError(field, "the kubeconfig has no cluster %q, which its context %q refers to", selected.Cluster, name)
	}
	if _, ok := config.AuthInfos[selected.AuthInfo]; !ok && selected.AuthInfo != "" {
		return nil, configError(field, "the kubeconfig has no user %q, which its context %q refers to", selected.AuthInfo, name)
	}
	return config, nil
}

// client returns the configuration for a client; raw is the text that kubeconfig returned.
func (c Config) client(raw []byte) (*rest.Config, error) {
	out := &rest.Config{Host: c.server()}
	if raw != nil {
		config, err := c.parse(raw)
		if err != nil {
			return nil, err
		}
		if err := c.resolve(config); err != nil {
			return nil, err
		}
		overrides := &clientcmd.ConfigOverrides{CurrentContext: c.ConfigContext}
		overrides.ClusterInfo.Server = c.server()
		if out, err = clientcmd.NewDefaultClientConfig(*config, overrides).ClientConfig(); err != nil {
			return nil, fmt.Errorf("the kubeconfig can't be used: %w", err)
		}
	}
	c.override(out)
	return out, nil
}

// resolve makes the relative paths in a kubeconfig file relative to that file, as kubectl does.
func (c Config) resolve(config *clientcmdapi.Config) error {
	path, err := c.path()
	if err != nil || path == "" {
		return err
	}
	for _, cluster := range config.Clusters {
		cluster.LocationOfOrigin = path
	}
	for _, user := range config.AuthInfos {
		user.LocationOfOrigin = path
	}
	return clientcmd.ResolveLocalPaths(config)
}

// override replaces the kubeconfig's settings by those that are configured beside it. client-go can't do this: its
// overrides would let a kubeconfig's token file win over Token, for example.
func (c Config) override(out *rest.Config) {
	if c.Insecure || c.ClusterCACertificate != "" {
		out.Insecure, out.CAFile, out.CAData = c.Insecure, "", []byte(c.ClusterCACertificate)
	}
	if c.Token == "" && c.ClientCertificate == "" {
		return
	}
	out.Username, out.Password, out.BearerToken, out.BearerTokenFile = "", "", c.Token, ""
	out.ExecProvider, out.AuthProvider = nil, nil
	out.CertFile, out.KeyFile = "", ""
	out.CertData, out.KeyData = []byte(c.ClientCertificate), []byte(c.ClientKey)
}

func contexts(config *clientcmdapi.Config) string {
	names := sortedKeys(config.Contexts)
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
