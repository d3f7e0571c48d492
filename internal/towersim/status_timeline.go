// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"math"
	"time"
)

// The kinds of phases on the status page. They are also the names of its
// colours.
const (
	phaseMade     = "made"     // from the creation to the power-on
	phaseOn       = "on"       // powered on
	phaseWaiting  = "waiting"  // waiting for what the lane shows
	phaseLeased   = "leased"   // the guest has an address, Tower does not show it
	phaseReported = "reported" // Tower shows it
	phaseNode     = "node"     // the Kubernetes node is there
)

// phase is one part of a lane. Its times are simulated. If to is zero, the
// phase has not ended.
type phase struct {
	kind     string
	from, to time.Time
	title    string
}

// lane is one line of a VM's timeline: the VM, a NIC or the Kubernetes node.
type lane struct {
	label, detail string
	phases        []phase
	due           time.Time // when the wait will end, if known
	value         string
	waiting       bool
}

// maxLead is the longest time between the creation and a power-on on one
// timeline. After a longer time, the timeline starts with the power-on.
const maxLead = 10 * time.Minute

// timelineStart returns the start of a VM's timeline.
func (v *vm) timelineStart() time.Time {
	if v.poweredOnAt.Sub(v.createdAt) > maxLead {
		return v.poweredOnAt
	}

	return v.createdAt
}

// timelineEnd returns the end of the guest run, or zero if it has not ended.
func (v *vm) timelineEnd() time.Time {
	if !v.poweredOffAt.IsZero() {
		return v.poweredOffAt
	}

	return v.deletedAt
}

// lanes returns what has happened to a VM since its last power-on.
func (w *world) lanes(v *vm) []lane {
	lanes := []lane{w.powerLane(v)}

	for i, n := range v.nics {
		lanes = append(lanes, w.nicLane(v, i, n))
	}

	if l, ok := w.nodeLane(v); ok {
		lanes = append(lanes, l)
	}

	return lanes
}

func (w *world) powerLane(v *vm) lane {
	l := lane{label: "VM"}

	switch {
	case v.poweredOnAt.IsZero() && isPlaceholder(v.row.LocalID) && !v.deleted():
		l.phases = []phase{{kind: phaseMade, from: v.createdAt, title: "being created since " + w.clockTime(v.createdAt)}}
		l.value, l.waiting = "being created", true

		return l
	case v.poweredOnAt.IsZero():
		l.value = "never powered on"

		return l
	}

	if v.timelineStart().Equal(v.createdAt) {
		l.phases = []phase{{
			kind: phaseMade, from: v.createdAt, to: v.poweredOnAt,
			title: "created at " + w.clockTime(v.createdAt) + ", powered on after " + shortDuration(v.poweredOnAt.Sub(v.createdAt)),
		}}
		l.value = "powered on +" + shortDuration(v.poweredOnAt.Sub(v.createdAt))
	} else {
		l.value = "powered on " + shortDuration(v.poweredOnAt.Sub(v.createdAt)) + " after its creation"
	}

	on := phase{kind: phaseOn, from: v.poweredOnAt, to: v.timelineEnd(), title: "powered on at " + w.clockTime(v.poweredOnAt)}
	if !v.poweredOffAt.IsZero() {
		l.value += ", off +" + shortDuration(v.poweredOffAt.Sub(v.timelineStart()))
	}

	l.phases = append(l.phases, on)

	return l
}

func (w *world) nicLane(v *vm, index int, n *nic) lane {
	l := lane{label: fmt.Sprintf("NIC %d", index), detail: n.mac}
	if n.vlan != nil {
		l.label += " " + n.vlan.row.Name
	}

	if n.vpc != nil {
		l.label += " " + n.vpc.subnet.row.Name
	}

	if !*n.row.Enabled {
		l.value = "disabled"

		return l
	}

	if v.poweredOnAt.IsZero() {
		l.value = w.offText(n)

		return l
	}

	origin, end := v.timelineStart(), v.timelineEnd()
	leased, reported := n.leasedAt, n.reportedAt

	if leased.IsZero() {
		leased = reported
	}

	l.phases = append(l.phases, phase{kind: phaseWaiting, from: v.poweredOnAt, to: firstNonZero(leased, end), title: "no address"})

	if !leased.IsZero() {
		l.phases = append(l.phases, phase{
			kind: phaseLeased, from: leased, to: firstNonZero(reported, end),
			title: fmt.Sprintf("the guest has %s since %s; Tower does not show it", n.address.ip, w.momentText(v, leased)),
		})
	}

	if !reported.IsZero() {
		l.phases = append(l.phases, phase{
			kind: phaseReported, from: reported, to: end,
			title: fmt.Sprintf("Tower shows %s since %s", n.address.ip, w.momentText(v, reported)),
		})
		l.value = fmt.Sprintf("%s reported +%s", n.address.ip, shortDuration(reported.Sub(origin)))

		if v.guestRun == nil && !w.scenario.StaleAddresses {
			l.value += ", no longer shown since the power-off"
		}

		return l
	}

	w.describeWait(v, n, &l)

	return l
}

// describeWait describes what a NIC without a reported address waits for.
func (w *world) describeWait(v *vm, n *nic, l *lane) {
	lease, report := w.dueTimes(v, n)
	origin := v.timelineStart()

	switch {
	case v.guestRun == nil:
		l.value = w.offText(n)

		return
	case !n.leasedAt.IsZero():
		l.value = fmt.Sprintf("has %s +%s", n.address.ip, shortDuration(n.leasedAt.Sub(origin)))
	default:
		l.value = "no address yet"
	}

	l.waiting, l.due = true, firstNonZero(report, lease)

	switch {
	case !v.guestRun.suspendedAt.IsZero():
		l.value += ", suspended"
		l.due = time.Time{} // unknown until the VM is resumed
	case report.IsZero() && lease.IsZero():
		l.value = "never gets an address"
	case report.IsZero():
		l.value += ", never reported"
	default:
		l.value += fmt.Sprintf(", report due +%s", shortDuration(report.Sub(origin)))
	}

	if n.row.IPAddress != nil {
		l.value += "; Tower shows " + *n.row.IPAddress
	}
}

// dueTimes returns when a NIC gets its address and when Tower shows it, in the
// future or in the past. Zero means never.
func (w *world) dueTimes(v *vm, n *nic) (lease, report time.Time) {
	if v.guestRun == nil || n.plan.lease < 0 {
		return lease, report
	}

	if n.plannedPlugCount != n.plugCount { // the plan is invalid
		return n.leasedAt, n.reportedAt
	}

	lease = v.guestRun.start.Add(n.plan.lease)
	if n.plan.report >= 0 {
		report = v.guestRun.start.Add(n.plan.report)
	}

	return lease, report
}

// offText describes what Tower shows on a NIC of a VM that is not running.
func (w *world) offText(n *nic) string {
	if n.row.IPAddress == nil {
		return "off"
	}

	return "off; Tower shows " + *n.row.IPAddress
}

func (w *world) nodeLane(v *vm) (lane, bool) {
	spec := w.guestOf(v.row.Name).KubernetesNode
	if spec == nil || v.poweredOnAt.IsZero() {
		return lane{}, false
	}

	l := lane{label: "Node"}
	end := v.timelineEnd()
	from := v.poweredOnAt
	registered := v.nodeRegisteredAt

	if registered.IsZero() {
		l.phases = []phase{{kind: phaseWaiting, from: from, to: end, title: "no node"}}
		l.value = "not registered"

		if v.guestRun == nil {
			return l, true
		}

		l.waiting = true

		if at, planned := w.nodeDue(v, spec); planned {
			l.due = at
			l.value += ", due +" + shortDuration(at.Sub(v.timelineStart()))
		} else {
			l.value, l.waiting = "never registers", false
		}

		return l, true
	}

	if registered.After(from) {
		l.phases = append(l.phases, phase{kind: phaseWaiting, from: from, to: registered, title: "no node"})
		from = registered
	}

	l.phases = append(l.phases, phase{kind: phaseNode, from: from, to: end, title: "registered since " + w.momentText(v, registered)})
	l.value = "registered"

	if n, ok := w.nodes.byName[v.row.Name]; ok && n.vm == v && n.internalIP != "" {
		l.value = n.internalIP + " registered"
	}

	if !registered.Before(v.timelineStart()) {
		l.value += " +" + shortDuration(registered.Sub(v.timelineStart()))
	}

	return l, true
}

func (w *world) nodeDue(v *vm, spec *GuestNode) (time.Time, bool) {
	offset := w.scenario.Timing.Boot

	if spec.Registered != nil {
		if *spec.Registered == Never {
			return time.Time{}, false
		}

		offset = time.Duration(*spec.Registered)
	}

	return v.guestRun.start.Add(offset), true
}

// momentText formats an instant in three ways: from the start of the timeline,
// from the power-on as in a scenario, and in real time as in a log.
func (w *world) momentText(v *vm, t time.Time) string {
	return fmt.Sprintf("+%s (%s after the power-on, %s)", shortDuration(t.Sub(v.timelineStart())), shortDuration(t.Sub(v.poweredOnAt)), w.clockTime(t))
}

// clockTime formats the real time at a simulated instant.
func (w *world) clockTime(simulated time.Time) string {
	return w.clock.realTime(simulated).UTC().Format("15:04:05.000 UTC")
}

func firstNonZero(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}

	return a
}

// shortDuration formats a duration for people: in tenths of a second below ten
// seconds, then in seconds, then in minutes.
func shortDuration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", math.Floor(d.Seconds()*10)/10)
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
}

// axis is the time axis of all timelines on a page. It starts at the start of
// each VM's timeline.
type axis struct {
	span  time.Duration
	ticks []time.Duration
}

// axisSteps are the possible distances between ticks.
var axisSteps = []time.Duration{
	5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

const (
	minSpan  = 20 * time.Second
	maxTicks = 6
)

// newAxis returns an axis that is long enough for everything that has happened
// or is due. Waiting without an end in sight is cut off if it would make the
// rest too small to read.
func newAxis(happened, waited time.Duration) axis {
	span := max(happened, min(waited, max(2*happened, 2*time.Minute)), minSpan)
	span += span / 12

	step := axisSteps[len(axisSteps)-1]

	for _, s := range axisSteps {
		if span <= s*maxTicks {
			step = s

			break
		}
	}

	// Beyond the largest step, the distance is a multiple of it.
	times := max((int64(span)+int64(step)*maxTicks-1)/(int64(step)*maxTicks), 1)
	step = time.Duration(int64(step) * times)
	a := axis{span: span}

	for at := time.Duration(0); at <= span; at += step {
		a.ticks = append(a.ticks, at)
	}

	return a
}

// percent returns the place of an offset on the axis, and false if it is beyond
// the end.
func (a axis) percent(offset time.Duration) (float64, bool) {
	share := 100 * float64(max(offset, 0)) / float64(a.span)

	return min(share, 100), share <= 100
}
