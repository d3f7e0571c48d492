// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// contact is the bound on the log-in to a Tower that isn't there.
const contact = 5 * time.Second

// patientClient is a client with the times and the repetitions that users get.
func patientClient(t *testing.T, server string, change ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{Server: server, Username: "root", Password: "secret-password", MaxRetries: 5}
	for _, ch := range change {
		ch(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// failsInTime logs in, which must fail within the bound, and returns the error.
func failsInTime(t *testing.T, c *Client) error {
	t.Helper()
	start := time.Now()
	err := c.Login(t.Context())
	if took := time.Since(start); took > contact {
		t.Errorf("the log-in took %s to fail: %v", took, err)
	}
	return err
}

// freePort is an address that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// listener accepts connections and hands each to the function.
func listener(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			serve(conn)
		}
	}()
	return l.Addr().String()
}

func TestContact_refused(t *testing.T) {
	t.Parallel()
	address := freePort(t)
	err := failsInTime(t, patientClient(t, "http://"+address))
	wantLogin(t, err, LoginUnreachable,
		"http://"+address+" cannot be reached: "+address+" refuses the connection", "connection refused", "port", "scheme", "VPN", "HTTP_PROXY")
}

func TestContact_unknownHost(t *testing.T) {
	t.Parallel()
	err := failsInTime(t, patientClient(t, "tower.invalid"))
	wantLogin(t, err, LoginUnreachable, `https://tower.invalid cannot be reached: the name "tower.invalid"`, "lookup tower.invalid", "DNS servers", "VPN")
}

func TestContact_unknownHostIsFinal(t *testing.T) {
	t.Parallel()
	c := patientClient(t, "tower.invalid")
	dials := 0
	c.dial(func(context.Context, string, string) (net.Conn, error) {
		dials++
		return nil, &net.DNSError{Err: "no such host", Name: "tower.invalid", IsNotFound: true}
	})
	wantLogin(t, failsInTime(t, c), LoginUnreachable, `the name "tower.invalid" is not known`, "no such host", "spelling of server")
	if dials != 1 {
		t.Errorf("%d attempts, want 1", dials)
	}
}

func TestContact_noTLS(t *testing.T) {
	t.Parallel()
	plain := newFake(t)
	address := strings.TrimPrefix(plain.URL, "http://")
	wantLogin(t, failsInTime(t, patientClient(t, address)), LoginTLS, address+" does not speak TLS", "http://")

	other := listener(t, func(conn net.Conn) { _, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.9\r\n") })
	wantLogin(t, failsInTime(t, patientClient(t, other)), LoginTLS, other+" does not speak TLS", "Check the port of server")
}

func TestContact_plainToTLS(t *testing.T) {
	t.Parallel()
	secure, _ := newTLSFake(t)
	err := failsInTime(t, patientClient(t, strings.Replace(secure.URL, "https", "http", 1)))
	wantLogin(t, err, LoginNotTower, "Write https:// in front of server")
}

func TestContact_certificate(t *testing.T) {
	t.Parallel()
	f, certificate := newTLSFake(t)
	address := strings.TrimPrefix(f.URL, "https://")
	for name, tc := range map[string]struct {
		change func(*Config)
		says   []string
	}{
		"unknown authority": {nil, []string{"the certificate of " + address + " is not trusted", "x509: certificate signed by unknown authority", "Set ca_certificate", "insecure"}},
		"other authority":   {func(c *Config) { c.CACertificate = selfSigned(t) }, []string{"is not trusted", "correct ca_certificate", "insecure"}},
		"other name": {
			func(c *Config) {
				c.CACertificate = certificate
				c.Server = strings.Replace(c.Server, "127.0.0.1", "localhost", 1)
			},
			[]string{`is not for the name "localhost"`, "Set server to a name that is in the certificate", "insecure"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var changes []func(*Config)
			if tc.change != nil {
				changes = append(changes, tc.change)
			}
			wantLogin(t, failsInTime(t, patientClient(t, f.URL, changes...)), LoginTLS, tc.says...)
		})
	}
}

// selfSigned is the certificate of an authority that signs nothing here.
func selfSigned(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// A server that takes connections and says nothing.
func TestContact_silent(t *testing.T) {
	t.Parallel()
	address := listener(t, func(net.Conn) {})
	for name, tc := range map[string]struct {
		server string
		says   []string
	}{
		"plain": {"http://" + address, []string{address + " takes the connection, but does not answer", "no reply within 1s", "firewall", "request_timeout"}},
		"TLS":   {"https://" + address, []string{address + " takes the connection, but does not answer in TLS", "no reply within 1s", "http://", "firewall"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := patientClient(t, tc.server, func(c *Config) { c.RequestTimeout = time.Second })
			wantLogin(t, failsInTime(t, c), LoginUnreachable, tc.says...)
		})
	}
}

// A firewall that drops what is sent to Tower: no connection ever comes about, and nothing says so.
func TestContact_dropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := patientClient(t, "192.0.2.1:8443")
		end := make(chan struct{})
		defer close(end)
		c.dial(func(context.Context, string, string) (net.Conn, error) {
			<-end
			return nil, net.ErrClosed
		})
		wantLogin(t, failsInTime(t, c), LoginUnreachable, "192.0.2.1:8443 does not answer", "no connection within 4.5s", "firewall", "VPN", "HTTPS_PROXY")
	})
}

// However each attempt fails without a reply, the log-in fails in time.
func TestContact_bound(t *testing.T) {
	t.Parallel()
	for name, dial := range map[string]func(attempt int, end <-chan struct{}) error{
		"refused at once": func(int, <-chan struct{}) error { return syscall.ECONNREFUSED },
		"no route":        func(int, <-chan struct{}) error { return syscall.EHOSTUNREACH },
		"late": func(int, <-chan struct{}) error {
			<-time.After(time.Second)
			return &net.DNSError{Err: "server misbehaving", Name: "tower", IsTemporary: true}
		},
		"refused, then dropped": func(attempt int, end <-chan struct{}) error {
			if attempt == 3 {
				<-end
			}
			return syscall.ECONNREFUSED
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := patientClient(t, "https://tower", func(c *Config) { c.MaxRetries = 100 })
				var attempts atomic.Int32
				end := make(chan struct{})
				defer close(end)
				c.dial(func(context.Context, string, string) (net.Conn, error) { return nil, dial(int(attempts.Add(1)), end) })
				wantLogin(t, failsInTime(t, c), LoginUnreachable)
				if attempts.Load() < 2 {
					t.Errorf("%d attempts, want some more", attempts.Load())
				}
			})
		})
	}
}

func TestContact_proxy(t *testing.T) {
	t.Parallel()
	refusing := func(status int) string {
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(proxy.Close)
		return strings.TrimPrefix(proxy.URL, "http://")
	}
	closed, silent, forbidden, wantsUser := freePort(t), listener(t, func(net.Conn) {}), refusing(403), refusing(407)
	for name, tc := range map[string]struct {
		proxy string
		says  []string
	}{
		"not there":        {closed, []string{"the proxy http://" + closed + " refuses the connection", "connection refused", "HTTPS_PROXY", "add tower.example.com to NO_PROXY"}},
		"forbids":          {forbidden, []string{"the proxy http://" + forbidden + " does not connect to tower.example.com:443", "403 Forbidden", "NO_PROXY"}},
		"wants a password": {wantsUser, []string{"407 Proxy Authentication Required", "HTTPS_PROXY=http://user:password@"}},
		"says nothing":     {silent, []string{"the proxy http://" + silent + " makes no connection to tower.example.com:443", "no reply within 1s", "NO_PROXY"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := patientClient(t, "tower.example.com", func(c *Config) { c.RequestTimeout = time.Second })
			c.attempts.base.(*http.Transport).Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: tc.proxy, User: url.UserPassword("me", "secret-password")})
			wantLogin(t, failsInTime(t, c), LoginUnreachable, tc.says...)
		})
	}
}

// A setting that is no URL may hold a password, which must not show.
func TestContact_badProxySetting(t *testing.T) {
	t.Parallel()
	c := patientClient(t, "tower.example.com")
	c.attempts.base.(*http.Transport).Proxy = func(*http.Request) (*url.URL, error) { return nil, &proxySettingError{} }
	wantLogin(t, failsInTime(t, c), LoginUnreachable, "the proxy setting is no URL", "HTTPS_PROXY")
}

// A Tower that restarts in the middle of a run has replied before, so it gets all repetitions, however long it is away.
func TestContact_restartIsRiddenOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		up.Store(true)
		c := patientClient(t, "http://tower")
		c.dial(func(context.Context, string, string) (net.Conn, error) {
			if !up.Load() {
				return nil, syscall.ECONNREFUSED
			}
			client, server := net.Pipe()
			go serveOne(server)
			return client, nil
		})
		if err := c.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		up.Store(false)
		away := 12 * time.Second
		time.AfterFunc(away, func() { up.Store(true) })
		start := time.Now()
		if _, err := c.Clusters(t.Context(), nil); err != nil {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		if took := time.Since(start); took < away {
			t.Errorf("answered after %s, before Tower was back", took)
		}
	})
}

// serveOne answers one request of a connection and closes it.
func serveOne(conn net.Conn) {
	defer conn.Close()
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, request.Body)
	body := "[]"
	switch {
	case strings.HasSuffix(request.URL.Path, "/get-version"):
		body = `"4.6.0"`
	case strings.HasSuffix(request.URL.Path, "/login"):
		body = `{"data":{"token":"t"}}`
	}
	reply := &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Close: true, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
	_ = reply.Write(conn)
}

// The listener is closed and opened again while a call is under way.
func TestContact_restartOfAListener(t *testing.T) {
	t.Parallel()
	handler := newFake(t)
	handler.on("get-clusters", func(int, request) answer { return answer{body: []any{}} })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	first := &http.Server{Handler: handler}
	go func() { _ = first.Serve(l) }()
	c := patientClient(t, "http://"+address)
	if err := c.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	var refused atomic.Int32
	var dialer net.Dialer
	c.dial(func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil && refused.Add(1) == 2 {
			l, listenErr := net.Listen("tcp", address)
			if listenErr != nil {
				return nil, errors.Join(err, listenErr)
			}
			second := &http.Server{Handler: handler}
			t.Cleanup(func() { _ = second.Close() })
			go func() { _ = second.Serve(l) }()
		}
		return conn, err
	})
	if _, err := c.Clusters(short(t), nil); err != nil {
		t.Error(err)
	}
	if refused.Load() != 2 {
		t.Errorf("%d refused connections, want 2", refused.Load())
	}
}
