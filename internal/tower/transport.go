// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxReply bounds the memory that one reply may take.
	maxReply = 256 << 20
	// maxPause bounds how long one reply's Retry-After may stop all requests.
	maxPause = 10 * time.Minute
	// idleConnection is below the idle time after which servers and proxies close a connection, because a request
	// that meets a closing connection is one whose outcome is not known.
	idleConnection = 30 * time.Second
)

// attempts sends single attempts: one at a time for each free place, not before the server's Retry-After, each
// with its own time limit, and with the reply read to its end, so that a reply that breaks off is a failed attempt.
type attempts struct {
	base      http.RoundTripper
	places    chan struct{}
	timeout   time.Duration
	pause     pause
	answered  atomic.Bool // Tower has replied
	headers   map[string]string
	userAgent string
	authorize func() (token string, generation int)
	log       func(ctx context.Context, level LogLevel, msg string, fields map[string]any)
}

// newBase returns the transport below everything: TLS, proxies from the environment, kept connections.
func newBase(cfg Config) (*http.Transport, error) {
	pool, err := certificatePool(cfg.CACertificate)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:                  proxyFromEnvironment,
		OnProxyConnectResponse: checkProxyReply,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, InsecureSkipVerify: cfg.Insecure}, // Asked for by name in the configuration.
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           cfg.MaxConcurrentRequests,
		MaxIdleConnsPerHost:    cfg.MaxConcurrentRequests,
		IdleConnTimeout:        idleConnection,
		ExpectContinueTimeout:  time.Second,
	}, nil
}

// RoundTrip sends one attempt and notes in the call's exchange what became of it.
func (a *attempts) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	x := exchangeOf(ctx)
	x.reset(!a.answered.Load())
	if err := a.pause.wait(ctx); err != nil {
		return nil, err
	}
	select {
	case a.places <- struct{}{}:
		defer func() { <-a.places }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start := time.Now()
	resp, err := a.send(req, x)
	fields := map[string]any{
		"operation": x.operation, "method": req.Method, "path": req.URL.Path, "duration_ms": time.Since(start).Milliseconds(),
	}
	if err != nil {
		fields["error"] = err.Error()
		a.log(ctx, LogDebug, "Tower did not answer", fields)
		return nil, err
	}
	fields["status"], fields["request_id"] = x.status, x.requestID
	a.log(ctx, LogTrace, "Tower answered", fields)
	if wait := retryAfter(resp); wait > 0 {
		a.pause.extend(wait)
	}
	return resp, nil
}

// send does the attempt itself.
func (a *attempts) send(req *http.Request, x *exchange) (*http.Response, error) {
	ctx := req.Context()
	if x.kind == kindCreate {
		// Once it is on its way, the reply must not be lost: it holds the id of what was created.
		ctx = context.WithoutCancel(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	connecting, stop := a.connectInTime(limited, x)
	defer stop()
	proxy, way := proxyOf(a.base, req), &trail{stage: stageConnect}
	out := req.Clone(httptrace.WithClientTrace(connecting, way.trace(proxy != nil, func() { x.sent.Store(true) })))
	a.dress(out, x)
	resp, err := a.base.RoundTrip(out)
	if err != nil {
		failed := &connectionError{target: hostPort(req.URL), proxy: withoutCredentials(proxy), err: a.explain(ctx, connecting, err)}
		failed.stage, failed.dialled = way.last()
		return nil, failed
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if closeErr := resp.Body.Close(); err == nil && len(body) > maxReply {
		err = fmt.Errorf("the reply is longer than %d bytes", maxReply)
	} else if err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("the reply broke off: %w", a.explain(ctx, connecting, err))
	}
	x.saw(resp, body)
	if x.foreign == "" {
		a.answered.Store(true)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	if x.foreign == "" {
		// The generated client chooses its decoder by this header.
		resp.Header.Set("Content-Type", "application/json")
	}
	return resp, nil
}

// dress sets the headers of an attempt. The token is read for each one, so that a repetition uses the newest.
func (a *attempts) dress(req *http.Request, x *exchange) {
	for name, value := range a.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", a.userAgent)
	req.Header.Set("Content-Language", "en-US")
	if x.anonymous {
		return
	}
	token, generation := a.authorize()
	x.generation = generation
	req.Header.Set("Authorization", token)
}

// explain turns the end of the attempt's own time limits into an error that is not taken for the caller's, and an
// answer without TLS into what http.Client makes of it where it sees the error itself.
func (a *attempts) explain(caller, limited context.Context, err error) error {
	var record tls.RecordHeaderError
	switch {
	case caller.Err() != nil:
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/":
		return http.ErrSchemeMismatch
	case errors.Is(context.Cause(limited), errConnectLimit):
		return &attemptTimeoutError{what: "connection", after: connectLimit}
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return &attemptTimeoutError{what: "reply", after: a.timeout}
	}
	return err
}

// attemptTimeoutError is a request that took too long. It is no context.DeadlineExceeded: the caller's time is not over.
type attemptTimeoutError struct {
	what  string // what did not come: "connection", "reply"
	after time.Duration
}

// Error tells the limit.
func (e *attemptTimeoutError) Error() string { return fmt.Sprintf("no %s within %s", e.what, e.after) }

// Timeout marks the error as a time-out for net.Error.
func (e *attemptTimeoutError) Timeout() bool { return true }

// Temporary completes net.Error.
func (e *attemptTimeoutError) Temporary() bool { return true }

// retryAfter returns how long the server wants to be left alone, 0 if it does not say.
func retryAfter(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	value := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// pause keeps every request back while the server wants to be left alone.
type pause struct {
	mu    sync.Mutex
	until time.Time
}

// extend keeps requests back for d from now, if that is longer than they are kept back already.
func (p *pause) extend(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(min(d, maxPause)); until.After(p.until) {
		p.until = until
	}
}

// wait returns when requests may be sent, or with the context's error.
func (p *pause) wait(ctx context.Context) error {
	for {
		p.mu.Lock()
		d := time.Until(p.until)
		p.mu.Unlock()
		if d <= 0 {
			return nil
		}
		if err := delay(ctx, d); err != nil {
			return err
		}
	}
}

// delay waits for d or until ctx ends, whose error it then returns.
func delay(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
