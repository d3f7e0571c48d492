// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// kind says how a request may be repeated.
type kind int

const (
	kindRead     kind = iota // may be repeated on any passing failure
	kindPoll                 // a poller's read: its next tick is the repetition
	kindMutation             // only where the request cannot have taken effect
	kindCreate               // only where the request was not sent, or was refused before it was looked at
)

// exchange is one call to Tower: what is wanted of the transport, and what the transport saw of the last attempt.
// It travels in the request's context, because the generated client hands on neither status nor headers of the
// replies that it does not know.
type exchange struct {
	operation string // as in the path: "get-vms"
	kind      kind
	anonymous bool // without a session

	began time.Time // when the first attempt was made
	tries int       // attempts so far
	first bool      // when the last one was made, Tower had not replied to anything yet

	sent       atomic.Bool // a connection was there: the server may have seen the request
	generation int         // of the session that was used
	status     int         // 0: no complete reply
	requestID  string
	reply      *errorReply // Tower's error, for a status of 300 or more
	foreign    string      // how the reply is not one of Tower's, "" if it is
	location   string      // where a redirect points to
	body       []byte      // of the reply, for what the generated client does not know
}

type exchangeKey struct{}

// withExchange returns a context for the requests of one call.
func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// exchangeOf returns the exchange of a request.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{kind: kindMutation}
}

// reset forgets the attempt before. first says that Tower has not replied to anything yet.
func (x *exchange) reset(first bool) {
	if x.tries++; x.tries == 1 {
		x.began = time.Now()
	}
	x.first = first
	x.sent.Store(false)
	x.status, x.requestID, x.reply, x.foreign, x.location, x.body = 0, "", nil, "", "", nil
}

// effectUnknown reports whether a mutation may or may not have happened.
func (x *exchange) effectUnknown() bool {
	if !x.sent.Load() {
		return false
	}
	return x.status == 0 || x.status >= 500 && x.status != http.StatusNotImplemented || x.status < 300 && x.foreign != ""
}

// misplaced reports a reply that something else gave in Tower's place and that may pass: while a Tower restarts, what
// stands in front of it answers with pages of its own.
func (x *exchange) misplaced() bool {
	return x.foreign != "" && (x.status < 300 || x.status == http.StatusNotFound)
}

// errorReply is the body of Tower's errors, as far as it can be relied on.
type errorReply struct {
	message  string
	code     string
	path     string
	locked   []LockedResource
	complete bool // all the members that Tower always sends are there
}

// saw notes a complete reply.
func (x *exchange) saw(resp *http.Response, body []byte) {
	x.status = resp.StatusCode
	x.requestID = resp.Header.Get("X-Tower-Request-Id")
	x.location = resp.Header.Get("Location")
	x.body = body
	if resp.StatusCode == http.StatusNotModified || resp.StatusCode == http.StatusNoContent {
		return
	}
	if resp.StatusCode >= 300 {
		if x.reply = parseErrorReply(body); x.reply == nil {
			x.foreign = describeForeign(resp, body)
		}
		return
	}
	if len(body) > 0 && !json.Valid(body) {
		x.foreign = describeForeign(resp, body)
	}
}

// parseErrorReply reads Tower's error body; nil if it is none.
func parseErrorReply(body []byte) *errorReply {
	var in struct {
		Message any `json:"message"`
		Code    any `json:"code"`
		Path    any `json:"path"`
		Status  any `json:"status"`
		Props   any `json:"props"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil
	}
	message, ok := in.Message.(string)
	if !ok {
		return nil
	}
	out := &errorReply{message: strings.TrimSpace(message)}
	if in.Code != nil {
		out.code = fmt.Sprint(in.Code)
	}
	out.path, out.complete = in.Path.(string)
	out.complete = out.complete && in.Status != nil
	props, _ := in.Props.(map[string]any)
	list, _ := props["locked_resources"].([]any)
	for _, item := range list {
		member, _ := item.(map[string]any)
		id, _ := member["id"].(string)
		typ, _ := member["type"].(string)
		if id != "" {
			out.locked = append(out.locked, LockedResource{ID: id, Type: typ})
		}
	}
	return out
}

var htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// describeForeign says what kind of reply came in place of Tower's JSON. It tells no more of the body than the title of a page.
func describeForeign(resp *http.Response, body []byte) string {
	if len(body) == 0 {
		return "an empty reply"
	}
	if json.Valid(body) {
		return "JSON that is not in Tower's form"
	}
	if m := htmlTitle.FindSubmatch(body); m != nil {
		if title := strings.Join(strings.Fields(string(m[1])), " "); title != "" && len(title) <= 100 {
			return fmt.Sprintf("an HTML page with the title %q", title)
		}
	}
	if mt, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil {
		return "a reply of the type " + mt
	}
	return "a reply that is no JSON"
}
