// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// ptr returns a pointer to v.
func ptr[T any](v T) *T { return &v }

// deref returns what p points to, or the zero value.
func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// text returns a string or enum as a string; unknown enum values pass through.
func text[S ~string](p *S) string { return string(deref(p)) }

// number returns an integer of the SDK as an int.
func number[N ~int32 | ~int64](p *N) int { return int(deref(p)) }

// int32s returns v for the SDK, nil stays nil.
func int32s(v *int) *int32 {
	if v == nil {
		return nil
	}
	return ptr(int32(*v)) // CPU counts and VLAN tags; the callers' plans bound them.
}

// ints returns an integer of the SDK, nil stays nil.
func ints(v *int32) *int {
	if v == nil {
		return nil
	}
	return ptr(int(*v))
}

// optional returns nil for "".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// enum returns v as an enum of the SDK, nil for nil and "".
func enum[E ~string](v *string) *E {
	if v == nil || *v == "" {
		return nil
	}
	return ptr(E(*v))
}

// instant parses a time of Tower; the zero time when there is none or it cannot be read.
func instant(p *string) time.Time {
	t, err := time.Parse(time.RFC3339, deref(p))
	if err != nil {
		return time.Time{}
	}
	return t
}

// realLocalID returns a local id only if it is a bare UUID: until the cluster has made the object, Tower shows a
// placeholder there that is good for nothing later on.
func realLocalID(p *string) string {
	id := deref(p)
	if len(id) != 36 || uuid.Validate(id) != nil {
		return ""
	}
	return id
}

// labelsOf converts the labels of an object.
func labelsOf(in []*models.NestedLabel) []Label {
	out := make([]Label, 0, len(in))
	for _, l := range in {
		if l != nil {
			out = append(out, Label{ID: deref(l.ID), Key: deref(l.Key), Value: deref(l.Value)})
		}
	}
	return out
}

// pairSeparator is part of no id and of no name.
const pairSeparator = "\x00"

// pairKey makes one key of two.
func pairKey(first, second string) string { return first + pairSeparator + second }

// byFirst groups the second halves of pairs by the first.
func byFirst(keys []string) map[string][]string {
	out := map[string][]string{}
	for _, key := range keys {
		first, second, _ := strings.Cut(key, pairSeparator)
		out[first] = append(out[first], second)
	}
	return out
}

// ownedBy is the filter for objects whose field names one of the owners.
func ownedBy(field string) func(ids []string) Where {
	return func(ids []string) Where { return Where{field: Where{"id_in": ids}} }
}
