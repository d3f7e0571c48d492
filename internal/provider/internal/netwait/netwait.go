// SPDX-License-Identifier: MPL-2.0

// Package netwait waits until a VM's network is ready and tells, in words, why
// it is not. It joins the rule (internal/readiness) with what Tower reports
// (internal/tower) and what Kubernetes knows (internal/kubenode); it knows
// nothing of Terraform.
package netwait

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/kubenode"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/internal/providerid"
	"github.com/smartxworks/terraform-provider-elf/internal/readiness"
	"github.com/smartxworks/terraform-provider-elf/internal/tower"
)

// asyncCreating is what Tower shows of a VM that is still being created.
const asyncCreating = "CREATING"

// patience is how many looks in a row must agree before a VM counts as gone or
// as switched off: Tower loses sight of a VM for a moment now and then, and
// shows a fresh one as stopped before its first start has been noticed.
const patience = 2

// progressEvery is how often a wait that goes on without a change says so.
const progressEvery = time.Minute

// Watcher is the part of the Tower client that a wait needs.
type Watcher interface {
	// WatchVM hands each look at the VM to observe until it returns true or
	// ctx ends.
	WatchVM(ctx context.Context, vmID string, observe func(obs tower.VMObservation, err error) (done bool)) error
}

// NodeWatch is one VM's look at the nodes of its Kubernetes cluster;
// *kubenode.Watch is one.
type NodeWatch interface {
	// Fresh receives when there is a new status, Status returns the latest one
	// without waiting, Stop ends the watch.
	Fresh() <-chan struct{}
	Status() kubenode.Status
	Stop()
}

// Nodes finds the Kubernetes node of a VM.
type Nodes interface {
	// Watch begins to look. It never blocks: an API server that does not answer
	// must not delay what Tower decides.
	Watch(ctx context.Context, q kubenode.Query) NodeWatch
}

// Request says what to wait for.
type Request struct {
	// VMID and VMName name the VM.
	VMID, VMName string
	// Rule is what must hold, with the NICs in the configuration's order.
	Rule readiness.Spec
	// Timeout bounds the wait alone. Settle is how long the addresses must
	// have stayed the same; zero means that one look is enough.
	Timeout, Settle time.Duration
	// Restarted: the VM has just been powered on again, so what Tower shows from
	// before says nothing until the guest's tools have reported anew.
	Restarted bool
	// Nodes is asked for the VM's Kubernetes node while Tower's report alone
	// does not satisfy the rule; nil where no Kubernetes is configured.
	// NodeName is the node's name where that is configured.
	Nodes    Nodes
	NodeName string
	// Progress is told of each change and, without one, once a minute. May be
	// nil.
	Progress func(message string, fields map[string]any)
}

// End is how a wait ended.
type End int

// The ways a wait ends.
const (
	// Ready: the rule is satisfied.
	Ready End = iota
	// TimedOut: the wait's time, or that of the operation around it, ran out.
	TimedOut
	// Cancelled: the user interrupted Terraform.
	Cancelled
	// PoweredOff: the VM does not run any more and nobody asked for that.
	PoweredOff
	// Suspended: the VM was suspended and can't get an address.
	Suspended
	// Recycled: the VM was moved to the recycle bin.
	Recycled
	// Deleted: the VM does not exist any more.
	Deleted
	// NotAwaited: no wait took place, because waiting is switched off or the VM
	// does not run and is not meant to.
	NotAwaited
)

// Result is how a wait ended and what was seen last.
type Result struct {
	End     End
	Verdict readiness.Verdict
	// VM and NICs are from the same look as Verdict; VM is nil where no look
	// succeeded.
	VM   *tower.VM
	NICs []tower.VMNIC
	// Node is what Kubernetes said last, NodeAsked whether it was asked.
	Node      kubenode.Status
	NodeAsked bool
	// At is when that look was, Waited how long the wait took.
	At     time.Time
	Waited time.Duration
	// Err is why the last look failed, nil where it did not.
	Err error
	// Ran is whether the VM was seen to run during the wait.
	Ran bool
}

// Wait looks at the VM until its network is ready, it can't become ready any
// more, or the time is over. It returns within moments after ctx ends. Failed
// looks are no verdict: they are reported in Result.Err if they were the last.
// An error that no later look can mend (Tower refuses the log-in for good)
// can't be told apart from a passing one here, so it, too, ends with the time.
func Wait(ctx context.Context, watcher Watcher, req Request) Result {
	start := time.Now()
	wctx, cancel := context.WithTimeout(ctx, req.Timeout)
	defer cancel()
	w := &wait{req: req, lastProgress: start}
	err := w.run(wctx, watcher)
	w.result.Waited = time.Since(start)
	switch {
	case w.ended:
	case errors.Is(ctx.Err(), context.Canceled):
		w.result.End = Cancelled
	default:
		w.result.End = TimedOut
		if w.result.Err == nil && wctx.Err() == nil {
			w.result.Err = err
		}
	}
	return w.result
}

type wait struct {
	req    Request
	result Result
	ended  bool

	seen    bool // a look has succeeded
	node    NodeWatch
	nodeNew <-chan struct{}

	missing, off int // looks in a row

	settled     []string // the addresses that have to stay the same
	settledFrom time.Time

	lastLine     string
	lastProgress time.Time
}

// towerLook is one look at Tower.
type towerLook struct {
	obs tower.VMObservation
	err error
}

// run takes looks at Tower and news of the node as they come, until the wait is
// over or ctx ends. The watching of Tower runs beside it, so that neither
// source can hold up the other.
func (w *wait) run(ctx context.Context, watcher Watcher) error {
	ctx, cancel := context.WithCancel(ctx)
	looks, stopped := make(chan towerLook), make(chan struct{})
	var failure error // of the watching, good once stopped is closed
	go func() {
		defer close(stopped)
		failure = watcher.WatchVM(ctx, w.req.VMID, func(obs tower.VMObservation, err error) bool {
			select {
			case looks <- towerLook{obs, err}:
				return false
			case <-ctx.Done():
				return true
			}
		})
	}()
	defer func() {
		cancel()
		<-stopped
		if w.node != nil {
			w.node.Stop()
		}
	}()
	for {
		select {
		case l := <-looks:
			if w.observe(ctx, l.obs, l.err, time.Now()) {
				return nil
			}
		case <-w.nodeNew:
			if w.judge(time.Now()) {
				return nil
			}
		case <-stopped:
			return failure
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// observe takes one look at Tower and reports whether the wait is over.
func (w *wait) observe(ctx context.Context, obs tower.VMObservation, err error, now time.Time) bool {
	w.result.Err = err
	if err != nil {
		w.progress(now)
		return false
	}
	if obs.VM == nil {
		w.missing++
		w.progress(now)
		return w.missing >= patience && w.end(Deleted)
	}
	w.missing, w.seen = 0, true
	w.result.VM, w.result.NICs, w.result.At = obs.VM, obs.NICs, now
	if obs.VM.InRecycleBin {
		return w.end(Recycled)
	}
	if obs.VM.EntityAsyncStatus != asyncCreating && w.notRunning(obs.VM.Status) {
		w.evaluate()
		switch obs.VM.Status {
		case tower.StatusDeleted:
			return w.end(Deleted)
		case tower.StatusSuspended:
			return w.end(Suspended)
		default:
			return w.end(PoweredOff)
		}
	}
	over := w.judge(now)
	if !over && w.node == nil && w.req.Nodes != nil && w.result.Verdict.NeedsNode && obs.VM.HasRealLocalID() {
		w.node = w.req.Nodes.Watch(ctx, kubenode.Query{
			ProviderID: ProviderID(obs.VM), NodeName: w.req.NodeName, VMName: obs.VM.Name, VMCreatedAt: obs.VM.CreatedAt,
		})
		w.nodeNew, w.result.NodeAsked = w.node.Fresh(), true
	}
	return over
}

// ProviderID is the provider id that the Kubernetes node of the VM carries.
func ProviderID(vm *tower.VM) string { return providerid.Of(vm.LocalID) }

// evaluate applies the rule to the latest that both sources have told.
func (w *wait) evaluate() {
	nics := w.result.NICs
	if w.req.Restarted && !w.toolsReport() {
		nics = WithoutAddresses(nics)
	}
	obs := Observe(nics)
	if w.node != nil {
		w.result.Node = w.node.Status()
		obs.Node = w.result.Node.InternalIPs
	}
	w.result.Verdict = readiness.Evaluate(w.req.Rule, obs)
}

// toolsReport tells whether the guest's tools run, and so whether addresses can
// be from after the power-on.
func (w *wait) toolsReport() bool {
	status := w.result.VM.ToolsStatus
	return status != toolsNotRunning && status != toolsNotInstalled
}

// judge reports whether the VM is ready by the latest that is known.
func (w *wait) judge(now time.Time) bool {
	if !w.seen {
		return false
	}
	w.evaluate()
	defer w.progress(now)
	if !w.result.Verdict.Ready || w.result.VM.EntityAsyncStatus == asyncCreating {
		w.settledFrom = time.Time{}
		return false
	}
	w.result.At = now
	return w.steady(now) && w.end(Ready)
}

// notRunning reports whether the VM has stopped for good: it ran before, or
// has been seen so often enough. UNKNOWN (its host can't be reached) is not a
// verdict.
func (w *wait) notRunning(status string) bool {
	switch status {
	case tower.StatusRunning:
		w.result.Ran, w.off = true, 0
		return false
	case tower.StatusStopped, tower.StatusSuspended, tower.StatusDeleted:
		w.off++
		return w.result.Ran || w.off >= patience
	}
	w.off = 0
	return false
}

// steady reports whether the addresses have been the same for Settle.
func (w *wait) steady(now time.Time) bool {
	if w.req.Settle <= 0 {
		return true
	}
	current := make([]string, 0, len(w.result.Verdict.Addresses))
	for _, address := range w.result.Verdict.Addresses {
		current = append(current, address.String())
	}
	if w.settledFrom.IsZero() || !slices.Equal(current, w.settled) {
		w.settled, w.settledFrom = current, now
	}
	return now.Sub(w.settledFrom) >= w.req.Settle
}

func (w *wait) end(end End) bool {
	w.result.End, w.ended = end, true
	return true
}

// progress says what is missing, on each change and once a minute.
func (w *wait) progress(now time.Time) {
	if w.req.Progress == nil || w.ended {
		return
	}
	line := w.result.missing()
	if line == w.lastLine && now.Sub(w.lastProgress) < progressEvery {
		return
	}
	w.lastLine, w.lastProgress = line, now
	fields := map[string]any{"vm_id": w.req.VMID, "vm_name": w.req.VMName}
	if w.result.VM != nil {
		fields["power_state"], fields["vm_tools_status"] = w.result.VM.Status, w.result.VM.ToolsStatus
	}
	if w.result.NodeAsked && w.result.Node.Problem != "" {
		fields["kubernetes"] = w.result.Node.Problem
	}
	if w.result.Err != nil {
		fields["error"] = w.result.Err.Error()
	}
	w.req.Progress("Waiting for the network: "+line, fields)
}

// Observe turns Tower's NICs into what the rule reads.
func Observe(nics []tower.VMNIC) readiness.Observation {
	reported := make([]readiness.ReportedNIC, 0, len(nics))
	for _, nic := range nics {
		reported = append(reported, readiness.ReportedNIC{
			MAC: nic.MAC, Order: nic.Order, Enabled: nic.Enabled, Addresses: nic.IPAddresses,
		})
	}
	return readiness.Observation{NICs: reported}
}

// WithoutAddresses returns the NICs with nothing reported on them.
func WithoutAddresses(nics []tower.VMNIC) []tower.VMNIC {
	out := make([]tower.VMNIC, len(nics))
	for i, nic := range nics {
		nic.IPAddresses = nil
		out[i] = nic
	}
	return out
}
