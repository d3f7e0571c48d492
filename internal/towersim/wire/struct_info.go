// SPDX-License-Identifier: MPL-2.0

package wire

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// memberRules is what the decoder checks of a member, from its wire tag.
type memberRules struct {
	required, nullable, int32 bool
	minItems                  int
	min, max                  *float64
}

func (r *memberRules) checkRange(path string, n float64) error {
	if r.min != nil && n < *r.min {
		return newDecodeError(path, "expected at least %g", *r.min)
	}
	if r.max != nil && n > *r.max {
		return newDecodeError(path, "expected at most %g", *r.max)
	}
	return nil
}

// member is one member of an object.
type member struct {
	name  string
	index int
	rules memberRules
}

// structInfo describes a struct type for the decoder.
type structInfo struct {
	closed  bool
	members []member
}

var structInfos sync.Map // reflect.Type -> *shape

func structInfoOf(t reflect.Type) *structInfo {
	known, _ := structInfos.Load(t)
	if s, ok := known.(*structInfo); ok {
		return s
	}
	s := new(structInfo)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			s.closed = f.Tag.Get("wire") == "closed"
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		s.members = append(s.members, member{name: name, index: i, rules: parseRules(f.Tag.Get("wire"))})
	}
	structInfos.Store(t, s)
	return s
}

func parseRules(tag string) memberRules {
	var r memberRules
	for rule := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "required":
			r.required = true
		case "nullable":
			r.nullable = true
		case "int32":
			r.int32 = true
		case "minItems":
			r.minItems, _ = strconv.Atoi(value)
		case "min":
			r.min = parseBound(value)
		case "max":
			r.max = parseBound(value)
		}
	}
	return r
}

func parseBound(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &n
}
