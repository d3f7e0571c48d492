// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// labelSet is the labels of one object.
type labelSet struct {
	labels []*label
}

// labelled is an object that can have labels.
type labelled interface {
	object
	labelsOf() *labelSet
	refreshLabels()
}

func (s *labelSet) labelsOf() *labelSet { return s }

// nestedLabels returns the labels as rows show them.
func (s *labelSet) nestedLabels() []wire.NestedLabel {
	return mapSlice(s.labels, func(l *label) wire.NestedLabel {
		return wire.NestedLabel{ID: l.row.ID, Key: l.row.Key, Value: l.row.Value}
	})
}

func (s *labelSet) add(l *label) {
	if !slices.Contains(s.labels, l) {
		s.labels = append(s.labels, l)
	}
}

func (s *labelSet) remove(l *label) {
	s.labels = slices.DeleteFunc(s.labels, func(x *label) bool { return x == l })
}

func (s *labelSet) has(l *label) bool { return slices.Contains(s.labels, l) }

func (d *datacenter) refreshLabels()      { d.row.Labels = d.nestedLabels() }
func (c *cluster) refreshLabels()         { c.row.Labels = c.nestedLabels() }
func (h *host) refreshLabels()            { h.row.Labels = h.nestedLabels() }
func (v *vds) refreshLabels()             { v.row.Labels = v.nestedLabels() }
func (v *vlan) refreshLabels()            { v.row.Labels = v.nestedLabels() }
func (t *template) refreshLabels()        { t.row.Labels = t.nestedLabels() }
func (t *libraryTemplate) refreshLabels() { t.row.Labels = t.nestedLabels() }
func (v *volume) refreshLabels()          { v.row.Labels = v.nestedLabels() }
func (v *vm) refreshLabels()              { v.row.Labels = v.nestedLabels() }
