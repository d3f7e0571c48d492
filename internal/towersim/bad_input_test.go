// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// badBody is an invalid request.
type badBody struct {
	what string
	raw  []byte
	// mayPass means that the request may succeed without finding anything
	// instead of being refused, like a filter that no row satisfies.
	mayPass bool
	// second means that another filter selects what to change.
	second bool
}

// part is a value in a body, and how to change it there.
type part struct {
	path   string
	kind   reflectedKind
	filter bool // in a filter
	value  any
	// with returns the whole body with another value for this part; drop
	// returns the body without the part, or nil if the part is not a member of
	// an object.
	with func(value any) any
	drop func() any
	// required means that the body is invalid without this part.
	required bool
}

// changingOperations returns the operations that change something and take a
// JSON body.
func changingOperations(t *testing.T) []*wire.Operation {
	t.Helper()

	var all []*wire.Operation

	simulated := map[string]bool{}
	for _, o := range startLoggedOut(t, "").Operations() {
		simulated[o.Operation] = true
	}

	for i := range wire.Operations {
		o := &wire.Operations[i]
		if name := o.Path[1:]; simulated[name] && requestTypes[o.Path] != nil && !strings.HasPrefix(name, "get-") && name != "login" {
			all = append(all, o)
		}
	}

	if len(all) < 90 {
		t.Fatalf("only %d operations change anything", len(all))
	}

	return all
}

// An invalid request for a change is refused like in Tower, does not crash the
// server, and changes nothing, neither immediately nor later.
func TestBadInputChangesNothing(t *testing.T) {
	total := 0

	for _, operation := range changingOperations(t) {
		name := operation.Path[1:]
		if testedElsewhere[name] {
			continue
		}

		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			s.Advance(600 * second) // the guests have finished
			body, ok := s.bodies()[name]
			if !ok {
				t.Fatal("there is no valid request to make invalid")
			}

			cases := s.invalidBodies(operation, tree(t, body))
			total += len(cases)
			before, since := s.Rows(), s.Revision()

			for i, c := range cases {
				if i%raceStride != 0 {
					continue
				}

				status, raw := s.callDirectly(name, bytes.NewReader(c.raw))
				if status == http.StatusOK && !c.mayPass {
					t.Errorf("%s: accepted: %.200s", c.what, c.raw)
				} else if status != http.StatusOK {
					checkRefusal(t, name, c, status, raw)
				}

				switch {
				case s.Revision() == since:
				case status == http.StatusOK && c.mayPass && c.second:
					// The object to change was found, but there is nothing to
					// change.
					s.Advance(600 * second)
					before, since = s.Rows(), s.Revision()
				default:
					t.Errorf("%s: something changed: status %d for %.300s", c.what, status, c.raw)
					before, since = s.Rows(), s.Revision()
				}
			}

			s.Advance(600 * second)

			if s.Revision() != since || !maps.Equal(before, s.Rows()) {
				t.Error("something changed later")
			}
		})
	}

	t.Logf("%d requests were made invalid", total)

	if total < 10_000 {
		t.Error("there are too few")
	}
}

// callDirectly calls an operation without a network in between, so a panic of
// the server ends the test.
func (s *fixture) callDirectly(operation string, body io.Reader) (int, []byte) {
	request := httptest.NewRequest(http.MethodPost, "/v2/api/"+operation, body)
	request.Header.Set("Authorization", s.token)

	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)

	return recorder.Code, recorder.Body.Bytes()
}

// refusalMembers are the members of a refusal.
var refusalMembers = []string{"message", "status", "path", "code", "props", "operationName", "stack"}

func checkRefusal(t *testing.T, name string, c badBody, status int, raw []byte) {
	t.Helper()

	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Errorf("%s: not JSON: %.200s", c.what, raw)

		return
	}

	for member := range members {
		if !slices.Contains(refusalMembers, member) {
			t.Errorf("%s: refusals lack %q", c.what, member)
		}
	}

	message, _ := members["message"].(string)
	// 501 means that Tower has this but the simulator has not, such as labels
	// on disks.
	if status < 400 || status >= 500 && status != http.StatusNotImplemented || members["status"] != float64(status) || members["path"] != "/v2/api/"+name || message == "" || members["code"] != nil {
		t.Errorf("%s: status %d, not like an error of Tower: %.300s", c.what, status, raw)
	}

	if len(message) > 2000 {
		t.Errorf("%s: the message has %d bytes", c.what, len(message))
	}
}

// invalidBodies returns the invalid variations of a valid body.
func (s *fixture) invalidBodies(o *wire.Operation, body any) []badBody {
	s.t.Helper()

	cases := noRequests(marshal(s.t, body))
	parts := partsOf(o, body)
	ids := s.ids()

	for i := range parts {
		cases = append(cases, invalidValues(s.t, &parts[i], ids)...)
	}

	// If the second object is invalid, the first one must not be changed
	// either.
	if list, ok := body.([]any); ok {
		cases = append(cases, badBody{what: "empty array", raw: []byte("[]")})

		for _, c := range slices.Clone(cases) {
			var second []any
			if json.Unmarshal(c.raw, &second) == nil && len(second) == 1 && !c.mayPass {
				both := []any{withOtherName(list[0]), second[0]}
				cases = append(cases, badBody{what: "second of two: " + c.what, raw: marshal(s.t, both)})
			}
		}
	}

	return cases
}

// withOtherName gives an object a name that differs from that of its neighbour.
func withOtherName(x any) any {
	members, ok := x.(map[string]any)
	if !ok || members["name"] == nil {
		return x
	}

	members = maps.Clone(members)
	members["name"] = "other"

	return members
}

// noRequests returns bodies that every operation refuses.
func noRequests(valid []byte) []badBody {
	var all []badBody

	deep := strings.Repeat("[", 100_000)
	for what, raw := range map[string]string{
		"nothing": "", "blank": "  \n", "half": string(valid[:len(valid)/2]), "trailing": string(valid) + "}", "twice": string(valid) + string(valid),
		"null": "null", "string": `"x"`, "number": "7", "true": "true", "list of null": "[null]", "list of lists": "[[]]", "list of numbers": "[1]",
		"empty": "{}", "no JSON": "<html>", "NUL": "\x00", "BOM": "\ufeff" + string(valid), "single quotes": strings.ReplaceAll(string(valid), `"`, "'"),
		"deep": deep, "deep and closed": deep + strings.Repeat("]", 100_000), "deep objects": strings.Repeat(`{"where":`, 20_000),
		"comment": string(valid) + "// really", "NaN": `{"where": NaN}`, "large number": `{"where": {"id": 1e999}, "data": 1e999}`,
	} {
		all = append(all, badBody{what: what, raw: []byte(raw)})
	}

	return append(all, badBody{
		what: "deep data", mayPass: true,
		raw: []byte(`{"where":{"id":"none"},"data":` + strings.Repeat(`{"data":`, 5000) + "1" + strings.Repeat("}", 5001)),
	})
}

// invalidValues returns the ways in which one part of a body can be invalid.
func invalidValues(t *testing.T, p *part, ids map[string]bool) []badBody {
	t.Helper()

	var cases []badBody

	add := func(what string, body any, mayPass bool) {
		cases = append(cases, badBody{
			what: p.path + ": " + what, raw: marshal(t, body), mayPass: mayPass, second: !strings.HasPrefix(p.path, "body.where"),
		})
	}

	for what, value := range otherKinds(p) {
		add(what, p.with(value), p.filter)
	}

	if p.required && p.drop != nil {
		add("missing", p.drop(), false)
		add("null", p.with(nil), false)
	}

	switch value := p.value.(type) {
	case string:
		if ids[value] {
			add("unknown id", p.with("cnosuchobjectanywhere0000"), p.filter)

			if p.required {
				add("empty id", p.with(""), p.filter)
			}
		}

		if p.kind == kindEnum {
			add("unknown value", p.with("NO_SUCH_VALUE"), false)
			add("empty value", p.with(""), false)
		}
	case map[string]any:
		if p.filter {
			spoilt := maps.Clone(value)
			spoilt["no_such_field"] = "x"
			add("unknown field", p.with(spoilt), false)
			add("nested unknown field", p.with(map[string]any{"AND": []any{value, map[string]any{"OR": []any{spoilt}}}}), false)
			add("malformed AND", p.with(map[string]any{"AND": value}), false)
			add("deep filter", p.with(deepFilter(500)), true)
		}
	}

	return cases
}

// deepFilter returns a filter of a given depth that no row satisfies.
func deepFilter(depth int) any {
	var filter any = map[string]any{"id": "cnosuchobjectanywhere0000"}
	for range depth {
		filter = map[string]any{"AND": []any{filter}}
	}

	return filter
}

// otherKinds returns values of other kinds than that of a part.
func otherKinds(p *part) map[string]any {
	all := map[string]any{
		"a string": "x", "a number": 7, "a fraction": 1.5, "a boolean": true, "an object": map[string]any{}, "a list": []any{},
		"a list of null": []any{nil}, "a huge number": json.Number("1e300"), "a numeric string": "7",
	}

	switch p.value.(type) {
	case string:
		delete(all, "a string")
		delete(all, "a numeric string")
	case json.Number:
		delete(all, "a number")
	case bool:
		delete(all, "a boolean")
	case map[string]any:
		delete(all, "an object")
	case []any:
		delete(all, "a list")
		delete(all, "a list of null")

		// If a list may be empty, only its elements can be invalid.
		all["a list of lists"] = []any{[]any{}}
	}

	if p.kind == kindFloat {
		delete(all, "a fraction")
		delete(all, "a huge number")
	}

	return all
}

func tree(t *testing.T, body any) any {
	t.Helper()

	decoder := json.NewDecoder(bytes.NewReader(marshal(t, body)))
	decoder.UseNumber()

	var out any
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}

	return out
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()

	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}

	return raw
}

// ids returns the ids and local ids of all rows.
func (s *fixture) ids() map[string]bool {
	s.t.Helper()

	ids := map[string]bool{}

	for key, row := range s.Rows() {
		ids[key[strings.Index(key, " ")+1:]] = true

		var local struct {
			LocalID string `json:"local_id"`
		}
		if json.Unmarshal([]byte(row), &local) == nil && local.LocalID != "" {
			ids[local.LocalID] = true
		}
	}

	return ids
}

// Invalid and incomplete forms upload nothing.
func TestBadFormsChangeNothing(t *testing.T) {
	for _, operation := range []string{"upload-elf-image", "upload-svt-image", "upload-content-library-image"} {
		s := newFixture(t)
		since := s.Revision()
		part := func(name, value string) string {
			return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
		}

		for what, c := range map[string]struct{ contentType, body string }{
			"JSON":        {"application/json", "{}"},
			"nothing":     {"", ""},
			"no boundary": {"multipart/form-data", part("cluster_id", s.cluster) + "--b--"},
			"no parts":    {"multipart/form-data; boundary=b", "--b--"},
			"no end":      {"multipart/form-data; boundary=b", part("cluster_id", s.cluster)},
			"half a part": {"multipart/form-data; boundary=b", "--b\r\nContent-Dis"},
			"no file":     {"multipart/form-data; boundary=b", part("cluster_id", s.cluster) + part("name", "n") + part("size", "1") + "--b--"},
			"bad size":    {"multipart/form-data; boundary=b", part("cluster_id", s.cluster) + part("name", "n") + part("size", "x") + part("file", "f") + "--b--"},
			"unknown":     {"multipart/form-data; boundary=b", part("cluster_id", "none") + part("name", "n") + part("size", "1") + part("file", "f") + "--b--"},
		} {
			request := httptest.NewRequest(http.MethodPost, "/v2/api/"+operation, strings.NewReader(c.body))
			request.Header.Set("Authorization", s.token)
			request.Header.Set("Content-Type", c.contentType)

			recorder := httptest.NewRecorder()
			s.handler.ServeHTTP(recorder, request)
			checkRefusal(t, operation, badBody{what: operation + ": " + what}, recorder.Code, recorder.Body.Bytes())

			if s.Revision() != since {
				t.Fatalf("%s: %s changed something", operation, what)
			}
		}
	}
}

// An unknown member of a closed object is refused; one of an open object is
// ignored, as the API description says.
func TestUnknownMembers(t *testing.T) {
	s := newFixture(t)
	s.refused("get-vms", object{"nonsense": 1}, 400)
	s.refused("get-vms", object{"where": object{"nonsense": 1}}, 400)
	s.refused("delete-vm", object{"where": object{"id": s.vm, "nonsense": 1}}, 400)

	body := edit(s.vm, object{"description": "d", "nonsense": 1})
	if status, raw := s.call("update-vm-basic-info", body); status != http.StatusOK {
		t.Errorf("status %d: %s", status, raw)
	}
}

// A body that exceeds the limit is refused before it is read completely. A body
// at the limit is read.
func TestLargeBodies(t *testing.T) {
	s := newFixture(t)
	since := s.Revision()

	padding := bytes.Repeat([]byte(" "), 10<<20)

	for i, o := range changingOperations(t) {
		if i%raceStride != 0 {
			continue
		}

		name := o.Path[1:]
		raw := marshal(t, s.bodies()[name])

		status, answer := s.callDirectly(name, io.MultiReader(bytes.NewReader(padding), bytes.NewReader(raw)))
		if status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: status %d", name, status)
		}

		checkRefusal(t, name, badBody{what: name}, status, answer)
	}

	if s.Revision() != since {
		t.Error("something changed")
	}

	long := marshal(t, []object{{"key": strings.Repeat("k", 9<<20), "value": 7}})
	status, answer := s.callDirectly("create-label", bytes.NewReader(long))
	checkRefusal(t, "create-label", badBody{what: "long"}, status, answer)

	within := marshal(t, edit(s.vm, object{"description": strings.Repeat("d", 9<<20)}))
	if status, _ := s.callDirectly("update-vm-basic-info", bytes.NewReader(within)); status != http.StatusOK {
		t.Errorf("9 MiB: status %d", status)
	}
}
