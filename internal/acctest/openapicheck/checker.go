// SPDX-License-Identifier: MPL-2.0

// Package openapicheck compares HTTP exchanges, a client's requests and the
// replies of a simulated Tower, with Tower's OpenAPI document. Only tests import
// it.
package openapicheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// EnvDocument names the environment variable that holds the path of the
// document. Tests that need the document skip themselves when it is not set.
const EnvDocument = "ELF_TEST_OPENAPI"

// BasePath is the prefix of the paths that the document describes.
const BasePath = "/v2/api"

// requestIDHeader is the header that every successful reply has to carry.
const requestIDHeader = "X-Tower-Request-Id"

// maxKnown is how many valid values are remembered.
const maxKnown = 200_000

// maxViolations is how many violations are remembered; later ones are only
// counted.
const maxViolations = 200

// Exchange is one request with its reply.
type Exchange struct {
	// Method and Path are the request's; Path includes [BasePath].
	Method, Path string
	// RequestType is the request's content type.
	RequestType string
	// RequestBody is nil or empty for a request without a body.
	RequestBody []byte
	// Status, Header and ResponseBody are the reply's.
	Status       int
	Header       http.Header
	ResponseBody []byte
}

// Checker compares exchanges with the document and remembers the violations.
// Several goroutines may use it.
type Checker struct {
	doc  *openapi3.T
	seed maphash.Seed

	mu         sync.Mutex
	counts     map[string]int
	violations []string
	dropped    int
	known      map[knownKey]bool
}

// knownKey identifies a value that is known to be valid.
type knownKey struct {
	schema *openapi3.Schema
	hash   uint64
}

// New loads the document at path. It looks at a schema only when an exchange
// needs it.
func New(path string) (*Checker, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, fmt.Errorf("load the OpenAPI document: %w", err)
	}
	return &Checker{doc: doc, seed: maphash.MakeSeed(), counts: map[string]int{}, known: map[knownKey]bool{}}, nil
}

// Violations returns the violations found so far, in the order in which each was
// first found, without duplicates.
func (c *Checker) Violations() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := slices.Clone(c.violations)
	if c.dropped > 0 {
		out = append(out, fmt.Sprintf("and %d more", c.dropped))
	}
	return out
}

// Counts returns how many exchanges were checked, by the path after [BasePath].
func (c *Checker) Counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]int, len(c.counts))
	for path, n := range c.counts {
		out[path] = n
	}
	return out
}

// Check compares one exchange with the document. It ignores paths outside of
// [BasePath]. A request that the document does not allow is not a violation if
// the server refused it (status 400 to 499).
func (c *Checker) Check(ex Exchange) {
	path, ok := strings.CutPrefix(ex.Path, BasePath)
	if !ok || !strings.HasPrefix(path, "/") {
		return
	}
	var found []string
	report := func(format string, args ...any) {
		found = append(found, fmt.Sprintf(ex.Method+" "+path+": "+format, args...))
	}
	if op := c.operation(ex.Method, path); op != nil {
		if !refused(ex.Status) {
			c.checkRequest(op, ex, report)
		}
		c.checkReply(op, ex, report)
	} else if !refused(ex.Status) {
		report("the document has no such operation, the reply is %d", ex.Status)
	}
	c.record(path, found)
}

func refused(status int) bool {
	return status >= 400 && status < 500
}

func (c *Checker) operation(method, path string) *openapi3.Operation {
	item := c.doc.Paths.Value(path)
	if item == nil {
		return nil
	}
	return item.GetOperation(method)
}

func (c *Checker) record(path string, found []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[path]++
	for _, text := range found {
		switch {
		case slices.Contains(c.violations, text):
		case len(c.violations) >= maxViolations:
			c.dropped++
		default:
			c.violations = append(c.violations, text)
		}
	}
}

type reporter func(format string, args ...any)

func (c *Checker) checkRequest(op *openapi3.Operation, ex Exchange, report reporter) {
	if op.RequestBody == nil || op.RequestBody.Value == nil {
		return
	}
	content := op.RequestBody.Value.Content
	media := content.Get("application/json")
	if media == nil { // an upload, of which the parts are not checked
		if got, _, err := mime.ParseMediaType(ex.RequestType); err != nil || content[got] == nil {
			report("request has content type %q", ex.RequestType)
		}
		return
	}
	body := bytes.TrimSpace(ex.RequestBody)
	if len(body) == 0 {
		body = []byte("{}") // how Tower reads it
	}
	for _, text := range c.validate(media.Schema, body, openapi3.VisitAsRequest()) {
		report("request: %s", text)
	}
}

func (c *Checker) checkReply(op *openapi3.Operation, ex Exchange, report reporter) {
	declared := op.Responses.Status(ex.Status)
	if declared == nil || declared.Value == nil {
		// The document does not describe the replies to a missing log-in, nor those
		// of an overloaded Tower or of a proxy in front of it.
		if !refused(ex.Status) && ex.Status < 500 {
			report("reply has status %d, which the document does not list", ex.Status)
		}
		return
	}
	if ex.Status == http.StatusOK && len(declared.Value.Headers) > 0 && ex.Header.Get(requestIDHeader) == "" {
		report("reply lacks the header %s", strings.ToLower(requestIDHeader))
	}
	media := declared.Value.Content.Get("application/json")
	if media == nil {
		if len(bytes.TrimSpace(ex.ResponseBody)) > 0 {
			report("reply %d has a body", ex.Status)
		}
		return
	}
	got := ex.Header.Get("Content-Type")
	if mediaType, _, err := mime.ParseMediaType(got); err != nil || mediaType != "application/json" {
		report("reply %d has content type %q", ex.Status, got)
	}
	for _, text := range c.validate(media.Schema, ex.ResponseBody, openapi3.VisitAsResponse()) {
		report("reply %d: %s", ex.Status, text)
	}
}

// validate checks one JSON text. It checks the elements of a list one by one and
// each distinct element only once, because clients that poll read lists of
// thousands of rows again and again.
func (c *Checker) validate(ref *openapi3.SchemaRef, body []byte, opt openapi3.SchemaValidationOption) []string {
	schema := ref.Value
	var items []json.RawMessage
	if schema.Type.Is(openapi3.TypeArray) && schema.MinItems == 0 && json.Unmarshal(body, &items) == nil && items != nil {
		var out []string
		for i, item := range items {
			for _, text := range c.validateValue(schema.Items.Value, item, opt) {
				out = append(out, fmt.Sprintf("/%d%s", i, text))
			}
		}
		return out
	}
	return c.validateValue(schema, body, opt)
}

func (c *Checker) validateValue(schema *openapi3.Schema, raw []byte, opt openapi3.SchemaValidationOption) []string {
	key := knownKey{schema: schema, hash: maphash.Bytes(c.seed, raw)}
	c.mu.Lock()
	known := c.known[key]
	c.mu.Unlock()
	if known {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return []string{fmt.Sprintf(": malformed JSON: %v", err)}
	}
	if out := explain(schema.VisitJSON(value, opt, openapi3.MultiErrors())); len(out) > 0 {
		return out
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxKnown {
		clear(c.known)
	}
	c.known[key] = true
	return nil
}
