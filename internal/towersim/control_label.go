// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"slices"
	"strings"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// LabelVM puts a label on a VM. The label is created if it does not exist.
// Other labels with the same key stay on the VM.
func (s *Server) LabelVM(name, key, value string) error {
	return s.changeVM(name, func(w *world, v *vm) error {
		i := slices.IndexFunc(w.labels.list, func(l *label) bool { return l.row.Key == key && deref(l.row.Value) == value })
		if i < 0 {
			w.labels.add(&label{row: wire.Label{ID: w.ids.cuid(), Key: key, Value: wire.Ptr(value), CreatedAt: formatTime(w.now)}})
			i = len(w.labels.list) - 1
		}

		v.add(w.labels.list[i])
		v.refreshLabels()

		return nil
	})
}

// UnlabelVM takes all labels with a key off a VM.
func (s *Server) UnlabelVM(name, key string) error {
	return s.changeVM(name, func(_ *world, v *vm) error {
		v.labels = slices.DeleteFunc(v.labels, func(l *label) bool { return l.row.Key == key })
		v.refreshLabels()

		return nil
	})
}

// VMLabels returns the labels of a VM as key=value, sorted.
func (s *Server) VMLabels(name string) ([]string, error) {
	var labels []string

	err := s.changeVM(name, func(_ *world, v *vm) error {
		for _, l := range v.labels {
			labels = append(labels, l.row.Key+"="+deref(l.row.Value))
		}

		slices.SortFunc(labels, strings.Compare)

		return nil
	})

	return labels, err
}
