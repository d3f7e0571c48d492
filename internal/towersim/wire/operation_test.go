// SPDX-License-Identifier: MPL-2.0

package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOperations(t *testing.T) {
	t.Parallel()
	if got := len(Operations); got != 185 {
		t.Errorf("%d operations", got)
	}
	paths := map[string]bool{}
	for i := range Operations {
		op := &Operations[i]
		if paths[op.Path] {
			t.Errorf("%s is listed twice", op.Path)
		}
		paths[op.Path] = true
		if found, ok := OperationAt(op.Path); !ok || found != op {
			t.Errorf("OperationAt(%s) finds something else", op.Path)
		}
		if bodiesByPath[op.Path].newResponse == nil {
			t.Errorf("%s has no reply", op.Path)
		}
		if op.Connection != strings.HasSuffix(op.Path, "-connection") || op.Connection != (op.Response == "Connection") {
			t.Errorf("%s: connection %t replies %s", op.Path, op.Connection, op.Response)
		}
	}
	if _, ok := OperationAt("/get-nothing"); ok {
		t.Error("OperationAt finds an operation that is not there")
	}
}

func TestOperationFacts(t *testing.T) {
	t.Parallel()
	type facts struct {
		method, entity, since       string
		requestArray, responseArray bool
		list, connection, noBody    bool
	}
	tests := map[string]facts{
		"/get-version":                  {method: "GET", noBody: true},
		"/resource-changes":             {method: "GET", since: "4.6.0", noBody: true},
		"/get-my-info":                  {method: "POST", noBody: true},
		"/get-vms":                      {method: "POST", entity: EntityVM, responseArray: true, list: true},
		"/get-vms-connection":           {method: "POST", entity: EntityVM, connection: true},
		"/get-vm-gpu-device-info":       {method: "POST", entity: EntityVM, since: "4.0.0", responseArray: true},
		"/create-vm":                    {method: "POST", requestArray: true, responseArray: true},
		"/create-vm-snapshot":           {method: "POST", responseArray: true},
		"/update-vm-nic-qos-option":     {method: "POST", responseArray: true, since: "3.2.0"},
		"/login":                        {method: "POST"},
		"/upload-elf-image":             {method: "POST", responseArray: true, noBody: true},
		"/get-cluster-settingses":       {method: "POST", entity: EntityClusterSettings, responseArray: true, list: true},
		"/update-vm-vpc-nic":            {method: "POST", responseArray: true, since: "4.3.0"},
		"/import-content-library-image": {method: "POST", since: "4.0.0"},
		"/create-vm-from-content-library-template-batch": {method: "POST", since: "4.4.0"},
	}
	for path, want := range tests {
		op, ok := OperationAt(path)
		if !ok {
			t.Errorf("%s is missing", path)
			continue
		}
		body := bodiesByPath[path]
		got := facts{
			op.Method, op.Entity, op.Since, body.newRequest != nil && isList(body.newRequest()), isList(body.newResponse()),
			op.List, op.Connection, body.newRequest == nil,
		}
		if got != want {
			t.Errorf("%s\n got %+v\nwant %+v", path, got, want)
		}
	}
	form := bodiesByPath["/upload-content-library-image"].form
	if len(form) != 7 || form[2] != (formField{name: "file", required: true, file: true}) {
		t.Errorf("parts of the upload: %+v", form)
	}
}

// isList reports whether a body is a list; into is a pointer to it.
func isList(into any) bool { return reflect.TypeOf(into).Elem().Kind() == reflect.Slice }

func TestZeroRepliesAreComplete(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		value any
		want  string
	}{
		"nullable":       {VMNic{}, `"mac_address":null`},
		"required list":  {Task{}, `"steps":[]`},
		"required map":   {Task{}, `"args":{}`},
		"null task":      {WithTask[Deleted]{}, `{"task_id":null,"data":{"id":""}}`},
		"array of tasks": {WithTask[List[VM]]{}, `"data":[]`},
		"count":          {NewConnection(3), `{"aggregate":{"count":3}}`},
		"optional":       {ErrorBody{Message: "m", Path: "p", Status: 400}, `{"message":"m","path":"p","status":400}`},
		"absent member":  {LoginInput{}, `{"password":"","username":""}`},
		"null member":    {LoginInput{Source: Opt[UserSource]{Set: true, Null: true}}, `"source":null`},
		"member":         {LoginInput{Source: some(UserSourceLocal)}, `"source":"LOCAL"`},
		"list":           {List[int]{1}, `[1]`},
		"object":         {Object{"a": 1}, `{"a":1}`},
	}
	for name, test := range tests {
		if got := string(marshal(t, test.value)); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s does not contain %s", name, got, test.want)
		}
	}
}
