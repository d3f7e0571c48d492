// SPDX-License-Identifier: MPL-2.0

package staticips_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/staticips"
)

var (
	one = staticips.Address{VLANID: "vlan", IP: "10.0.0.1"}
	two = staticips.Address{VLANID: "vlan", IP: "10.0.0.2"}
	far = staticips.Address{VLANID: "other", IP: "10.0.0.1"}
)

func created(name string) staticips.VM { return staticips.VM{ClusterID: "c", Name: name} }

func existing(id string) staticips.VM { return staticips.VM{ID: id, ClusterID: "c", Name: "vm-" + id} }

func taken(addresses ...staticips.Address) staticips.Plan { return has(true, addresses...) }

func kept(addresses ...staticips.Address) staticips.Plan { return has(false, addresses...) }

func has(isNew bool, addresses ...staticips.Address) staticips.Plan {
	plan := staticips.Plan{Has: map[staticips.Address]bool{}}
	for _, a := range addresses {
		plan.Has[a] = isNew
	}
	return plan
}

func TestBook_Planned(t *testing.T) {
	t.Parallel()
	type entry struct {
		vm   staticips.VM
		plan staticips.Plan
	}
	for name, tc := range map[string]struct {
		before []entry
		mine   entry
		want   map[staticips.Address][]staticips.VM
	}{
		"alone":                   {nil, entry{created("a"), taken(one)}, nil},
		"two new":                 {[]entry{{created("b"), taken(one, two)}}, entry{created("a"), taken(one)}, map[staticips.Address][]staticips.VM{one: {created("b")}}},
		"another address":         {[]entry{{created("b"), taken(two)}}, entry{created("a"), taken(one)}, nil},
		"another network":         {[]entry{{created("b"), taken(far)}}, entry{created("a"), taken(one)}, nil},
		"planned again":           {[]entry{{created("a"), taken(one)}}, entry{created("a"), taken(one)}, nil},
		"changed its mind":        {[]entry{{created("b"), taken(one)}, {created("b"), taken(two)}}, entry{created("a"), taken(one)}, nil},
		"one that has it already": {[]entry{{existing("1"), kept(one)}}, entry{created("a"), taken(one)}, map[staticips.Address][]staticips.VM{one: {existing("1")}}},
		"the new one came before": {[]entry{{created("b"), taken(one)}}, entry{existing("1"), kept(one)}, map[staticips.Address][]staticips.VM{one: {created("b")}}},
		"both have had it":        {[]entry{{existing("2"), kept(one)}}, entry{existing("1"), kept(one)}, nil},
		"several, by name":        {[]entry{{created("c"), taken(one)}, {created("b"), taken(one)}}, entry{created("a"), taken(one)}, map[staticips.Address][]staticips.VM{one: {created("b"), created("c")}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var book staticips.Book
			for _, e := range tc.before {
				book.Planned(e.vm, e.plan)
			}
			got := book.Planned(tc.mine.vm, tc.mine.plan)
			if tc.want == nil {
				tc.want = map[staticips.Address][]staticips.VM{}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("shared (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBook_Ends(t *testing.T) {
	t.Parallel()
	var book staticips.Book
	book.Planned(existing("1"), kept(one))
	book.Ends("1")
	if got := book.Planned(created("a"), taken(one)); len(got) != 0 {
		t.Errorf("a VM that is to be destroyed keeps its address: %v", got)
	}
}

func TestBook_Accounted(t *testing.T) {
	t.Parallel()
	leaving := taken(two)
	leaving.Gives = []staticips.Address{one}
	for name, tc := range map[string]struct {
		now, later func(*staticips.Book)
		want       bool
		took       time.Duration
	}{
		"not of this run":     {want: false},
		"to be destroyed":     {now: func(b *staticips.Book) { b.Ends("1") }, want: true},
		"planned with it":     {now: func(b *staticips.Book) { b.Planned(existing("1"), kept(one)) }, want: true},
		"gives it up":         {now: func(b *staticips.Book) { b.Planned(existing("1"), leaving) }, want: true},
		"shows it by chance":  {now: func(b *staticips.Book) { b.Planned(existing("1"), kept(two)) }, want: false},
		"read, then planned":  {func(b *staticips.Book) { b.Seen("1") }, func(b *staticips.Book) { b.Planned(existing("1"), leaving) }, true, time.Second},
		"read, then ended":    {func(b *staticips.Book) { b.Seen("1") }, func(b *staticips.Book) { b.Ends("1") }, true, time.Second},
		"read, never planned": {now: func(b *staticips.Book) { b.Seen("1") }, want: false, took: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var book staticips.Book
				if tc.now != nil {
					tc.now(&book)
				}
				if tc.later != nil {
					time.AfterFunc(time.Second, func() { tc.later(&book) })
				}
				start := time.Now()
				if got := book.Accounted(t.Context(), "1", one); got != tc.want {
					t.Errorf("Accounted = %t, want %t", got, tc.want)
				}
				if took := time.Since(start); took != tc.took {
					t.Errorf("it took %s, want %s", took, tc.took)
				}
			})
		})
	}
}
