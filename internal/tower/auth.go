// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smartxworks/cloudtower-go-sdk/v2/client/api_info"
	"github.com/smartxworks/cloudtower-go-sdk/v2/client/user"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

const (
	// loginLimit bounds a log-in with all its repetitions.
	loginLimit = 2 * time.Minute
	// refusalKept is for how long a refused log-in answers for all callers: a hundred callers who try again one
	// after the other would lock the account.
	refusalKept = time.Minute
)

// session is the token in use. Each log-in makes a new generation.
type session struct {
	mu         sync.Mutex
	value      string
	generation int
	version    string
	refused    error
	refusedAt  time.Time
}

// token returns the token and its generation; 0 means that there is none yet.
func (s *session) token() (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value, s.generation
}

// set starts a new generation.
func (s *session) set(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.refused = token, nil
	s.generation++
}

// refuse keeps the error of a log-in that Tower refused.
func (s *session) refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused, s.refusedAt = err, time.Now()
}

// refusal returns the error of a log-in that Tower refused a short while ago.
func (s *session) refusal() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil || time.Since(s.refusedAt) > refusalKept {
		return nil
	}
	return s.refused
}

// Version returns Tower's version as read at the log-in, "" before it or if Tower told none.
func (c *Client) Version() string {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.session.version
}

// Login makes sure that the server is a Tower, reads its version, and logs in or checks the API token. It is not
// needed: the first other method logs in as well. But it is the place for clear errors: a *LoginError tells wrong
// credentials, a second factor, a server that does not answer, is not trusted, or is no Tower, from one another.
func (c *Client) Login(ctx context.Context) error {
	_, generation := c.session.token()
	return c.inFlight(ctx, generation, func(ctx context.Context) error {
		if _, now := c.session.token(); now != generation {
			return nil
		}
		if err := c.readVersion(ctx); err != nil {
			return err
		}
		if c.cfg.APIToken != "" {
			return c.checkToken(ctx)
		}
		return c.logIn(ctx)
	})
}

// ensureSession logs in if nobody has.
func (c *Client) ensureSession(ctx context.Context) error {
	if _, generation := c.session.token(); generation > 0 {
		return nil
	}
	return c.Login(ctx)
}

// renew logs in again because Tower no longer accepts the session of the given generation. However many callers ask,
// there is one log-in.
func (c *Client) renew(ctx context.Context, generation int) error {
	if c.cfg.APIToken != "" {
		return c.tokenRefused(nil)
	}
	return c.inFlight(ctx, generation, func(ctx context.Context) error {
		if _, now := c.session.token(); now != generation {
			return nil
		}
		c.log(ctx, LogInfo, "the session is no longer accepted, logging in again", nil)
		return c.logIn(ctx)
	})
}

// inFlight runs one log-in for all callers who want to replace the session of one generation. It does not end with the first caller's context.
func (c *Client) inFlight(ctx context.Context, generation int, logIn func(ctx context.Context) error) error {
	result := c.flight.DoChan(strconv.Itoa(generation), func() (any, error) {
		if err := c.session.refusal(); err != nil {
			return nil, err
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), loginLimit)
		defer cancel()
		return nil, logIn(limited)
	})
	select {
	case r := <-result:
		return r.Err
	case <-ctx.Done():
		return &LoginError{Problem: LoginFailed, Server: c.Server(), Message: "the log-in was cancelled", Err: ctx.Err()}
	}
}

// readVersion asks for the version, which needs no session. So a server that is no Tower never sees the password.
func (c *Client) readVersion(ctx context.Context) error {
	op := operation{name: "get-version", kind: kindRead}
	reply, x, err := exchangeOnce(ctx, op, true, func(ctx context.Context) (*api_info.GetAPIVersionOK, error) {
		return api_info.New(c.sdk()).GetAPIVersion(api_info.NewGetAPIVersionParamsWithContext(ctx))
	})
	if err != nil {
		if x.reply != nil && x.reply.complete && classOf(x) != ClassTransient {
			// It speaks as a Tower does, but does not tell; the log-in will show the rest.
			return nil
		}
		return c.loginFailure(err)
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.version = strings.TrimSpace(reply.Payload)
	return nil
}

// checkToken makes sure that Tower accepts the API token.
func (c *Client) checkToken(ctx context.Context) error {
	op := operation{name: "get-my-info", kind: kindRead}
	_, x, err := exchangeOnce(ctx, op, false, func(ctx context.Context) (*user.GetMyInfoOK, error) {
		return user.New(c.sdk()).GetMyInfo(user.NewGetMyInfoParamsWithContext(ctx), nil)
	})
	switch {
	case err == nil:
		return nil
	case x.status == http.StatusUnauthorized || x.status == http.StatusForbidden:
		return c.tokenRefused(err)
	}
	return c.loginFailure(err)
}

func (c *Client) tokenRefused(cause error) error {
	return &LoginError{
		Problem: LoginTokenRefused, Server: c.Server(), Err: cause,
		Message: fmt.Sprintf("Tower at %s does not accept the API token; it may have been revoked, or its user deleted: make a new one and set api_token", c.Server()),
	}
}

// logIn opens a session with username and password.
func (c *Client) logIn(ctx context.Context) error {
	source, authConfigID, err := c.directory(ctx)
	if err != nil {
		return err
	}
	input := &models.LoginInput{
		Username: &c.cfg.Username, Password: &c.cfg.Password, Source: enum[models.UserSource](&source), AuthConfigID: optional(authConfigID),
	}
	op := operation{name: "login", kind: kindRead}
	reply, _, err := exchangeOnce(ctx, op, true, func(ctx context.Context) (*user.LoginOK, error) {
		return user.New(c.sdk()).Login(user.NewLoginParamsWithContext(ctx).WithRequestBody(input))
	})
	if err != nil {
		failed := c.loginFailure(err)
		if errors.Is(failed, ErrUnauthorized) {
			c.session.refuse(failed)
		}
		return failed
	}
	if reply.Payload == nil || reply.Payload.Data == nil || deref(reply.Payload.Data.Token) == "" {
		return &LoginError{
			Problem: LoginTwoFactor, Server: c.Server(),
			Message: fmt.Sprintf("Tower at %s took the password of %q but gave no session; where it wants a second factor, set api_token instead of username and password",
				c.Server(), c.cfg.Username),
		}
	}
	c.session.set(*reply.Payload.Data.Token)
	c.log(ctx, LogInfo, "logged in to Tower", map[string]any{"server": c.Server(), "user": c.cfg.Username, "source": source, "version": c.Version()})
	return nil
}

var secondFactor = regexp.MustCompile(`(?i)\b(mfa|2fa|totp)|(two|second|multi)[ _-]?factor|verification code`)

// loginFailure says what a failed log-in means.
func (c *Client) loginFailure(err error) error {
	out := &LoginError{Problem: LoginFailed, Server: c.Server(), Err: err, Message: fmt.Sprintf("the log-in to Tower at %s failed", c.Server())}
	var call *Error
	if !errors.As(err, &call) {
		return out
	}
	switch {
	case call.HTTPStatus == 0 && call.Class != ClassCancelled, call.Class == ClassCancelled && errors.Is(err, context.DeadlineExceeded):
		out.Problem, out.Message, out.Advice = c.unreachable(err)
	case call.HTTPStatus == 0, call.HTTPStatus >= 500, call.HTTPStatus == http.StatusTooManyRequests, call.HTTPStatus == http.StatusRequestTimeout:
	case !call.fromTower || call.HTTPStatus == http.StatusNotFound && !call.completeReply:
		out.Problem = LoginNotTower
		out.Message = fmt.Sprintf("%s answers, but not as a Tower does", c.Server())
		out.Advice = "Check the host and the port of server, and that no proxy answers in Tower's place."
		if c.base.Scheme == "http" && call.HTTPStatus == http.StatusBadRequest {
			out.Advice = "Write https:// in front of server if this Tower speaks TLS; else check the host and the port of server."
		}
	case secondFactor.MatchString(call.Message + " " + call.Code):
		out.Problem = LoginTwoFactor
		out.Message = fmt.Sprintf("Tower at %s wants a second factor from %q, which cannot be given here; make an API key and set api_token instead of username and password",
			c.Server(), c.cfg.Username)
	case call.HTTPStatus >= 400 && call.HTTPStatus < 500:
		out.Problem = LoginWrongCredentials
		out.Message = fmt.Sprintf("Tower at %s does not accept the username %q with this password (user_source %s)", c.Server(), c.cfg.Username, c.cfg.UserSource)
	}
	return out
}
