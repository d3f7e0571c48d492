// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"maps"
	"slices"
	"testing"
)

// wantReplay checks that the changes since a revision turn the given rows into
// the stored ones.
func (x *tower) wantReplay(what string, rows map[string]string, since uint64) {
	x.t.Helper()

	after, replayed := x.Rows(), x.Replayed(rows, since)
	for _, key := range slices.Sorted(maps.Keys(union(after, replayed))) {
		if after[key] != replayed[key] {
			is, told := difference(after[key], replayed[key])
			x.t.Errorf("%s: %s is …%s, but the journal has …%s", what, key, is, told)
		}
	}
}

// difference returns the parts of two texts around the place where they differ.
func difference(a, b string) (string, string) {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}

	part := func(s string) string { return s[max(0, min(i-40, len(s))):min(i+80, len(s))] }

	return part(a), part(b)
}

func union[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	maps.Copy(all, b)

	return all
}

// The journal records every change of a row: its changes, applied to the former
// rows, give the current ones.
func TestJournalRecordsWhatEachOperationChanges(t *testing.T) {
	readers := newFixture(t)

	for _, operation := range readers.Operations() {
		name := operation.Operation
		if testedElsewhere[name] {
			continue
		}

		t.Run(name, func(t *testing.T) {
			s := readers

			body, changes := readers.bodies()[name]
			if changes {
				s = newFixture(t)
				body = s.bodies()[name]
			}

			before, since := s.Rows(), s.Revision()
			s.call(name, body)
			s.wantReplay("accepted", before, since)
			s.Advance(100 * second)
			s.wantReplay("done", before, since)

			if !changes && s.Revision() != since {
				t.Error("a reading operation changes something")
			}
		})
	}
}

func TestJournalRecordsWhatTasksAndGuestsChange(t *testing.T) {
	x := start(t, `
guests: [{match: "b", powers_off: 90s, nics: [{index: 0, link_local_first: true}]}]
inventory: {vms: [{name: old}]}`)
	before, since := x.Rows(), x.Revision()
	step := func(what string) {
		t.Helper()
		x.wantReplay(what, before, since)
	}

	x.create(object{"name": "a", "description": "d"}, object{"name": "b"})
	step("accepted")

	for range 120 {
		x.Advance(second)
		step("later")
	}

	vm := x.vms(object{"name": "a"})[0]
	for _, operation := range []string{"suspend-vm", "resume-vm", "restart-vm", "shutdown-vm", "start-vm", "move-vm-to-recycle", "recover-vm-from-recycle"} {
		x.mustOperate(operation, vm.ID)
		step(operation)
	}

	reply := x.create(object{"name": "a"})[0]
	x.finishTasks()
	x.failed(reply.TaskID, "VM_DUPLICATED_NAME")
	step("refused")
}

func TestJournalRecordsWhatFaultsChange(t *testing.T) {
	for _, event := range []string{
		`"change_vm_id"`, `"duplicate_vm"`, `"delete_vm"`, `"recycle_vm"`, `"move_vm"`, `"move_vm", "cluster": "cluster-2"`,
		`"power_off_vm"`, `"suspend_vm"`, `"set_vm_tools", "state": "RESTRICTION"`, `"lose_tasks"`, `"hide_vm", "for": "5s"`,
		`"set_host_state", "host": "h1", "state": "MAINTENANCE_MODE"`, `"set_host_state", "host": "h1", "state": "CONNECTED_ERROR"`,
	} {
		x := start(t, pair)
		x.newVM(object{"name": "a"})
		before, since := x.Rows(), x.Revision()
		x.inject(`[{"happens": ` + event + `}]`)
		x.wantReplay(event, before, since)

		if quiet := event == `"hide_vm", "for": "5s"`; quiet != (x.Revision() == since) {
			t.Errorf("%s: %d changes", event, x.Revision()-since)
		}
	}

	x := start(t, `faults: [{operation: create-vm-from-content-library-template,
		task_error: {code: EAllocSpace, message: full, leaks_volumes: true, orphan: 9s}}]`)
	before, since := x.Rows(), x.Revision()
	x.create(object{"name": "a"})
	x.finishTasks()
	x.wantReplay("leaked", before, since)
	x.Advance(100 * second)
	x.wantReplay("orphan", before, since)
}

func TestJournalRecordsWhatTheGoAPIChanges(t *testing.T) {
	x := start(t, pair)
	before, since := x.Rows(), x.Revision()

	for what, act := range map[string]func() error{
		"addresses": func() error { return x.SetAddresses("web-1", "10.0.0.9") },
		"tools":     func() error { return x.SetVMTools("web-1", "NOT_RUNNING") },
		"host":      func() error { return x.MoveVM("web-2", "h3") },
		"name":      func() error { return x.RenameVM("db-1", "db-2") },
		"state":     func() error { return x.SetHostState("h2", "REMOVING") },
	} {
		if err := act(); err != nil {
			t.Error(err)
		}

		x.wantReplay(what, before, since)
	}

	x.DropTasks()
	x.wantReplay("tasks", before, since)
}
