// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// What is repeated, and when:
//
//	            not sent   429   503 + Retry-After   other 5xx   broken off, timed out
//	read        yes        yes   yes                 yes         yes
//	mutation    yes        yes   yes                 no          no
//	create      yes        yes   no                  no          no
//	poll        no         no    no                  no          no
//
// "Not sent" is a connection that could not be made. Until Tower's first reply of all, what fails without a reply is
// repeated within the contactLimit only. 429 is an answer given before the request is looked at, and so is 503 with a
// Retry-After for the operations that lead to one state however often they are called. A read is repeated as well when
// a page came as a success or as 404. Certificates that are not trusted, names that do not exist, proxies that refuse
// to connect and 501 are final everywhere. Where
// the outcome of a mutation stays unknown, the callers look at the object.

// newHTTPClient returns the HTTP client that repeats attempts by the table above.
func newHTTPClient(next *attempts, retries int, tune tuning) *http.Client {
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	repeating := &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: next, CheckRedirect: noRedirects},
		RetryMax:     retries,
		RetryWaitMin: tune.retryMin,
		RetryWaitMax: tune.retryMax,
		CheckRetry: func(ctx context.Context, resp *http.Response, err error) (bool, error) {
			return repeatable(ctx, resp, err, tune), nil
		},
		Backoff:      backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	return &http.Client{Transport: &retryablehttp.RoundTripper{Client: repeating}, CheckRedirect: noRedirects}
}

// repeatable decides whether an attempt is followed by another one. It never replaces the attempt's own outcome: the reply
// of an attempt that outlived its context still counts, and the error of one that did not explains more than the context's.
func repeatable(ctx context.Context, resp *http.Response, err error, tune tuning) bool {
	x := exchangeOf(ctx)
	if err != nil && x.outOfPatience(tune) {
		return false
	}
	return ctx.Err() == nil && x.repeatable(resp, err)
}

// repeatable looks the attempt up in the table.
func (x *exchange) repeatable(resp *http.Response, err error) bool {
	switch {
	case x.kind == kindPoll:
		return false
	case err != nil:
		return !permanent(err) && (x.kind == kindRead || !x.sent.Load())
	case resp.StatusCode == http.StatusTooManyRequests:
		return true
	case resp.StatusCode == http.StatusServiceUnavailable && x.kind == kindMutation:
		return resp.Header.Get("Retry-After") != ""
	case x.kind != kindRead:
		return false
	case x.misplaced():
		// At the log-in it is more likely that the server is no Tower at all.
		return !x.anonymous
	case resp.StatusCode == http.StatusRequestTimeout:
		return true
	}
	return resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented
}

// permanent reports whether an error of the connection will come again.
func permanent(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return true
	}
	var setting *proxySettingError
	var refusal *proxyRefusal
	if errors.As(err, &setting) || errors.As(err, &refusal) && refusal.code < 500 {
		return true
	}
	return tlsFailure(err)
}

// tlsFailure reports whether err says that the two sides do not agree on TLS.
func tlsFailure(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
		record       tls.RecordHeaderError
		alert        tls.AlertError
	)
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) ||
		errors.As(err, &invalid) || errors.As(err, &record) || errors.As(err, &alert) || errors.Is(err, http.ErrSchemeMismatch)
}

// backoff doubles the wait with each attempt, obeys Retry-After, and adds up to a quarter, so that callers who failed
// together do not come back together.
func backoff(shortest, longest time.Duration, attempt int, resp *http.Response) time.Duration {
	wait := retryablehttp.DefaultBackoff(shortest, longest, attempt, resp)
	return wait + time.Duration(rand.Int64N(int64(wait)/4+1)) // Spreads load, protects nothing.
}
