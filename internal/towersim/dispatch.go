// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const (
	apiBase = "/v2/api"
	// maxBody is the size of the largest body that is accepted.
	maxBody = 10 << 20
)

// call is one request while it holds the server's lock.
type call struct {
	*world

	server    *Server
	request   *http.Request
	operation *wire.Operation // nil for GraphQL
	body      []byte
	user      *user
	language  string
	fault     *Fault
	forceLock bool
}

// handler answers one operation. Its result is marshalled into the reply.
type handler func(c *call) (any, error)

// withBody makes a handler of a function that takes the decoded body.
func withBody[T any](f func(c *call, in *T) (any, error)) handler {
	return func(c *call) (any, error) {
		in := new(T)
		if err := c.decode(in); err != nil {
			return nil, err
		}

		return f(c, in)
	}
}

func (c *call) decode(in any) error {
	if err := wire.Decode(c.body, in); err != nil {
		return badRequest("%s", err)
	}

	return nil
}

// reply is a complete answer that is ready to be sent.
type reply struct {
	status int
	body   []byte
}

// Handler returns the whole simulated Tower, with the control API, as an HTTP
// handler. Use it to put something in front of the simulator.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(apiBase+"/", s.serveAPI)
	mux.HandleFunc(graphQLPath, s.serveGraphQL)
	s.addControl(mux)
	mux.HandleFunc("GET /{$}", s.getStatusPage)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.send(w, errorReply(notFound("Cannot %s %s", r.Method, r.URL.Path), r.URL.Path))
	})

	return mux
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, apiBase+"/")
	operation, known := wire.OperationAt("/" + name)

	s.answer(w, r, name, operation, func(c *call) (any, error) {
		switch {
		case !known:
			return nil, notSimulated(name)
		case operation.Method != r.Method, c.olderThan(operation.Since):
			return nil, notFound("Cannot %s %s", r.Method, r.URL.Path)
		}

		return c.dispatch(name)
	})
}

func (c *call) olderThan(release string) bool {
	since, err := parseVersion(release)

	return err == nil && c.version.compare(since) < 0
}

// dispatch does the checks that all operations have in common, and calls the
// operation's handler.
func (c *call) dispatch(name string) (any, error) {
	if err := c.authenticate(name); err != nil {
		return nil, err
	}

	if err := c.chooseLanguage(); err != nil {
		return nil, err
	}

	if c.operation.List || c.operation.Connection {
		if _, simulated := c.entities[c.operation.Entity]; simulated {
			return c.list()
		}
	}

	entry, simulated := handlers[name]
	if !simulated {
		return nil, notSimulated(name)
	}

	if c.forceLock && !entry.locks {
		return nil, resourceLocked(nil)
	}

	return entry.handle(c)
}

// list answers the operations that list or count rows.
func (c *call) list() (any, error) {
	if c.forceLock {
		return nil, resourceLocked(nil)
	}

	var request wire.ListRequest
	if err := c.decode(&request); err != nil {
		return nil, err
	}

	rows, err := c.findRows(c.operation.Entity, request)
	if err != nil {
		return nil, err
	}

	if c.operation.Connection {
		return wire.NewConnection(len(rows)), nil
	}

	return c.forClient(c.operation.Entity, rows), nil
}

func (c *call) chooseLanguage() error {
	c.language = c.request.Header.Get("content-language")

	switch c.language {
	case "", "en-US", "zh-CN":
		return nil
	case "*":
		if c.version.atLeast(4, 4) {
			return nil
		}
	}

	return badRequest("content-language: %q is not one of zh-CN, en-US", c.language)
}

// answer applies the faults that hit a request, runs its handler and sends the
// reply.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, name string, operation *wire.Operation, h handler) {
	started := time.Now()
	body, readErr := io.ReadAll(io.LimitReader(r.Body, maxBody+1))

	var (
		fault   *Fault
		arrived time.Time // simulated
	)

	s.withWorld(func(w *world) {
		w.total++
		w.requests[name]++
		fault, arrived = w.nextFault(name), w.now
	})

	if fault != nil && !s.applyFault(r, w, fault, arrived) {
		return
	}

	var out reply

	switch {
	case readErr != nil:
		out = errorReply(badRequest("cannot read the body: %s", readErr), r.URL.Path)
	case len(body) > maxBody:
		out = errorReply(&apiError{status: http.StatusRequestEntityTooLarge, message: "request entity too large"}, r.URL.Path)
	default:
		c := &call{server: s, request: r, operation: operation, body: body, fault: fault}
		out = s.run(c, h)
	}

	s.log.Info("request", "operation", name, "status", out.status, "took", time.Since(started).Round(time.Microsecond))
	s.sendReply(w, out, fault)
}

// run calls a handler under the server's lock and marshals its result before
// another request can change it.
func (s *Server) run(c *call, h handler) (out reply) {
	s.mu.Lock()
	defer s.mu.Unlock()

	c.world = s.world
	c.runDue(s.clock.now())
	c.forceLock = c.fault != nil && c.fault.LockedFor > 0

	done := c.recordMutation()
	defer func() { done(out) }()

	result, err := h(c)
	if !isRead(c.operation) {
		c.dirty = true

		if isMutation(c.operation) && c.operation.Tag != wire.EntityVM {
			c.touchOthers()
		}
	}

	c.endStep()

	if err != nil {
		return errorReply(localizeError(err, c.request.Header.Get("content-language")), c.request.URL.Path)
	}

	body, err := json.Marshal(result)
	if err != nil {
		return errorReply(fmt.Errorf("cannot marshal the reply: %w", err), c.request.URL.Path)
	}

	if body, err = c.forOlderVersion(body); err != nil {
		return errorReply(err, c.request.URL.Path)
	}

	return reply{status: http.StatusOK, body: body}
}

func isRead(operation *wire.Operation) bool {
	return operation != nil && (operation.List || operation.Connection)
}

func errorReply(err error, path string) reply {
	shape := errorBody(err, path)

	var shown any = shape
	if path == graphQLPath {
		shown = &graphQLError{ErrorBody: shape, Errors: []graphQLMessage{{Message: shape.Message}}}
	}

	body, marshalErr := json.Marshal(shown)
	if marshalErr != nil {
		body = []byte(`{"message":"unknown","status":500,"path":""}`)
	}

	return reply{status: shape.Status, body: body}
}

// send writes a reply with the headers of all of Tower's replies.
func (s *Server) send(w http.ResponseWriter, out reply) {
	s.mu.Lock()
	id := s.ids.uuid()
	s.mu.Unlock()

	w.Header().Set("X-Tower-Request-Id", id)

	if out.status == http.StatusNotModified {
		w.WriteHeader(out.status)

		return
	}

	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(out.status)

	// If the client is gone, the rest of the reply is lost.
	_, _ = w.Write(out.body)
}
