// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// TaskError is a task of Tower that failed.
type TaskError struct {
	Operation string // the API operation that started the task
	TaskID    string // "" where Tower never told it
	Code      string // the innermost code, the most specific one; "" if Tower gave none
	OuterCode string // the code of the task itself
	Message   string // the words for a person, without codes and layers; "" if Tower gave none
	Raw       string // error_message as Tower sent it
	RequestID string // x-tower-request-id of the call that started the task
}

// Error tells the operation, the innermost code and Tower's words, in one line.
func (e *TaskError) Error() string {
	what := cmp.Or(e.Message, "Tower gave no reason")
	if code := cmp.Or(e.Code, e.OuterCode); code != "" {
		what = code + ": " + what
	}
	if e.TaskID == "" {
		return fmt.Sprintf("%s failed: %s", e.Operation, what)
	}
	return fmt.Sprintf("%s: task %s failed: %s", e.Operation, e.TaskID, what)
}

// newTaskError makes the error of a failed task.
func newTaskError(a accepted, t taskState) *TaskError {
	code, message := parseLayers(t.message)
	return &TaskError{
		Operation: a.operation, TaskID: t.id, Code: cmp.Or(code, t.code), OuterCode: t.code, Message: message, Raw: t.message, RequestID: a.requestID,
	}
}

var (
	codeLine    = regexp.MustCompile(`(?m)^[ \t]*code:[ \t]*([A-Za-z][A-Za-z0-9_.]*)[ \t]*\r?$`)
	messageLine = regexp.MustCompile(`(?m)^[ \t]*message:[ \t]*`)
	codePrefix  = regexp.MustCompile(`^\s*\[([A-Z][A-Za-z0-9_]+)\]`)
)

// maxLayers bounds how deep error texts are unpacked.
const maxLayers = 8

// parseLayers takes apart the text of a failed task. Each service on the way wraps the text of the one below: a line with
// a code and one with a message, which is JSON with a code and a text of its own, which starts with a code in brackets.
// It returns the innermost code and the innermost text.
func parseLayers(raw string) (code, message string) {
	rest := raw
	for range maxLayers {
		if m := codePrefix.FindStringSubmatch(rest); m != nil {
			code, rest = m[1], rest[len(m[0]):]
			continue
		}
		layer, below, found := unwrap(rest)
		if !found {
			break
		}
		code, rest = cmp.Or(layer, code), below
	}
	return code, strings.Join(strings.Fields(rest), " ")
}

// unwrap takes one layer off: the code it gives, and the text within.
func unwrap(s string) (code, within string, found bool) {
	if trimmed := strings.TrimSpace(s); strings.HasPrefix(trimmed, "{") {
		return unwrapJSON(trimmed)
	}
	at := messageLine.FindStringIndex(s)
	if at == nil {
		return "", "", false
	}
	if m := codeLine.FindStringSubmatch(s[:at[0]]); m != nil {
		code = m[1]
	}
	return code, s[at[1]:], true
}

// unwrapJSON takes a layer off that is a JSON object.
func unwrapJSON(s string) (code, within string, found bool) {
	var layer struct {
		Code    any    `json:"ec"`
		Other   any    `json:"code"`
		Message string `json:"message"`
		Msg     string `json:"msg"`
		Error   any    `json:"error"`
	}
	// What follows the object, if anything does, is no part of it.
	if err := json.NewDecoder(strings.NewReader(s)).Decode(&layer); err != nil {
		return "", "", false
	}
	code, _ = layer.Code.(string)
	if code == "" {
		code, _ = layer.Other.(string)
	}
	switch e := layer.Error.(type) {
	case string:
		within = e
	case map[string]any:
		within, _ = e["msg"].(string)
		if within == "" {
			within, _ = e["message"].(string)
		}
	}
	within = cmp.Or(within, layer.Msg, layer.Message)
	return code, within, code != "" || within != ""
}
