// SPDX-License-Identifier: MPL-2.0

package query

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

func TestPages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		req  Request
		want string
	}{
		"by id unless told otherwise":   {Request{}, "v1 v2 v3 v4"},
		"ascending":                     {Request{OrderBy: wire.Ptr("name_ASC")}, "v4 v2 v3 v1"},
		"descending":                    {Request{OrderBy: wire.Ptr("name_DESC")}, "v1 v3 v2 v4"},
		"id descending":                 {Request{OrderBy: wire.Ptr("id_DESC")}, "v4 v3 v2 v1"},
		"numbers":                       {Request{OrderBy: wire.Ptr("vcpu_ASC")}, "v1 v3 v4 v2"},
		"equal ones by ascending id":    {Request{OrderBy: wire.Ptr("vcpu_DESC")}, "v2 v3 v4 v1"},
		"nulls last":                    {Request{OrderBy: wire.Ptr("cpu_usage_ASC")}, "v2 v3 v4 v1"},
		"nulls first":                   {Request{OrderBy: wire.Ptr("cpu_usage_DESC")}, "v1 v3 v4 v2"},
		"booleans":                      {Request{OrderBy: wire.Ptr("ha_ASC")}, "v1 v4 v2 v3"},
		"no order of their own":         {Request{OrderBy: wire.Ptr("cpu_DESC")}, "v1 v2 v3 v4"},
		"first":                         {Request{First: wire.Ptr(2)}, "v1 v2"},
		"first 0":                       {Request{First: wire.Ptr(0)}, ""},
		"first, more than there are":    {Request{First: wire.Ptr(9)}, "v1 v2 v3 v4"},
		"last":                          {Request{Last: wire.Ptr(2)}, "v3 v4"},
		"last 0":                        {Request{Last: wire.Ptr(0)}, ""},
		"last, more than there are":     {Request{Last: wire.Ptr(9)}, "v1 v2 v3 v4"},
		"skip":                          {Request{Skip: wire.Ptr(3)}, "v4"},
		"skip all":                      {Request{Skip: wire.Ptr(4)}, ""},
		"skip more than there are":      {Request{Skip: wire.Ptr(5), First: wire.Ptr(1)}, ""},
		"first and skip":                {Request{First: wire.Ptr(2), Skip: wire.Ptr(1)}, "v2 v3"},
		"last and skip":                 {Request{Last: wire.Ptr(2), Skip: wire.Ptr(1)}, "v2 v3"},
		"last and skip all":             {Request{Last: wire.Ptr(2), Skip: wire.Ptr(7)}, ""},
		"after":                         {Request{After: wire.Ptr("v2")}, "v3 v4"},
		"after the last":                {Request{After: wire.Ptr("v4")}, ""},
		"after nothing":                 {Request{After: wire.Ptr("x")}, ""},
		"before":                        {Request{Before: wire.Ptr("v3")}, "v1 v2"},
		"before nothing":                {Request{Before: wire.Ptr("x")}, ""},
		"between":                       {Request{After: wire.Ptr("v1"), Before: wire.Ptr("v4")}, "v2 v3"},
		"after and first":               {Request{After: wire.Ptr("v1"), First: wire.Ptr(2)}, "v2 v3"},
		"after, skip and first":         {Request{After: wire.Ptr("v1"), Skip: wire.Ptr(1), First: wire.Ptr(1)}, "v3"},
		"before and last":               {Request{Before: wire.Ptr("v4"), Last: wire.Ptr(2)}, "v2 v3"},
		"before, skip and last":         {Request{Before: wire.Ptr("v4"), Skip: wire.Ptr(1), Last: wire.Ptr(1)}, "v2"},
		"after in an order":             {Request{After: wire.Ptr("v3"), OrderBy: wire.Ptr("vcpu_ASC")}, "v4 v2"},
		"after in a descending order":   {Request{After: wire.Ptr("v3"), OrderBy: wire.Ptr("vcpu_DESC")}, "v4 v1"},
		"before in a descending order":  {Request{Before: wire.Ptr("v4"), OrderBy: wire.Ptr("vcpu_DESC")}, "v2 v3"},
		"after, nulls are on no page":   {Request{After: wire.Ptr("v2"), OrderBy: wire.Ptr("cpu_usage_ASC")}, "v3 v4"},
		"after a null":                  {Request{After: wire.Ptr("v1"), OrderBy: wire.Ptr("cpu_usage_DESC")}, ""},
		"a cursor outside the filter":   {Request{After: wire.Ptr("v1"), Where: []byte(`{"ha":true}`)}, "v2 v3"},
		"first counts matching rows":    {Request{First: wire.Ptr(1), Where: []byte(`{"vcpu":4}`)}, "v3"},
		"an order over a look-up by id": {Request{OrderBy: wire.Ptr("name_ASC"), Where: []byte(`{"id_in":["v1","v4"]}`)}, "v4 v1"},
	}
	plain := sample()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, src := range []Source{plain, &indexed{inventory: plain}} {
				rows, err := Find(src, wire.EntityVM, test.req)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(ids(rows), " "); got != test.want {
					t.Errorf("%T: got %q, want %q", src, got, test.want)
				}
			}
		})
	}
}

func TestRefusedPages(t *testing.T) {
	t.Parallel()
	for want, req := range map[string]Request{
		"last: first and last exclude each other": {First: wire.Ptr(1), Last: wire.Ptr(1)},
		"first: must not be negative":             {First: wire.Ptr(-1)},
		"last: must not be negative":              {Last: wire.Ptr(-1)},
		"skip: must not be negative":              {Skip: wire.Ptr(-1)},
	} {
		_, err := Find(sample(), wire.EntityVM, req)
		var bad *BadRequest
		if !errors.As(err, &bad) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestLookUpsDoNotScan(t *testing.T) {
	t.Parallel()
	for where, entity := range map[string]string{
		`{"id":"v1"}`:                             wire.EntityVM,
		`{"id_in":["v1","v2"],"ha":true}`:         wire.EntityVM,
		`{"OR":[{"id":"v1"},{"id_in":["v2"]}]}`:   wire.EntityVM,
		`{"AND":[{"name":"x"},{"id_in":["v1"]}]}`: wire.EntityVM,
		`{"vm":{"id_in":["v1","v3"]}}`:            wire.EntityVMNic,
		`{"host":{"cluster":{"id":"c1"}}}`:        wire.EntityVM,
	} {
		src := &indexed{inventory: sample()}
		if _, err := Match(src, entity, []byte(where)); err != nil {
			t.Fatal(err)
		}
		if src.scans != 0 {
			t.Errorf("%s scans %d times", where, src.scans)
		}
	}
	for where, entity := range map[string]string{
		`{"name":"x"}`:                      wire.EntityVM,
		`{"local_id":"u1"}`:                 wire.EntityVM,
		`{"OR":[{"id":"v1"},{"name":"x"}]}`: wire.EntityVM,
		`{"NOT":[{"id":"v1"}]}`:             wire.EntityVM,
		`{"id_not":"v1"}`:                   wire.EntityVM,
		`{"host":{"name":"host-a"}}`:        wire.EntityVM,
		`{"key":"env"}`:                     wire.EntityLabel,
	} {
		src := &indexed{inventory: sample()}
		if _, err := Match(src, entity, []byte(where)); err != nil {
			t.Fatal(err)
		}
		if src.scans != 1 {
			t.Errorf("%s scans %d times", where, src.scans)
		}
	}
}

// manyVMs is a source of many VMs with an index by id.
type manyVMs struct {
	rows []any
	byID map[string]any
}

func newManyVMs(n int) *manyVMs {
	c := &manyVMs{byID: map[string]any{}}
	for i := range n {
		vm := &wire.VM{ID: fmt.Sprintf("cl%023d", i), LocalID: fmt.Sprintf("u%d", i), Name: fmt.Sprintf("vm-%d", i), VCPU: i % 8}
		c.rows = append(c.rows, vm)
		c.byID[vm.ID] = vm
	}
	return c
}

func (c *manyVMs) Rows(string) []any                 { return c.rows }
func (c *manyVMs) Related(string, any, string) []any { return nil }
func (c *manyVMs) ByID(_, id string) (row any, found bool) {
	row, found = c.byID[id]
	return row, found
}

func BenchmarkFind5000(b *testing.B) {
	src := newManyVMs(5000)
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `,"cl%023d"`, i*5)
	}
	for name, where := range map[string]string{
		"ByID":    `{"id":"cl00000000000000000004999"}`,
		"ByIDs":   `{"id_in":[` + many.String()[1:] + `]}`,
		"Scan":    `{"name_contains":"99","vcpu_gt":2}`,
		"LocalID": `{"OR":[{"id":"u4999"},{"local_id":"u4999"}]}`,
		"All":     `{}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Find(src, wire.EntityVM, Request{Where: []byte(where)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
