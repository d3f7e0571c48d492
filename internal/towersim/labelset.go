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

// labelled is an object that labels can be put on.
type labelled interface {
	object
	labelsOf() *labelSet
	showLabels()
}

func (s *labelSet) labelsOf() *labelSet { return s }

// nestedLabels returns the labels as rows show them.
func (s *labelSet) nestedLabels() []wire.NestedLabel {
	return mapped(s.labels, func(l *label) wire.NestedLabel {
		return wire.NestedLabel{ID: l.row.ID, Key: l.row.Key, Value: l.row.Value}
	})
}

func (s *labelSet) put(l *label) {
	if !slices.Contains(s.labels, l) {
		s.labels = append(s.labels, l)
	}
}

func (s *labelSet) take(l *label) {
	s.labels = slices.DeleteFunc(s.labels, func(x *label) bool { return x == l })
}

func (s *labelSet) has(l *label) bool { return slices.Contains(s.labels, l) }

func (d *datacenter) showLabels()      { d.row.Labels = d.nestedLabels() }
func (c *cluster) showLabels()         { c.row.Labels = c.nestedLabels() }
func (h *host) showLabels()            { h.row.Labels = h.nestedLabels() }
func (v *vds) showLabels()             { v.row.Labels = v.nestedLabels() }
func (v *vlan) showLabels()            { v.row.Labels = v.nestedLabels() }
func (t *template) showLabels()        { t.row.Labels = t.nestedLabels() }
func (t *libraryTemplate) showLabels() { t.row.Labels = t.nestedLabels() }
func (v *volume) showLabels()          { v.row.Labels = v.nestedLabels() }
func (v *vm) showLabels()              { v.row.Labels = v.nestedLabels() }
