// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// FaultEvent is something that befalls Tower, or one VM, behind the client's
// back: without a task and without a lock.
type FaultEvent string

// Those that befall a VM take it from the fault's VM.
const (
	// EventHideVM makes the API show neither the VM nor its parts for the span For,
	// as happens when Tower loses touch with a cluster.
	EventHideVM FaultEvent = "hide_vm"
	// EventChangeVMID gives the VM another id, as Tower does when it loses its
	// record of a VM and finds the VM again. The local id stays.
	EventChangeVMID FaultEvent = "change_vm_id"
	// EventDuplicateVM lets a second VM of the same name and hardware appear,
	// stopped, as after a re-synchronisation with a cluster that finished what Tower
	// had given up.
	EventDuplicateVM FaultEvent = "duplicate_vm"
	// EventDeleteVM removes the VM for good.
	EventDeleteVM FaultEvent = "delete_vm"
	// EventRecycleVM puts the VM into the recycle bin, powered off.
	EventRecycleVM FaultEvent = "recycle_vm"
	// EventMoveVM takes the VM to another host: to Host, or to any other of its
	// cluster; with Cluster to another cluster, where it gets a new local id.
	EventMoveVM FaultEvent = "move_vm"
	// EventPowerOffVM lets the guest of a running VM switch itself off.
	EventPowerOffVM FaultEvent = "power_off_vm"
	// EventSuspendVM lets a running VM fall into SUSPENDED, as one does whose guest
	// crashed.
	EventSuspendVM FaultEvent = "suspend_vm"
	// EventSetVMTools makes Tower show State as the state of the VM's tools.
	EventSetVMTools FaultEvent = "set_vm_tools"
	// EventSetHostState takes Host into State, one of those that an inventory may
	// name. From a host under maintenance the running VMs move away; where the
	// connection is lost, those with HA start again elsewhere.
	EventSetHostState FaultEvent = "set_host_state"
	// EventLoseTasks makes Tower lose its records of all tasks. The work goes on.
	EventLoseTasks FaultEvent = "lose_tasks"
	// EventCompactChanges makes Tower forget the history that /resource-changes
	// shows.
	EventCompactChanges FaultEvent = "compact_changes"
	// EventRevokeSessions makes all tokens invalid that were given at a log-in.
	EventRevokeSessions FaultEvent = "revoke_sessions"
)

// eventKeys are the members of a fault that an event takes besides operation,
// skip, times and after; those it cannot do without are marked.
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

// befallsVM tells whether the event happens to a VM.
func (e FaultEvent) targetsVM() bool {
	_, ok := eventKeys[e]["vm"]

	return ok
}

// eventMembers returns the members that only events have, by key; empty ones
// were not given.
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

// checkEvent returns the member at fault of a fault with an event, or with
// members that only one with an event has.
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
			return key, "goes with happens only"
		case given && !allowed && key != "after":
			return key, fmt.Sprintf("does not go with happens: %s", f.Happens)
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
		return "slow", "does not go with happens"
	case f.After == Never:
		return "after", "must be a duration"
	case f.For == Never:
		return "for", "must be a duration"
	case f.Host != "" && f.Cluster != "":
		return "cluster", "does not go with host"
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

// addFault adds a fault. An event that waits for no request happens as soon as
// it can.
func (w *world) addFault(fault Fault) {
	rule := &faultRule{Fault: fault, hitVMs: map[*vm]bool{}}
	w.faults = append(w.faults, rule)

	if fault.Happens == "" {
		return
	}

	// A completed fault's glob has been checked.
	rule.match, _ = compileGlob(fault.VM)

	if fault.Operation == "" {
		rule.notBefore = w.now.Add(time.Duration(fault.After))
		w.runAt(rule.notBefore, func() { w.runFaultEvent(rule) })
		w.runFaultEvent(rule)
	}
}

// befall lets the events happen that a request brings about.
func (w *world) runFaultEvents(operation string) {
	for _, rule := range w.faults {
		if rule.Happens != "" && (rule.Operation == operation || rule.Operation == "") {
			w.runFaultEvent(rule)
		}
	}
}

// unfold counts a request for an event and lets the event happen if it is its
// turn. Without a VM that it could befall a request does not count.
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

// victim returns the oldest VM that an event can befall and has not yet.
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

// suffers tells whether the event would change anything of a VM.
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

// happen lets an event happen. One that has become impossible since it was due,
// because its VM is gone or is in another cluster than the host, is passed over.
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
		if twin, failed := w.duplicateVM(v); failed == nil {
			rule.hitVMs[twin] = true
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
