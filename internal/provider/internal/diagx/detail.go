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

// Detail is the text of a diagnostic about err: a sentence of what happened in
// Tower's words, the codes and ids that support asks for, one on a line, and a
// sentence of what can be done, where that is known.
func Detail(err error) string {
	if err == nil {
		return sentence("no cause is known")
	}
	parts := []string{what(err)}
	if lines := facts(err); len(lines) > 0 {
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if advice := advice(err); advice != "" {
		parts = append(parts, sentence(advice))
	}
	return strings.Join(parts, "\n\n")
}

// what is the first sentence. Codes and ids that facts lists are left out of it.
func what(err error) string {
	var (
		ambiguous *tower.AmbiguousError
		login     *tower.LoginError
		config    *tower.ConfigError
		task      *tower.TaskError
		call      *tower.Error
	)
	switch {
	case errors.As(err, &ambiguous):
		return within(err, ambiguous, ambiguous.Error())
	case errors.As(err, &login):
		return within(err, login, login.Message) + cause(login.Err)
	case errors.As(err, &config):
		return within(err, config, config.Message) + cause(config.Err)
	case errors.As(err, &task):
		words := task.Message
		if words == "" {
			words = "Tower gave no reason"
		}
		return within(err, task, fmt.Sprintf("Tower's task for %s failed: %s", task.Operation, words))
	case errors.As(err, &call):
		return within(err, call, call.Operation+" failed: "+callWords(call))
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

// within writes inner's words as a sentence, after what the errors around
// inner add.
func within(outer, inner error, words string) string {
	around, ok := strings.CutSuffix(outer.Error(), inner.Error())
	around = strings.TrimRight(around, ": ")
	if !ok || around == "" {
		return sentence(words)
	}
	return sentence(around + ": " + words)
}

// cause adds a sentence for the cause of a log-in or configuration error, whose
// codes and ids facts lists.
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

// facts are the lines of codes and ids.
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

// advice is what can be done. The words of a log-in error have said it already.
func advice(err error) string {
	var login *tower.LoginError
	if errors.As(err, &login) {
		return ""
	}
	if advice := tower.Advice(err); advice != "" {
		return advice
	}
	// A request of its own that took too long is a transient failure; only a
	// context that ended is the operation's own limit.
	var call *tower.Error
	isCall := errors.As(err, &call)
	if errors.Is(err, context.DeadlineExceeded) && (!isCall || call.Class == tower.ClassCancelled) {
		return "The time that the timeouts argument allows was over; raise it if the operation needs longer"
	}
	return ""
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(s string) string { return ended(Capitalise(strings.TrimSpace(s))) }

// ended ends with a full stop.
func ended(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// Capitalise lets a text begin a sentence. Names of API operations ("get-vms") stay
// as they are.
func Capitalise(s string) string {
	word, _, _ := strings.Cut(s, " ")
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 || strings.ContainsAny(word, "-_/") {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
