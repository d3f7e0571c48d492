// SPDX-License-Identifier: MPL-2.0

package diagx

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// Detail returns the text of a diagnostic about err: what happened, in Tower's
// words; then the codes and ids that support asks for, each on a line of its own;
// then what the user can do, if that is known.
func Detail(err error) string {
	if err == nil {
		return sentence("no cause is known")
	}
	parts := []string{firstSentence(err)}
	if lines := facts(err); len(lines) > 0 {
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if advice := advice(err); advice != "" {
		parts = append(parts, sentence(advice))
	}
	return strings.Join(parts, "\n\n")
}

// firstSentence says what happened. It leaves out the codes and ids that facts
// returns.
func firstSentence(err error) string {
	var (
		ambiguous *tower.AmbiguousError
		login     *tower.LoginError
		config    *tower.ConfigError
		task      *tower.TaskError
		call      *tower.Error
	)
	switch {
	case errors.As(err, &ambiguous):
		return withContext(err, ambiguous, ambiguous.Error())
	case errors.As(err, &login):
		return withContext(err, login, login.Message) + cause(login.Err)
	case errors.As(err, &config):
		return withContext(err, config, config.Message) + cause(config.Err)
	case errors.As(err, &task):
		words := task.Message
		if words == "" {
			words = "Tower gave no reason"
		}
		return withContext(err, task, fmt.Sprintf("Tower's task for %s failed: %s", task.Operation, words))
	case errors.As(err, &call):
		return withContext(err, call, call.Operation+" failed: "+callWords(call))
	}
	return sentence(err.Error())
}

func callWords(e *tower.Error) string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Err != nil:
		return e.Err.Error()
	}
	return "Tower gave no reason"
}

// withContext returns inner's words as a sentence, after the words that the errors
// around inner add.
func withContext(outer, inner error, words string) string {
	around, ok := strings.CutSuffix(outer.Error(), inner.Error())
	around = strings.TrimRight(around, ": ")
	if !ok || around == "" {
		return sentence(words)
	}
	return sentence(around + ": " + words)
}

// cause returns a sentence for the cause of a log-in or configuration error. It
// leaves out the codes and ids that facts returns.
func cause(err error) string {
	if err == nil {
		return ""
	}
	words := err.Error()
	var call *tower.Error
	if errors.As(err, &call) {
		words = call.Operation + " failed: " + callWords(call)
	}
	return " The cause: " + ended(words)
}

// facts returns the lines of codes and ids.
func facts(err error) []string {
	var (
		lines []string
		task  *tower.TaskError
		call  *tower.Error
	)
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	switch {
	case errors.As(err, &task):
		code := task.Code
		switch {
		case code == "":
			code = task.OuterCode
		case task.OuterCode != "" && task.OuterCode != code:
			code += " (" + task.OuterCode + ")"
		}
		add("Code", code)
		add("Tower request id", task.RequestID)
		add("Task", task.TaskID)
	case errors.As(err, &call):
		add("Code", call.Code)
		if call.HTTPStatus != 0 {
			add("HTTP status", strings.TrimSpace(fmt.Sprintf("%d %s", call.HTTPStatus, http.StatusText(call.HTTPStatus))))
		}
		add("Tower request id", call.RequestID)
	}
	return lines
}

// advice says what the user can do, unless the words of the error have said it.
func advice(err error) string {
	var login *tower.LoginError
	if advice := tower.Advice(err); advice != "" || errors.As(err, &login) {
		return advice
	}
	// A single request that took too long is a transient failure. Only the end of the
	// context means that the operation has run out of time.
	var call *tower.Error
	isCall := errors.As(err, &call)
	if errors.Is(err, context.DeadlineExceeded) && (!isCall || call.Class == tower.ClassCancelled) {
		return "The time that the timeouts argument allows has run out; raise it if the operation needs longer"
	}
	return ""
}

// sentence returns s with a capital letter at its beginning and a full stop at its
// end.
func sentence(s string) string { return ended(Capitalise(strings.TrimSpace(s))) }

// ended returns s with a full stop at its end.
func ended(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// Capitalise returns s with a capital letter at its beginning, unless s begins with
// the name of an API operation ("get-vms").
func Capitalise(s string) string {
	word, _, _ := strings.Cut(s, " ")
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 || strings.ContainsAny(word, "-_/") {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
