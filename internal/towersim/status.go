// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim/wire"
)

// The limits of the lists on the status page. A filter shows the rest.
const (
	maxShownVMs     = 500
	maxShownDeleted = 50
	maxShownTasks   = 10
)

// statusQuery is what the user wants to see on the status page.
type statusQuery struct {
	Name    string // part of a VM's name
	Waiting bool   // show only VMs that wait for something
	Table   bool   // show a table instead of bars
}

// status is what the status page shows.
type status struct {
	Query       statusQuery
	Version     string
	Server      string
	Username    string
	Now         string
	Up          string
	Speed       string // "" in real time
	Clusters    []clusterStatus
	Total       int // VMs that are not deleted
	Waiting     int
	Matching    int
	NumDeleted  int // matching deleted VMs
	VMs         []vmStatus
	Deleted     []vmStatus
	Axis        []tick
	Tasks       int // tasks that are not finished
	Failed      []taskStatus
	Faults      []faultStatus
	Requests    []requestCount
	NumRequests int
}

type clusterStatus struct {
	Name            string
	Hosts, Unusable int
	VMs, Running    int
	Memory, Storage gauge
}

// gauge is how much of something is in use.
type gauge struct {
	Used, Total string
	Percent     float64
}

func newGauge(used, total int64) gauge {
	g := gauge{Used: sizeText(used), Total: sizeText(total)}
	if total > 0 {
		g.Percent = min(100*float64(used)/float64(total), 100)
	}

	return g
}

// sizeText formats a number of bytes.
func sizeText(bytes int64) string {
	if bytes >= tebibyte {
		return fmt.Sprintf("%.3g TiB", float64(bytes)/tebibyte)
	}

	return fmt.Sprintf("%.3g GiB", float64(bytes)/gibibyte)
}

type vmStatus struct {
	Name, ID, LocalID    string
	Cluster, Host, Tools string
	Power, Async         string
	Notes                []string
	Waiting              bool
	Created              string
	Lanes                []laneStatus

	lanes  []lane
	origin time.Time
	end    time.Time
}

// laneStatus is a lane with its bars in percent of the axis.
type laneStatus struct {
	Label, Detail, Value string
	Waiting              bool
	History              []string // the bars in words
	Bars                 []bar
	HasDue               bool
	Due                  float64
}

type bar struct {
	Kind, Title string
	X, Width    float64
	Thin        bool // the phase means nothing to clients
}

// tick is a mark on the axis.
type tick struct {
	At     float64
	Label  string
	Anchor string // the text's anchor: start, middle or end
}

type requestCount struct {
	Operation string
	Count     int
}

// status returns what the status page shows.
func (s *Server) status(q statusQuery) status {
	user := s.Username()

	var out status

	s.withWorld(func(w *world) {
		out = w.status(q)
	})

	out.Server, out.Username = s.URL(), user

	return out
}

func (w *world) status(q statusQuery) status {
	out := status{
		Query: q, Version: w.version.String(), Now: w.clockTime(w.now),
		Up: shortDuration(w.now.Sub(w.clock.startTime())), NumRequests: w.total,
	}

	switch {
	case w.clock.manual:
		out.Speed = "manual clock"
	case w.clock.speed != 1:
		out.Speed = fmt.Sprintf("%g times real time", w.clock.speed)
	}

	out.Clusters = mapSlice(w.clusters.list, w.clusterStatus)
	w.listVMs(q, &out)
	out.Tasks, out.Failed = w.taskStatus()
	out.Faults = mapSlice(w.faults, (*faultRule).status)

	for _, name := range slices.Sorted(maps.Keys(w.requests)) {
		out.Requests = append(out.Requests, requestCount{name, w.requests[name]})
	}

	slices.SortStableFunc(out.Requests, func(a, b requestCount) int { return cmp.Compare(b.Count, a.Count) })

	return out
}

func (w *world) clusterStatus(c *cluster) clusterStatus {
	out := clusterStatus{Name: c.row.Name}

	var memory, total int64

	for _, h := range w.clusterHosts(c) {
		out.Hosts++

		if !h.usable() {
			out.Unusable++
		}

		total += h.row.TotalMemoryBytes
	}

	for _, v := range w.clusterVMs(c) {
		out.VMs++

		if v.row.Status == wire.VMStatusRunning {
			out.Running++
		}

		if v.holdsMemory() {
			memory += v.row.Memory
		}
	}

	out.Memory, out.Storage = newGauge(memory, total), newGauge(w.storageInUse(c), c.capacity)

	return out
}

// listVMs adds the VMs that the query selects, the newest first, with timelines
// on one axis.
func (w *world) listVMs(q statusQuery, out *status) {
	out.Total = len(w.vms.list)

	for _, v := range slices.Backward(w.vms.list) {
		shown := w.vmStatus(v)

		if shown.Waiting {
			out.Waiting++
		}

		if !strings.Contains(v.row.Name, q.Name) || q.Waiting && !shown.Waiting {
			continue
		}

		out.Matching++

		if len(out.VMs) < maxShownVMs {
			out.VMs = append(out.VMs, shown)
		}
	}

	for _, v := range slices.Backward(w.deletedVMs) {
		if !strings.Contains(v.row.Name, q.Name) || q.Waiting {
			continue
		}

		out.NumDeleted++

		if len(out.Deleted) < maxShownDeleted {
			out.Deleted = append(out.Deleted, w.vmStatus(v))
		}
	}

	a := w.axisFor(out.VMs, out.Deleted)
	out.Axis = a.marks()

	for i := range out.VMs {
		out.VMs[i].layOut(a, w.now)
	}

	for i := range out.Deleted {
		out.Deleted[i].layOut(a, w.now)
	}
}

func (w *world) vmStatus(v *vm) vmStatus {
	out := vmStatus{
		Name: v.row.Name, ID: v.row.ID, LocalID: v.row.LocalID, Cluster: v.cluster.row.Name, Power: string(v.row.Status),
		Tools: string(v.row.VMToolsStatus), Created: w.clockTime(v.createdAt),
		lanes: w.lanes(v), origin: v.timelineStart(), end: v.timelineEnd(),
	}

	if v.host != nil {
		out.Host = v.host.row.Name
	}

	switch {
	case v.deleted():
		out.Power = "DELETED"
		out.Notes = append(out.Notes, "deleted "+w.clockTime(v.deletedAt))
	case v.row.EntityAsyncStatus != nil:
		out.Async = string(*v.row.EntityAsyncStatus)
	}

	if v.row.InRecycleBin {
		out.Notes = append(out.Notes, "in the recycle bin")
	}

	if !v.visibleAt(w.now) {
		out.Notes = append(out.Notes, "hidden from the API")
	}

	for _, l := range out.lanes {
		out.Waiting = out.Waiting || l.waiting && !v.deleted()
	}

	return out
}

// axisFor returns an axis that is long enough for all these VMs.
func (w *world) axisFor(lists ...[]vmStatus) axis {
	var happened, waited time.Duration

	for i := range lists {
		for j := range lists[i] {
			shown := &lists[i][j]

			for _, l := range shown.lanes {
				for _, p := range l.phases {
					happened = max(happened, p.from.Sub(shown.origin))
				}

				if l.waiting {
					waited = max(waited, w.now.Sub(shown.origin))
				}

				if !l.due.IsZero() {
					happened = max(happened, l.due.Sub(shown.origin))
				}
			}
		}
	}

	return newAxis(happened, waited)
}

// marks returns the axis's ticks in percent.
func (a axis) marks() []tick {
	return mapSlice(a.ticks, func(at time.Duration) tick {
		place, _ := a.percent(at)
		t := tick{At: place, Label: tickLabel(at), Anchor: "middle"}

		switch {
		case at == 0:
			t.Anchor = "start"
		case place > 95:
			t.Anchor = "end"
		}

		return t
	})
}

func tickLabel(at time.Duration) string {
	if at == 0 {
		return "0"
	}

	label := at.String()
	if strings.HasSuffix(label, "m0s") {
		label = strings.TrimSuffix(label, "0s")
	}

	if strings.HasSuffix(label, "h0m") {
		label = strings.TrimSuffix(label, "0m")
	}

	return label
}

// layOut puts a VM's lanes on the axis. A phase without an end ends now.
func (s *vmStatus) layOut(a axis, now time.Time) {
	s.Lanes = mapSlice(s.lanes, func(l lane) laneStatus {
		out := laneStatus{Label: l.label, Detail: l.detail, Value: l.value, Waiting: l.waiting}

		for _, p := range l.phases {
			out.History = append(out.History, p.title)
			from, onAxis := a.percent(p.from.Sub(s.origin))
			to, _ := a.percent(firstNonZero(p.to, firstNonZero(s.end, now)).Sub(s.origin))

			if onAxis && to > from {
				out.Bars = append(out.Bars, bar{
					Kind: p.kind, Title: p.title, X: from, Width: to - from,
					Thin: p.kind == phaseMade || p.kind == phaseOn || p.kind == phaseWaiting,
				})
			}
		}

		if !l.due.IsZero() && l.due.After(now) {
			out.Due, out.HasDue = a.percent(l.due.Sub(s.origin))
		}

		return out
	})
}
