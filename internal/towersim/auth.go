// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"net/http"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// apiKey is a token for programs. It has the rights of its user and needs no
// two-factor log-in.
type apiKey struct {
	id, name, username string
}

// publicOperations lists the operations that need no token.
var publicOperations = map[string]bool{"login": true, "get-version": true}

// authenticate finds the caller by the Authorization header, which holds a token
// as it is or after "Bearer".
func (c *call) authenticate(name string) error {
	if publicOperations[name] {
		return nil
	}

	header := c.request.Header.Get("Authorization")
	if header == "" {
		return unauthorized("The request has no Authorization header")
	}

	if name == "resource-changes" {
		if username, password, ok := c.request.BasicAuth(); ok {
			return c.authenticateBasic(username, password)
		}
	}

	token := header
	if scheme, rest, ok := strings.Cut(header, " "); ok && strings.EqualFold(scheme, "Bearer") {
		token = rest
	}

	u := c.userOf(token)
	if u == nil {
		return unauthorized("The token is not valid")
	}

	c.user = u

	return nil
}

// authenticateBasic checks a user name and a password. Only /resource-changes,
// which is internal to Tower, takes them.
func (c *call) authenticateBasic(username, password string) error {
	for _, u := range c.users.list {
		if u.spec.Username == username && u.spec.Password == password && !c.scenario.MFA {
			c.user = u

			return nil
		}
	}

	return unauthorized("The user name or the password is wrong")
}

func (c *call) userOf(token string) *user {
	name, ok := c.server.sessions[token]
	if key, isKey := c.server.apiKeys[token]; !ok && isKey {
		name = key.username
	}

	for _, u := range c.users.list {
		if name != "" && u.spec.Username == name || u.spec.APIKey != "" && u.spec.APIKey == token {
			return u
		}
	}

	return nil
}

// strategyID is the id of the directory that LDAP users log in through.
func strategyID() string {
	return namedIDSource("authn-strategy", "LDAP").cuid()
}

func login(c *call, in *wire.LoginInput) (any, error) {
	source := wire.UserSourceLocal
	if in.Source.Ptr() != nil {
		source = in.Source.Value
	} else if !c.version.atLeast(3, 0) {
		return nil, badRequest("body.source: required member is missing")
	}

	if err := c.checkSource(source, in.AuthConfigID.Value); err != nil {
		return nil, err
	}

	for _, u := range c.users.list {
		if u.spec.Username != in.Username || !sourceAllows(u.spec.Source, source) {
			continue
		}

		if u.spec.Password != in.Password {
			break
		}

		if c.scenario.MFA {
			return nil, badRequest("MFA_REQUIRED: two-factor authentication is on, a password alone is not enough")
		}

		token := c.ids.token()
		c.server.sessions[token] = u.spec.Username

		return wire.WithTask[wire.LoginResponse]{Data: wire.LoginResponse{Token: token}}, nil
	}

	return nil, unauthorized("LOGIN_FAILED: the user name or the password is wrong")
}

// checkSource refuses a source that this Tower does not have, and an AUTHN
// log-in that names no directory of this Tower.
func (c *call) checkSource(source wire.UserSource, configID string) error {
	switch {
	case source == wire.UserSourceAuthn && !c.version.atLeast(3, 0), source == wire.UserSourceSso && !c.version.atLeast(4, 5):
		return badRequest("body.source: %q is not known to Tower %s", source, c.version)
	case source == wire.UserSourceAuthn && configID == "":
		return badRequest("body.auth_config_id: is required with the source AUTHN")
	case source == wire.UserSourceAuthn && configID != strategyID():
		return badRequest("body.auth_config_id: there is no such configuration")
	}

	return nil
}

// sourceAllows reports whether a user of one source may log in through another.
func sourceAllows(of string, through wire.UserSource) bool {
	directory := of == "LDAP" || of == "AUTHN"

	switch through {
	case wire.UserSourceLdap, wire.UserSourceAuthn:
		return directory
	default:
		return of == string(through)
	}
}

func getVersion(c *call) (any, error) {
	return c.version.String(), nil
}

func getMyInfo(c *call) (any, error) {
	return &c.user.row, nil
}

// newUser makes the row of a user. The first user of a scenario is the root
// user.
func (w *world) newUser(spec UserSpec, first bool) *user {
	id := namedIDSource("user", spec.Username)
	u := &user{spec: spec}
	u.row = wire.User{
		ID: id.cuid(), Name: spec.Username, DisplayUsername: spec.Username, Username: spec.Username,
		Source: wire.UserSource(spec.Source), Role: wire.Ptr(wire.UserRoleAdmin), PasswordExpired: wire.Ptr(false),
		Roles: []wire.NestedUserRoleNext{{ID: namedIDSource("role", "ADMIN").cuid(), Name: "ADMIN"}},
	}

	if first {
		u.row.Role = wire.Ptr(wire.UserRoleRoot)
	}

	if spec.Source == "LDAP" || spec.Source == "AUTHN" {
		u.row.Source, u.row.AuthConfigID = wire.UserSourceAuthn, wire.Ptr(strategyID())
		u.row.Username = spec.Username + "_" + strategyID()
	}

	return u
}

// createAPIKey makes a key with the rights of a user.
func (s *Server) createAPIKey(u *user, name string) (token string, key *apiKey) {
	token = s.ids.token()
	key = &apiKey{id: s.ids.cuid(), name: name, username: u.spec.Username}
	s.apiKeys[token] = key

	return token, key
}

func (s *Server) serveGraphQL(w http.ResponseWriter, r *http.Request) {
	s.answer(w, r, graphQLName, nil, func(c *call) (any, error) {
		if r.Method != http.MethodPost {
			return nil, notFound("Cannot %s %s", r.Method, r.URL.Path)
		}

		return c.graphQL()
	})
}
