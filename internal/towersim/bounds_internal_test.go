// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// The records of changes must not grow without limit.
func TestRecordsOfChangesAreBounded(t *testing.T) {
	s, err := New(Options{ManualClock: true, YAML: []byte("inventory: {vms: [{name: a}]}")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	s.withWorld(func(w *world) {
		v := w.vms.list[0]
		first, pending := v.nics[0].row.ID, w.newTask(taskWork{}, nil)

		for i := range maxTasks + maxTasks/5 {
			over := w.newTask(taskWork{}, nil)
			over.row.FinishedAt = wire.Ptr("now")

			if i < 3*maxFormer {
				w.renewPartIDs(v)
			}

			if i == maxFormer/2 && w.vmNICByID(v, first) == nil {
				t.Error("the NIC is not found by a former id")
			}

			w.endStep()
		}

		if n := len(w.tasks.list); n > maxTasks || n < maxTasks*9/10 || len(w.tasks.byID) != n || len(w.tasks.byRow) != n {
			t.Errorf("%d tasks are listed, %d by id, %d by row", n, len(w.tasks.byID), len(w.tasks.byRow))
		}

		if _, kept := w.tasks.get(pending.row.ID); !kept {
			t.Error("a running task was dropped")
		}

		if len(w.journal.known) > maxTasks+1000 {
			t.Errorf("the journal knows %d rows", len(w.journal.known))
		}

		if len(w.formerNICs) > maxFormer || len(w.formerDisks) > maxFormer*len(v.disks) {
			t.Errorf("%d NICs and %d disks are remembered", len(w.formerNICs), len(w.formerDisks))
		}
	})
}
