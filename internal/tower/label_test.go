// SPDX-License-Identifier: MPL-2.0

package tower_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/tower"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// label changes the labels of a VM.
func (b *bench) label(t *testing.T, id string, set map[string]string, remove ...string) error {
	t.Helper()
	v, err := b.c.VM(b.ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return b.c.ChangeVMLabels(b.ctx, v, tower.LabelChange{Set: set, Remove: remove})
}

// labels returns the labels of a VM as key=value, sorted.
func (b *bench) labels(t *testing.T, id string) []string {
	t.Helper()
	v, err := b.c.VM(b.ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, l := range v.Labels {
		out = append(out, l.Key+"="+l.Value)
	}
	slices.Sort(out)
	return out
}

func TestSim_labels(t *testing.T) {
	b := newBench(t, "")
	v := b.create(t, b.wanted("vm"))
	if err := b.LabelVM("vm", "backup", "nightly"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		set    map[string]string
		remove []string
		want   []string
		sends  map[string]int
	}{
		{map[string]string{"env": "a", "alone": ""}, nil, []string{"alone=", "backup=nightly", "env=a"}, map[string]int{"get-labels": 1, "create-label": 1, "add-labels-to-resources": 1}},
		{map[string]string{"env": "a"}, nil, []string{"alone=", "backup=nightly", "env=a"}, map[string]int{}},
		{map[string]string{"env": "b", "alone": ""}, nil, []string{"alone=", "backup=nightly", "env=b"}, map[string]int{"get-labels": 1, "create-label": 1, "add-labels-to-resources": 1, "remove-labels-from-resources": 1}},
		{map[string]string{"env": "a"}, []string{"alone", "nothing"}, []string{"backup=nightly", "env=a"}, map[string]int{"get-labels": 1, "add-labels-to-resources": 1, "remove-labels-from-resources": 1}},
		{nil, []string{"env"}, []string{"backup=nightly"}, map[string]int{"remove-labels-from-resources": 1}},
	} {
		before := b.Stats().Requests
		if err := b.label(t, v.ID, step.set, step.remove...); err != nil {
			t.Fatal(err)
		}
		after := b.Stats().Requests
		for _, op := range []string{"get-labels", "create-label", "add-labels-to-resources", "remove-labels-from-resources"} {
			if sent := after[op] - before[op]; sent != step.sends[op] {
				t.Errorf("setting %v and removing %v sent %d %s, want %d", step.set, step.remove, sent, op, step.sends[op])
			}
		}
		if got := b.labels(t, v.ID); !slices.Equal(got, step.want) {
			t.Errorf("after setting %v and removing %v: %q, want %q", step.set, step.remove, got, step.want)
		}
	}
	if err := b.c.ChangeVMLabels(b.ctx, &tower.VM{}, tower.LabelChange{Set: map[string]string{"a": ""}}); err == nil {
		t.Error("labels for every VM there is were not refused")
	}
}

// A Tower before 4.1 shows the ids of a VM's labels only, for which one request more tells all.
func TestSim_labelsOfAnOlderTower(t *testing.T) {
	b := newBench(t, "version: 3.0.0")
	v := b.create(t, b.wanted("vm"))
	for _, want := range []string{"a", "b"} {
		if err := b.label(t, v.ID, map[string]string{"env": want, "alone": ""}); err != nil {
			t.Fatal(err)
		}
		if got := b.labels(t, v.ID); !slices.Equal(got, []string{"alone=", "env=" + want}) {
			t.Errorf("the labels are %q, want env=%s", got, want)
		}
	}
	before := b.Stats().Requests
	if got := b.labels(t, v.ID); len(got) != 2 {
		t.Errorf("the labels are %q", got)
	}
	if n := b.Stats().Requests["get-labels"] - before["get-labels"]; n != 1 {
		t.Errorf("reading a VM took %d requests for its labels, want 1", n)
	}
}

// Many VMs at once: labels that all have are made once, and attached in few calls.
func TestSim_labelsOfMany(t *testing.T) {
	const n = 20
	b := newBench(t, "")
	ids := make([]string, n)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = b.create(t, b.wanted(fmt.Sprintf("vm-%d", i))).ID })
	}
	all.Wait()
	before := b.Stats().Requests
	for i, id := range ids {
		all.Go(func() {
			if err := b.label(t, id, map[string]string{"env": "test", "half": fmt.Sprint(i % 2)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	after := b.Stats().Requests
	for op, most := range map[string]int{"get-labels": 2, "create-label": 2, "add-labels-to-resources": 4} {
		if sent := after[op] - before[op]; sent > most {
			t.Errorf("%d %s for %d VMs, want %d at most", sent, op, n, most)
		}
	}
	for i, id := range ids {
		if got, want := b.labels(t, id), []string{"env=test", fmt.Sprintf("half=%d", i%2)}; !slices.Equal(got, want) {
			t.Errorf("VM %d: %q, want %q", i, got, want)
		}
	}
}

// What goes wrong on the way to a label, and what becomes of it.
func TestSim_labelFaults(t *testing.T) {
	const get, create, add, remove = "get-labels", "create-label", "add-labels-to-resources", "remove-labels-from-resources"
	for name, faults := range map[string][]towersim.Fault{
		"lost before":       {{Operation: create, Times: 1, Reset: towersim.ResetBefore}, {Operation: add, Times: 1, Reset: towersim.ResetBefore}},
		"lost after":        {{Operation: create, Times: 1, Reset: towersim.ResetAfter}, {Operation: add, Times: 1, Reset: towersim.ResetAfter}, {Operation: remove, Times: 1, Reset: towersim.ResetAfter}},
		"stumbles":          {{Operation: get, Times: 2, Status: 500}, {Operation: create, Times: 1, Status: 500}, {Operation: add, Times: 1, Status: 500}},
		"locked":            {{Operation: add, LockedFor: towersim.Delay(10 * time.Second)}},
		"session over":      {{Operation: get, Times: 1, Status: 401}, {Operation: add, Times: 1, Status: 401}},
		"made by others":    {{Operation: create, Times: 1, Status: 400}},
		"answers in pieces": {{Operation: create, Times: 1, Body: towersim.BodyTruncated}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "")
			v := b.create(t, b.wanted("vm"))
			if err := b.LabelVM("vm", "env", "old"); err != nil {
				t.Fatal(err)
			}
			b.fault(t, faults...)
			if err := b.label(t, v.ID, map[string]string{"env": "new", "alone": ""}); err != nil {
				t.Error(err)
			}
			if got := b.labels(t, v.ID); !slices.Equal(got, []string{"alone=", "env=new"}) {
				t.Errorf("got %q", got)
			}
		})
	}
	b := newBench(t, "")
	v := b.create(t, b.wanted("vm"))
	b.fault(t, towersim.Fault{Operation: create, Status: 403})
	var call *tower.Error
	if err := b.label(t, v.ID, map[string]string{"env": "x"}); !errors.As(err, &call) || call.HTTPStatus != 403 || tower.Advice(err) == "" {
		t.Errorf("got %v", err)
	}
}
