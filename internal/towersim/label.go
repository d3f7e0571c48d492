// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

type label struct {
	row wire.Label
}

func (l *label) id() string  { return l.row.ID }
func (l *label) rowPtr() any { return &l.row }

// deriveLabels updates the lists and counts of objects in the rows of labels.
func (w *world) deriveLabels() {
	kinds := w.labelKinds()

	for _, l := range w.labels.list {
		total := 0

		for _, kind := range kinds {
			on := filterSlice(kind.objects(), func(x labelled) bool { return x.labelsOf().has(l) })
			kind.show(&l.row, on)
			total += len(on)
		}

		l.row.TotalNum = wire.Ptr(total)
	}
}

// withoutTask wraps data in the reply of a mutation that needs no task.
func withoutTask[T any](data T) wire.WithTask[T] {
	return wire.WithTask[T]{Data: data}
}

func (w *world) labelExists(key string, value *string, except *label) bool {
	for _, l := range w.labels.list {
		if l != except && l.row.Key == key && deref(l.row.Value) == deref(value) {
			return true
		}
	}

	return false
}

func createLabel(c *call, in *[]wire.LabelCreationParams) (any, error) {
	if len(*in) == 0 {
		return nil, badRequest("body: expected at least 1 element")
	}

	wanted := map[[2]string]bool{}

	for i, p := range *in {
		if p.Key == "" {
			return nil, badRequest("body[%d].key: must not be empty", i)
		}

		pair := [2]string{p.Key, deref(p.Value)}
		if wanted[pair] || c.labelExists(p.Key, p.Value, nil) {
			return nil, badRequest("LABEL_DUPLICATED: the label %s: %s already exists", p.Key, deref(p.Value))
		}

		wanted[pair] = true
	}

	replies := make([]wire.WithTask[*wire.Label], len(*in))

	for i, p := range *in {
		l := &label{row: wire.Label{ID: c.ids.cuid(), Key: p.Key, Value: wire.Ptr(deref(p.Value)), CreatedAt: formatTime(c.now)}}
		c.labels.add(l)

		replies[i] = withoutTask(&l.row)
	}

	c.dirty = true
	c.derive()

	return replies, nil
}

func updateLabel(c *call, in *wire.LabelUpdationParams) (any, error) {
	labels, err := matching(c.world, &c.labels, wire.EntityLabel, in.Where)
	if err != nil {
		return nil, err
	}

	wanted := map[[2]string]bool{}

	for _, l := range labels {
		key, value := l.row.Key, l.row.Value
		setIfSent(&key, in.Data.Key)

		if in.Data.Value != nil {
			value = in.Data.Value
		}

		if key == "" {
			return nil, badRequest("body.data.key: must not be empty")
		}

		pair := [2]string{key, deref(value)}
		if wanted[pair] || c.labelExists(key, value, l) {
			return nil, badRequest("LABEL_DUPLICATED: the label %s: %s already exists", key, deref(value))
		}

		wanted[pair] = true
	}

	for _, l := range labels {
		setIfSent(&l.row.Key, in.Data.Key)

		if in.Data.Value != nil {
			l.row.Value = in.Data.Value
		}

		c.refreshLabelled(l)
	}

	return mapSlice(labels, func(l *label) wire.WithTask[*wire.Label] { return withoutTask(&l.row) }), nil
}

// refreshLabelled updates the rows of all objects that have a label.
func (w *world) refreshLabelled(l *label) {
	for _, kind := range w.labelKinds() {
		for _, x := range kind.objects() {
			if x.labelsOf().has(l) {
				x.refreshLabels()
				w.journal.touch(x)
			}
		}
	}
}

func deleteLabel(c *call, in *wire.LabelDeletionParams) (any, error) {
	labels, err := matching(c.world, &c.labels, wire.EntityLabel, in.Where)
	if err != nil {
		return nil, err
	}

	for _, l := range labels {
		c.labels.remove(l)

		for _, kind := range c.labelKinds() {
			for _, x := range kind.objects() {
				if x.labelsOf().has(l) {
					x.labelsOf().remove(l)
					x.refreshLabels()
					c.journal.touch(x)
				}
			}
		}
	}

	return mapSlice(labels, func(l *label) wire.WithTask[wire.Deleted] {
		return withoutTask(wire.Deleted{ID: l.row.ID})
	}), nil
}

func addLabelsToResources(c *call, in *wire.AddLabelsToResourcesParams) (any, error) {
	return c.relabel(in, (*labelSet).add)
}

func removeLabelsFromResources(c *call, in *wire.RemoveLabelsFromResourcesParams) (any, error) {
	return c.relabel(in, (*labelSet).remove)
}

// relabel changes the labels of all objects that the request's filters select.
func (c *call) relabel(in *wire.AddLabelsToResourcesParams, change func(*labelSet, *label)) (any, error) {
	labels, err := matching(c.world, &c.labels, wire.EntityLabel, in.Where)
	if err != nil {
		return nil, err
	}

	filters, err := filtersOf(&in.Data)
	if err != nil {
		return nil, err
	}

	var targets []labelled

	kinds := c.labelKinds()
	for name, where := range filters {
		kind, ok := kinds[name]
		if !ok {
			return nil, notSimulated("labels on " + name)
		}

		found, err := kind.match(where)
		if err != nil {
			return nil, err
		}

		targets = append(targets, found...)
	}

	for _, x := range targets {
		for _, l := range labels {
			change(x.labelsOf(), l)
		}

		x.refreshLabels()
		c.journal.touch(x)
	}

	c.dirty = true
	c.derive()

	return mapSlice(labels, func(l *label) wire.WithTask[*wire.Label] { return withoutTask(&l.row) }), nil
}

// filtersOf returns the filters of a request by the names of their members.
func filtersOf(data *wire.AddLabelsToResourcesParamsData) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, badRequest("body.data: %s", err)
	}

	filters := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &filters); err != nil {
		return nil, badRequest("body.data: %s", err)
	}

	return filters, nil
}
