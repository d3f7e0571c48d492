// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// errNotModified is Tower's 304: the object is already as it was asked to be.
var errNotModified = errors.New("nothing to change")

// operation names a call and says how it may be repeated.
type operation struct {
	name string // as in the path: "get-vms"
	kind kind
}

// invoke makes one call in the session, which it opens if there is none. When Tower no longer accepts the session, it
// is renewed, once for all callers, and the call is made once more: a call refused with 401 did nothing.
func invoke[T any](ctx context.Context, c *Client, op operation, send func(ctx context.Context) (T, error)) (T, error) {
	var zero T
	if err := c.ensureSession(ctx); err != nil {
		return zero, err
	}
	out, x, err := exchangeOnce(ctx, op, false, send)
	if x.status != http.StatusUnauthorized {
		return out, err
	}
	if renewErr := c.renew(ctx, x.generation); renewErr != nil {
		return zero, renewErr
	}
	out, _, err = exchangeOnce(ctx, op, false, send)
	return out, err
}

// exchangeOnce makes one call as it is, and translates its failure.
func exchangeOnce[T any](ctx context.Context, op operation, anonymous bool, send func(ctx context.Context) (T, error)) (T, *exchange, error) {
	var zero T
	x := &exchange{operation: op.name, kind: op.kind, anonymous: anonymous}
	out, err := send(withExchange(ctx, x))
	if err == nil && x.foreign == "" {
		return out, x, nil
	}
	return zero, x, failure(ctx, x, err)
}

// failure is the one place where the many shapes of failure become an *Error: refusals of Tower, replies that are not
// Tower's, and connections that broke.
func failure(ctx context.Context, x *exchange, err error) error {
	out := &Error{Operation: x.operation, HTTPStatus: x.status, RequestID: x.requestID, unknownEffect: x.effectUnknown()}
	switch {
	case x.status == http.StatusNotModified:
		return errNotModified
	case x.status == 0:
		out.Err = err
		out.Class, out.Message = connectionFailure(ctx, err)
		if out.Class == ClassCancelled && !errors.Is(err, ctx.Err()) {
			out.Err = errors.Join(ctx.Err(), err)
		}
	case x.reply != nil:
		out.Code, out.Message, out.Path, out.Locked = x.reply.code, x.reply.message, x.reply.path, x.reply.locked
		out.fromTower, out.completeReply = true, x.reply.complete
		out.Class = classOf(x)
	case x.status >= 300 && x.status < 400:
		out.Class = ClassRefused
		out.Message = "the server redirects"
		if x.location != "" {
			out.Message += " to " + x.location
		}
	case x.status >= 300:
		out.Class = classOf(x)
		out.Message = fmt.Sprintf("%s came instead of an answer of Tower; a proxy may stand in between", x.foreign)
	case x.foreign != "":
		out.Class = classOf(x)
		out.Message = fmt.Sprintf("%s came instead of an answer of Tower", x.foreign)
	default:
		out.Err = err
		out.Class = ClassRefused
		out.Message = "the answer cannot be read: " + err.Error()
	}
	return out
}

// connectionFailure classifies a call that got no complete reply.
func connectionFailure(ctx context.Context, err error) (Class, string) {
	switch {
	case ctx.Err() != nil:
		return ClassCancelled, ctx.Err().Error()
	case tlsFailure(err):
		return ClassRefused, "no secure connection: " + err.Error()
	case permanent(err):
		return ClassRefused, "no connection: " + err.Error()
	}
	return ClassTransient, "no answer: " + err.Error()
}

// classOf classifies a reply by its status and Tower's code.
func classOf(x *exchange) Class {
	switch {
	case x.reply != nil && x.reply.code == "ResourceLocked":
		return ClassLocked
	case x.status == http.StatusUnauthorized:
		return ClassUnauthorized
	case x.status == http.StatusNotFound && x.reply != nil && x.kind != kindRead && x.kind != kindPoll:
		// This holds for mutations only: a list that cannot be read says nothing about its members.
		return ClassNotFound
	case x.status == http.StatusTooManyRequests, x.status == http.StatusRequestTimeout:
		return ClassTransient
	case x.status >= 500 && x.status != http.StatusNotImplemented, x.misplaced():
		return ClassTransient
	}
	return ClassRefused
}

// final reports whether an error of a repeated read will not go away by itself.
func final(err error) bool {
	var login *LoginError
	if errors.As(err, &login) {
		return login.Problem != LoginUnreachable && login.Problem != LoginFailed
	}
	var call *Error
	if errors.As(err, &call) {
		return call.Class == ClassRefused || call.Class == ClassUnauthorized
	}
	return false
}

// effectUnknown reports whether the mutation that failed with err may have happened.
func effectUnknown(err error) bool {
	var call *Error
	return errors.As(err, &call) && call.unknownEffect
}

// notFound returns an error that matches ErrNotFound.
func notFound(op, message string) error {
	return &Error{Operation: op, Class: ClassNotFound, Message: message}
}

// asError makes sure that an error of a shared read names the operation; what is an error of the package stays as it is.
func asError(op string, err error) error {
	var call *Error
	var login *LoginError
	if errors.As(err, &call) || errors.As(err, &login) {
		return err
	}
	class := ClassTransient
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		class = ClassCancelled
	}
	return &Error{Operation: op, Class: class, Err: err}
}
