// SPDX-License-Identifier: MPL-2.0

package netwait_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"
)

const (
	operationVMs  = "get-vms"
	operationNICs = "get-vm-nics"
)

// waiting are the numbers of VMs that are waited for at the same time.
var waiting = []int{1, 10, 100, 1000}

// Waiting for up to a hundred VMs costs two requests in each poll interval, and
// one more for each further hundred, but none for each single VM.
func TestWait_requestsOfManyWaits(t *testing.T) {
	t.Parallel()
	const interval, looks = 200 * time.Millisecond, 5
	for _, n := range waiting {
		t.Run(fmt.Sprintf("VMs=%d", n), func(t *testing.T) {
			t.Parallel()
			got := newRig(t, loadScenario(n), interval).waitingLoad(t.Context(), func(_ time.Duration, requests map[string]int) bool {
				return requests[operationVMs] > looks
			})
			if got.vms != n || got.seen != n {
				t.Fatalf("%d of %d VMs were seen, want %d", got.seen, got.vms, n)
			}
			for _, operation := range slices.Sorted(maps.Keys(got.requests)) {
				if operation != operationVMs && operation != operationNICs {
					t.Errorf("%d requests %s", got.requests[operation], operation)
				}
			}
			ticks, nics := got.requests[operationVMs], got.requests[operationNICs]
			if allowed := int(got.took/interval) + 1; ticks > allowed {
				t.Errorf("%d looks in %s, want at most %d", ticks, got.took, allowed)
			}
			if nics > ticks*got.chunks() {
				t.Errorf("%d looks took %d requests for NICs, want at most %d for each look", ticks, nics, got.chunks())
			}
			// The first look may come before all waits have begun, and the last one may not have ended.
			if nics < (ticks-2)*got.chunks() {
				t.Errorf("%d looks took only %d requests for NICs, so they missed some VMs", ticks, nics)
			}
		})
	}
}

// BenchmarkWaiting counts the requests to Tower in a minute of waiting at the
// default poll interval.
func BenchmarkWaiting(b *testing.B) {
	const interval, minute = 5 * time.Second, time.Minute
	loads := make([]load, len(waiting))
	rigs := make([]*rig, len(waiting))
	for i, n := range waiting {
		rigs[i] = newRig(b, loadScenario(n), interval)
	}
	var all sync.WaitGroup
	for i := range rigs {
		all.Go(func() {
			loads[i] = rigs[i].waitingLoad(b.Context(), func(took time.Duration, _ map[string]int) bool { return took >= minute })
		})
	}
	all.Wait()
	for _, l := range loads {
		b.Run(fmt.Sprintf("VMs=%d", l.vms), func(b *testing.B) {
			const ticks = int(minute / interval)
			allowed := ticks * (1 + l.chunks())
			if l.seen != l.vms {
				b.Errorf("%d of %d VMs were seen", l.seen, l.vms)
			}
			if l.total() > allowed {
				b.Errorf("%d requests in %s, want at most %d: %v", l.total(), l.took, allowed, l.requests)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(l.total()), "requests")
			b.ReportMetric(float64(l.requests[operationVMs]), "looks")
			b.ReportMetric(float64(allowed), "allowed")
		})
	}
}

// The limits for the lag between the decisive moment and the end of the wait.
const (
	allowedMedian  = 3 * time.Second
	allowedMaximum = 6 * time.Second
)

// BenchmarkLag measures, in real time, how long after the decisive moment the wait
// ends, for many VMs of each measured case at once. The VMs start at such
// distances that their decisive moments are spread over the poll interval.
func BenchmarkLag(b *testing.B) {
	const (
		interval = 5 * time.Second
		each     = 40
		apart    = 1300 * time.Millisecond
	)
	r := newRig(b, lagScenario, interval)
	at, err := r.place(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	ended, failures := map[string]time.Time{}, map[string]error{}
	for k, c := range lagCases {
		for i := range each {
			all.Go(func() {
				name := fmt.Sprintf("%s-%d", c.name, i)
				start := time.NewTimer(time.Duration(i)*apart + time.Duration(k)*apart/time.Duration(len(lagCases)))
				defer start.Stop()
				<-start.C
				end, err := r.createAndWait(b.Context(), c, name, at)
				mu.Lock()
				defer mu.Unlock()
				ended[name], failures[name] = end, err
			})
		}
	}
	all.Wait()
	lags := map[string][]time.Duration{}
	for _, vm := range r.sim.VMs() {
		i := slices.IndexFunc(lagCases, func(c lagCase) bool { return c.owns(vm.Name) })
		if i < 0 || failures[vm.Name] != nil {
			b.Fatalf("VM %q: %v", vm.Name, failures[vm.Name])
		}
		moment := lagCases[i].decisiveMoment(vm)
		if moment == nil || ended[vm.Name].Before(*moment) {
			b.Fatalf("VM %q was ready before the decisive moment", vm.Name)
		}
		lags[lagCases[i].name] = append(lags[lagCases[i].name], ended[vm.Name].Sub(*moment))
	}
	for _, c := range lagCases {
		b.Run(c.name, func(b *testing.B) { reportLag(b, lags[c.name], each) })
	}
}

func reportLag(b *testing.B, lags []time.Duration, want int) {
	b.Helper()
	if len(lags) != want {
		b.Fatalf("%d VMs, want %d", len(lags), want)
	}
	slices.Sort(lags)
	middle := len(lags) / 2
	median := (lags[middle-1] + lags[middle]) / 2
	maximum := lags[len(lags)-1]
	if median > allowedMedian || maximum > allowedMaximum {
		b.Errorf("the median is %s and the maximum %s, want at most %s and %s", median, maximum, allowedMedian, allowedMaximum)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(lags)), "VMs")
	b.ReportMetric(lags[0].Seconds(), "min-s")
	b.ReportMetric(median.Seconds(), "median-s")
	b.ReportMetric(maximum.Seconds(), "max-s")
}
