// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"
)

const (
	// contactLimit is how long a client that has had no reply from its Tower yet repeats attempts that fail without a
	// reply. A mistake in the configuration or a network that is down shows after seconds; a Tower that restarts in the
	// middle of a run gets all repetitions.
	contactLimit = 3 * time.Second
	// connectLimit is by when such a client has its connection, TLS included, counted from the first attempt. It is longer
	// than a lost first packet and its repetition take.
	connectLimit = 4500 * time.Millisecond
)

// stage is how far an attempt came.
type stage int

const (
	stageLookup  stage = iota // looking up the address of a name
	stageConnect              // connecting
	stageProxy                // connected to a proxy, which is to connect to Tower
	stageTLS                  // connected, agreeing on TLS
	stageReply                // the request is sent
)

// trail notes how far an attempt comes. The transport's goroutines write it, also after the attempt has ended.
type trail struct {
	mu      sync.Mutex
	stage   stage
	dialled string // host:port, with the host's address
}

// reach notes a stage, and the address that was dialled for it, if any.
func (t *trail) reach(s stage, dialled string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stage = s
	if dialled != "" {
		t.dialled = dialled
	}
}

// last returns the stage that was reached last and the address that was dialled last, "" for none.
func (t *trail) last() (stage, string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stage, t.dialled
}

// trace returns the hooks that write the trail. connected runs when the attempt has its connection.
func (t *trail) trace(proxied bool, connected func()) *httptrace.ClientTrace {
	afterConnect := stageTLS
	if proxied {
		afterConnect = stageProxy
	}
	return &httptrace.ClientTrace{
		DNSStart:     func(httptrace.DNSStartInfo) { t.reach(stageLookup, "") },
		ConnectStart: func(_, address string) { t.reach(stageConnect, address) },
		ConnectDone: func(_, address string, err error) {
			if err == nil {
				t.reach(afterConnect, address)
			}
		},
		TLSHandshakeStart: func() { t.reach(stageTLS, "") },
		GotConn: func(httptrace.GotConnInfo) {
			t.reach(stageReply, "")
			connected()
		},
	}
}

// connectionError is an attempt that got no reply. Its text is the cause's.
type connectionError struct {
	target  string // host:port of Tower
	dialled string // host:port that was dialled last, "" where no connection was tried
	proxy   string // the proxy in use without its credentials, "" for none
	stage   stage
	err     error
}

// Error returns the cause's text.
func (e *connectionError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *connectionError) Unwrap() error { return e.err }

// Timeout reports whether a time limit was the cause.
func (e *connectionError) Timeout() bool {
	var cause net.Error
	return errors.As(e.err, &cause) && cause.Timeout()
}

// proxyRefusal is the reply of a proxy that does not connect to Tower.
type proxyRefusal struct {
	code   int
	status string
}

// Error tells the proxy's status.
func (e *proxyRefusal) Error() string { return "the proxy answers " + e.status }

// proxySettingError is a proxy setting of the environment that is no address. The cause stays out of it: it repeats
// the setting, which may hold a password.
type proxySettingError struct{}

// Error names the settings.
func (*proxySettingError) Error() string { return "the proxy setting in the environment is no URL" }

// proxyFromEnvironment returns the proxy that the environment names for a request, nil for none.
func proxyFromEnvironment(req *http.Request) (*url.URL, error) {
	proxy, err := http.ProxyFromEnvironment(req)
	if err != nil {
		return nil, &proxySettingError{}
	}
	return proxy, nil
}

// checkProxyReply refuses the replies of a proxy that did not connect to Tower.
func checkProxyReply(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyRefusal{code: resp.StatusCode, status: resp.Status}
}

// proxyOf returns the proxy that the transport uses for a request, nil for none.
func proxyOf(base http.RoundTripper, req *http.Request) *url.URL {
	transport, ok := base.(*http.Transport)
	if !ok || transport.Proxy == nil {
		return nil
	}
	proxy, err := transport.Proxy(req)
	if err != nil {
		return nil
	}
	return proxy
}

// hostPort returns the host and port of a URL, with the port that its scheme stands for where it names none.
func hostPort(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "http":
		port = "80"
	default:
		port = "443"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// errConnectLimit ends an attempt that has no connection by the connectLimit.
var errConnectLimit = errors.New("no connection")

// connectInTime ends the returned context when the attempt has no connection by the connectLimit, which holds until
// the first reply. stop releases the timer.
func (a *attempts) connectInTime(ctx context.Context, x *exchange) (limited context.Context, stop func()) {
	if !x.first {
		return ctx, func() {}
	}
	limited, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(time.Until(x.began.Add(connectLimit)), func() {
		if !x.sent.Load() {
			cancel(errConnectLimit)
		}
	})
	return limited, func() {
		timer.Stop()
		cancel(nil)
	}
}

// outOfPatience reports whether a call that got no reply is not repeated because Tower has never replied and the
// next attempt would come after the contactLimit.
func (x *exchange) outOfPatience(tune tuning) bool {
	if !x.first {
		return false
	}
	wait := tune.retryMax
	if doubled := tune.retryMin << min(x.tries-1, 30); doubled > 0 {
		wait = min(wait, doubled)
	}
	return time.Since(x.began)+wait+wait/4 > contactLimit
}
