// SPDX-License-Identifier: MPL-2.0

// Package netwait waits until a VM's network is ready, and says in words why it
// is not. It combines the rule (internal/readiness) with Tower's reports
// (internal/tower) and with Kubernetes nodes (internal/kubenode). It knows
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

// asyncCreating is the EntityAsyncStatus of a VM that is still being created.
const asyncCreating = "CREATING"

// confirmations is how many looks in a row must agree before a VM counts as
// deleted or as off: now and then Tower does not show a VM for a moment, and it
// shows a new VM as stopped until it has noticed the first start.
const confirmations = 2

// progressInterval is how often a wait reports that nothing has changed.
const progressInterval = time.Minute

// Watcher is the part of the Tower client that a wait needs.
type Watcher interface {
	// WatchVM calls observe with each look at the VM, until observe returns true or
	// ctx ends.
	WatchVM(ctx context.Context, vmID string, observe func(obs tower.VMObservation, err error) (done bool)) error
}

// NodeWatch follows the Kubernetes node of one VM; *kubenode.Watch implements it.
type NodeWatch interface {
	// Fresh receives when there is a new status. Status returns the latest one
	// without waiting. Stop ends the watch.
	Fresh() <-chan struct{}
	Status() kubenode.Status
	Stop()
}

// Nodes finds the Kubernetes node of a VM.
type Nodes interface {
	// Watch starts to look for the node. It never blocks, because an API server
	// that does not answer must not delay a wait that Tower's report can end.
	Watch(ctx context.Context, q kubenode.Query) NodeWatch
}

// Request says what to wait for.
type Request struct {
	// VMID and VMName name the VM.
	VMID, VMName string
	// Rule says when the network is ready, with the NICs in the configuration's
	// order.
	Rule readiness.Spec
	// Timeout limits the wait itself. Settle is how long the addresses must stay
	// the same; zero means that one look is enough.
	Timeout, Settle time.Duration
	// Restarted is true if the VM has just been powered on again. Addresses that
	// Tower shows then may be from before, so they don't count while the guest's
	// VM tools do not run.
	Restarted bool
	// Nodes finds the VM's Kubernetes node, which is looked up while Tower's report
	// alone does not satisfy the rule. It is nil if no Kubernetes cluster is
	// configured. NodeName is the node's name if that is configured.
	Nodes    Nodes
	NodeName string
	// Progress is called at each change, and once a minute if nothing changes. It
	// may be nil.
	Progress func(message string, fields map[string]any)
}

// End is how a wait ended.
type End int

// The ways a wait ends.
const (
	// Ready: the rule is satisfied.
	Ready End = iota
	// TimedOut: the time for the wait, or for the operation it is part of, ran out.
	TimedOut
	// Cancelled: the user interrupted Terraform.
	Cancelled
	// PoweredOff: the VM is off although it is meant to run.
	PoweredOff
	// Suspended: the VM is suspended, so it can't get an address.
	Suspended
	// Recycled: the VM was moved to the recycle bin.
	Recycled
	// Deleted: the VM no longer exists.
	Deleted
	// NotAwaited: no wait took place, because the configuration disables it or
	// because the VM is off and not meant to run.
	NotAwaited
)

// Result is how a wait ended and what was seen last.
type Result struct {
	End     End
	Verdict readiness.Verdict
	// VM and NICs are from the look that Verdict is about. VM is nil if no look
	// succeeded.
	VM   *tower.VM
	NICs []tower.VMNIC
	// Node is the last status of the VM's Kubernetes node. NodeAsked is true if the
	// node was looked up.
	Node      kubenode.Status
	NodeAsked bool
	// At is the time of that look. Waited is how long the wait took.
	At     time.Time
	Waited time.Duration
	// Err is why the last look failed, nil if it succeeded.
	Err error
	// Ran is true if the VM was seen running during the wait.
	Ran bool
}

// Wait looks at the VM until its network is ready, until it can no longer become
// ready, or until the time runs out. It returns soon after ctx ends. A failed look
// does not end the wait; Result.Err has the error if the last look failed. Wait
// can't tell a permanent error, such as a log-in that Tower refuses, from a
// temporary one, so it waits until the time runs out in both cases.
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

	seen      bool // a look has succeeded
	node      NodeWatch
	nodeFresh <-chan struct{}

	missing, off int // looks in a row that did not find the VM, or found it off

	stable      []string // the addresses that must stay the same for Settle
	stableSince time.Time

	lastLine     string
	lastProgress time.Time
}

// towerLook is one look at Tower.
type towerLook struct {
	obs tower.VMObservation
	err error
}

// run handles looks at Tower and new statuses of the node until the wait is over
// or ctx ends. It watches Tower in a goroutine of its own, so that neither source
// can delay the other.
func (w *wait) run(ctx context.Context, watcher Watcher) error {
	ctx, cancel := context.WithCancel(ctx)
	looks, stopped := make(chan towerLook), make(chan struct{})
	var failure error // the result of WatchVM, valid once stopped is closed
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
		case <-w.nodeFresh:
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

// observe handles one look at Tower and reports whether the wait is over.
func (w *wait) observe(ctx context.Context, obs tower.VMObservation, err error, now time.Time) bool {
	w.result.Err = err
	if err != nil {
		w.progress(now)
		return false
	}
	if obs.VM == nil {
		w.missing++
		w.progress(now)
		return w.missing >= confirmations && w.end(Deleted)
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
		w.nodeFresh, w.result.NodeAsked = w.node.Fresh(), true
	}
	return over
}

// ProviderID returns the provider id that the VM's Kubernetes node has.
func ProviderID(vm *tower.VM) string { return providerid.Of(vm.LocalID) }

// evaluate applies the rule to the latest look at Tower and the latest status of
// the node.
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

// toolsReport reports whether the guest's VM tools may be running, so that
// reported addresses may be from after the power-on.
func (w *wait) toolsReport() bool {
	status := w.result.VM.ToolsStatus
	return status != toolsNotRunning && status != toolsNotInstalled
}

// judge evaluates the rule and reports whether the wait is over because the VM is
// ready.
func (w *wait) judge(now time.Time) bool {
	if !w.seen {
		return false
	}
	w.evaluate()
	defer w.progress(now)
	if !w.result.Verdict.Ready || w.result.VM.EntityAsyncStatus == asyncCreating {
		w.stableSince = time.Time{}
		return false
	}
	w.result.At = now
	return w.settled(now) && w.end(Ready)
}

// notRunning reports whether the VM is off for good: it ran before, or enough
// looks in a row have found it off. With the status UNKNOWN (its host can't be
// reached) it may still be running.
func (w *wait) notRunning(status string) bool {
	switch status {
	case tower.StatusRunning:
		w.result.Ran, w.off = true, 0
		return false
	case tower.StatusStopped, tower.StatusSuspended, tower.StatusDeleted:
		w.off++
		return w.result.Ran || w.off >= confirmations
	}
	w.off = 0
	return false
}

// settled reports whether the addresses have stayed the same for Settle.
func (w *wait) settled(now time.Time) bool {
	if w.req.Settle <= 0 {
		return true
	}
	current := make([]string, 0, len(w.result.Verdict.Addresses))
	for _, address := range w.result.Verdict.Addresses {
		current = append(current, address.String())
	}
	if w.stableSince.IsZero() || !slices.Equal(current, w.stable) {
		w.stable, w.stableSince = current, now
	}
	return now.Sub(w.stableSince) >= w.req.Settle
}

func (w *wait) end(end End) bool {
	w.result.End, w.ended = end, true
	return true
}

// progress reports what is missing, at each change and once a minute.
func (w *wait) progress(now time.Time) {
	if w.req.Progress == nil || w.ended {
		return
	}
	line := w.result.missing()
	if line == w.lastLine && now.Sub(w.lastProgress) < progressInterval {
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

// Observe converts Tower's NICs to an observation for the rule.
func Observe(nics []tower.VMNIC) readiness.Observation {
	reported := make([]readiness.ReportedNIC, 0, len(nics))
	for _, nic := range nics {
		reported = append(reported, readiness.ReportedNIC{
			MAC: nic.MAC, Order: nic.Order, Enabled: nic.Enabled, Addresses: nic.IPAddresses,
		})
	}
	return readiness.Observation{NICs: reported}
}

// WithoutAddresses returns a copy of the NICs without reported addresses.
func WithoutAddresses(nics []tower.VMNIC) []tower.VMNIC {
	out := make([]tower.VMNIC, len(nics))
	for i, nic := range nics {
		nic.IPAddresses = nil
		out[i] = nic
	}
	return out
}
