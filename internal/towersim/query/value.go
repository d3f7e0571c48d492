// SPDX-License-Identifier: MPL-2.0

package query

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// value is a scalar of a row or of a filter. The field's kind says which member
// is used: s for strings, times and enums, n for integers and booleans, f for
// other numbers.
type value struct {
	null bool
	s    string
	n    int64
	f    float64
}

var null = value{null: true}

func compare(k kind, a, b value) int {
	switch k {
	case kindInt, kindBool:
		return cmp.Compare(a.n, b.n)
	case kindFloat:
		return cmp.Compare(a.f, b.f)
	case kindJSON:
		return 0
	default:
		return strings.Compare(a.s, b.s)
	}
}

// timeLayouts are the formats of Tower's date-time values.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly}

// comparableTime converts a date-time into a form that sorts as a string.
func comparableTime(s string) (string, bool) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC().Format("2006-01-02T15:04:05.000000000Z"), true
		}
	}
	return s, false
}

// literal converts a scalar of a filter. Numbers may be written as strings.
func literal(f fieldInfo, raw any) (value, error) {
	if raw == nil {
		return null, nil
	}
	switch f.kind {
	case kindInt:
		if n, ok := integer(raw); ok {
			return value{n: n}, nil
		}
		return value{}, errors.New("expected integer")
	case kindFloat:
		if text, ok := numeric(raw); ok {
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				return value{f: n}, nil
			}
		}
		return value{}, errors.New("expected number")
	case kindBool:
		b, ok := raw.(bool)
		if !ok {
			return value{}, errors.New("expected boolean")
		}
		return boolValue(b), nil
	default:
		return stringLiteral(f, raw)
	}
}

func stringLiteral(f fieldInfo, raw any) (value, error) {
	s, ok := raw.(string)
	if !ok {
		return value{}, errors.New("expected string")
	}
	switch f.kind {
	case kindTime:
		t, ok := comparableTime(s)
		if !ok {
			return value{}, fmt.Errorf("expected date-time, not %q", s)
		}
		return value{s: t}, nil
	case kindEnum:
		if allowed := enumValues[f.target]; !strings.Contains(" "+allowed+" ", " "+s+" ") || s == "" || strings.Contains(s, " ") {
			return value{}, fmt.Errorf("%q is not one of %s", s, strings.ReplaceAll(allowed, " ", ", "))
		}
	}
	return value{s: s}, nil
}

// numeric returns the text of a number, which may be written as a string.
func numeric(raw any) (string, bool) {
	switch raw := raw.(type) {
	case json.Number:
		return raw.String(), true
	case string:
		// The string must be a JSON number: no blanks, no hex, no "inf".
		var n json.Number
		err := json.Unmarshal([]byte(raw), &n)
		return raw, err == nil && n.String() == raw
	default:
		return "", false
	}
}

func integer(raw any) (int64, bool) {
	text, ok := numeric(raw)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

func boolValue(b bool) value {
	if b {
		return value{n: 1}
	}
	return value{}
}

// structFields maps the json names of a struct to the indexes of its fields,
// also those of embedded structs.
func structFields(t reflect.Type) map[string][]int {
	known, _ := structCache.Load(t)
	if m, ok := known.(map[string][]int); ok {
		return m
	}
	m := map[string][]int{}
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && name != "-" && f.IsExported() {
				m[name] = f.Index
			}
		}
	}
	structCache.Store(t, m)
	return m
}

var structCache sync.Map // reflect.Type -> map[string][]int

// reader reads one field of rows. It must not be used concurrently.
type reader struct {
	field  fieldInfo
	typ    reflect.Type
	place  []int
	exists bool
}

func (r *reader) read(row any) value {
	v := reflect.ValueOf(row)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return null
	}
	if v.Type() != r.typ {
		r.typ = v.Type()
		r.place, r.exists = structFields(r.typ)[r.field.name]
	}
	if !r.exists {
		return null
	}
	v, err := v.FieldByIndexErr(r.place)
	if err != nil { // an embedded pointer is nil
		return null
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return scalar(r.field.kind, v)
}

// scalar converts a Go value to a value of kind k. A value that does not fit is
// null.
func scalar(k kind, v reflect.Value) value {
	switch {
	case !v.IsValid():
		return null
	case k == kindJSON:
		return value{}
	case v.CanInt() && k == kindInt:
		return value{n: v.Int()}
	case v.CanInt() && k == kindFloat:
		return value{f: float64(v.Int())}
	case v.CanFloat() && k == kindFloat:
		return value{f: v.Float()}
	case v.CanFloat() && k == kindInt:
		return value{n: int64(v.Float())}
	case v.Kind() == reflect.Bool && k == kindBool:
		return boolValue(v.Bool())
	case v.Kind() != reflect.String:
		return null
	case k == kindTime:
		t, _ := comparableTime(v.String())
		return value{s: t}
	case k == kindString || k == kindEnum:
		return value{s: v.String()}
	default:
		return null
	}
}
