// SPDX-License-Identifier: MPL-2.0

package tower

import "fmt"

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
	what := e.Message
	if what == "" {
		what = "Tower gave no reason"
	}
	code := e.Code
	if code == "" {
		code = e.OuterCode
	}
	if code != "" {
		what = code + ": " + what
	}
	if e.TaskID == "" {
		return fmt.Sprintf("%s: the task failed: %s", e.Operation, what)
	}
	return fmt.Sprintf("%s: task %s failed: %s", e.Operation, e.TaskID, what)
}
