// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"strings"
	"testing"
	"unicode"
)

const layered = "Cannot unwrap Ok value of Result.Err.\r\ncode: CREATE_VM_FORM_TEMPLATE_FAILED\r\n" +
	`message: {"data":{},"ec":"VM_CLOUD_INIT_CONFIG_ERROR","error":{"msg":"[VM_CLOUD_INIT_CONFIG_ERROR]The gateway [192.168.31.215] is unreachable. "}}`

var layers = []struct{ name, raw, code, message string }{
	{"empty", "", "", ""},
	{"plain words", "Something  went\r\nwrong", "", "Something went wrong"},
	{"all layers", layered, "VM_CLOUD_INIT_CONFIG_ERROR", "The gateway [192.168.31.215] is unreachable."},
	{"code in brackets alone", "[VM_DUPLICATED_NAME]the name is taken", "VM_DUPLICATED_NAME", "the name is taken"},
	{"two codes in brackets", "[JOB_FAILED] [EAllocSpace]no space", "EAllocSpace", "no space"},
	{"brackets that are no code", "[192.168.1.1] is unreachable", "", "[192.168.1.1] is unreachable"},
	{"scheduler", "[VM_SCHEDULE_FAILED]EmptyCandidateHostsException::HostAvailableMemoryFilter", "VM_SCHEDULE_FAILED", "EmptyCandidateHostsException::HostAvailableMemoryFilter"},
	{"outer code and words", "x\r\ncode: OUTER\r\nmessage: words", "OUTER", "words"},
	{"JSON without a code", "code: OUTER\nmessage: {\"error\":{\"msg\":\"words\"}}", "OUTER", "words"},
	{"JSON with a code only", "code: OUTER\nmessage: {\"ec\":\"INNER\"}", "INNER", ""},
	{"JSON with text after it", `{"ec":"INNER","error":{"msg":"[INNER]words"}} and more`, "INNER", "words"},
	{"broken JSON", `{"ec":"INNER`, "", `{"ec":"INNER`},
	{"error as text", `{"code":"INNER","error":"words"}`, "INNER", "words"},
	{"deep", `{"ec":"A","msg":"{\"ec\":\"B\",\"msg\":\"[C]words\"}"}`, "B", "[C]words"},
	{"unknown JSON", `{"a":1}`, "", `{"a":1}`},
}

func TestParseLayers(t *testing.T) {
	for _, tc := range layers {
		t.Run(tc.name, func(t *testing.T) {
			code, message := parseLayers(tc.raw)
			if code != tc.code || message != tc.message {
				t.Errorf("got %q, %q; want %q, %q", code, message, tc.code, tc.message)
			}
		})
	}
}

func FuzzParseLayers(f *testing.F) {
	for _, tc := range layers {
		f.Add(tc.raw)
	}
	f.Add(strings.Repeat("code: A\nmessage: ", 50))
	f.Fuzz(func(t *testing.T, raw string) {
		code, message := parseLayers(raw)
		if strings.ContainsFunc(code, unicode.IsSpace) && !strings.Contains(raw, `"`) {
			t.Errorf("a code with space %q from %q", code, raw)
		}
		if message != strings.Join(strings.Fields(message), " ") {
			t.Errorf("a message that is not tidy %q from %q", message, raw)
		}
		if len(code)+len(message) > 3*len(raw) {
			// The decoder may replace a broken byte by three.
			t.Errorf("more out than in: %q, %q from %q", code, message, raw)
		}
	})
}

func TestNewTaskError(t *testing.T) {
	a := accepted{operation: "start-vm", requestID: "r"}
	for _, tc := range []struct {
		name, code, message string
		want                TaskError
		says                string
	}{
		{
			"layered", "CREATE_VM_FORM_TEMPLATE_FAILED", layered,
			TaskError{Code: "VM_CLOUD_INIT_CONFIG_ERROR", OuterCode: "CREATE_VM_FORM_TEMPLATE_FAILED", Message: "The gateway [192.168.31.215] is unreachable.", Raw: layered},
			"start-vm: task t failed: VM_CLOUD_INIT_CONFIG_ERROR: The gateway [192.168.31.215] is unreachable.",
		},
		{"no message", "OUTER", "", TaskError{Code: "OUTER", OuterCode: "OUTER"}, "start-vm: task t failed: OUTER: Tower gave no reason"},
		{"nothing", "", "", TaskError{}, "start-vm: task t failed: Tower gave no reason"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.want.Operation, tc.want.TaskID, tc.want.RequestID = "start-vm", "t", "r"
			got := newTaskError(a, taskState{id: "t", code: tc.code, message: tc.message})
			if *got != tc.want {
				t.Errorf("got %+v, want %+v", *got, tc.want)
			}
			if got.Error() != tc.says {
				t.Errorf("says %q, want %q", got.Error(), tc.says)
			}
		})
	}
}

func TestAdvice(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		says string
	}{
		{"innermost code", newTaskError(accepted{}, taskState{code: "CREATE_VM_FORM_TEMPLATE_FAILED", message: layered}), "cloud-init"},
		{"filter in the text", newTaskError(accepted{}, taskState{message: "[VM_SCHEDULE_FAILED]EmptyCandidateHostsException::HostAvailableMemoryFilter"}), "memory"},
		{"scheduler otherwise", newTaskError(accepted{}, taskState{code: "VM_SCHEDULE_FAILED"}), "No host"},
		{"old placement filter", newTaskError(accepted{}, taskState{message: "X::PlacementGroupFilter"}), "placement group"},
		{"no space", newTaskError(accepted{}, taskState{message: "[EAllocSpace]"}), "storage"},
		{"unknown code", newTaskError(accepted{}, taskState{code: "SOMETHING_NEW"}), ""},
		{"ambiguous", &AmbiguousError{}, "import"},
		{"ambiguous twins", &AmbiguousError{IDs: []string{"a", "b"}}, "twice"},
		{"locked", &Error{Class: ClassLocked}, "idle"},
		{"forbidden", &Error{Class: ClassRefused, HTTPStatus: 403}, "right"},
		{"unauthorized", &Error{Class: ClassUnauthorized, HTTPStatus: 401}, "credentials"},
		{"no answer", &Error{Class: ClassTransient}, "network"},
		{"server trouble", &Error{Class: ClassTransient, HTTPStatus: 503}, "trouble"},
		{"missing reference", &Error{Class: ClassNotFound, HTTPStatus: 404}, "ids"},
		{"code in the words", &Error{Class: ClassRefused, HTTPStatus: 400, Message: "VM_DUPLICATED_NAME"}, "name"},
		{"other", errNotModified, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Advice(tc.err)
			if tc.says == "" && got != "" || !strings.Contains(got, tc.says) {
				t.Errorf("got %q, want something about %q", got, tc.says)
			}
		})
	}
}
