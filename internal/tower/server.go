// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// ParseServer turns the server setting into scheme and host; a setting without a scheme means https. The error is
// a *ConfigError for the field "server".
func ParseServer(server string) (*url.URL, error) {
	refuse := func(message string, cause error) (*url.URL, error) {
		return nil, &ConfigError{Field: "server", Message: message, Err: cause}
	}
	s := strings.TrimSpace(server)
	if s == "" {
		return refuse("the address of the Tower is missing", nil)
	}
	if scheme, _, found := strings.Cut(s, "://"); !found {
		if addr, err := netip.ParseAddr(s); err == nil && addr.Is6() {
			s = "[" + s + "]"
		}
		s = "https://" + s
	} else if scheme = strings.ToLower(scheme); scheme != "https" && scheme != "http" {
		return refuse(fmt.Sprintf("the scheme %q cannot be used; use https or http", scheme), nil)
	}
	u, err := url.Parse(s)
	if err != nil {
		// The parser's own error repeats the whole setting, which may hold a password.
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return refuse("not a host, host:port or URL", err)
	}
	switch {
	case u.User != nil:
		return refuse("a URL with user information cannot be used; set username and password instead", nil)
	case u.Hostname() == "":
		return refuse("the host is missing", nil)
	case u.Path != "" && u.Path != "/":
		return refuse(fmt.Sprintf("the path %q cannot be used; give the host alone, the path of the API is known", u.Path), nil)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return refuse("a URL with a query or a fragment cannot be used", nil)
	case strings.HasSuffix(u.Host, ":"):
		return refuse("the port is missing after the colon", nil)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return refuse(fmt.Sprintf("the port %q is not between 1 and 65535", port), nil)
		}
	}
	return &url.URL{Scheme: strings.ToLower(u.Scheme), Host: u.Host}, nil
}

// certificatePool returns the system's roots and the configured certificates; nil when none is configured.
func certificatePool(setting string) (*x509.CertPool, error) {
	if strings.TrimSpace(setting) == "" {
		return nil, nil
	}
	pem := []byte(setting)
	if !strings.Contains(setting, "-----BEGIN") {
		var err error
		if pem, err = os.ReadFile(strings.TrimSpace(setting)); err != nil {
			return nil, &ConfigError{Field: "ca_certificate", Message: "neither PEM text nor a file that can be read", Err: err}
		}
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, &ConfigError{Field: "ca_certificate", Message: "no certificate in PEM form is in it"}
	}
	return pool, nil
}

// checkHeaders refuses extra headers that cannot be sent or that the client must set itself.
func checkHeaders(headers map[string]string) error {
	refuse := func(name, why string) error {
		return &ConfigError{Field: "headers", Message: fmt.Sprintf("the header %q %s", name, why)}
	}
	for name, value := range headers {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !headerRune(r) }) {
			return refuse(name, "is no valid header name")
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return refuse(name, "has a value with a line break")
		}
		switch strings.ToLower(name) {
		case "authorization", "content-language", "content-length", "content-type", "host", "transfer-encoding", "connection":
			return refuse(name, "is set by the provider and cannot be configured")
		}
	}
	return nil
}

// headerRune reports whether r may be part of a header's name.
func headerRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
