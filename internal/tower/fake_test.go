// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// answer is one scripted reply of the fake Tower.
type answer struct {
	status int               // 0 = 200
	body   any               // a string is sent as it is, anything else as JSON
	header map[string]string //
	drop   bool              // close the connection instead of answering
	cut    bool              // break off in the middle of the body
	then   func()            // runs before the reply is sent
	hang   <-chan struct{}   // answer only when it is closed
}

// request is what the fake Tower saw.
type request struct {
	path   string
	header http.Header
	body   map[string]any
	list   []any // where the body is an array
	raw    string
}

// fake is a Tower that answers by script and remembers what it was asked.
type fake struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	scripts  map[string]func(n int, r request) answer // n counts the calls of a path, from 1
	requests []request
}

// newFake starts a fake that knows get-version and login.
func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{t: t, scripts: map[string]func(int, request) answer{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.CloseClientConnections)
	t.Cleanup(f.Close)
	f.on("get-version", func(int, request) answer { return answer{body: "4.6.0"} })
	f.on("login", func(n int, _ request) answer { return answer{body: loggedIn("token-" + string(rune('0'+n)))} })
	return f
}

func loggedIn(token string) any {
	return map[string]any{"task_id": nil, "data": map[string]any{"token": token}}
}

// refusal is an error body of Tower.
func refusal(status int, code, message string) answer {
	body := map[string]any{"message": message, "status": status, "path": "/v2/api/x"}
	if code != "" {
		body["code"] = code
	}
	return answer{status: status, body: body, header: map[string]string{"x-tower-request-id": "req-1"}}
}

// on scripts an operation.
func (f *fake) on(op string, script func(n int, r request) answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scripts[op] = script
}

// count returns how often an operation was called.
func (f *fake) count(op string) int { return len(f.seen(op)) }

// seen returns the requests of an operation.
func (f *fake) seen(op string) []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []request
	for _, r := range f.requests {
		if r.path == op {
			out = append(out, r)
		}
	}
	return out
}

// ServeHTTP answers by script.
func (f *fake) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	raw, _ := io.ReadAll(req.Body)
	r := request{path: strings.TrimPrefix(req.URL.Path, apiPath+"/"), header: req.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &r.body)
	_ = json.Unmarshal(raw, &r.list)
	f.mu.Lock()
	f.requests = append(f.requests, r)
	n := 0
	for _, before := range f.requests {
		if before.path == r.path {
			n++
		}
	}
	script := f.scripts[r.path]
	f.mu.Unlock()
	if script == nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	a := script(n, r)
	if a.then != nil {
		a.then()
	}
	if a.hang != nil {
		<-a.hang
	}
	f.reply(w, a)
}

// reply sends an answer.
func (f *fake) reply(w http.ResponseWriter, a answer) {
	if a.drop {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	body, isText := a.body.(string)
	if !isText || a.status == 0 && !strings.HasPrefix(body, "<") {
		encoded, _ := json.Marshal(a.body)
		body = string(encoded)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if a.cut {
		// The announced length never comes.
		_, _ = io.WriteString(w, body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
		return
	}
	if a.status != http.StatusNotModified {
		_, _ = io.WriteString(w, body)
	}
}

// quick are times that make tests fast.
func quick() tuning {
	return tuning{window: time.Millisecond, gather: time.Millisecond, retryMin: time.Millisecond, retryMax: 5 * time.Millisecond}
}

// quickConfig is a configuration for tests.
func quickConfig(server string) Config {
	return Config{
		Server: server, Username: "root", Password: "secret-password", MaxRetries: 3, PollInterval: 5 * time.Millisecond, RequestTimeout: 10 * time.Second,
	}
}

// client returns a client of the fake, with its configuration changed.
func (f *fake) client(change ...func(*Config)) *Client {
	f.t.Helper()
	cfg := quickConfig(f.URL)
	for _, ch := range change {
		ch(&cfg)
	}
	c, err := newClient(cfg, quick())
	if err != nil {
		f.t.Fatalf("newClient: %v", err)
	}
	return c
}

// short returns a context that ends a test which hangs.
func short(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// vmJSON is a VM as Tower shows it.
func vmJSON(id, status, async string) map[string]any {
	out := map[string]any{
		"id": id, "local_id": "11111111-2222-3333-4444-555555555555", "name": "vm-" + id, "status": status,
		"cluster": map[string]any{"id": "cl", "name": "cluster"}, "in_recycle_bin": false, "internal": false,
		"vcpu": 4, "cpu": map[string]any{"cores": 2, "sockets": 2}, "memory": 1 << 30, "ha": true, "entityAsyncStatus": nil,
		"local_created_at": "2026-01-02T03:04:05.000Z", "vm_tools_status": "NOT_INSTALLED",
	}
	if async != "" {
		out["entityAsyncStatus"] = async
	}
	return out
}

// accept is the reply to a mutation of the VM "vm-1".
func accept(task string) answer {
	return answer{body: []any{map[string]any{"task_id": task, "data": map[string]any{"id": "vm-1"}}}, header: map[string]string{"x-tower-request-id": "req-" + task}}
}

// taskJSON is a task as Tower shows it.
func taskJSON(id, status string) map[string]any {
	return map[string]any{"id": id, "status": status, "progress": 0.5, "args": map[string]any{}, "steps": []any{}}
}

// oneTask makes get-tasks show the task "task".
func (f *fake) oneTask(status func(n int) string) {
	f.on("get-tasks", func(n int, _ request) answer { return answer{body: []any{taskJSON("task", status(n))}} })
}

// done is a task that has succeeded at the first look.
func done(int) string { return taskSucceeded }

// oneVM makes get-vms show what the function returns; nil shows none.
func (f *fake) oneVM(show func(n int) map[string]any) {
	f.on("get-vms", func(n int, _ request) answer {
		if v := show(n); v != nil {
			return answer{body: []any{v}}
		}
		return answer{body: []any{}}
	})
}
