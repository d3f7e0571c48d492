// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// FaultEvent is something that happens to Tower, or to one VM, behind the
// client's back: without a task and without a lock.
type FaultEvent string

// The events. The fault's member VM selects the VM of an event that hits one.
const (
	// EventHideVM hides the VM and its parts from the API for the span For, as
	// happens when Tower loses touch with a cluster.
	EventHideVM FaultEvent = "hide_vm"
	// EventChangeVMID gives the VM another id, as Tower does when it loses its
	// record of a VM and finds the VM again. The local id stays the same.
	EventChangeVMID FaultEvent = "change_vm_id"
	// EventDuplicateVM makes a second, stopped VM appear with the same name and
	// hardware, as happens after a re-synchronisation with a cluster that has
	// finished what Tower had given up.
	EventDuplicateVM FaultEvent = "duplicate_vm"
	// EventDeleteVM deletes the VM for good.
	EventDeleteVM FaultEvent = "delete_vm"
	// EventRecycleVM powers the VM off and moves it to the recycle bin.
	EventRecycleVM FaultEvent = "recycle_vm"
	// EventMoveVM moves the VM to the host Host, or to any other host of its
	// cluster. With Cluster it moves the VM to another cluster, where the VM
	// gets a new local id.
	EventMoveVM FaultEvent = "move_vm"
	// EventPowerOffVM makes the guest of a running VM shut itself down.
	EventPowerOffVM FaultEvent = "power_off_vm"
	// EventSuspendVM puts a running VM into the state SUSPENDED, as a crash of
	// its guest does.
	EventSuspendVM FaultEvent = "suspend_vm"
	// EventSetVMTools makes Tower show State as the status of the VM's tools.
	EventSetVMTools FaultEvent = "set_vm_tools"
	// EventSetHostState puts Host into State, one of the states that a scenario
	// may give a host. Running VMs leave a host that goes into maintenance. If
	// the connection to the host is lost, its VMs with HA start again on other
	// hosts.
	EventSetHostState FaultEvent = "set_host_state"
	// EventLoseTasks deletes the records of all tasks. The work of the tasks
	// goes on.
	EventLoseTasks FaultEvent = "lose_tasks"
	// EventCompactChanges deletes the history that /resource-changes shows.
	EventCompactChanges FaultEvent = "compact_changes"
	// EventRevokeSessions makes the tokens of all log-ins invalid.
	EventRevokeSessions FaultEvent = "revoke_sessions"
)

// eventKeys are the members of a fault that each event takes, besides
// operation, skip, times and after. The value is true if the member is
// required.
var eventKeys = map[FaultEvent]map[string]bool{
	EventHideVM:         {"vm": false, "for": true},
	EventChangeVMID:     {"vm": false},
	EventDuplicateVM:    {"vm": false},
	EventDeleteVM:       {"vm": false},
	EventRecycleVM:      {"vm": false},
	EventMoveVM:         {"vm": false, "host": false, "cluster": false},
	EventPowerOffVM:     {"vm": false},
	EventSuspendVM:      {"vm": false},
	EventSetVMTools:     {"vm": false, "state": true},
	EventSetHostState:   {"host": true, "state": true},
	EventLoseTasks:      {},
	EventCompactChanges: {},
	EventRevokeSessions: {},
}

var vmToolsStates = []string{"NOT_INSTALLED", "NOT_RUNNING", "RESTRICTION", "RUNNING"}

// targetsVM reports whether the event hits a VM.
func (e FaultEvent) targetsVM() bool {
	_, ok := eventKeys[e]["vm"]

	return ok
}

// eventMembers returns the members that only faults with events have, by key. A
// member that was not given is "".
func (f *Fault) eventMembers() map[string]string {
	members := map[string]string{"vm": f.VM, "host": f.Host, "cluster": f.Cluster, "state": f.State, "for": "", "after": ""}

	if f.For != 0 {
		members["for"] = f.For.String()
	}

	if f.After != 0 {
		members["after"] = f.After.String()
	}

	return members
}

// checkEvent checks the members that only faults with events have, like check.
func (f *Fault) checkEvent() (field, reason string) {
	keys, known := eventKeys[f.Happens]
	if f.Happens != "" && !known {
		return "happens", fmt.Sprintf("must be one of %s, not %q", strings.Join(eventNames(), ", "), f.Happens)
	}

	members := f.eventMembers()

	for _, key := range sortedKeys(members) {
		required, allowed := keys[key]
		given := members[key] != ""

		switch {
		case given && f.Happens == "":
			return key, "is allowed only with happens"
		case given && !allowed && key != "after":
			return key, fmt.Sprintf("is not allowed with happens: %s", f.Happens)
		case required && !given:
			return key, fmt.Sprintf("is required with happens: %s", f.Happens)
		}
	}

	return f.checkEventValues()
}

func (f *Fault) checkEventValues() (field, reason string) {
	if _, err := compileGlob(f.VM); err != nil {
		return "vm", err.Error()
	}

	_, hostState := hostStates[f.State]

	switch {
	case f.Happens != "" && f.Slow != 0:
		return "slow", "is not allowed with happens"
	case f.After == Never:
		return "after", "must be a duration"
	case f.For == Never:
		return "for", "must be a duration"
	case f.Host != "" && f.Cluster != "":
		return "cluster", "is not allowed with host"
	case f.Happens == EventSetHostState && !hostState:
		return "state", fmt.Sprintf("must be one of %s, not %q", strings.Join(sortedKeys(hostStates), ", "), f.State)
	case f.Happens == EventSetVMTools && !slices.Contains(vmToolsStates, f.State):
		return "state", fmt.Sprintf("must be one of %s, not %q", strings.Join(vmToolsStates, ", "), f.State)
	}

	return "", ""
}

func eventNames() []string {
	var names []string
	for event := range eventKeys {
		names = append(names, string(event))
	}

	slices.Sort(names)

	return names
}

// addFault adds a fault. An event without an operation happens as soon as it
// can.
func (w *world) addFault(fault Fault) {
	rule := &faultRule{Fault: fault, hitVMs: map[*vm]bool{}}
	w.faults = append(w.faults, rule)

	if fault.Happens == "" {
		return
	}

	// The glob of a complete fault has been checked.
	rule.match, _ = compileGlob(fault.VM)

	if fault.Operation == "" {
		rule.notBefore = w.now.Add(time.Duration(fault.After))
		w.runAt(rule.notBefore, func() { w.runFaultEvent(rule) })
		w.runFaultEvent(rule)
	}
}

// runFaultEvents runs the events that a request causes.
func (w *world) runFaultEvents(operation string) {
	for _, rule := range w.faults {
		if rule.Happens != "" && (rule.Operation == operation || rule.Operation == "") {
			w.runFaultEvent(rule)
		}
	}
}

// runFaultEvent counts a request for an event, and runs the event if it is its
// turn. The request is not counted if there is no VM that the event can hit.
func (w *world) runFaultEvent(rule *faultRule) {
	if rule.applied >= max(rule.Times, 1) || w.now.Before(rule.notBefore) {
		return
	}

	var victim *vm

	if rule.Happens.targetsVM() {
		if victim = w.eventTarget(rule); victim == nil {
			return
		}
	}

	if rule.skipped < rule.Skip {
		rule.skipped++

		return
	}

	rule.applied++

	if victim != nil {
		rule.hitVMs[victim] = true
	}

	if rule.Operation == "" || rule.After == 0 {
		w.applyEvent(rule, victim)

		return
	}

	w.runAfter(time.Duration(rule.After), func() { w.applyEvent(rule, victim) })
}

// eventTarget returns the oldest VM that an event can hit and has not hit yet.
func (w *world) eventTarget(rule *faultRule) *vm {
	for _, v := range w.vms.list {
		if rule.VM != "" && !rule.match.MatchString(v.row.Name) {
			continue
		}

		if !rule.hitVMs[v] && v.existsInCluster() && !v.row.InRecycleBin && v.visibleAt(w.now) && w.eventApplies(v, rule) {
			return v
		}
	}

	return nil
}

// eventApplies reports whether the event would change the VM.
func (w *world) eventApplies(v *vm, rule *faultRule) bool {
	switch rule.Happens {
	case EventPowerOffVM:
		return v.holdsMemory()
	case EventSuspendVM:
		return v.row.Status == wire.VMStatusRunning
	default:
		return true
	}
}

// applyEvent makes an event happen, unless it has become impossible since it
// was planned: its VM is gone, or the VM is in another cluster than the host.
func (w *world) applyEvent(rule *faultRule, v *vm) {
	if v != nil && (v.deleted() || !w.eventApplies(v, rule)) {
		return
	}

	w.dirty = true
	w.touchOthers()

	if v != nil {
		defer w.touchVM(v)
	}

	switch rule.Happens {
	case EventHideVM:
		w.hideVM(v, time.Duration(rule.For))
	case EventChangeVMID:
		w.changeVMID(v)
	case EventDuplicateVM:
		if duplicate, failed := w.duplicateVM(v); failed == nil {
			rule.hitVMs[duplicate] = true
		}
	case EventDeleteVM:
		w.removeVM(v)
	case EventRecycleVM:
		w.moveToRecycleBin(v)
	case EventMoveVM:
		w.moveVM(v, rule.Host, rule.Cluster)
	case EventPowerOffVM:
		w.powerOff(v)
	case EventSuspendVM:
		w.suspend(v)
	case EventSetVMTools:
		v.row.VMToolsStatus = wire.VMToolsStatus(rule.State)
	case EventSetHostState:
		w.setHostState(rule.Host, rule.State)
	case EventLoseTasks:
		w.tasks.clear()
	case EventCompactChanges:
		w.compactChanges()
	case EventRevokeSessions:
		clear(w.sessions)
	}
}
