// SPDX-License-Identifier: MPL-2.0

package openapicheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// tiny is a small document with the constructions that Tower's document uses.
const tiny = `{
  "openapi": "3.0.0", "info": {"title": "tiny", "version": "1"},
  "paths": {
    "/get-things": {"post": {"operationId": "GetThings",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}},
      "responses": {
        "200": {"description": "", "headers": {"x-tower-request-id": {"required": true, "schema": {"type": "string"}}},
          "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}}}},
        "304": {"description": ""},
        "400": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}}}},
    "/upload": {"post": {"operationId": "Upload",
      "requestBody": {"required": true, "content": {"multipart/form-data": {"schema": {"type": "object"}}}},
      "responses": {"200": {"description": "", "content": {"application/json": {"schema": {"type": "string"}}}}}}}
  },
  "components": {"schemas": {
    "State": {"type": "string", "enum": ["ON", "OFF"]},
    "Error": {"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}},
    "Nested": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}, "additionalProperties": false},
    "Where": {"type": "object", "additionalProperties": false, "properties": {
      "AND": {"type": "array", "nullable": true, "items": {"$ref": "#/components/schemas/Where"}},
      "state": {"allOf": [{"$ref": "#/components/schemas/State"}], "nullable": true}}},
    "Body": {"type": "object", "additionalProperties": false, "properties": {
      "where": {"allOf": [{"$ref": "#/components/schemas/Where"}], "nullable": true}}},
    "Thing": {"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
      "id": {"type": "string"}, "size": {"type": "integer", "format": "int64"},
      "state": {"allOf": [{"$ref": "#/components/schemas/State"}], "nullable": true},
      "owner": {"allOf": [{"$ref": "#/components/schemas/Nested"}], "nullable": true},
      "strict": {"$ref": "#/components/schemas/State"}}}
  }}
}`

func newChecker(t *testing.T) *Checker {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.json")
	if err := os.WriteFile(path, []byte(tiny), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := New(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func exchange(request, response string) Exchange {
	return Exchange{
		Method: http.MethodPost, Path: "/v2/api/get-things", RequestBody: []byte(request), Status: http.StatusOK,
		Header:       http.Header{"Content-Type": {"application/json; charset=utf-8"}, "X-Tower-Request-Id": {"r1"}},
		ResponseBody: []byte(response),
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	status := func(code int, body string) Exchange {
		ex := exchange(`{}`, body)
		ex.Status = code
		return ex
	}
	with := func(change func(*Exchange)) Exchange {
		ex := exchange(`{}`, `[]`)
		change(&ex)
		return ex
	}
	tests := map[string]struct {
		ex   Exchange
		want []string
	}{
		"valid":          {exchange(`{"where":{"AND":[{"state":"ON"},{"state":null}]}}`, `[{"id":"a","size":1,"state":"ON"}]`), nil},
		"empty request":  {exchange(``, `[]`), nil},
		"null enum":      {exchange(`{}`, `[{"id":"a","state":null}]`), nil},
		"null object":    {exchange(`{}`, `[{"id":"a","owner":null}]`), nil},
		"null filter":    {exchange(`{"where":null}`, `[]`), nil},
		"wrong enum":     {exchange(`{}`, `[{"id":"a"},{"id":"b","state":"HALF"}]`), []string{`reply 200: /1/state: value is not one of the allowed values ["ON","OFF"]`}},
		"null where not": {exchange(`{}`, `[{"id":"a","strict":null}]`), []string{`reply 200: /0/strict: value is not one of the allowed values ["ON","OFF"]`}},
		"wrong nested":   {exchange(`{}`, `[{"id":"a","owner":{"id":1}}]`), []string{`reply 200: /0/owner/id: value must be a string`}},
		"fraction":       {exchange(`{}`, `[{"id":"a","size":1.5}]`), []string{`reply 200: /0/size: value must be an integer`}},
		"missing":        {exchange(`{}`, `[{}]`), []string{`reply 200: /0/id: property "id" is missing`}},
		"additional":     {exchange(`{}`, `[{"id":"a","x":1}]`), []string{`reply 200: /0: property "x" is unsupported`}},
		"several":        {exchange(`{}`, `[{"size":"1","state":2}]`), []string{`reply 200: /0/size: value must be an integer`, `reply 200: /0/state: value is not one of the allowed values ["ON","OFF"]`, `reply 200: /0/id: property "id" is missing`}},
		"not a list":     {exchange(`{}`, `{}`), []string{`reply 200: : value must be an array`}},
		"null list":      {exchange(`{}`, `null`), []string{`reply 200: : Value is not nullable`}},
		"not JSON":       {exchange(`{}`, `oops`), []string{`reply 200: : malformed JSON: invalid character 'o' looking for beginning of value`}},
		"deep request":   {exchange(`{"where":{"AND":[{"state":"HALF"}]}}`, `[]`), []string{`request: /where/AND/0/state: value is not one of the allowed values ["ON","OFF"]`}},
		"unknown filter": {exchange(`{"where":{"size":1}}`, `[]`), []string{`request: /where: property "size" is unsupported`}},
		"refused request": {with(func(ex *Exchange) {
			ex.RequestBody, ex.Status, ex.ResponseBody = []byte(`{"x":1}`), 400, []byte(`{"message":"m"}`)
		}), nil},
		"wrong error":       {status(400, `{}`), []string{`reply 400: /message: property "message" is missing`}},
		"not modified":      {status(304, ``), nil},
		"body of a 304":     {status(304, `[]`), []string{`reply 304 has a body`}},
		"unauthorized":      {status(401, `nope`), nil},
		"bad gateway":       {status(502, `<html>`), nil},
		"undeclared status": {status(201, `[]`), []string{`reply has status 201, which the document does not list`}},
		"no request id":     {with(func(ex *Exchange) { ex.Header.Del("X-Tower-Request-Id") }), []string{`reply lacks the header x-tower-request-id`}},
		"content type":      {with(func(ex *Exchange) { ex.Header.Set("Content-Type", "text/plain") }), []string{`reply 200 has content type "text/plain"`}},
		"no operation":      {with(func(ex *Exchange) { ex.Path = "/v2/api/get-other" }), []string{`the document has no such operation, the reply is 200`}},
		"no method":         {with(func(ex *Exchange) { ex.Method = http.MethodGet }), []string{`the document has no such operation, the reply is 200`}},
		"not found":         {with(func(ex *Exchange) { ex.Path, ex.Status = "/v2/api/get-other", 404 }), nil},
		"elsewhere":         {with(func(ex *Exchange) { ex.Path = "/api" }), nil},
		"upload": {with(func(ex *Exchange) {
			ex.Path, ex.RequestType, ex.ResponseBody = "/v2/api/upload", "multipart/form-data; boundary=x", []byte(`"done"`)
		}), nil},
		"upload of JSON": {with(func(ex *Exchange) {
			ex.Path, ex.RequestType, ex.ResponseBody = "/v2/api/upload", "application/json", []byte(`"done"`)
		}), []string{`request has content type "application/json"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChecker(t)
			for range 2 { // the second time, all values are known
				c.Check(test.ex)
			}
			var got []string
			for _, text := range c.Violations() {
				_, text, _ = strings.Cut(text, ": ")
				got = append(got, text)
			}
			slices.Sort(got)
			slices.Sort(test.want)
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestViolationsNameTheOperationAndHideValues(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	c.Check(exchange(`{"where":{"state":"secret"}}`, `[{"id":"a","state":"secret"}]`))
	got := c.Violations()
	if len(got) != 2 || !strings.HasPrefix(got[0], "POST /get-things: request: /where/state: ") {
		t.Errorf("got %q", got)
	}
	if strings.Contains(strings.Join(got, "\n"), "secret") {
		t.Errorf("a violation shows a value: %q", got)
	}
}

func TestNewFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(path, []byte(`{"paths":[`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(path); err == nil {
		t.Error("a broken document loads")
	}
	if _, err := New(path + ".missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the error of a missing document is %v", err)
	}
}

// reply returns a handler that reads the request and answers with body.
func reply(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Tower-Request-Id", "r1")
		if _, err := io.WriteString(w, body); err != nil {
			return
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	mux := http.NewServeMux()
	mux.Handle("/v2/api/get-things", reply(`[{"id":1}]`))
	mux.Handle("/v2/api/aborts", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	mux.Handle("/v2/api/hijacks", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			err = conn.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}))
	mux.Handle("/other", reply(`"other"`))
	srv := httptest.NewServer(c.Middleware(mux))
	defer srv.Close()

	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			resp, err := http.Post(srv.URL+"/v2/api/get-things", "application/json", strings.NewReader(`{"where":{"x":1}}`))
			if err != nil {
				t.Error(err)
				return
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || string(body) != `[{"id":1}]` || resp.StatusCode != http.StatusOK {
				t.Errorf("got %d %s, %v", resp.StatusCode, body, err)
			}
			_ = resp.Body.Close()
		})
	}
	wg.Wait()
	for _, path := range []string{"/v2/api/aborts", "/v2/api/hijacks"} {
		if resp, err := http.Post(srv.URL+path, "application/json", nil); err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s answers %d", path, resp.StatusCode)
		}
	}
	resp, err := http.Get(srv.URL + "/other")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()

	want := []string{
		`POST /get-things: request: /where: property "x" is unsupported`,
		`POST /get-things: reply 200: /0/id: value must be a string`,
	}
	if got := c.Violations(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := c.Counts(); len(got) != 1 || got["/get-things"] != 8 {
		t.Errorf("counts %v", got)
	}
}

func TestMiddlewarePassesReadErrorsOn(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	broken := errors.New("cut off")
	var got error
	handler := c.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, got = io.ReadAll(r.Body)
	}))
	req := httptest.NewRequest(http.MethodPost, "/v2/api/get-things", io.MultiReader(strings.NewReader(`{`), failingReader{broken}))
	handler.ServeHTTP(httptest.NewRecorder(), req)
	if !errors.Is(got, broken) || len(c.Counts()) != 0 {
		t.Errorf("the handler sees %v, counts %v", got, c.Counts())
	}
}

// TestTowersDocument uses the real document.
func TestTowersDocument(t *testing.T) {
	t.Parallel()
	path := NeedDocument(t)
	start := time.Now()
	c, err := New(path)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("loading took %s", took)
	}
	check := func(request, response string) []string {
		ex := exchange(request, response)
		ex.Path = BasePath + "/get-vm-nics"
		before := len(c.Violations())
		c.Check(ex)
		return c.Violations()[before:]
	}
	const nic = `[{"id":"n","local_id":"l","vm":{"id":"v","name":"vm"},"model":%,"mac_address":null}]`
	for _, model := range []string{`null`, `"VIRTIO"`} {
		if got := check(`{"where":{"vm":{"id_in":["v"]},"model":null}}`, strings.ReplaceAll(nic, "%", model)); len(got) != 0 {
			t.Errorf("model %s: %q", model, got)
		}
	}
	if got := check(`{}`, strings.ReplaceAll(nic, "%", `"NE2000"`)); len(got) != 1 || !strings.Contains(got[0], "/0/model: value is not one of the allowed values") {
		t.Errorf("a wrong model: %q", got)
	}
	if got := check(`{"where":{"vm":{"host":{"foo":1}}}}`, `[]`); len(got) != 1 || !strings.Contains(got[0], `/where/vm/host: property "foo" is unsupported`) {
		t.Errorf("a wrong filter: %q", got)
	}
}

func BenchmarkPolledList(b *testing.B) {
	path := filepath.Join(b.TempDir(), "tiny.json")
	if err := os.WriteFile(path, []byte(tiny), 0o600); err != nil {
		b.Fatal(err)
	}
	c, err := New(path)
	if err != nil {
		b.Fatal(err)
	}
	var rows []map[string]any
	for i := range 5000 {
		rows = append(rows, map[string]any{"id": strings.Repeat("x", 100), "size": i})
	}
	body, err := json.Marshal(rows)
	if err != nil {
		b.Fatal(err)
	}
	ex := exchange(`{}`, string(bytes.TrimSpace(body)))
	for b.Loop() {
		c.Check(ex)
	}
}
