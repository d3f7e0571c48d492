// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

const users = `
inventory:
  users:
    - {username: root, password: r}
    - {username: ann, password: a, source: LDAP}
    - {username: sue, password: s, source: SSO, api_key: key-of-sue}`

// graphQL sends a query and returns its data.
func (x *tower) graphQL(query string, variables object) object {
	x.t.Helper()

	response, raw, err := x.send(http.MethodPost, "/api", object{"operationName": nil, "query": query, "variables": variables}, nil)
	if err != nil || response.StatusCode != http.StatusOK {
		x.t.Fatalf("%v: %s", err, raw)
	}

	var out struct{ Data object }
	if err := json.Unmarshal(raw, &out); err != nil {
		x.t.Fatal(err)
	}

	return out.Data
}

func (x *tower) strategyID() string {
	x.t.Helper()

	data := x.graphQL("query { authnStrategies { id type } }", nil)
	strategy := data["authnStrategies"].([]any)[0].(object)

	if strategy["type"] != "LDAP" || len(strategy) != 2 {
		x.t.Fatalf("got %v", strategy)
	}

	return strategy["id"].(string)
}

func TestLogin(t *testing.T) {
	x := startLoggedOut(t, users)
	id := x.strategyID()

	for name, test := range map[string]struct {
		body   object
		status int
	}{
		"local":                 {object{"username": "root", "password": "r", "source": "LOCAL"}, http.StatusOK},
		"local by default":      {object{"username": "root", "password": "r"}, http.StatusOK},
		"null source":           {object{"username": "root", "password": "r", "source": nil}, http.StatusOK},
		"LDAP":                  {object{"username": "ann", "password": "a", "source": "LDAP"}, http.StatusOK},
		"AUTHN":                 {object{"username": "ann", "password": "a", "source": "AUTHN", "auth_config_id": id}, http.StatusOK},
		"SSO":                   {object{"username": "sue", "password": "s", "source": "SSO"}, http.StatusOK},
		"wrong password":        {object{"username": "root", "password": "x"}, http.StatusUnauthorized},
		"unknown user":          {object{"username": "x", "password": "r"}, http.StatusUnauthorized},
		"wrong source":          {object{"username": "ann", "password": "a"}, http.StatusUnauthorized},
		"AUTHN without id":      {object{"username": "ann", "password": "a", "source": "AUTHN"}, http.StatusBadRequest},
		"AUTHN with another id": {object{"username": "ann", "password": "a", "source": "AUTHN", "auth_config_id": "x"}, http.StatusBadRequest},
		"no password":           {object{"username": "root"}, http.StatusBadRequest},
		"unknown source":        {object{"username": "root", "password": "r", "source": "X"}, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			if status, raw := x.call("login", test.body); status != test.status {
				t.Errorf("status %d, want %d: %s", status, test.status, raw)
			}
		})
	}
}

func TestLoginSourcesDependOnTheVersion(t *testing.T) {
	old := startLoggedOut(t, "version: 2.8.0")
	old.refused("login", object{"username": "root", "password": "tower-sim-password"}, http.StatusBadRequest)
	post[object](old, "login", object{"username": "root", "password": "tower-sim-password", "source": "LOCAL"})

	startLoggedOut(t, users+"\nversion: 4.4.0").refused("login", object{"username": "sue", "password": "s", "source": "SSO"}, http.StatusBadRequest)
}

func TestRequestsNeedAToken(t *testing.T) {
	x := start(t, "")
	token := x.token

	for header, want := range map[string]int{
		token: http.StatusOK, "Bearer " + token: http.StatusOK, "bearer " + token: http.StatusOK,
		"": http.StatusUnauthorized, "wrong": http.StatusUnauthorized, "Bearer wrong": http.StatusUnauthorized,
	} {
		x.token = header

		status, raw := x.call("get-my-info", object{})
		if status != want || want == http.StatusUnauthorized && !strings.Contains(string(raw), `"status":401`) {
			t.Errorf("%q: status %d: %s", header, status, raw)
		}
	}
}

func TestRevokedTokenIsRefused(t *testing.T) {
	x := start(t, "")
	x.RevokeSessions()
	x.refused("get-vms", object{}, http.StatusUnauthorized)
}

func TestMyInfoIsTheCaller(t *testing.T) {
	me := post[wire.User](start(t, ""), "get-my-info", object{})
	if me.Username != "root" || *me.Role != wire.UserRoleRoot || me.Source != wire.UserSourceLocal {
		t.Errorf("got %+v", me)
	}
}

func TestDirectoryUsersShowTheirConfiguration(t *testing.T) {
	x := startLoggedOut(t, users)
	id := x.strategyID()
	x.token = "key-of-sue"

	ann := post[[]wire.User](x, "get-users", object{"where": object{"name": "ann"}})[0]
	if ann.Username != "ann_"+id || text(ann.AuthConfigID) != id {
		t.Errorf("got %+v", ann)
	}
}

func TestAPIKeyOfTheScenario(t *testing.T) {
	x := startLoggedOut(t, users)
	x.token = "key-of-sue"

	if me := post[wire.User](x, "get-my-info", object{}); me.Name != "sue" {
		t.Errorf("got %+v", me)
	}
}

func TestAPIKeyByGraphQL(t *testing.T) {
	x := start(t, "")
	session := x.token

	made := x.graphQL(`mutation { createApiKey(data: {name: "ci"}) { id key roles { name } } }`, nil)["createApiKey"].(object)
	x.token = made["key"].(string)
	post[wire.User](x, "get-my-info", object{})

	x.token = session
	x.graphQL(`mutation drop($where: ApiKeyWhere!) { deleteApiKey(where: $where) { id } }`, object{"where": object{"key": made["key"]}})

	x.token = made["key"].(string)
	x.refused("get-my-info", object{}, http.StatusUnauthorized)
}

func TestAPIKeyNeedsACaller(t *testing.T) {
	x := startLoggedOut(t, "")

	response, raw, err := x.send(http.MethodPost, "/api", object{"query": `mutation { createApiKey(data: {name: "a"}) { key } }`}, nil)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		t.Errorf("%v: %s", err, raw)
	}
}

func TestTwoFactorDoesNotAffectAPIKeys(t *testing.T) {
	x := startLoggedOut(t, "mfa: true")
	got := x.refused("login", object{"username": x.Username(), "password": x.Password()}, http.StatusBadRequest)

	if !strings.Contains(got.Message, "two-factor") {
		t.Errorf("the message is %q", got.Message)
	}

	key, err := x.NewAPIKey("root", "ci")
	if err != nil {
		t.Fatal(err)
	}

	x.token = key
	post[wire.User](x, "get-my-info", object{})
}

func TestGraphQLRefuses(t *testing.T) {
	x := start(t, "")

	for query, want := range map[string]int{
		"{ vms { id } }":                    http.StatusNotImplemented,
		"{":                                 http.StatusBadRequest,
		"query q(":                          http.StatusBadRequest,
		"{ a } b":                           http.StatusBadRequest,
		"":                                  http.StatusBadRequest,
		"mutation { createApiKey { key } }": http.StatusBadRequest,
		`mutation { deleteApiKey(where: {key: "x"}) }`: http.StatusNotFound,
		strings.Repeat("{a", 100):                      http.StatusBadRequest,
		"{ a(b: " + strings.Repeat("[", 100) + ") }":   http.StatusBadRequest,
	} {
		response, raw, err := x.send(http.MethodPost, "/api", object{"query": query}, nil)
		if err != nil || response.StatusCode != want {
			t.Errorf("%q: %v: %s", query, err, raw)
		}
	}
}

func TestVersionNeedsNoToken(t *testing.T) {
	x := startLoggedOut(t, "version: 4.7.0")
	if got := post[string](x, "get-version", nil); got != "4.7.0" {
		t.Errorf("got %q", got)
	}
}

func TestServerMakesItsOwnCertificate(t *testing.T) {
	s, err := towersim.New(towersim.Options{TLS: true})
	if err != nil {
		t.Fatal(err)
	}

	defer s.Close()

	if !strings.HasPrefix(s.URL(), "https://127.0.0.1:") {
		t.Errorf("the URL is %s", s.URL())
	}

	client := clientTrusting(t, s.CACertificate())

	response, err := client.Get(s.URL() + "/v2/api/get-version")
	if err != nil {
		t.Fatal(err)
	}

	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", response.Status, err)
	}

	env := strings.Join(s.Env(), "\n")
	if !strings.Contains(env, "ELF_CA_CERTIFICATE=-----BEGIN CERTIFICATE-----") || !strings.Contains(env, "ELF_SERVER="+s.URL()) {
		t.Errorf("got %s", env)
	}
}
