// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Fault makes requests of one operation, or the tasks they start, go wrong.
// Requests are counted, never drawn by lot: the first Skip of them pass, then
// Times of them are struck. Exactly one of the effects is given; Slow may go
// with any but Happens, or stand alone.
type Fault struct {
	// Operation is the last part of the path, such as get-vms; "api" is GraphQL.
	// It is required but with Happens.
	Operation string `yaml:"operation"`
	// Skip is how many requests pass first.
	Skip int `yaml:"skip"`
	// Times is how many requests are struck. 0 means all of them, one span for
	// LockedFor, and one event for Happens.
	Times int `yaml:"times"`
	// Status is the HTTP status of the answer; nothing is done.
	Status FaultStatus `yaml:"status"`
	// Reset drops the connection in place of an answer.
	Reset FaultReset `yaml:"reset"`
	// Hang never answers.
	Hang bool `yaml:"hang"`
	// TaskError lets the request pass and its tasks fail; nothing is done.
	TaskError *TaskError `yaml:"task_error"`
	// LockedFor answers ResourceLocked for this long, counted from the first
	// request that is struck.
	LockedFor Delay `yaml:"locked_for"`
	// Slow delays the answer.
	Slow Delay `yaml:"slow"`
	// Body spoils the answer.
	Body FaultBody `yaml:"body"`
	// Message replaces the text of an answer with Status.
	Message string `yaml:"message"`

	// Happens is what befalls Tower, or one VM, right before a request that is
	// struck is answered, or After later. Requests do not count as long as there is
	// no VM that it could befall, and each strike befalls another one. Without
	// Operation it happens After the fault was added, as soon as it can.
	Happens FaultEvent `yaml:"happens"`
	// After is how much later than its request, or than the fault, the event comes.
	After Delay `yaml:"after"`
	// VM is a glob over the names of the VMs that it may befall; "" means all. The
	// oldest comes first.
	VM string `yaml:"vm"`
	// Host is the name of the host that the event is about.
	Host string `yaml:"host"`
	// Cluster is the name of the cluster that the event is about.
	Cluster string `yaml:"cluster"`
	// State is the state that the event leads to.
	State string `yaml:"state"`
	// For is how long the event lasts.
	For Delay `yaml:"for"`
}

// FaultStatus is the HTTP status that a fault answers with. A scenario may also
// write reset or hang in its place, which mean Reset and Hang.
type FaultStatus int

const (
	faultStatusReset FaultStatus = -1
	faultStatusHang  FaultStatus = -2
)

// FaultReset says when a fault drops the connection.
type FaultReset string

const (
	// ResetBefore drops the connection before anything was done.
	ResetBefore FaultReset = "before"
	// ResetAfter does what was asked and then drops the connection.
	ResetAfter FaultReset = "after"
)

// FaultBody says how a fault spoils the body of an answer.
type FaultBody string

const (
	// BodyHTML is the error page of a proxy in front of Tower; with status 502
	// unless the fault says otherwise. Nothing is done.
	BodyHTML FaultBody = "html"
	// BodyGarbage does what was asked and answers 200 with something that is no JSON.
	BodyGarbage FaultBody = "garbage"
	// BodyWrong does what was asked and answers 200 with JSON of another shape.
	BodyWrong FaultBody = "wrong"
	// BodyTruncated does what was asked and sends half of the answer.
	BodyTruncated FaultBody = "truncated"
)

// TaskError is how a task fails: Code is the inner code in Tower's layered text,
// such as VM_DUPLICATED_NAME, and Message the sentence behind it.
type TaskError struct {
	Code    string `yaml:"code"`
	Message string `yaml:"message"`
	// Bare leaves the task's error_message null, as Tower sometimes does.
	Bare bool `yaml:"bare"`
	// LeaksVolumes lets a creation of a VM that fails leave the new volumes that it
	// asked for behind, attached to nothing, as clusters before SMTX OS 6.0 do when
	// they run out of space.
	LeaksVolumes bool `yaml:"leaks_volumes"`
	// Orphan lets the cluster finish a creation of a VM that Tower gave up: the VM
	// appears so much later, under another id. Zero means that it never does.
	Orphan Delay `yaml:"orphan"`
}

func (s *FaultStatus) fromNode(n *yaml.Node) error {
	switch n.Value {
	case "reset":
		*s = faultStatusReset

		return nil
	case "hang":
		*s = faultStatusHang

		return nil
	}

	code, err := strconv.Atoi(n.Value)
	if err != nil || code < 200 || code > 599 {
		return fmt.Errorf("must be an HTTP status such as 500, or reset, or hang, not %s", nodeText(n))
	}

	*s = FaultStatus(code)

	return nil
}

func (r *FaultReset) fromNode(n *yaml.Node) error {
	switch n.Value {
	case "true", string(ResetBefore):
		*r = ResetBefore
	case string(ResetAfter):
		*r = ResetAfter
	case "false":
		*r = ""
	default:
		return fmt.Errorf("must be true, before or after, not %s", nodeText(n))
	}

	return nil
}

// normalised returns the fault with the words that Status may hold moved to
// where they belong.
func (f Fault) normalised() Fault {
	switch f.Status {
	case faultStatusReset:
		f.Status, f.Reset = 0, ResetBefore
	case faultStatusHang:
		f.Status, f.Hang = 0, true
	}

	if f.Body == BodyHTML && f.Status == 0 {
		f.Status = 502
	}

	return f
}

var faultBodies = []FaultBody{BodyHTML, BodyGarbage, BodyWrong, BodyTruncated}

// makesVMs are the operations whose failures can leave something behind.
var createsVMs = map[string]bool{
	"create-vm": true, "create-vm-from-template": true, "create-vm-from-content-library-template": true,
	"create-vm-from-content-library-template-batch": true, "clone-vm": true, "rebuild-vm-from-snapshot": true,
}

// check returns the member at fault and what is wrong with it.
func (f Fault) check() (field, reason string) {
	effects := 0

	for _, given := range []bool{
		f.Status != 0 || f.Body != "", f.Reset != "", f.Hang, f.TaskError != nil, f.LockedFor != 0, f.Happens != "",
	} {
		if given {
			effects++
		}
	}

	switch {
	case f.Operation == "" && f.Happens == "":
		return "operation", "is required"
	case f.Operation != "" && !knownOperation(f.Operation):
		return "operation", fmt.Sprintf("Tower has no operation %q", f.Operation)
	case f.Skip < 0:
		return "skip", "must not be negative"
	case f.Times < 0:
		return "times", "must not be negative"
	case f.TaskError != nil && f.TaskError.Code == "":
		return "task_error.code", "is required"
	case f.TaskError != nil && !startsTasks(f.Operation):
		return "task_error", fmt.Sprintf("%s starts no task", f.Operation)
	case f.TaskError != nil && f.TaskError.LeaksVolumes && !createsVMs[f.Operation]:
		return "task_error.leaks_volumes", fmt.Sprintf("%s makes no VM", f.Operation)
	case f.TaskError != nil && f.TaskError.Orphan != 0 && !createsVMs[f.Operation]:
		return "task_error.orphan", fmt.Sprintf("%s makes no VM", f.Operation)
	case f.TaskError != nil && f.TaskError.Orphan == Never:
		return "task_error.orphan", "must be a duration"
	case f.LockedFor == Never:
		return "locked_for", "must be a duration"
	case f.Slow == Never:
		return "slow", "must be a duration; hang: true never answers"
	case f.Body != "" && !slices.Contains(faultBodies, f.Body):
		return "body", fmt.Sprintf("must be html, garbage, wrong or truncated, not %q", f.Body)
	case effects > 1:
		return "", "has more than one effect: give one of status, body, reset, hang, task_error, locked_for and happens"
	case effects == 0 && f.Slow == 0:
		return "", "has no effect: give status, body, reset, hang, task_error, locked_for, happens or slow"
	}

	return f.checkEvent()
}
