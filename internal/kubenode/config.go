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

	// Users of a kubeconfig with an OIDC provider log in as with kubectl.
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Config names a Kubernetes cluster and who asks it. Configs that are equal share one Directory.
type Config struct {
	// ConfigPath is the path of a kubeconfig file, which need not exist yet. A leading ~/ is the home directory.
	ConfigPath string
	// ConfigContent is the text of a kubeconfig, instead of ConfigPath.
	ConfigContent string
	// ConfigContext is the context of the kubeconfig to use, its current one if empty.
	ConfigContext string
	// Host is the API server's URL or host:port (https), in place of the kubeconfig's.
	Host string
	// Token is a bearer token, in place of the kubeconfig's credentials.
	Token string
	// ClientCertificate and ClientKey are PEM texts, in place of the kubeconfig's.
	ClientCertificate, ClientKey string
	// ClusterCACertificate is a PEM text that the API server's certificate is checked with.
	ClusterCACertificate string
	// Insecure switches that check off.
	Insecure bool
}

// ConfigError tells which member of a Config is at fault.
type ConfigError struct {
	// Field is the member's name in a configuration, like config_path.
	Field string
	// Err is what is wrong with it.
	Err error
}

// Error returns the field and what is wrong with it.
func (e *ConfigError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns what is wrong with the field.
func (e *ConfigError) Unwrap() error { return e.Err }

func refuse(field, format string, args ...any) error {
	return &ConfigError{Field: field, Err: fmt.Errorf(format, args...)}
}

// Check refuses, with a *ConfigError, what can be known to be wrong without asking the API server. A kubeconfig file
// that does not exist yet is fine; one that exists is read.
func (c Config) Check() error {
	switch {
	case c.ConfigPath != "" && c.ConfigContent != "":
		return refuse("config_path", "config_path and config_content exclude each other")
	case c.ConfigPath == "" && c.ConfigContent == "" && c.Host == "":
		return refuse("config_path", "no Kubernetes cluster is named: set config_path, config_content or host")
	case c.ConfigPath == "" && c.ConfigContent == "" && c.ConfigContext != "":
		return refuse("config_context", "a context needs a kubeconfig: set config_path or config_content")
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
			return refuse("host", "%q is neither an http(s) URL nor host:port", c.Host)
		}
	}
	if c.ClusterCACertificate != "" {
		if c.Insecure {
			return refuse("insecure", "insecure and cluster_ca_certificate exclude each other")
		}
		if !x509.NewCertPool().AppendCertsFromPEM([]byte(c.ClusterCACertificate)) {
			return refuse("cluster_ca_certificate", "no certificate in PEM format in it")
		}
	}
	switch {
	case c.ClientCertificate != "" && c.ClientKey == "":
		return refuse("client_key", "client_certificate needs its key")
	case c.ClientCertificate == "" && c.ClientKey != "":
		return refuse("client_certificate", "client_key needs its certificate")
	case c.ClientCertificate != "":
		if _, err := tls.X509KeyPair([]byte(c.ClientCertificate), []byte(c.ClientKey)); err != nil {
			return refuse("client_certificate", "with client_key it is no usable pair: %w", err)
		}
	}
	return nil
}

// server is Host as a URL.
func (c Config) server() string {
	if c.Host == "" || strings.Contains(c.Host, "://") {
		return c.Host
	}
	return "https://" + c.Host
}

// path is ConfigPath without its ~.
func (c Config) path() (string, error) {
	rest, ok := strings.CutPrefix(c.ConfigPath, "~/")
	if !ok {
		return c.ConfigPath, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", refuse("config_path", "the home directory is not known: %w", err)
	}
	return filepath.Join(home, rest), nil
}

// errEmpty is the kubeconfig file that somebody has made and not written yet.
var errEmpty = errors.New("the kubeconfig is still empty")

// kubeconfig reads the text of the kubeconfig; it is nil where none is configured.
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
		return nil, refuse("config_path", "the kubeconfig can't be read: %w", err)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, refuse("config_path", "%w", errEmpty)
	}
	return raw, nil
}

// missing tells whether there is no file at ConfigPath.
func (c Config) missing() bool {
	_, err := c.kubeconfig()
	return errors.Is(err, os.ErrNotExist)
}

// parse reads a kubeconfig and finds its context.
func (c Config) parse(raw []byte) (*clientcmdapi.Config, error) {
	field := "config_content"
	if c.ConfigPath != "" {
		field = "config_path"
	}
	config, err := clientcmd.Load(raw)
	if err != nil {
		return nil, refuse(field, "it is no kubeconfig: %w", err)
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
		return nil, refuse(field, "the kubeconfig has no current context: set config_context to one of %s", contexts(config))
	}
	selected, ok := config.Contexts[name]
	if !ok {
		return nil, refuse(field, "the kubeconfig has no context %q, it has %s", name, contexts(config))
	}
	if _, ok := config.Clusters[selected.Cluster]; !ok && c.Host == "" {
		return nil, refuse(field, "the kubeconfig has no cluster %q, which its context %q names", selected.Cluster, name)
	}
	if _, ok := config.AuthInfos[selected.AuthInfo]; !ok && selected.AuthInfo != "" {
		return nil, refuse(field, "the kubeconfig has no user %q, whom its context %q names", selected.AuthInfo, name)
	}
	return config, nil
}

// client makes what a client needs to know. raw is the text that kubeconfig returned.
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
			return nil, fmt.Errorf("the kubeconfig is of no use: %w", err)
		}
	}
	c.override(out)
	return out, nil
}

// resolve makes the relative paths in a kubeconfig file relative to it, as kubectl does.
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

// override replaces what is configured by itself. It is done here because client-go would let a kubeconfig's token
// file, for one, win over a token that is given.
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
