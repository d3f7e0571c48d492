// SPDX-License-Identifier: MPL-2.0

package tower

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/smartxworks/cloudtower-go-sdk/v2/models"
)

// showList makes an operation that reads show what the function returns; nil shows nothing.
func (f *fake) showList(op string, show func() map[string]any) {
	f.on(op, func(int, request) answer {
		if v := show(); v != nil {
			return answer{body: []any{v}}
		}
		return answer{body: []any{}}
	})
}

// Tower has forgotten the task, so what the task was about tells whether it took place.
func TestChange_forgottenTask(t *testing.T) {
	label := func(ctx context.Context, c *Client) error {
		return c.ChangeVMLabels(ctx, &VM{ID: "vm-1"}, LabelChange{Set: map[string]string{"env": "test"}})
	}
	unlabel := func(ctx context.Context, c *Client) error {
		return c.ChangeVMLabels(ctx, &VM{ID: "vm-1", Labels: []Label{{ID: "l", Key: "env", Value: "test"}}}, LabelChange{Remove: []string{"env"}})
	}
	regroup := func(ctx context.Context, c *Client) error {
		return c.SetVMPlacementGroup(ctx, &VM{ID: "vm-1"}, "g")
	}
	for _, tc := range []struct {
		name, operation string
		change          func(ctx context.Context, c *Client) error
	}{
		{"volume deleted", "delete-vm-volume", func(ctx context.Context, c *Client) error { return c.DeleteVMVolume(ctx, "vol") }},
		{"label made", "create-label", label},
		{"label attached", "add-labels-to-resources", label},
		{"label detached", "remove-labels-from-resources", unlabel},
		{"group edited", "update-vm-placement-group", regroup},
	} {
		for _, happens := range []bool{true, false} {
			name := tc.name
			if !happens {
				name += " in vain"
			}
			t.Run(name, func(t *testing.T) {
				f := newFake(t)
				w := newWorld(f)
				w.forgets, w.ignores = tc.operation, !happens
				w.labelled.Store(tc.operation == opRemoveLabels)
				err := tc.change(short(t), f.client())
				if (err == nil) != happens {
					t.Errorf("got %v", err)
				}
				if f.count(tc.operation) == 0 {
					t.Error("nothing was sent")
				}
			})
		}
	}
}

// world is a VM with what belongs to it: a volume, a label and a placement group.
type world struct {
	forgets                      string // the operation whose tasks Tower forgets; all others succeed
	ignores                      bool   // and whether that operation has no effect
	gone, made, labelled, member atomic.Bool
}

// newWorld makes the fake show a world, and change it.
func newWorld(f *fake) *world {
	w := &world{}
	exists := func(is *atomic.Bool, v map[string]any) func() map[string]any {
		return func() map[string]any {
			if is.Load() {
				return v
			}
			return nil
		}
	}
	f.showList("get-vm-disks", func() map[string]any { return nil })
	f.showList("get-labels", exists(&w.made, map[string]any{"id": "l", "key": "env", "value": "test"}))
	f.showList("get-vm-volumes", func() map[string]any {
		if w.gone.Load() {
			return nil
		}
		return map[string]any{"id": "vol", "name": "data"}
	})
	f.showList("get-vms", func() map[string]any {
		v := vmJSON("vm-1", StatusRunning, "")
		if w.labelled.Load() {
			v["labels"] = []any{map[string]any{"id": "l", "key": "env", "value": "test"}}
		}
		return v
	})
	f.showList("get-vm-placement-groups", func() map[string]any {
		g := map[string]any{"id": "g", "name": "group", "vms": []any{}}
		if w.member.Load() {
			g["vms"] = []any{map[string]any{"id": "vm-1"}}
		}
		return g
	})
	for op, effect := range map[string]struct {
		on *atomic.Bool
		to bool
	}{
		"delete-vm-volume": {&w.gone, true}, "create-label": {&w.made, true}, "add-labels-to-resources": {&w.labelled, true},
		"remove-labels-from-resources": {&w.labelled, false}, "update-vm-placement-group": {&w.member, true},
	} {
		f.on(op, func(int, request) answer {
			if w.forgets != op || !w.ignores {
				effect.on.Store(effect.to)
			}
			return answer{body: []any{map[string]any{"task_id": op, "data": map[string]any{"id": "l"}}}}
		})
	}
	f.on("get-tasks", func(_ int, r request) answer {
		out := []any{}
		for op := range f.scripts {
			if op != w.forgets && slices.Contains(idsIn(r), op) {
				out = append(out, taskJSON(op, taskSucceeded))
			}
		}
		return answer{body: out}
	})
	return w
}

// idsIn returns the ids that a request for tasks names.
func idsIn(r request) []string {
	where, _ := r.body["where"].(map[string]any)
	list, _ := where["id_in"].([]any)
	var out []string
	for _, id := range list {
		s, _ := id.(string)
		out = append(out, s)
	}
	return out
}

// The connection breaks while a volume is being deleted: the volume tells whether it still has to be.
func TestDeleteVMVolume_lostReply(t *testing.T) {
	for name, tc := range map[string]struct {
		happened bool
		calls    int
	}{"after the effect": {true, 1}, "before the effect": {false, 2}} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			w := newWorld(f)
			f.on("delete-vm-volume", func(n int, _ request) answer {
				if n == 1 {
					w.gone.Store(tc.happened)
					return answer{drop: true}
				}
				w.gone.Store(true)
				return accept("delete-vm-volume")
			})
			if err := f.client().DeleteVMVolume(short(t), "vol"); err != nil {
				t.Fatal(err)
			}
			if n := f.count("delete-vm-volume"); n != tc.calls || !w.gone.Load() {
				t.Errorf("%d calls, want %d; the volume is gone: %t", n, tc.calls, w.gone.Load())
			}
		})
	}
}

// A volume that goes while its deletion is being refused is deleted.
func TestDeleteVMVolume_goneAlready(t *testing.T) {
	for name, late := range map[string]answer{"empty reply": {body: []any{}}, "404": refusal(404, "", "no such volume"), "304": {status: 304}} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			w := newWorld(f)
			f.on("delete-vm-volume", func(int, request) answer {
				w.gone.Store(true)
				return late
			})
			if err := f.client().DeleteVMVolume(short(t), "vol"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDeleteVMVolume_locked(t *testing.T) {
	f := newFake(t)
	w := newWorld(f)
	f.on("delete-vm-volume", func(n int, _ request) answer {
		if n < 3 {
			return refusal(400, "ResourceLocked", "volume is locked")
		}
		w.gone.Store(true)
		return accept("delete-vm-volume")
	})
	if err := f.client().DeleteVMVolume(short(t), "vol"); err != nil || f.count("delete-vm-volume") != 3 {
		t.Errorf("got %v after %d calls", err, f.count("delete-vm-volume"))
	}
}

func TestDeleteVMVolume_refusesAnEmptyID(t *testing.T) {
	f := newFake(t)
	var call *Error
	if err := f.client().DeleteVMVolume(short(t), ""); !errors.As(err, &call) || f.count("delete-vm-volume") != 0 {
		t.Errorf("got %v after %d calls", err, f.count("delete-vm-volume"))
	}
}

// Whatever a reply leaves out, what it does tell is read.
func TestReceipts(t *testing.T) {
	id, task := ptr("id"), ptr("task")
	for _, tc := range []struct {
		name string
		got  []receipt
		want []receipt
	}{
		{"whole", must(receipts(reply[models.WithTaskVM]{{Data: &models.VM{ID: id}, TaskID: task}}, nil)), []receipt{{"id", "task"}}},
		{"a deletion", must(receipts(reply[models.WithTaskDeleteVMFolder]{{Data: &models.DeleteVMFolder{ID: id}}}, nil)), []receipt{{"id", ""}}},
		{"no data", must(receipts(reply[models.WithTaskLabel]{{TaskID: task}}, nil)), []receipt{{"", "task"}}},
		{"no id", must(receipts(reply[models.WithTaskVM]{{Data: &models.VM{}}, nil}, nil)), []receipt{{}}},
		{"nothing", must(receipts(reply[models.WithTaskVM]{}, nil)), nil},
	} {
		if !slices.Equal(tc.got, tc.want) {
			t.Errorf("%s: got %+v, want %+v", tc.name, tc.got, tc.want)
		}
	}
}

// reply is a reply of the generated client.
type reply[M any] []*M

func (r reply[M]) GetPayload() []*M { return r }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
