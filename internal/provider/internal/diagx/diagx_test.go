// SPDX-License-Identifier: MPL-2.0

package diagx_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/diagx"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	if got, want := diagx.Summary("create", "VM", "web-1"), `Unable to create VM "web-1"`; got != want {
		t.Errorf("Summary = %s, want %s", got, want)
	}
	if got, want := diagx.Summary("read", "VM", ""), `Unable to read VM`; got != want {
		t.Errorf("Summary = %s, want %s", got, want)
	}
}

func TestDetail(t *testing.T) {
	t.Parallel()
	call := &tower.Error{
		Operation: "update-vm-basic-info", HTTPStatus: 400, Code: "SomethingNew", Message: "the memory is odd",
		RequestID: "req-1", Class: tower.ClassRefused,
	}
	task := &tower.TaskError{
		Operation: "start-vm", TaskID: "task-1", Code: "INNER_CODE", OuterCode: "OUTER_CODE",
		Message: "no room left", Raw: "raw", RequestID: "req-2",
	}
	cases := map[string]struct {
		err  error
		want string
	}{
		"plain":     {errors.New("it broke"), "It broke."},
		"full stop": {errors.New("It broke!"), "It broke!"},
		"call": {call, "update-vm-basic-info failed: the memory is odd.\n\n" +
			"Code: SomethingNew\nHTTP status: 400 Bad Request\nTower request id: req-1"},
		"wrapped call": {
			fmt.Errorf("growing the VM: %w", call),
			"Growing the VM: update-vm-basic-info failed: the memory is odd.\n\n" +
				"Code: SomethingNew\nHTTP status: 400 Bad Request\nTower request id: req-1",
		},
		"call without words": {
			&tower.Error{Operation: "get-vms", HTTPStatus: 599, Class: tower.ClassRefused},
			"get-vms failed: Tower gave no reason.\n\nHTTP status: 599",
		},
		"call without answer": {
			&tower.Error{Operation: "get-vms", Class: tower.ClassRefused, Err: errors.New("EOF")},
			"get-vms failed: EOF.",
		},
		"task": {task, "Tower's task for start-vm failed: no room left.\n\n" +
			"Code: INNER_CODE (OUTER_CODE)\nTower request id: req-2\nTask: task-1"},
		"task without reason": {
			&tower.TaskError{Operation: "start-vm", OuterCode: "OUTER_CODE"},
			"Tower's task for start-vm failed: Tower gave no reason.\n\nCode: OUTER_CODE",
		},
		"log-in": {
			&tower.LoginError{Problem: tower.LoginFailed, Server: "https://t", Message: "Tower can't be reached.", Err: errors.New("dial tcp: refused")},
			"Tower can't be reached. The cause: dial tcp: refused.",
		},
		"log-in answered": {
			&tower.LoginError{Problem: tower.LoginFailed, Message: "Tower refused the password.", Err: call},
			"Tower refused the password. The cause: update-vm-basic-info failed: the memory is odd.\n\n" +
				"Code: SomethingNew\nHTTP status: 400 Bad Request\nTower request id: req-1",
		},
		"log-in unanswered": {&tower.LoginError{Problem: tower.LoginUnreachable, Message: "Tower can't be reached", Err: &tower.Error{
			Operation: "get-version", Class: tower.ClassTransient, Err: errors.New("connection refused"),
		}}, "Tower can't be reached. The cause: get-version failed: connection refused."},
		"configuration": {&tower.ConfigError{Field: "server", Message: "the scheme is unknown"}, "The scheme is unknown."},
		"nil":           {nil, "No cause is known."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, diagx.Detail(tc.err)); diff != "" {
				t.Errorf("Detail (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDetail_advice checks that the client's advice ends the text; its words
// are the client's.
func TestDetail_advice(t *testing.T) {
	t.Parallel()
	err := &tower.TaskError{Operation: "create-vm", TaskID: "task-1", Code: "VM_DUPLICATED_NAME", Message: "the name is taken"}
	advice := tower.Advice(err)
	if advice == "" {
		t.Fatal("the client has no advice for a name that is taken")
	}
	want := "Tower's task for create-vm failed: the name is taken.\n\nCode: VM_DUPLICATED_NAME\nTask: task-1\n\n" + advice
	if diff := cmp.Diff(want, diagx.Detail(fmt.Errorf("%w", err))); diff != "" {
		t.Errorf("Detail (-want +got):\n%s", diff)
	}
}

func TestDetail_ambiguous(t *testing.T) {
	t.Parallel()
	err := &tower.AmbiguousError{
		Kind: "VM", Name: "web-1", ClusterID: "c1",
		Err: &tower.Error{Operation: "create", HTTPStatus: 0, RequestID: "req-3", Err: errors.New("reset"), Class: tower.ClassTransient},
	}
	got := diagx.Detail(err)
	want := diagx.Detail(errors.New(err.Error())) + "\n\nTower request id: req-3"
	if len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("Detail = %q, want it to begin with %q", got, want)
	}
}

func TestDetail_deadline(t *testing.T) {
	t.Parallel()
	const mention = "The time that the timeouts argument allows has run out; raise it if the operation needs longer."
	cases := map[string]struct {
		err  error
		want string
	}{
		"operation": {
			fmt.Errorf("waiting for the task: %w", context.DeadlineExceeded),
			"Waiting for the task: context deadline exceeded.\n\n" + mention,
		},
		"cancelled": {fmt.Errorf("waiting for the task: %w", context.Canceled), "Waiting for the task: context canceled."},
	}
	for name, tc := range cases {
		if diff := cmp.Diff(tc.want, diagx.Detail(tc.err)); diff != "" {
			t.Errorf("Detail of %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	err := errors.New("it broke")
	var got diag.Diagnostics
	diagx.AddError(&got, "create", "VM", "a", err)
	diagx.AddAttributeError(&got, path.Root("name"), "create", "VM", "a", err)
	diagx.AddBug(&got, "Odd state", "the VM has no id")
	diagx.AddNotFound(&got, path.Root("vlan_id"), "VLAN", "x1")

	var want diag.Diagnostics
	want.AddError(`Unable to create VM "a"`, "It broke.")
	want.AddAttributeError(path.Root("name"), `Unable to create VM "a"`, "It broke.")
	want.AddError("Odd state", "The VM has no id. This is a bug in the provider; please report it.")
	want.AddAttributeError(path.Root("vlan_id"), "VLAN not found",
		`Tower has no VLAN with the id "x1" that this user can see. Check the id, or look it up with a data source.`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

func TestNameArguments(t *testing.T) {
	t.Parallel()
	nested := path.Root("nics").AtListIndex(1).AtName("vlan_id")
	var diags diag.Diagnostics
	diags.AddAttributeError(nested, "Bad", "It is bad.")
	diags.AddAttributeWarning(nested, "Odd", "It is odd.")
	diags.AddAttributeError(nested, "Named", "nics[1].vlan_id is bad.")
	diags.AddAttributeError(path.Root("name"), "Bad", "It is bad.")
	diags.AddError("Bad", "It is bad.")
	diagx.NameArguments(&diags)
	got := make([]string, 0, len(diags))
	for _, d := range diags {
		got = append(got, fmt.Sprintf("%s %s: %s", d.Severity(), d.Summary(), d.Detail()))
	}
	want := []string{
		"Error Bad: It is bad.\n\nArgument: nics[1].vlan_id", "Warning Odd: It is odd.\n\nArgument: nics[1].vlan_id",
		"Error Named: nics[1].vlan_id is bad.", "Error Bad: It is bad.", "Error Bad: It is bad.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if at, ok := diags[0].(diag.DiagnosticWithPath); !ok || !at.Path().Equal(nested) {
		t.Errorf("the error is not at its attribute any more: %v", diags[0])
	}
}
