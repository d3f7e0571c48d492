// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"encoding/json"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// The limits of the history. Older changes are compacted.
const (
	maxJournalEvents = 10_000
	maxJournalBytes  = 32 << 20
)

// The actions of changes.
const (
	actionCreate = "CREATE"
	actionUpdate = "UPDATE"
	actionDelete = "DELETE"
)

// rowChange is one change of one row.
type rowChange struct {
	revision, previous uint64 // previous is the last one of the same row; 0 if unknown
	at                 time.Time
	action, kind, id   string
	old, new           string // the row as JSON; "" if it does not exist
}

func (e rowChange) size() int { return len(e.old) + len(e.new) }

// rowState is a row as the journal last saw it.
type rowState struct {
	id, kind, value string
	ownMembers      string // value without the members that reflect other rows
	revision        uint64
}

// journal numbers the changes of all rows, for /resource-changes. Code that may
// change a row calls touch. At the end of each step, the journal compares the
// touched rows with their last state. A row has not changed if only members
// have changed that count or sum up other rows.
type journal struct {
	events              history[rowChange]
	revision, compacted uint64

	known         map[any]*rowState // by row
	touched       []object
	rowEvents     map[any]rowEvent // by row; touched rows only
	othersTouched bool             // any row of the other tables may have changed
}

// rowEvent is what happened to an object in the current step.
type rowEvent int

const (
	rowTouched rowEvent = iota
	rowAdded
	rowRemoved
)

// touch tells the journal that an object may have changed.
func (j *journal) touch(x object) {
	if j == nil {
		return
	}

	if _, queued := j.rowEvents[x.rowPtr()]; !queued {
		j.touched = append(j.touched, x)
		j.rowEvents[x.rowPtr()] = rowTouched
	}
}

// note tells the journal that an object was added or removed.
func (j *journal) note(x object, f rowEvent) {
	if j == nil {
		return
	}

	j.touch(x)
	j.rowEvents[x.rowPtr()] = f
}

// journalTable is a table whose additions and removals the journal sees.
type journalTable interface {
	setJournal(j *journal)
	objects() []object
}

func (t *table[T]) setJournal(j *journal) { t.journal = j }

func (t *table[T]) objects() []object {
	return mapSlice(t.list, func(x T) object { return x })
}

// vmTables returns the tables that have rows for each VM. Their rows are
// touched one by one.
func (w *world) vmTables() []journalTable {
	return []journalTable{&w.vms, &w.nics, &w.disks, &w.volumes, &w.snapshots, &w.tasks}
}

// otherTables returns all other tables. All their rows are compared when one
// may have changed.
func (w *world) otherTables() []journalTable {
	return []journalTable{
		&w.organizations, &w.datacenters, &w.clusters, &w.hosts, &w.vdses, &w.vlans, &w.templates, &w.libraryTemplates,
		&w.users, &w.folders, &w.labels, &w.images, &w.libraryImages, &w.toolsImages, &w.groups, &w.gpus, &w.policies,
		&w.clusterSettings, &w.globalSettings, &w.iscsiTargets, &w.iscsiLuns, &w.iscsiSnapshots,
	}
}

// startJournal starts the journal with the rows that exist. A Tower without
// /resource-changes has no journal.
func (w *world) startJournal() {
	if !w.version.atLeast(4, 6) {
		return
	}

	w.journal = &journal{known: map[any]*rowState{}, rowEvents: map[any]rowEvent{}}

	w.derive()

	for _, t := range append(w.vmTables(), w.otherTables()...) {
		t.setJournal(w.journal)

		for _, x := range t.objects() {
			if row := w.readRow(x, nil); row != nil {
				w.journal.known[x.rowPtr()] = row
			}
		}
	}

	w.afterStep = w.writeJournal
}

// continueFrom continues the revisions of a journal that this one replaces. The
// changes of the old journal are lost.
func (j *journal) continueFrom(old *journal) {
	if j != nil && old != nil && old.revision > 0 {
		j.revision, j.compacted = old.revision+1, old.revision+1
	}
}

func (j *journal) reset() {
	j.touched, j.othersTouched = j.touched[:0], false
	clear(j.rowEvents)
}

// touchVM touches a VM with all its parts.
func (w *world) touchVM(v *vm) {
	if w.journal == nil {
		return
	}

	w.journal.touch(v)

	for _, n := range v.nics {
		w.journal.touch(n)
	}

	for _, d := range v.disks {
		w.journal.touch(d)

		if d.volume != nil {
			w.journal.touch(d.volume)
		}
	}
}

// touchTask touches the objects of a task. A task on anything but a VM may
// change rows of several kinds.
func (w *world) touchTask(t *task, k *taskWork) {
	if w.journal == nil {
		return
	}

	w.journal.touch(t)
	w.journal.othersTouched = w.journal.othersTouched || k.resource != wire.EntityVM

	for _, held := range k.objects {
		if as, ok := held.(withAsyncStatus); ok {
			held = as.asyncObject
		}

		switch x := held.(type) {
		case *replyCapture:
			w.touchVM(x.vm)
		case *vm:
			w.touchVM(x)
		case object:
			w.journal.touch(x)
		}
	}
}

// touchOthers makes the journal compare all rows except those that belong to
// VMs.
func (w *world) touchOthers() {
	if w.journal != nil {
		w.journal.othersTouched = true
	}
}

// writeJournal records what has changed in the step that ends.
func (w *world) writeJournal() {
	j := w.journal

	if j.othersTouched {
		w.derive()

		for _, t := range w.otherTables() {
			for _, x := range t.objects() {
				j.touch(x)
			}
		}
	}

	for i := range j.touched {
		w.writeRow(j.touched[i])
	}

	j.reset()
}

func (w *world) writeRow(x object) {
	j := w.journal
	record := x.rowPtr()
	was := j.known[record]
	met := j.rowEvents[record]
	renamed := was != nil && was.id != x.id()

	if was != nil && (met == rowRemoved || renamed) {
		j.write(rowChange{at: w.now, action: actionDelete, kind: was.kind, id: was.id, previous: was.revision, old: was.value})
		delete(j.known, record)

		was = nil
	}

	// A removed object may still be touched.
	if met == rowRemoved || was == nil && met != rowAdded && !renamed {
		return
	}

	is := w.readRow(x, was)
	if is == nil {
		return
	}

	if was != nil && was.ownMembers == is.ownMembers {
		was.value = is.value // members that reflect other rows have changed

		return
	}

	event := rowChange{at: w.now, action: actionCreate, kind: is.kind, id: is.id, new: is.value}
	if was != nil {
		event.action, event.previous, event.old = actionUpdate, was.revision, was.value
	}

	j.write(event)
	is.revision = j.revision
	j.known[record] = is
}

// write numbers a change and records it. It drops the oldest changes if there
// are too many.
func (j *journal) write(event rowChange) {
	j.revision++
	event.revision = j.revision

	if forgotten, last := j.events.add(event, maxJournalEvents, maxJournalBytes); forgotten > 0 {
		j.compacted = last.revision
	}
}

// readRow returns a row as the API shows it. If the row has not changed, it
// returns the last state.
func (w *world) readRow(x object, was *rowState) *rowState {
	row := x.rowPtr()

	switch x := x.(type) {
	case *volume:
		x.derive()
	case *nic:
		if w.version.atLeast(4, 8) {
			row = w.withGuestAddresses(row)
		}
	}

	value, err := json.Marshal(row)
	if err != nil {
		return nil
	}

	if was != nil && was.value == string(value) {
		return was
	}

	is := &rowState{id: x.id(), kind: resourceType(x), value: string(value)}
	is.ownMembers = is.value

	if follows := derivedMembers[is.kind]; follows != nil {
		is.ownMembers = without(value, follows)
	}

	return is
}

// without returns a JSON object without some of its members.
func without(object []byte, names []string) string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return string(object)
	}

	for _, name := range names {
		delete(members, name)
	}

	rest, err := json.Marshal(members)
	if err != nil {
		return string(object)
	}

	return string(rest)
}
