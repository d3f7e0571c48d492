// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// tower is a server with a stopped clock, and a client that is logged in.
type tower struct {
	*towersim.Server

	t     *testing.T
	token string
	base  string // where requests go
}

type object = map[string]any

type vmReply = wire.WithTask[wire.VM]

const second = time.Second

// start starts a server with a scenario in YAML. Only the test moves its clock.
func start(t *testing.T, scenario string) *tower {
	t.Helper()

	x := startLoggedOut(t, scenario)
	x.token = post[wire.WithTask[wire.LoginResponse]](x, "login", object{
		"username": x.Username(), "password": x.Password(),
	}).Data.Token

	return x
}

// startLoggedOut is start without the log-in.
func startLoggedOut(t *testing.T, scenario string) *tower {
	t.Helper()

	s, err := towersim.New(towersim.Options{YAML: []byte(scenario), ManualClock: true})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})

	x := &tower{Server: s, t: t}
	x.base = x.validatingProxy(scenario)

	return x
}

// send sends a request and returns the whole reply.
func (x *tower) send(method, path string, body any, header http.Header) (*http.Response, []byte, error) {
	x.t.Helper()

	var payload io.Reader

	switch content := body.(type) {
	case nil:
	case string:
		payload = bytes.NewReader([]byte(content))
	default:
		raw, err := json.Marshal(content)
		if err != nil {
			x.t.Fatal(err)
		}

		payload = bytes.NewReader(raw)
	}

	request, err := http.NewRequestWithContext(x.t.Context(), method, x.base+path, payload)
	if err != nil {
		x.t.Fatal(err)
	}

	if x.token != "" {
		request.Header.Set("Authorization", x.token)
	}

	for name, values := range header {
		request.Header[name] = values
	}

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()

	out, err := io.ReadAll(response.Body)

	return response, out, err
}

// call sends a POST request to an operation and returns the status and the
// body.
func (x *tower) call(operation string, body any) (int, []byte) {
	x.t.Helper()

	method := http.MethodPost
	if operation == "get-version" || operation == "resource-changes" {
		method = http.MethodGet
	}

	response, out, err := x.send(method, "/v2/api/"+operation, body, nil)
	if err != nil {
		x.t.Fatalf("%s: %v", operation, err)
	}

	return response.StatusCode, out
}

// post calls an operation that must succeed.
func post[T any](x *tower, operation string, body any) T {
	x.t.Helper()

	status, raw := x.call(operation, body)
	if status != http.StatusOK {
		x.t.Fatalf("%s: status %d: %s", operation, status, raw)
	}

	var out T
	if err := json.Unmarshal(raw, &out); err != nil {
		x.t.Fatalf("%s: %v in %s", operation, err, raw)
	}

	return out
}

// refused calls an operation that must answer with a status other than 200.
func (x *tower) refused(operation string, body any, status int) wire.ErrorBody {
	x.t.Helper()

	got, raw := x.call(operation, body)
	if got != status {
		x.t.Fatalf("%s: status %d, want %d: %s", operation, got, status, raw)
	}

	var out wire.ErrorBody
	if err := json.Unmarshal(raw, &out); err != nil {
		x.t.Fatalf("%s: %v in %s", operation, err, raw)
	}

	if out.Status != status || out.Message == "" || out.Path != "/v2/api/"+operation {
		x.t.Fatalf("%s: incomplete error body %s", operation, raw)
	}

	return out
}

// idOf returns the id of the row with a name that a list operation finds.
func (x *tower) idOf(operation, name string) string {
	x.t.Helper()

	rows := post[[]struct{ ID string }](x, operation, object{"where": object{"name": name}})
	if len(rows) != 1 {
		x.t.Fatalf("%s: %d rows are called %q", operation, len(rows), name)
	}

	return rows[0].ID
}

// create requests VMs from the template rocky-8, one for each set of
// parameters.
func (x *tower) create(vms ...object) []vmReply {
	x.t.Helper()

	return post[[]vmReply](x, "create-vm-from-content-library-template", x.params(vms...))
}

// params completes the parameters of VMs to create.
func (x *tower) params(vms ...object) []object {
	x.t.Helper()

	all := make([]object, len(vms))

	for i, vm := range vms {
		all[i] = object{
			"name": "vm", "cluster_id": x.idOf("get-clusters", "cluster-1"), "is_full_copy": false, "status": "RUNNING",
			"template_id": x.idOf("get-content-library-vm-templates", "rocky-8"),
		}
		for key, value := range vm {
			all[i][key] = value
		}
	}

	return all
}

// newVM creates a VM and waits until its task has ended and it is idle.
func (x *tower) newVM(vm object) wire.VM {
	x.t.Helper()

	reply := x.create(vm)[0]
	x.finishTasks()
	x.succeeded(reply.TaskID)

	return x.vm(reply.Data.ID)
}

// finishTasks advances the clock until running tasks have ended and their
// objects are idle.
func (x *tower) finishTasks() { x.Advance(3 * second) }

func (x *tower) task(id *string) wire.Task {
	x.t.Helper()

	if id == nil {
		x.t.Fatal("there is no task")
	}

	tasks := post[[]wire.Task](x, "get-tasks", byID(*id))
	if len(tasks) != 1 {
		x.t.Fatalf("%d tasks have the id %s", len(tasks), *id)
	}

	return tasks[0]
}

func (x *tower) succeeded(id *string) {
	x.t.Helper()

	if task := x.task(id); task.Status != wire.TaskStatusSuccessed {
		x.t.Fatalf("the task is %s: %s", task.Status, text(task.ErrorMessage))
	}
}

// failed checks that a task has failed with an inner code, and returns its
// message.
func (x *tower) failed(id *string, code string) string {
	x.t.Helper()

	task := x.task(id)
	message := text(task.ErrorMessage)

	if task.Status != wire.TaskStatusFailed || !bytes.Contains([]byte(message), []byte("["+code+"]")) {
		x.t.Fatalf("the task is %s, want a failure with [%s]: %s", task.Status, code, message)
	}

	return message
}

func (x *tower) vms(where object) []wire.VM {
	x.t.Helper()

	return post[[]wire.VM](x, "get-vms", object{"where": where, "orderBy": "name_ASC"})
}

func (x *tower) vm(id string) wire.VM {
	x.t.Helper()

	rows := x.vms(object{"id": id})
	if len(rows) != 1 {
		x.t.Fatalf("%d VMs have the id %s", len(rows), id)
	}

	return rows[0]
}

func (x *tower) nics(vmID string) []wire.VMNic {
	x.t.Helper()

	return post[[]wire.VMNic](x, "get-vm-nics", object{"where": object{"vm": object{"id": vmID}}, "orderBy": "order_ASC"})
}

func (x *tower) disks(vmID string) []wire.VMDisk {
	x.t.Helper()

	return post[[]wire.VMDisk](x, "get-vm-disks", object{"where": object{"vm": object{"id": vmID}}, "orderBy": "boot_ASC"})
}

// addresses returns the addresses that Tower shows on a VM's NICs, "" for none.
func (x *tower) addresses(vmID string) []string {
	x.t.Helper()

	var all []string
	for _, nic := range x.nics(vmID) {
		all = append(all, text(nic.IPAddress))
	}

	return all
}

// operate runs an operation on one VM and waits for its task.
func (x *tower) operate(operation, vmID string, data ...object) vmReply {
	x.t.Helper()

	body := byID(vmID)
	if len(data) > 0 {
		body["data"] = data[0]
	}

	replies := post[[]vmReply](x, operation, body)
	if len(replies) != 1 {
		x.t.Fatalf("%s: %d replies", operation, len(replies))
	}

	x.finishTasks()

	return replies[0]
}

// mustOperate calls operate and checks that the task succeeds.
func (x *tower) mustOperate(operation, vmID string, data ...object) {
	x.t.Helper()
	x.succeeded(x.operate(operation, vmID, data...).TaskID)
}

// waitUntil waits for a condition that another goroutine makes true.
func waitUntil(t *testing.T, condition func() bool) {
	t.Helper()

	for deadline := time.Now().Add(20 * second); !condition(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the condition did not become true")
		}
	}
}

func byID(id string) object { return object{"where": object{"id": id}} }

func text(s *string) string {
	if s == nil {
		return ""
	}

	return *s
}

// wantStrings compares two lists of strings.
func wantStrings(t *testing.T, what string, got, want []string) {
	t.Helper()

	if len(got) == len(want) {
		equal := true
		for i := range got {
			equal = equal && got[i] == want[i]
		}

		if equal {
			return
		}
	}

	t.Errorf("%s: got %q, want %q", what, got, want)
}
