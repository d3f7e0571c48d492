// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"syscall"
)

// unreachable says why the log-in got no reply, and what a person has to check.
func (c *Client) unreachable(err error) (problem LoginProblem, message, advice string) {
	e := &connectionError{target: hostPort(c.base), stage: stageReply}
	errors.As(err, &e)
	if tlsFailure(err) {
		message, advice = c.tlsProblem(e, err)
		return LoginTLS, message, advice
	}
	problem = LoginUnreachable
	if reason, advice := c.proxyProblem(e, err); reason != "" {
		return problem, c.Server() + " cannot be reached: " + reason, advice
	}
	reason, advice := c.networkProblem(e, err)
	return problem, c.Server() + " cannot be reached: " + reason, advice
}

// address is what was dialled for Tower, with the name it was dialled for.
func (e *connectionError) address() string {
	if e.dialled == "" || e.dialled == e.target || e.proxy != "" {
		return e.target
	}
	return fmt.Sprintf("%s (%s)", e.target, e.dialled)
}

// tlsProblem is the unreachable of a connection without TLS.
func (c *Client) tlsProblem(e *connectionError, err error) (message, advice string) {
	var (
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return e.address() + " does not speak TLS", "Write http:// in front of server if this Tower has no TLS; else correct the port of server."
	case errors.As(err, &record):
		return e.address() + " does not speak TLS", "Check the port of server, and that no proxy or firewall answers in Tower's place."
	case errors.As(err, &hostname):
		return fmt.Sprintf("the certificate of %s is not for the name %q", e.address(), hostname.Host),
			"Set server to a name that is in the certificate, or set insecure to accept any certificate."
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the certificate of %s has expired or is not valid yet", e.address()),
			"Check the clock of this machine and renew the certificate; insecure accepts any certificate until then."
	case errors.As(err, &authority):
		advice = "Set ca_certificate to the authority that signed it, or set insecure to accept any certificate."
		if c.cfg.CACertificate != "" {
			advice = "ca_certificate does not hold the authority that signed it: correct ca_certificate, or set insecure to accept any certificate."
		}
		if e.proxy != "" {
			advice += fmt.Sprintf(" The proxy %s is in use; it may show a certificate of its own.", e.proxy)
		}
		return fmt.Sprintf("the certificate of %s is not trusted", e.address()), advice
	}
	return "no TLS connection to " + e.address() + " can be made",
		"Check the port of server, that Tower speaks TLS 1.2 or newer, and that no proxy or firewall in between changes the connection."
}

// proxyProblem is the unreachable of a proxy that is not there or does not connect; the reason is "" where no proxy is to
// blame.
func (c *Client) proxyProblem(e *connectionError, err error) (reason, advice string) {
	var setting *proxySettingError
	if errors.As(err, &setting) {
		return "the proxy setting is no URL", fmt.Sprintf("Correct %s in the environment: http://host:port.", c.proxyVariable())
	}
	if e.proxy == "" {
		return "", ""
	}
	advice = fmt.Sprintf("Check the proxy, which the environment names (%s), and the VPN; add %s to NO_PROXY if Tower is reached without a proxy.",
		c.proxyVariable(), c.base.Hostname())
	proxy := "the proxy " + e.proxy
	var refusal *proxyRefusal
	switch {
	case errors.As(err, &refusal):
		if refusal.code == http.StatusProxyAuthRequired {
			advice = fmt.Sprintf("Give the proxy its credentials: %s=http://user:password@host:port.", c.proxyVariable())
		}
		return fmt.Sprintf("%s does not connect to %s", proxy, e.target), advice
	case e.stage == stageLookup && isLookup(err):
		return fmt.Sprintf("the name of %s cannot be looked up", proxy), advice
	case e.stage <= stageConnect && connectionRefused(err):
		return proxy + " refuses the connection", advice
	case e.stage <= stageConnect && timedOut(err):
		return proxy + " does not answer", advice
	case e.stage <= stageConnect:
		return "no connection to " + proxy + " can be made", advice
	case e.stage == stageProxy:
		return fmt.Sprintf("%s makes no connection to %s", proxy, e.target), advice
	}
	return "", ""
}

// networkProblem is the unreachable of a Tower that no proxy stands before.
func (c *Client) networkProblem(e *connectionError, err error) (reason, advice string) {
	address, host := e.address(), c.base.Hostname()
	needed := fmt.Sprintf("and whether a VPN or a proxy (%s) is needed to reach it", c.proxyVariable())
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("the name %q is not known", host),
			"Check the spelling of server, the DNS servers of this machine, and the VPN if the name is known only there."
	case isLookup(err), e.stage == stageLookup && timedOut(err):
		return fmt.Sprintf("the name %q cannot be looked up", host),
			"Check the network and the DNS servers of this machine, and the VPN if the name is known only there."
	case connectionRefused(err):
		return address + " refuses the connection",
			fmt.Sprintf("Check the host, the port and the scheme of server (https stands for port 443, http for port 80), that Tower runs, %s.", needed)
	case e.stage <= stageConnect && timedOut(err):
		return address + " does not answer", fmt.Sprintf("Check the address in server, that no firewall drops the connection, %s.", needed)
	case e.stage <= stageConnect:
		return "no connection to " + address + " can be made", fmt.Sprintf("Check the address in server, the network, %s.", needed)
	case timedOut(err) && e.stage == stageReply:
		return address + " takes the connection, but does not answer",
			"Check the port and the scheme of server, and that no firewall or proxy in between holds the connection; raise request_timeout if Tower is that slow."
	case timedOut(err):
		return address + " takes the connection, but does not answer in TLS",
			"Check the port of server, and whether it needs http:// in front; a firewall or proxy in between may hold the connection."
	}
	return address + " takes the connection, but breaks it off",
		"Check the port and the scheme of server, and that no firewall or proxy in between breaks the connection."
}

// proxyVariable is the variable of the environment that names the proxy for Tower.
func (c *Client) proxyVariable() string { return strings.ToUpper(c.base.Scheme) + "_PROXY" }

// isLookup reports whether err is a name whose address could not be looked up.
func isLookup(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns)
}

// timedOut reports whether err is a time limit.
func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// connectionRefused reports whether the other side refused the connection.
func connectionRefused(err error) bool {
	const wsaConnectionRefused = syscall.Errno(10061)
	var errno syscall.Errno
	return errors.As(err, &errno) && (errno == syscall.ECONNREFUSED || runtime.GOOS == "windows" && errno == wsaConnectionRefused)
}

// withoutCredentials is a proxy's URL for messages.
func withoutCredentials(u *url.URL) string {
	if u == nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
