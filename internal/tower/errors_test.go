// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestError_text(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&Error{Operation: "get-vms", HTTPStatus: 400, Code: "X", Message: "words", RequestID: "r"}, "get-vms: HTTP 400 X: words (Tower request id r)"},
		{&Error{Operation: "get-vms", Err: io.EOF}, "get-vms: EOF"},
		{&Error{Operation: "get-vms", Class: ClassNotFound, Message: "none"}, "get-vms: none"},
		{&TaskError{Operation: "start-vm", Message: "words"}, "start-vm failed: words"},
		{&AmbiguousError{Kind: "VM", Name: "n", Err: io.EOF}, `it is not known whether Tower created the VM "n": EOF; no VM of that name has appeared since, but it still may`},
		{&AmbiguousError{Kind: "VM folder", Name: "n", IDs: []string{"a", "b"}, Err: io.EOF}, `it is not known whether Tower created the VM folder "n": EOF; it has 2 VM folders of that name (a, b), and none can be told to be the new one`},
		{&LoginError{Message: "m", Err: io.EOF}, "m: EOF"},
		{&LoginError{Message: "m"}, "m"},
		{&ConfigError{Field: "server", Message: "m"}, "server: m"},
		{&ConfigError{Field: "server", Message: "m", Err: io.EOF}, "server: m: EOF"},
		{interrupted("waiting", context.Canceled, nil), "waiting: context canceled"},
		{interrupted("waiting", context.Canceled, io.EOF), "waiting: context canceled (Tower's last answer: EOF)"},
		{&attemptTimeoutError{after: 30e9}, "no reply within 30s"},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

func TestError_chains(t *testing.T) {
	for _, err := range []error{
		&Error{Err: io.EOF}, &AmbiguousError{Err: io.EOF}, &LoginError{Err: io.EOF}, &ConfigError{Err: io.EOF}, interrupted("x", context.Canceled, io.EOF),
		asError("op", io.EOF), asError("op", &Error{Err: io.EOF}),
	} {
		if !errors.Is(err, io.EOF) {
			t.Errorf("%T loses its cause", err)
		}
	}
	if err := interrupted("x", context.Canceled, io.EOF); !errors.Is(err, context.Canceled) {
		t.Errorf("%v loses the context's error", err)
	}
}

func TestError_sentinels(t *testing.T) {
	sentinels := []error{ErrNotFound, ErrLocked, ErrUnauthorized}
	for _, tc := range []struct {
		err  error
		want error
	}{
		{&Error{Class: ClassNotFound}, ErrNotFound},
		{&Error{Class: ClassLocked}, ErrLocked},
		{&Error{Class: ClassUnauthorized}, ErrUnauthorized},
		{&Error{Class: ClassRefused}, nil},
		{&Error{Class: ClassTransient}, nil},
		{&Error{Class: ClassCancelled}, nil},
		{&LoginError{Problem: LoginWrongCredentials}, ErrUnauthorized},
		{&LoginError{Problem: LoginTwoFactor}, ErrUnauthorized},
		{&LoginError{Problem: LoginTokenRefused}, ErrUnauthorized},
		{&LoginError{Problem: LoginUnreachable}, nil},
	} {
		for _, s := range sentinels {
			if got := errors.Is(fmt.Errorf("wrapped: %w", tc.err), s); got != sameError(s, tc.want) {
				t.Errorf("errors.Is(%#v, %v) = %t", tc.err, s, got)
			}
		}
	}
}

// sameError compares sentinels, which errors.Is would ask about what they wrap.
func sameError(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func TestFinal(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{io.EOF, false},
		{&Error{Class: ClassTransient}, false},
		{&Error{Class: ClassCancelled}, false},
		{&Error{Class: ClassRefused}, true},
		{&Error{Class: ClassUnauthorized}, true},
		{&LoginError{Problem: LoginUnreachable}, false},
		{&LoginError{Problem: LoginFailed}, false},
		{&LoginError{Problem: LoginWrongCredentials, Err: &Error{Class: ClassRefused}}, true},
	} {
		if got := final(tc.err); got != tc.want {
			t.Errorf("final(%#v) = %t", tc.err, got)
		}
	}
}

// Each shape of a reply that is not Tower's is told apart, and nothing but a title is quoted from it.
func TestForeignReplies(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer answer
		class  Class
		says   string
	}{
		{"proxy", answer{status: 502, body: "<html><head><title>502 Bad\n Gateway</title></head>secret</html>"}, ClassTransient, `"502 Bad Gateway"`},
		{"portal", answer{status: 403, body: "<html><title>Portal</title>secret</html>"}, ClassRefused, "Portal"},
		{"plain text", answer{status: 400, body: "secret words", header: map[string]string{"Content-Type": "text/plain"}}, ClassRefused, "text/plain"},
		{"nothing", answer{status: 500, body: ""}, ClassTransient, "empty reply"},
		{"JSON of another kind", answer{status: 400, body: `{"error":"secret"}`}, ClassRefused, "JSON"},
		{"no type", answer{status: 400, body: "secret", header: map[string]string{"Content-Type": ""}}, ClassRefused, "no JSON"},
		{"a page as success", answer{status: 200, body: "<html><title>Hello</title>secret</html>"}, ClassTransient, "Hello"},
		{"a page as 404", answer{status: 404, body: "<html><title>default backend</title>secret</html>"}, ClassTransient, "default backend"},
		{"JSON of another kind as success", answer{status: 200, body: `{"a":"secret"}`}, ClassRefused, "cannot be read"},
		{"redirect", answer{status: 302, header: map[string]string{"Location": "https://other/"}}, ClassRefused, "https://other/"},
		{"lock", refusal(400, "ResourceLocked", "VM-1 is locked"), ClassLocked, "VM-1 is locked"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			f.on("get-vms", func(int, request) answer { return tc.answer })
			_, err := f.client(func(c *Config) { c.MaxRetries = 0 }).VM(short(t), "a")
			var call *Error
			if !errors.As(err, &call) || call.Class != tc.class || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want the class %s and the words %q", err, tc.class, tc.says)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error quotes the reply: %v", err)
			}
		})
	}
}

func TestParseErrorReply(t *testing.T) {
	got := parseErrorReply([]byte(`{"message":" m ","code":"C","path":"/p","status":400,"props":{"locked_resources":[{"id":"a","type":"VM"},{"type":"VM"},7]}}`))
	if got == nil || got.message != "m" || got.code != "C" || got.path != "/p" || !got.complete || len(got.locked) != 1 || got.locked[0] != (LockedResource{ID: "a", Type: "VM"}) {
		t.Errorf("got %+v", got)
	}
	for _, body := range []string{"", "[]", "7", `{"message":7}`, `{}`, `<html>`} {
		if got := parseErrorReply([]byte(body)); got != nil {
			t.Errorf("%q is no error of Tower, got %+v", body, got)
		}
	}
	for _, body := range []string{`{"message":"m","props":[]}`, `{"message":"m","props":{"locked_resources":{}}}`, `{"message":"m","code":null,"path":null}`} {
		if got := parseErrorReply([]byte(body)); got == nil || got.message != "m" || got.complete {
			t.Errorf("%q gave %+v", body, got)
		}
	}
}
