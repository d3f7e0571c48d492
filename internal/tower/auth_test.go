// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// wantLogin checks the problem of a log-in that failed, and that its text helps.
func wantLogin(t *testing.T, err error, problem LoginProblem, says ...string) {
	t.Helper()
	var login *LoginError
	if !errors.As(err, &login) {
		t.Fatalf("got %v, want a LoginError", err)
	}
	if login.Problem != problem {
		t.Errorf("problem %q, want %q (%v)", login.Problem, problem, err)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error does not say %q: %v", s, err)
		}
	}
	if strings.Contains(err.Error(), "secret-password") {
		t.Errorf("the error tells the password: %v", err)
	}
}

func TestLogin_local(t *testing.T) {
	f := newFake(t)
	f.on("get-vms", func(int, request) answer { return answer{body: []any{}} })
	c := f.client(func(c *Config) {
		c.UserAgent = "test/1"
		c.Headers = map[string]string{"x-bypass-whitelist": "true"}
	})
	if err := c.Login(short(t)); err != nil {
		t.Fatal(err)
	}
	if c.Version() != "4.6.0" {
		t.Errorf("version %q", c.Version())
	}
	sent := f.seen("login")[0]
	if sent.body["username"] != "root" || sent.body["password"] != "secret-password" || sent.body["source"] != "LOCAL" || sent.body["auth_config_id"] != nil {
		t.Errorf("log-in with %v", sent.body)
	}
	if sent.header.Get("Authorization") != "" {
		t.Error("a log-in with a token")
	}
	if _, err := c.VM(short(t), "a"); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	read := f.seen("get-vms")[0].header
	for name, want := range map[string]string{
		"Authorization": "token-1", "Content-Language": "en-US", "User-Agent": "test/1", "X-Bypass-Whitelist": "true", "Content-Type": "application/json",
	} {
		if got := read.Get(name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
}

func TestLogin_sources(t *testing.T) {
	strategies := func(list ...any) answer {
		return answer{body: map[string]any{"data": map[string]any{"authnStrategies": list}}}
	}
	ldap := map[string]any{"id": "strategy-1", "type": "LDAP"}
	noQuery := answer{status: 400, body: `{"errors":[{"message":"Cannot query field \"authnStrategies\" on type \"Query\"."}]}`}
	for _, tc := range []struct {
		name         string
		source, id   string
		version      string
		graphQL      *answer
		wantSource   any
		wantID       any
		wantQueries  int
		problem      LoginProblem
		problemWords string
	}{
		{name: "LDAP", source: "LDAP", version: "4.6.0", graphQL: ptr(strategies(map[string]any{"id": "sso", "type": "SAML"}, ldap)), wantSource: "AUTHN", wantID: "strategy-1", wantQueries: 1},
		{name: "LDAP with an id", source: "LDAP", id: "mine", version: "4.6.0", wantSource: "AUTHN", wantID: "mine"},
		{name: "LDAP before 3.0", source: "LDAP", version: "2.8.0", wantSource: "LDAP"},
		{name: "LDAP without the query, version unknown", source: "LDAP", graphQL: &noQuery, wantSource: "LDAP", wantQueries: 1},
		{name: "LDAP without GraphQL, version unknown", source: "LDAP", graphQL: &answer{status: 404, body: "<html></html>"}, wantSource: "LDAP", wantQueries: 1},
		{name: "LDAP without the query, but it should be there", source: "LDAP", version: "4.6.0", graphQL: &noQuery, wantQueries: 1, problem: LoginDirectory, problemWords: "auth_config_id"},
		{name: "no directory", source: "LDAP", version: "4.6.0", graphQL: ptr(strategies()), wantQueries: 1, problem: LoginDirectory, problemWords: "no LDAP directory"},
		{name: "two directories", source: "LDAP", version: "4.6.0", graphQL: ptr(strategies(ldap, map[string]any{"id": "strategy-2", "type": "LDAP"})), wantQueries: 1, problem: LoginDirectory, problemWords: "strategy-1, strategy-2"},
		{name: "GraphQL refuses", source: "LDAP", version: "4.6.0", graphQL: &answer{body: map[string]any{"errors": []any{map[string]any{"message": "no way"}}}}, wantQueries: 1, problem: LoginDirectory, problemWords: "no way"},
		{name: "GraphQL is no GraphQL", source: "LDAP", version: "4.6.0", graphQL: &answer{status: 200, body: "<html><title>Portal</title></html>", header: map[string]string{"Content-Type": "text/html"}}, wantQueries: 1, problem: LoginNotTower, problemWords: "Portal"},
		{name: "AUTHN", source: "AUTHN", id: "mine", version: "4.6.0", wantSource: "AUTHN", wantID: "mine"},
		{name: "SSO", source: "SSO", version: "4.6.0", wantSource: "SSO"},
		{name: "an id alone", id: "mine", version: "4.6.0", wantSource: "AUTHN", wantID: "mine"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			f.on("get-version", func(int, request) answer {
				if tc.version == "" {
					return refusal(404, "", "no such path")
				}
				return answer{body: tc.version}
			})
			f.on("/api", func(int, request) answer { return *tc.graphQL })
			err := f.client(func(c *Config) { c.UserSource, c.AuthConfigID = tc.source, tc.id }).Login(short(t))
			if got := f.count("/api"); got != tc.wantQueries {
				t.Errorf("%d queries, want %d", got, tc.wantQueries)
			}
			if tc.problem != "" {
				wantLogin(t, err, tc.problem, tc.problemWords)
				if f.count("login") != 0 {
					t.Error("the password was sent all the same")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			body := f.seen("login")[0].body
			if body["source"] != tc.wantSource || body["auth_config_id"] != tc.wantID {
				t.Errorf("log-in with source %v and id %v, want %v and %v", body["source"], body["auth_config_id"], tc.wantSource, tc.wantID)
			}
		})
	}
}

func TestLogin_failures(t *testing.T) {
	html := map[string]string{"Content-Type": "text/html"}
	for _, tc := range []struct {
		name    string
		version *answer
		login   *answer
		problem LoginProblem
		says    []string
		logins  int
	}{
		{"wrong password", nil, ptr(refusal(400, "", "LOGIN_FAILED")), LoginWrongCredentials, []string{`"root"`, "LOGIN_FAILED", "req-1"}, 1},
		{"wrong password as 401", nil, ptr(refusal(401, "", "unauthorized")), LoginWrongCredentials, nil, 1},
		{"unknown user", nil, ptr(refusal(404, "", "no such user")), LoginWrongCredentials, nil, 1},
		{"second factor", nil, ptr(refusal(400, "", "MFA_REQUIRED")), LoginTwoFactor, []string{"api_token"}, 1},
		{"second factor in words", nil, ptr(refusal(403, "", "two-factor authentication is on")), LoginTwoFactor, nil, 1},
		{"no token", nil, &answer{body: map[string]any{"task_id": nil, "data": map[string]any{"token": ""}}}, LoginTwoFactor, []string{"api_token"}, 1},
		{"no data", nil, &answer{body: map[string]any{}}, LoginTwoFactor, nil, 1},
		{"trouble", nil, ptr(refusal(500, "", "database gone")), LoginFailed, []string{"database gone"}, 4},
		{"a web page", &answer{status: 200, body: "<html><title>Router</title></html>", header: html}, nil, LoginNotTower, []string{"Router"}, 0},
		{"404 of a web server", &answer{status: 404, body: "<html><title>404 Not Found</title></html>", header: html}, nil, LoginNotTower, []string{"404 Not Found"}, 0},
		{"JSON of something else", &answer{status: 200, body: `{"swagger":"2.0"}`}, nil, LoginNotTower, nil, 0},
		{"404 of something else", &answer{status: 404, body: `{"message":"no route"}`}, nil, LoginNotTower, []string{"no route"}, 0},
		{"redirect", &answer{status: 301, header: map[string]string{"Location": "https://elsewhere/"}}, nil, LoginNotTower, []string{"https://elsewhere/"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			if tc.version != nil {
				f.on("get-version", func(int, request) answer { return *tc.version })
			}
			if tc.login != nil {
				f.on("login", func(int, request) answer { return *tc.login })
			}
			err := f.client().Login(short(t))
			wantLogin(t, err, tc.problem, tc.says...)
			if got := f.count("login"); got != tc.logins {
				t.Errorf("%d log-ins, want %d", got, tc.logins)
			}
		})
	}
}

func TestLogin_unreachable(t *testing.T) {
	f := newFake(t)
	c := f.client(func(c *Config) { c.MaxRetries = 1 })
	c.dial(func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("connection refused") })
	wantLogin(t, c.Login(short(t)), LoginUnreachable, "connection refused", f.URL)

	c.dial(func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "tower", IsNotFound: true}
	})
	wantLogin(t, c.Login(short(t)), LoginUnreachable, "no such host")
}

func TestLogin_cancelled(t *testing.T) {
	f := newFake(t)
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	ctx, cancel := context.WithCancel(short(t))
	f.on("login", func(int, request) answer { return answer{then: cancel, hang: never} })
	if err := f.client().Login(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestAPIToken(t *testing.T) {
	token := func(c *Config) { c.Username, c.Password, c.APIToken = "", "", "cloudtower-key" }
	f := newFake(t)
	f.on("get-my-info", func(int, request) answer { return answer{body: map[string]any{"id": "u", "username": "robot"}} })
	if err := f.client(token).Login(short(t)); err != nil {
		t.Fatal(err)
	}
	if got := f.seen("get-my-info")[0].header.Get("Authorization"); got != "cloudtower-key" {
		t.Errorf("authorization %q", got)
	}
	for _, status := range []int{401, 403} {
		f.on("get-my-info", func(int, request) answer { return refusal(status, "", "no") })
		wantLogin(t, f.client(token).Login(short(t)), LoginTokenRefused, "api_token")
	}
	// Revoked in the middle of a run: there is nothing to log in with.
	f.on("get-vms", func(int, request) answer { return refusal(401, "", "no") })
	_, err := f.client(token).VM(short(t), "a")
	wantLogin(t, err, LoginTokenRefused)
	if !errors.Is(err, ErrUnauthorized) {
		t.Errorf("%v is not ErrUnauthorized", err)
	}
	if f.count("login") != 0 {
		t.Error("a log-in was tried")
	}
}

// expiring makes the fake refuse the sessions before the given one.
func expiring(good string) func(int, request) answer {
	return func(_ int, r request) answer {
		if r.header.Get("Authorization") != good {
			return refusal(401, "", "session expired")
		}
		return answer{body: []any{}}
	}
}

// A session that ends under many callers at once is renewed by one log-in.
func TestRenewal_onceForAll(t *testing.T) {
	f := newFake(t)
	f.on("get-vlans", expiring("token-2"))
	c := f.client(func(c *Config) { c.MaxConcurrentRequests = 50 })
	ctx := short(t)
	if err := c.Login(ctx); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if _, err := c.VLANs(ctx, Where{"name": fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := f.count("login"); n != 2 {
		t.Errorf("%d log-ins, want the first and one renewal", n)
	}
	if n := f.count("get-version"); n != 1 {
		t.Errorf("the version was asked for %d times", n)
	}
}

func TestRenewal_repeatsOnceOnly(t *testing.T) {
	f := newFake(t)
	f.on("get-vlans", expiring("never"))
	_, err := f.client().VLANs(short(t), nil)
	if !errors.Is(err, ErrUnauthorized) {
		t.Fatalf("got %v, want ErrUnauthorized", err)
	}
	if n := f.count("get-vlans"); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

// A password that was changed in the middle of a run must not lock the account: one refused log-in answers for all.
func TestRenewal_refused(t *testing.T) {
	f := newFake(t)
	f.on("login", func(n int, _ request) answer {
		if n == 1 {
			return answer{body: loggedIn("token-1")}
		}
		return refusal(400, "", "LOGIN_FAILED")
	})
	f.on("get-vlans", expiring("never"))
	c := f.client()
	ctx := short(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := c.VLANs(ctx, nil)
			wantLoginAsync(t, err)
		})
	}
	all.Wait()
	if n := f.count("login"); n != 2 {
		t.Errorf("%d log-ins, want 2", n)
	}
}

// wantLoginAsync is wantLogin for goroutines, which must not end the test.
func wantLoginAsync(t *testing.T, err error) {
	var login *LoginError
	if !errors.As(err, &login) || login.Problem != LoginWrongCredentials {
		t.Errorf("got %v, want wrong credentials", err)
	}
}

// One caller that gives up does not end the log-in that others wait for.
func TestLogin_outlivesItsFirstCaller(t *testing.T) {
	f := newFake(t)
	started, release := make(chan struct{}), make(chan struct{})
	f.on("login", func(int, request) answer {
		return answer{then: func() { close(started) }, hang: release, body: loggedIn("token-1")}
	})
	f.on("get-vlans", expiring("token-1"))
	c := f.client()
	first, cancel := context.WithCancel(short(t))
	gone := make(chan error)
	go func() { gone <- c.Login(first) }()
	<-started
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the first caller got %v", err)
	}
	close(release)
	if _, err := c.VLANs(short(t), nil); err != nil {
		t.Error(err)
	}
	if n := f.count("login"); n != 1 {
		t.Errorf("%d log-ins, want 1", n)
	}
}

func TestVersionBefore(t *testing.T) {
	for _, tc := range []struct {
		version string
		want    bool
	}{{"2.8.0", true}, {"2.99", true}, {"3.0.0", false}, {"4.6.0-rc", false}, {"", false}, {"4", false}, {"x.y", false}, {"3.y", false}} {
		if got := versionBefore(tc.version, 3, 0); got != tc.want {
			t.Errorf("versionBefore(%q) = %t", tc.version, got)
		}
	}
}
