// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Fault makes requests of one operation go wrong, or the tasks that they start.
// Requests are counted, nothing is random: the first Skip requests pass, then
// the fault hits Times requests. A fault has exactly one effect. Slow may stand
// alone or go with any other effect except Happens.
type Fault struct {
	// Operation is the last part of the path, such as get-vms; "api" is
	// GraphQL. It is required unless Happens is set.
	Operation string `yaml:"operation"`
	// Skip is the number of requests that pass first.
	Skip int `yaml:"skip"`
	// Times is the number of requests that the fault hits. 0 means all
	// requests; for LockedFor it means one span, and for Happens one event.
	Times int `yaml:"times"`
	// Status is the HTTP status of the answer. The request is not carried out.
	Status FaultStatus `yaml:"status"`
	// Reset drops the connection instead of answering.
	Reset FaultReset `yaml:"reset"`
	// Hang leaves the request without an answer.
	Hang bool `yaml:"hang"`
	// TaskError accepts the request and fails its tasks. The request is not
	// carried out.
	TaskError *TaskError `yaml:"task_error"`
	// LockedFor is how long requests are answered with ResourceLocked, counted
	// from the first request that the fault hits.
	LockedFor Delay `yaml:"locked_for"`
	// Slow is how long the answer is delayed.
	Slow Delay `yaml:"slow"`
	// Body spoils the body of the answer.
	Body FaultBody `yaml:"body"`
	// Message replaces the message of an answer with Status.
	Message string `yaml:"message"`

	// Happens is an event that hits Tower, or one VM, right before the request
	// is answered, or After later. A request is not counted as long as there is
	// no VM that the event can hit. Each event hits another VM. Without
	// Operation the event happens After the fault was added, or as soon as it
	// can.
	Happens FaultEvent `yaml:"happens"`
	// After is the time from the request, or from the addition of the fault, to
	// the event.
	After Delay `yaml:"after"`
	// VM is a glob on the names of the VMs that the event can hit; "" means all
	// VMs. The event hits the oldest VM first.
	VM string `yaml:"vm"`
	// Host is the name of the host that the event hits, or moves a VM to.
	Host string `yaml:"host"`
	// Cluster is the name of the cluster that the event moves a VM to.
	Cluster string `yaml:"cluster"`
	// State is the state that the event sets.
	State string `yaml:"state"`
	// For is how long the event lasts.
	For Delay `yaml:"for"`
}

// FaultStatus is the HTTP status that a fault answers with. A scenario may also
// write reset or hang here; they mean Reset and Hang.
type FaultStatus int

const (
	faultStatusReset FaultStatus = -1
	faultStatusHang  FaultStatus = -2
)

// FaultReset says when a fault drops the connection.
type FaultReset string

const (
	// ResetBefore drops the connection before the request is carried out.
	ResetBefore FaultReset = "before"
	// ResetAfter carries the request out and then drops the connection.
	ResetAfter FaultReset = "after"
)

// FaultBody says how a fault spoils the body of an answer.
type FaultBody string

const (
	// BodyHTML is the error page of a proxy in front of Tower, with status 502
	// unless the fault has another one. The request is not carried out.
	BodyHTML FaultBody = "html"
	// BodyGarbage carries the request out and answers with status 200 and a
	// body that is not JSON.
	BodyGarbage FaultBody = "garbage"
	// BodyWrong carries the request out and answers with status 200 and JSON of
	// another shape.
	BodyWrong FaultBody = "wrong"
	// BodyTruncated carries the request out and sends half of the answer.
	BodyTruncated FaultBody = "truncated"
)

// TaskError is the failure of a task. Code is the inner code in Tower's layered
// error message, such as VM_DUPLICATED_NAME; Message is the sentence after the
// code.
type TaskError struct {
	Code    string `yaml:"code"`
	Message string `yaml:"message"`
	// Bare leaves the task's error_message null, as Tower sometimes does.
	Bare bool `yaml:"bare"`
	// LeaksVolumes makes the failed creation of a VM leave its new volumes
	// behind, attached to nothing, as clusters before SMTX OS 6.0 do when they
	// run out of space.
	LeaksVolumes bool `yaml:"leaks_volumes"`
	// Orphan is the time after which a VM appears although Tower has failed its
	// creation, because the cluster has finished it. The VM has another id.
	// Zero means that no VM appears.
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

// normalised moves the words reset and hang from Status to Reset and Hang.
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

// createsVMs are the operations whose failures can leave something behind.
var createsVMs = map[string]bool{
	"create-vm": true, "create-vm-from-template": true, "create-vm-from-content-library-template": true,
	"create-vm-from-content-library-template-batch": true, "clone-vm": true, "rebuild-vm-from-snapshot": true,
}

// check returns the member that is wrong, and the reason; no reason means that
// the fault is valid.
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
		return "task_error.leaks_volumes", fmt.Sprintf("%s creates no VM", f.Operation)
	case f.TaskError != nil && f.TaskError.Orphan != 0 && !createsVMs[f.Operation]:
		return "task_error.orphan", fmt.Sprintf("%s creates no VM", f.Operation)
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
