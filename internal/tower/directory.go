// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// strategiesQuery lists the ways of logging in. It is asked of Tower's GraphQL, the only place that knows them.
const strategiesQuery = `{"operationName":null,"variables":{},"query":"query { authnStrategies { id type } }"}`

// strategies is the reply to strategiesQuery.
type strategies struct {
	Data *struct {
		List []struct {
			ID   string `json:"id"`
			Type string `json:"type"`
		} `json:"authnStrategies"`
	} `json:"data"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// directory returns the source and the directory id that the log-in needs. Since Tower 3.0 a directory user logs in
// with the source AUTHN and the id of the directory; before, the source LDAP was enough.
func (c *Client) directory(ctx context.Context) (source, authConfigID string, err error) {
	switch {
	case c.cfg.UserSource == SourceLocal:
		return SourceLocal, "", nil
	case c.cfg.UserSource != SourceLDAP:
		return c.cfg.UserSource, c.cfg.AuthConfigID, nil
	case c.cfg.AuthConfigID != "":
		return SourceAuthN, c.cfg.AuthConfigID, nil
	case versionBefore(c.Version(), 3, 0):
		return SourceLDAP, "", nil
	}
	list, known, err := c.askStrategies(ctx)
	if err != nil {
		return "", "", err
	}
	if !known {
		if c.Version() != "" {
			return "", "", c.directoryError(fmt.Sprintf("Tower %s does not tell its directories; set auth_config_id", c.Version()))
		}
		return SourceLDAP, "", nil
	}
	var ids []string
	if list.Data != nil {
		for _, s := range list.Data.List {
			if strings.EqualFold(s.Type, SourceLDAP) && s.ID != "" {
				ids = append(ids, s.ID)
			}
		}
	}
	switch len(ids) {
	case 0:
		return "", "", c.directoryError("Tower has no LDAP directory configured; set user_source to LOCAL, or to AUTHN with an auth_config_id")
	case 1:
		return SourceAuthN, ids[0], nil
	}
	return "", "", c.directoryError(fmt.Sprintf("Tower has several LDAP directories; set auth_config_id to one of %s", strings.Join(ids, ", ")))
}

func (c *Client) directoryError(message string) error {
	return &LoginError{Problem: LoginDirectory, Server: c.Server(), Message: message}
}

// askStrategies asks for the ways of logging in. known is false where the server has no such query.
func (c *Client) askStrategies(ctx context.Context) (list strategies, known bool, err error) {
	op := operation{name: "authnStrategies", kind: kindRead}
	body, x, err := c.askGraphQL(ctx, op, strategiesQuery)
	if x.status == http.StatusNotFound {
		return list, false, nil
	}
	// GraphQL puts its errors into the reply, with whatever status.
	if json.Unmarshal(body, &list) != nil || list.Data == nil && len(list.Errors) == 0 {
		if err == nil {
			err = &Error{Operation: op.name, HTTPStatus: x.status, RequestID: x.requestID, Class: ClassRefused, Message: "the answer cannot be read"}
		}
		return list, false, c.loginFailure(err)
	}
	for _, e := range list.Errors {
		if strings.Contains(e.Message, "Cannot query field") {
			return list, false, nil
		}
	}
	if len(list.Errors) > 0 {
		return list, false, c.directoryError("Tower does not tell its directories: " + list.Errors[0].Message + "; set auth_config_id")
	}
	return list, true, nil
}

// askGraphQL posts a query to Tower's GraphQL without a session. The body is returned whatever the status.
func (c *Client) askGraphQL(ctx context.Context, op operation, query string) ([]byte, *exchange, error) {
	var body []byte
	_, x, err := exchangeOnce(ctx, op, true, func(ctx context.Context) (struct{}, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+"/api", strings.NewReader(query))
		if err != nil {
			return struct{}{}, err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := c.http.Do(req)
		if err != nil {
			return struct{}{}, err
		}
		body, err = io.ReadAll(resp.Body)
		return struct{}{}, errors.Join(err, resp.Body.Close())
	})
	return body, x, err
}

// versionBefore reports whether a known version is older than major.minor.
func versionBefore(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, err := strconv.Atoi(parts[0])
	if err != nil {
		return false
	}
	b, err := strconv.Atoi(parts[1])
	if err != nil {
		return false
	}
	return a < major || a == major && b < minor
}
