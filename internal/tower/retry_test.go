// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/vm"
)

// try makes one call of a kind to an operation of the fake.
func (c *Client) try(ctx context.Context, k kind) error {
	switch k {
	case kindMutation:
		_, err := c.vms.submit(ctx, "vm-1", c.starting(""))
		return err
	case kindCreate:
		in := VMCreate{Name: "n", ClusterID: "cl", ContentLibraryVMTemplateID: "t"}
		call, err := in.call()
		if err != nil {
			return err
		}
		_, _, err = c.vms.sendCreate(ctx, call.operation, 1, func(ctx context.Context) ([]receipt, error) { return call.send(ctx, vm.New(c.sdk())) })
		return err
	case kindRead, kindPoll:
	}
	_, err := c.vms.fetch(ctx, k, Where{"id": "vm-1"})
	return err
}

var paths = map[kind]string{kindRead: "get-vms", kindPoll: "get-vms", kindMutation: "start-vm", kindCreate: opCreate}

// What is repeated, for each kind of call and each failure: the failure strikes the first calls only, and the number of
// calls tells what the client did.
func TestRetries(t *testing.T) {
	retryAfter := map[string]string{"Retry-After": "0"}
	for _, tc := range []struct {
		name   string
		answer answer
		calls  map[kind]int // with MaxRetries 3 and a failure that lasts
		class  Class
	}{
		{"500", refusal(500, "", "boom"), map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 1}, ClassTransient},
		{"502 of a proxy", answer{status: 502, body: "<html><title>502 Bad Gateway</title></html>", header: map[string]string{"Content-Type": "text/html"}}, map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 1}, ClassTransient},
		{"503", refusal(503, "", "busy"), map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 1}, ClassTransient},
		{"503 with Retry-After", answer{status: 503, body: map[string]any{"message": "busy"}, header: retryAfter}, map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 4}, ClassTransient},
		{"429", answer{status: 429, body: map[string]any{"message": "slow down"}}, map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 4, kindCreate: 4}, ClassTransient},
		{"reset", answer{drop: true}, map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 1}, ClassTransient},
		{"broken off", answer{status: 200, body: []any{vmJSON("vm-1", "RUNNING", "")}, cut: true}, map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 1}, ClassTransient},
		{"a page as success", answer{body: "<html></html>"}, map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 1}, ClassTransient},
		{"a page as 404", answer{status: 404, body: "<html></html>"}, map[kind]int{kindRead: 4, kindPoll: 1, kindMutation: 1, kindCreate: 1}, ClassTransient},
		{"501", refusal(501, "", "not here"), map[kind]int{kindRead: 1, kindPoll: 1, kindMutation: 1, kindCreate: 1}, ClassRefused},
		{"400", refusal(400, "", "bad"), map[kind]int{kindRead: 1, kindPoll: 1, kindMutation: 1, kindCreate: 1}, ClassRefused},
		{"403", refusal(403, "", "no"), map[kind]int{kindRead: 1, kindPoll: 1, kindMutation: 1, kindCreate: 1}, ClassRefused},
		{"locked", refusal(400, "ResourceLocked", "VM-x is locked"), map[kind]int{kindRead: 1, kindPoll: 1, kindMutation: 1, kindCreate: 1}, ClassLocked},
	} {
		for k, want := range tc.calls {
			t.Run(tc.name+" "+paths[k]+" "+string(rune('0'+k)), func(t *testing.T) {
				f := newFake(t)
				f.on(paths[k], func(int, request) answer { return tc.answer })
				err := f.client().try(short(t), k)
				if got := f.count(paths[k]); got != want {
					t.Errorf("%d calls, want %d", got, want)
				}
				var call *Error
				if !errors.As(err, &call) || call.Class != tc.class {
					t.Errorf("got %v, want the class %s", err, tc.class)
				}
			})
		}
	}
}

func TestRetries_succeed(t *testing.T) {
	f := newFake(t)
	f.on("get-vms", func(n int, _ request) answer {
		switch n {
		case 1:
			return refusal(503, "", "busy")
		case 2:
			return answer{drop: true}
		}
		return answer{body: []any{vmJSON("a", "RUNNING", "")}}
	})
	v, err := f.client().VM(short(t), "a")
	if err != nil || v.ID != "a" {
		t.Fatalf("got %+v, %v", v, err)
	}
}

// A server that is not there is the one case in which even a create may be sent again: nothing was sent at all.
func TestRetries_nothingSent(t *testing.T) {
	for _, k := range []kind{kindRead, kindPoll, kindMutation, kindCreate} {
		t.Run(paths[k], func(t *testing.T) {
			f := newFake(t)
			c := f.client()
			if err := c.Login(short(t)); err != nil {
				t.Fatal(err)
			}
			var dials atomic.Int32
			c.dial(func(context.Context, string, string) (net.Conn, error) {
				dials.Add(1)
				return nil, errors.New("connection refused")
			})
			want := int32(4)
			if k == kindPoll {
				want = 1
			}
			err := c.try(short(t), k)
			if dials.Load() != want {
				t.Errorf("%d attempts, want %d", dials.Load(), want)
			}
			if effectUnknown(err) {
				t.Errorf("the outcome counts as unknown: %v", err)
			}
		})
	}
}

// dial replaces how the client makes connections.
func (c *Client) dial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	transport := c.attempts.base.(*http.Transport)
	transport.CloseIdleConnections()
	transport.DialContext = dial
}

func TestRetries_neverBeyondTheContext(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(short(t))
	f.on("get-vms", func(n int, _ request) answer {
		return answer{status: 429, body: map[string]any{"message": "slow down"}, header: map[string]string{"Retry-After": "3600"}, then: cancel}
	})
	_, err := f.client().VM(ctx, "a")
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want the context's error", err)
	}
}

// A server that wants to be left alone is left alone by every call, not only by the one that was told.
func TestRetryAfter_holdsAllCalls(t *testing.T) {
	f := newFake(t)
	f.on("get-vms", func(n int, _ request) answer {
		if n == 1 {
			return answer{status: 503, body: map[string]any{"message": "busy"}, header: map[string]string{"Retry-After": "1"}}
		}
		return answer{body: []any{}}
	})
	c := f.client()
	start := time.Now()
	if err := c.try(short(t), kindPoll); err == nil {
		t.Fatal("no error")
	}
	if err := c.try(short(t), kindPoll); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(start); waited < time.Second {
		t.Errorf("asked again after %s", waited)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		value  string
		least  time.Duration
		most   time.Duration
	}{
		{"seconds", 429, "7", 7 * time.Second, 7 * time.Second},
		{"date", 503, time.Now().Add(time.Minute).UTC().Format(http.TimeFormat), 50 * time.Second, time.Minute},
		{"past", 503, "Mon, 02 Jan 2006 15:04:05 GMT", 0, 0},
		{"none", 429, "", 0, 0},
		{"negative", 429, "-5", 0, 0},
		{"nonsense", 429, "soon", 0, 0},
		{"other status", 500, "7", 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := retryAfter(&http.Response{StatusCode: tc.status, Header: http.Header{"Retry-After": {tc.value}}})
			if got < tc.least || got > tc.most {
				t.Errorf("got %s, want %s to %s", got, tc.least, tc.most)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	for attempt, base := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second} {
		got := backoff(time.Second, 8*time.Second, attempt, nil)
		if got < base || got > base+base/4 {
			t.Errorf("attempt %d waits %s, want %s and a quarter more at most", attempt, got, base)
		}
	}
}

func TestTimeoutOfARequest(t *testing.T) {
	f := newFake(t)
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	f.on("get-vms", func(n int, _ request) answer {
		if n == 1 {
			return answer{hang: never}
		}
		return answer{body: []any{vmJSON("a", "RUNNING", "")}}
	})
	c := f.client()
	if err := c.Login(short(t)); err != nil {
		t.Fatal(err)
	}
	c.attempts.timeout = 20 * time.Millisecond
	if _, err := c.VM(short(t), "a"); err != nil {
		t.Fatalf("the second attempt should have succeeded: %v", err)
	}
	f.on("get-vms", func(int, request) answer { return answer{hang: never} })
	_, err := c.VM(short(t), "a")
	var call *Error
	if !errors.As(err, &call) || call.Class != ClassTransient || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a passing failure that is not the caller's deadline", err)
	}
	if !strings.Contains(err.Error(), "20ms") {
		t.Errorf("the error does not tell the limit: %v", err)
	}
}

func TestConcurrencyIsLimited(t *testing.T) {
	f := newFake(t)
	started, release := make(chan struct{}, 10), make(chan struct{})
	f.on("get-vlans", func(int, request) answer {
		started <- struct{}{}
		return answer{hang: release, body: []any{}}
	})
	f.on("get-vms", func(int, request) answer { return answer{body: []any{}} })
	c := f.client(func(c *Config) { c.MaxConcurrentRequests = 3 })
	ctx := short(t)
	errs := make(chan error, 10)
	for range 10 {
		go func() {
			_, err := c.VLANs(ctx, nil)
			errs <- err
		}()
	}
	for range 3 {
		<-started
	}
	// All places are taken now: whoever else comes waits, and may give up.
	impatient, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if err := c.try(impatient, kindRead); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
	if n := len(c.attempts.places); n != 3 || len(started) != 0 || f.count("get-vms") != 0 {
		t.Errorf("%d places taken, %d more calls under way, %d calls of the one who gave up", n, len(started), f.count("get-vms"))
	}
	close(release)
	for range 10 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
