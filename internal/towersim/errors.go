// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// apiError is an error that is sent in Tower's error body.
type apiError struct {
	status  int
	code    wire.ErrorCode
	message string
	props   any
}

// Error implements the error interface.
func (e *apiError) Error() string {
	return fmt.Sprintf("%d %s", e.status, e.message)
}

// refusalMessage returns the message of an error, for a task that fails because
// of it.
func refusalMessage(err error) string {
	var refused *apiError
	if errors.As(err, &refused) {
		return refused.message
	}

	return err.Error()
}

func badRequest(format string, args ...any) error {
	return &apiError{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &apiError{status: http.StatusNotFound, message: fmt.Sprintf(format, args...)}
}

func unauthorized(message string) error {
	return &apiError{status: http.StatusUnauthorized, message: message}
}

func notSimulated(what string) error {
	return &apiError{status: http.StatusNotImplemented, message: "towersim does not simulate " + what}
}

// lockedResource is an object that a ResourceLocked error names.
type lockedResource struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

func resourceLocked(resources []lockedResource) error {
	if resources == nil {
		resources = []lockedResource{}
	}

	message := "Resource is locked by another operation"
	for _, resource := range resources {
		message += fmt.Sprintf(" %s-%s", resource.Type, resource.ID)
	}

	return &apiError{
		status: http.StatusBadRequest, code: wire.ErrorCodeResourceLocked, message: message,
		props: map[string]any{"locked_resources": resources},
	}
}

// errorBody makes Tower's error body of any error, for a request to a path.
func errorBody(err error, path string) *wire.ErrorBody {
	body := &wire.ErrorBody{Status: http.StatusInternalServerError, Message: err.Error(), Path: path}

	var refusal *apiError
	if errors.As(err, &refusal) {
		body.Status, body.Message, body.Props = refusal.status, refusal.message, refusal.props

		if refusal.code != "" {
			body.Code = wire.Ptr(refusal.code)
		}
	}

	return body
}

// chinesePrefixes are the beginnings of Tower's Chinese error messages, by HTTP
// status.
var chinesePrefixes = map[int]string{
	http.StatusBadRequest:          "请求无效",
	http.StatusUnauthorized:        "未授权",
	http.StatusForbidden:           "没有权限",
	http.StatusNotFound:            "未找到",
	http.StatusInternalServerError: "内部错误",
	http.StatusNotImplemented:      "未实现",
}

// localizeError translates an error into the language that the client has asked
// for.
func localizeError(err error, language string) error {
	var refusal *apiError
	if !errors.As(err, &refusal) || chinesePrefixes[refusal.status] == "" {
		return err
	}

	shown := *refusal
	prefix := chinesePrefixes[refusal.status]

	if refusal.code == wire.ErrorCodeResourceLocked {
		prefix = "资源被其他操作锁定"
	}

	shown.message = localizedText{en: refusal.message, zh: prefix + ": " + refusal.message}.in(language)

	return &shown
}
