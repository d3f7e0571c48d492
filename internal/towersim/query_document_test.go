// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest/openapicheck"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// schema is the part of a schema in the vendor's document that describes a
// filter field.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       string            `json:"type"`
	Format     string            `json:"format"`
	Enum       []string          `json:"enum"`
	Items      *schema           `json:"items"`
	AllOf      []schema          `json:"allOf"`
	Properties map[string]schema `json:"properties"`
}

// filterDocument is the vendor's document.
type filterDocument struct {
	Paths map[string]map[string]struct {
		RequestBody struct {
			Content map[string]struct {
				Schema schema `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

func readDocument(t *testing.T) *filterDocument {
	t.Helper()

	raw, err := os.ReadFile(openapicheck.NeedDocument(t))
	if err != nil {
		t.Fatal(err)
	}

	d := &filterDocument{}
	if err := json.Unmarshal(raw, d); err != nil {
		t.Fatal(err)
	}

	return d
}

// resolved follows the references of a schema.
func (d *filterDocument) resolved(s schema) schema {
	for {
		switch {
		case s.Ref != "":
			s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		case len(s.AllOf) == 1:
			s = s.AllOf[0]
		default:
			return s
		}
	}
}

// requestOf returns the schemas of the filter and of the order of a list
// operation.
func (d *filterDocument) requestOf(path string) (where schema, orders []string) {
	body := d.resolved(d.Paths[path]["post"].RequestBody.Content["application/json"].Schema)

	return d.resolved(body.Properties["where"]), d.resolved(body.Properties["orderBy"]).Enum
}

type row = map[string]any

// list calls a list operation without a network in between.
func list(t *testing.T, x *tower, h http.Handler, operation string, body any) (status int, rows []row, answer string) {
	t.Helper()

	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}

	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v2/api/"+operation, strings.NewReader(string(raw)))
	request.Header.Set("Authorization", x.token)

	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)

	answer = recorder.Body.String()
	if recorder.Code == http.StatusOK && strings.HasPrefix(answer, "[") {
		if err := json.Unmarshal([]byte(answer), &rows); err != nil {
			t.Fatal(err)
		}
	}

	return recorder.Code, rows, answer
}

// suffixes are the operators that a filter key can end in, longest first.
var suffixes = []string{
	"_not_starts_with", "_not_ends_with", "_not_contains", "_starts_with", "_ends_with", "_contains",
	"_not_in", "_every", "_some", "_none", "_not", "_lte", "_gte", "_in", "_lt", "_gt",
}

// split splits a filter key, given all keys of the filter.
func split(key string, keys map[string]schema) (field, operator string) {
	for _, suffix := range suffixes {
		base, ok := strings.CutSuffix(key, suffix)
		if !ok {
			continue
		}

		if _, known := keys[base]; known || suffix == "_some" || suffix == "_every" || suffix == "_none" {
			return base, suffix
		}
	}

	return key, ""
}

// isPresent reports whether a member of a row has a value, a related object, or
// at least one related object.
func isPresent(r row, field string) bool {
	if list, ok := r[field].([]any); ok {
		return len(list) > 0
	}

	return r[field] != nil
}

// compares evaluates one comparison in the simplest way.
func compares(have any, operator string, want any) bool {
	if have == nil {
		return false
	}

	order := 0
	text, isText := have.(string)
	wanted, _ := want.(string)

	if number, ok := have.(float64); ok {
		limit, _ := want.(float64)
		order = cmp.Compare(number, limit)
	} else {
		order = strings.Compare(fmt.Sprint(have), fmt.Sprint(want))
	}

	switch operator {
	case "", "_in":
		return order == 0
	case "_not", "_not_in":
		return order != 0
	case "_lt":
		return order < 0
	case "_lte":
		return order <= 0
	case "_gt":
		return order > 0
	case "_gte":
		return order >= 0
	case "_contains":
		return isText && strings.Contains(text, wanted)
	case "_starts_with":
		return isText && strings.HasPrefix(text, wanted)
	case "_ends_with":
		return isText && strings.HasSuffix(text, wanted)
	case "_not_contains":
		return !strings.Contains(text, wanted)
	case "_not_starts_with":
		return !strings.HasPrefix(text, wanted)
	default:
		return !strings.HasSuffix(text, wanted)
	}
}

// sample returns a value to filter a field by: that of a row, if a row has one.
func sample(rows []row, field string, s schema) any {
	for _, r := range rows {
		if v := r[field]; v != nil {
			return v
		}
	}

	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Type == "integer", s.Type == "number":
		return 1.0
	case s.Type == "boolean":
		return true
	case s.Format == "date-time", strings.HasSuffix(field, "_at"), strings.HasSuffix(field, "At"), strings.HasSuffix(field, "_date"):
		return "2024-01-01T00:00:00.000Z"
	default:
		return "x"
	}
}

// TestEveryFilterFieldOfTheDocumentAnswers calls each list operation with each
// field and operator of its filter and with each of its orders, and compares
// the replies with a simple evaluation of the rows.
func TestEveryFilterFieldOfTheDocumentAnswers(t *testing.T) {
	d := readDocument(t)
	s := newFullFixture(t)
	h := s.Handler()
	fields, orderings := 0, 0

	for i := range wire.Operations {
		o := &wire.Operations[i]
		if !o.List {
			continue
		}

		operation := o.Path[1:]
		where, orders := d.requestOf(o.Path)
		_, rows, _ := list(t, s.tower, h, operation, object{})

		if len(where.Properties) < 3 || len(orders) == 0 {
			t.Errorf("%s: the document has %d filter fields and %d orders", operation, len(where.Properties), len(orders))
		}

		q := &filterTester{t: t, tower: s.tower, handler: h, operation: operation, rows: rows}

		for key := range where.Properties {
			fields++

			q.testField(d, where, key)
		}

		for _, order := range orders {
			orderings++

			q.testOrder(order)
		}

		if status, _, _ := list(t, s.tower, h, operation, object{"where": object{"no_such_field": 1}}); status != http.StatusBadRequest {
			t.Errorf("%s: an unknown filter field is answered with %d", operation, status)
		}

		if status, _, _ := list(t, s.tower, h, operation, object{"orderBy": "no_such_field_ASC"}); status != http.StatusBadRequest {
			t.Errorf("%s: an unknown order is answered with %d", operation, status)
		}
	}

	t.Logf("%d filter fields and %d orders", fields, orderings)
}

// filterTester tests the filters of one list operation.
type filterTester struct {
	t         *testing.T
	tower     *tower
	handler   http.Handler
	operation string
	rows      []row
}

// want calls the operation with a filter, and compares the rows and their
// number with those that keep selects.
func (q *filterTester) want(where object, keep func(row) bool) {
	q.t.Helper()

	status, rows, answer := list(q.t, q.tower, q.handler, q.operation, object{"where": where})
	if status != http.StatusOK {
		q.t.Errorf("%s: %v is answered with %d: %s", q.operation, where, status, answer)

		return
	}

	var got, want []string
	for _, r := range rows {
		got = append(got, r["id"].(string))
	}

	for _, r := range q.rows {
		if keep(r) {
			want = append(want, r["id"].(string))
		}
	}

	slices.Sort(got)
	slices.Sort(want)

	if !slices.Equal(got, want) {
		q.t.Errorf("%s: %v finds %d rows, want %d", q.operation, where, len(got), len(want))
	}

	if _, counts := wire.OperationAt("/" + q.operation + "-connection"); !counts {
		return
	}

	_, _, count := list(q.t, q.tower, q.handler, q.operation+"-connection", object{"where": where})
	if count != fmt.Sprintf(`{"aggregate":{"count":%d}}`, len(rows)) {
		q.t.Errorf("%s-connection: %v counts %s of %d rows", q.operation, where, count, len(rows))
	}
}

func (q *filterTester) testField(d *filterDocument, where schema, key string) {
	q.t.Helper()

	field, operator := split(key, where.Properties)

	switch {
	case key == "AND", key == "NOT":
		q.want(object{key: []any{}}, func(row) bool { return true })

		return
	case key == "OR":
		q.want(object{key: []any{}}, func(row) bool { return false })

		return
	}

	shown := func(r row) bool { return isPresent(r, field) }
	kind := d.resolved(where.Properties[key])
	_, member := q.member(field)

	switch {
	case operator == "_some" && member:
		q.want(object{key: object{}}, shown)
	case operator == "_none" && member:
		q.want(object{key: object{}}, func(r row) bool { return !shown(r) })
	case operator == "_some", operator == "_none", operator == "_every":
		q.wantAccepted(object{key: object{}})
	case len(kind.Properties) > 0 && member:
		q.want(object{key: object{}}, shown)
		q.want(object{key: nil}, func(r row) bool { return !shown(r) })
	case len(kind.Properties) > 0:
		q.wantAccepted(object{key: object{}})
	default:
		if kind.Items != nil {
			kind = d.resolved(*kind.Items)
		}

		q.testScalar(key, field, operator, sample(q.rows, field, kind))
	}
}

func (q *filterTester) testScalar(key, field, operator string, value any) {
	q.t.Helper()

	asked := value
	if operator == "_in" || operator == "_not_in" {
		asked = []any{value}
	}

	q.want(object{key: asked}, func(r row) bool { return compares(r[field], operator, value) })

	switch operator {
	case "":
		q.want(object{key: nil}, func(r row) bool { return r[field] == nil })
	case "_not":
		q.want(object{key: nil}, func(r row) bool { return r[field] != nil })
	}
}

// member returns a member of the first row, and reports whether the row has it.
func (q *filterTester) member(field string) (any, bool) {
	for _, r := range q.rows {
		v, ok := r[field]

		return v, ok
	}

	return nil, false
}

func (q *filterTester) wantAccepted(where object) {
	q.t.Helper()

	if status, _, answer := list(q.t, q.tower, q.handler, q.operation, object{"where": where}); status != http.StatusOK {
		q.t.Errorf("%s: %v is answered with %d: %s", q.operation, where, status, answer)
	}
}

func (q *filterTester) testOrder(order string) {
	q.t.Helper()

	status, rows, answer := list(q.t, q.tower, q.handler, q.operation, object{"orderBy": order})
	if status != http.StatusOK || len(rows) != len(q.rows) {
		q.t.Errorf("%s: the order %s is answered with %d and %d rows: %s", q.operation, order, status, len(rows), answer)

		return
	}

	field, descending := strings.CutSuffix(order, "_DESC")
	if !descending {
		field = strings.TrimSuffix(order, "_ASC")
	}

	for i := 1; i < len(rows); i++ {
		before, after := rows[i-1][field], rows[i][field]
		if descending {
			before, after = after, before
		}

		if !ascends(before, after) {
			q.t.Errorf("%s: in the order %s, %v comes before %v", q.operation, order, rows[i-1][field], rows[i][field])
		}
	}
}

// ascends reports whether two values are in ascending order, with nulls last.
// Lists and objects have no order.
func ascends(a, b any) bool {
	if b == nil {
		return true
	}

	switch x := a.(type) {
	case nil:
		return false
	case float64:
		y, _ := b.(float64)

		return x <= y
	case bool:
		y, _ := b.(bool)

		return !x || y
	case string:
		y, _ := b.(string)

		return x <= y
	default:
		return true
	}
}
