// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels for errors.Is. They match every *Error of the class they name.
var (
	// ErrNotFound says that Tower has no such object.
	ErrNotFound = errors.New("not found")
	// ErrLocked says that another operation on the same object is under way.
	ErrLocked = errors.New("locked by another operation")
	// ErrUnauthorized says that Tower did not accept the session or the API token.
	ErrUnauthorized = errors.New("not authorized")
)

// Class sorts errors by what a caller can do about them.
type Class string

// The classes of errors.
const (
	// ClassTransient is a failure that may pass: 5xx, 429, a connection that broke or timed out.
	ClassTransient Class = "transient"
	// ClassLocked is a refusal because another operation on the object is under way; nothing was done.
	ClassLocked Class = "locked"
	// ClassUnauthorized is a session or an API token that Tower does not accept.
	ClassUnauthorized Class = "unauthorized"
	// ClassNotFound is an object that Tower does not know.
	ClassNotFound Class = "not found"
	// ClassRefused is a final refusal.
	ClassRefused Class = "refused"
	// ClassCancelled is a context that ended before the answer came.
	ClassCancelled Class = "cancelled"
)

// LockedResource names an object on which Tower has an operation under way.
type LockedResource struct {
	ID   string // Tower's id
	Type string // "VM" or "VM_VOLUME"
}

// Error is a failed call to Tower.
type Error struct {
	Operation  string           // the API operation, as in its path: "get-vms"
	HTTPStatus int              // 0: no reply came
	Code       string           // Tower's error code, "" if it gave none
	Message    string           // Tower's words, or the package's where Tower said nothing
	Path       string           // the path that Tower names in its error
	RequestID  string           // Tower's x-tower-request-id, "" if none came
	Class      Class            // what can be done about it
	Locked     []LockedResource // the objects that are locked, for ClassLocked
	Err        error            // the cause, nil where Tower itself refused

	unknownEffect bool // of a mutation: it may or may not have happened
	fromTower     bool // the reply has the form of Tower's errors
	completeReply bool // and all the members that Tower always sends
}

// Error tells the operation, Tower's words, its code and the request id, in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Operation)
	if e.HTTPStatus != 0 {
		fmt.Fprintf(&b, ": HTTP %d", e.HTTPStatus)
	}
	if e.Code != "" {
		fmt.Fprintf(&b, " %s", e.Code)
	}
	switch {
	case e.Message != "":
		b.WriteString(": " + e.Message)
	case e.Err != nil:
		b.WriteString(": " + e.Err.Error())
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (Tower request id %s)", e.RequestID)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches the sentinels by class.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrNotFound:
		return e.Class == ClassNotFound
	case ErrLocked:
		return e.Class == ClassLocked
	case ErrUnauthorized:
		return e.Class == ClassUnauthorized
	}
	return false
}

// AmbiguousError is a create call whose outcome is not known: the connection broke after the call was sent, and
// Tower showed no object that could be told to be its result. The object may still appear. The call was not repeated.
type AmbiguousError struct {
	Kind      string   // what was to be created: "VM", "VM folder", …
	Name      string   // the name that it was to have
	ClusterID string   // the cluster it was to be created in
	IDs       []string // the objects of that name that have appeared, when there is more than one; none of them was adopted
	Err       error    // why the outcome is not known
}

// Error tells what is not known and why.
func (e *AmbiguousError) Error() string {
	if len(e.IDs) > 0 {
		return fmt.Sprintf("it is not known whether Tower created the %s %q: %v; it has %d %ss of that name (%s), and none can be told to be the new one",
			e.Kind, e.Name, e.Err, len(e.IDs), e.Kind, strings.Join(e.IDs, ", "))
	}
	return fmt.Sprintf("it is not known whether Tower created the %s %q: %v; no %s of that name has appeared since, but it still may", e.Kind, e.Name, e.Err, e.Kind)
}

// Unwrap returns the cause.
func (e *AmbiguousError) Unwrap() error { return e.Err }

// LoginProblem sorts what can go wrong between the configuration and a session.
type LoginProblem string

// The problems of a log-in.
const (
	// LoginWrongCredentials is a username or password that Tower does not accept.
	LoginWrongCredentials LoginProblem = "wrong credentials"
	// LoginTwoFactor is a user for whom Tower wants a second factor, which only an API token can replace.
	LoginTwoFactor LoginProblem = "two-factor log-in required"
	// LoginTokenRefused is an API token that Tower does not accept, or accepts no longer.
	LoginTokenRefused LoginProblem = "API token refused"
	// LoginUnreachable is a server that did not answer.
	LoginUnreachable LoginProblem = "server unreachable"
	// LoginTLS is a server certificate that is not trusted, or a server without TLS.
	LoginTLS LoginProblem = "TLS failed"
	// LoginNotTower is a server that answers, but not as a Tower does.
	LoginNotTower LoginProblem = "not a Tower"
	// LoginDirectory is a directory (LDAP) log-in for which Tower has no usable strategy.
	LoginDirectory LoginProblem = "no directory log-in"
	// LoginFailed is any other failure.
	LoginFailed LoginProblem = "log-in failed"
)

// LoginError is a log-in that failed. Its text says what to change.
type LoginError struct {
	Problem LoginProblem
	Server  string // scheme and host
	Message string // a sentence or two for a person
	Err     error  // the cause; an *Error where Tower answered
}

// Error returns the message and the cause.
func (e *LoginError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *LoginError) Unwrap() error { return e.Err }

// Is reports wrong credentials and refused tokens as ErrUnauthorized.
func (e *LoginError) Is(target error) bool {
	if target != ErrUnauthorized {
		return false
	}
	switch e.Problem {
	case LoginWrongCredentials, LoginTwoFactor, LoginTokenRefused:
		return true
	case LoginUnreachable, LoginTLS, LoginNotTower, LoginDirectory, LoginFailed:
	}
	return false
}
