// SPDX-License-Identifier: MPL-2.0

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// DecodeError says which part of a body is wrong, and why.
type DecodeError struct {
	// Path is the place in the body, such as "body[0].vm_nics[1].enabled".
	Path string
	// Message says what is wrong there.
	Message string
}

// Error implements the error interface.
func (e *DecodeError) Error() string {
	return e.Path + ": " + e.Message
}

func newDecodeError(path, format string, args ...any) error {
	return &DecodeError{Path: path, Message: fmt.Sprintf(format, args...)}
}

// enumeration is implemented by the generated enum types.
type enumeration interface{ allowed() []string }

// optional is implemented by *[Opt].
type optional interface {
	setNull()
	setValue() any
}

// Decode decodes a request body into the value that into points to, which has a
// request type of this package.
//
// Malformed JSON, a wrong type, a number outside its range, a null where none
// is allowed, a missing required member, an unknown member of a closed object
// and a value outside an enumeration give a *[DecodeError] that names the
// place. Unknown members of open objects are ignored. An empty body counts as
// an empty object if into is a *[ListRequest]. Filters must be objects; their
// content is not checked.
func Decode(body []byte, into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return errors.New("wire: Decode needs a pointer that is not nil")
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		if _, ok := into.(*ListRequest); !ok {
			return newDecodeError("body", "expected JSON, the body is empty")
		}
		body = []byte("{}")
	}
	// The whole body is checked for syntax errors once. Later steps would
	// report the position relative to a part.
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return newDecodeError("body", "malformed JSON: %v", err)
	}
	return decodeValue("body", body, target.Elem(), memberRules{})
}

// decodeValue decodes raw, one valid JSON value, into v.
func decodeValue(path string, raw []byte, v reflect.Value, rules memberRules) error {
	raw = bytes.TrimSpace(raw)
	isNull := bytes.Equal(raw, []byte("null"))
	if o, ok := v.Addr().Interface().(optional); ok {
		if isNull {
			o.setNull()
			return nil
		}
		return decodeValue(path, raw, reflect.ValueOf(o.setValue()).Elem(), rules)
	}
	if v.Type() == rawMessageType {
		return decodeRaw(path, raw, v, rules)
	}
	if isNull && (rules.nullable || v.Kind() == reflect.Interface) {
		v.SetZero()
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(path, raw, v.Elem(), rules)
	case reflect.Struct:
		return decodeObject(path, raw, v)
	case reflect.Slice:
		return decodeList(path, raw, v, rules)
	case reflect.String:
		return decodeString(path, raw, v)
	case reflect.Bool:
		return decodeBool(path, raw, v)
	case reflect.Int, reflect.Int64:
		return decodeInt(path, raw, v, rules)
	case reflect.Float64:
		return decodeFloat(path, raw, v, rules)
	default:
		return decodeFree(path, raw, v)
	}
}

var rawMessageType = reflect.TypeFor[json.RawMessage]()

// decodeRaw keeps a filter as raw JSON. In a list operation, a null filter
// means no filter.
func decodeRaw(path string, raw []byte, v reflect.Value, rules memberRules) error {
	if rules.nullable && bytes.Equal(raw, []byte("null")) {
		v.SetZero()
		return nil
	}
	if raw[0] != '{' {
		return newDecodeError(path, "expected object")
	}
	v.SetBytes(bytes.Clone(raw))
	return nil
}

func decodeObject(path string, raw []byte, v reflect.Value) error {
	var members map[string]json.RawMessage
	if raw[0] != '{' || json.Unmarshal(raw, &members) != nil {
		return newDecodeError(path, "expected object")
	}
	shape := structInfoOf(v.Type())
	for i := range shape.members {
		m := &shape.members[i]
		value, present := members[m.name]
		delete(members, m.name)
		switch {
		case present:
			if err := decodeValue(path+"."+m.name, value, v.Field(m.index), m.rules); err != nil {
				return err
			}
		case m.rules.required:
			return newDecodeError(path+"."+m.name, "required member is missing")
		}
	}
	if shape.closed && len(members) > 0 {
		return newDecodeError(path+"."+slices.Min(slices.Collect(maps.Keys(members))), "unknown member")
	}
	return nil
}

func decodeList(path string, raw []byte, v reflect.Value, rules memberRules) error {
	var items []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return newDecodeError(path, "expected array")
	}
	if len(items) < rules.minItems {
		return newDecodeError(path, "expected at least %d element", rules.minItems)
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if err := decodeValue(fmt.Sprintf("%s[%d]", path, i), item, list.Index(i), memberRules{}); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

func decodeString(path string, raw []byte, v reflect.Value) error {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return newDecodeError(path, "expected string")
	}
	if e, ok := v.Interface().(enumeration); ok && !slices.Contains(e.allowed(), s) {
		return newDecodeError(path, "%q is not one of %s", s, strings.Join(e.allowed(), ", "))
	}
	v.SetString(s)
	return nil
}

func decodeBool(path string, raw []byte, v reflect.Value) error {
	switch string(raw) {
	case "true":
		v.SetBool(true)
	case "false":
		v.SetBool(false)
	default:
		return newDecodeError(path, "expected boolean")
	}
	return nil
}

func decodeInt(path string, raw []byte, v reflect.Value, rules memberRules) error {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		// JSON has one kind of number: 2.0 and 2e3 are integers too.
		f, floatErr := strconv.ParseFloat(string(raw), 64)
		if floatErr != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
			return newDecodeError(path, "expected integer")
		}
		n = int64(f)
	}
	if rules.int32 && (n < math.MinInt32 || n > math.MaxInt32) {
		return newDecodeError(path, "%d does not fit into 32 bits", n)
	}
	if err := rules.checkRange(path, float64(n)); err != nil {
		return err
	}
	v.SetInt(n)
	return nil
}

func decodeFloat(path string, raw []byte, v reflect.Value, rules memberRules) error {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return newDecodeError(path, "expected number")
	}
	if err := rules.checkRange(path, f); err != nil {
		return err
	}
	v.SetFloat(f)
	return nil
}

// decodeFree decodes a member that may hold any JSON.
func decodeFree(path string, raw []byte, v reflect.Value) error {
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		return newDecodeError(path, "expected %s", v.Kind())
	}
	return nil
}
