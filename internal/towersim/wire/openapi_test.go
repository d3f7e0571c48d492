// SPDX-License-Identifier: MPL-2.0

package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
)

// fill sets v to a value of its type: enums get a valid value; if full is true,
// nothing stays nil, absent or empty.
func fill(v reflect.Value, full bool) {
	if o, ok := v.Addr().Interface().(optional); ok {
		if full {
			fill(reflect.ValueOf(o.setValue()).Elem(), full)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				fill(v.Field(i), full)
			}
		}
	case reflect.Pointer:
		if full {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), full)
		}
	case reflect.Slice:
		switch {
		case v.Type() == reflect.TypeFor[json.RawMessage]():
			v.SetBytes([]byte(`{}`))
		case full:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), full)
		}
	case reflect.String:
		if e, ok := v.Interface().(enumeration); ok {
			v.SetString(e.allowed()[0])
		}
	case reflect.Interface:
		if full {
			v.Set(reflect.ValueOf("x"))
		}
	default:
	}
}

// TestTypesMatchTheDocument compares an empty and a full value of every request
// and reply with the document.
func TestTypesMatchTheDocument(t *testing.T) {
	t.Parallel()
	checker, err := openapicheck.New(openapicheck.NeedDocument(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, full := range []bool{false, true} {
		for i := range Operations {
			op := &Operations[i]
			body := bodiesByPath[op.Path]
			reply := body.newResponse()
			fill(reflect.ValueOf(reply).Elem(), true)
			if !full {
				clearOptional(reflect.ValueOf(reply).Elem())
			}
			ex := openapicheck.Exchange{
				Method: op.Method, Path: openapicheck.BasePath + op.Path, Status: http.StatusOK,
				Header:       http.Header{"Content-Type": {"application/json"}, "X-Tower-Request-Id": {"r"}},
				ResponseBody: marshal(t, reply),
			}
			switch {
			case body.newRequest != nil:
				request := body.newRequest()
				fill(reflect.ValueOf(request).Elem(), true)
				if list, ok := request.(*ListRequest); ok {
					list.OrderBy = Ptr("id_ASC")
				}
				if !full {
					clearOptional(reflect.ValueOf(request).Elem())
				}
				ex.RequestBody = marshal(t, request)
				if err := Decode(ex.RequestBody, body.newRequest()); err != nil && full {
					t.Errorf("%s: %v", op.Path, err)
				}
			case body.form != nil:
				ex.RequestType = "multipart/form-data; boundary=x"
			}
			checker.Check(ex)
		}
	}
	// The document requires these, but the vendor's client omits them.
	relaxed := []string{
		`POST /clone-iscsi-lun-from-snapshot: request: /0/name: property "name" is missing`,
		`POST /delete-iscsi-lun: request: /data: property "data" is missing`,
	}
	if diff := cmp.Diff(relaxed, checker.Violations()); diff != "" {
		t.Error(diff)
	}
	if got := len(checker.Counts()); got != len(Operations) {
		t.Errorf("%d of %d operations were checked", got, len(Operations))
	}
}

// clearOptional sets everything in v that may be nil to nil, in lists at the
// top the parts of the elements.
func clearOptional(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			required := parseRules(f.Tag.Get("wire")).required
			switch {
			case f.Name == "_":
			case v.Field(i).Kind() == reflect.Struct:
				if _, ok := v.Field(i).Addr().Interface().(optional); ok {
					v.Field(i).SetZero()
					continue
				}
				clearOptional(v.Field(i))
			case v.Field(i).Kind() == reflect.Slice && required:
			case v.Field(i).Kind() == reflect.Slice, v.Field(i).Kind() == reflect.Pointer, v.Field(i).Kind() == reflect.Map:
				v.Field(i).SetZero()
			default:
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			clearOptional(v.Index(i))
		}
	default:
	}
}

// TestGeneratedFilesAreUpToDate generates all files again and compares them.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	path := openapicheck.NeedDocument(t)
	wireDir, queryDir, simDir := t.TempDir(), t.TempDir(), t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./gen", "-wire", wireDir, "-query", queryDir, "-towersim", simDir)
	cmd.Env = append(os.Environ(), openapicheck.EnvDocument+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("generate: %v\n%s", err, out)
	}
	for fresh, present := range map[string]string{wireDir: ".", queryDir: "../query", simDir: ".."} {
		want := generated(t, fresh)
		have := generated(t, present)
		for name, text := range want {
			if !bytes.Equal(have[name], text) {
				t.Errorf("%s is not what the generator writes", name)
			}
		}
		for name := range have {
			if want[name] == nil {
				t.Errorf("the generator does not write %s", name)
			}
		}
	}
}

func generated(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "zz_generated_*"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = text
	}
	return out
}
