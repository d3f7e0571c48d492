// SPDX-License-Identifier: MPL-2.0

// Package kubenode finds the Kubernetes node of a VM and the addresses that it shows. It returns no errors, because
// no problem with Kubernetes may fail its caller: a Status says in words why there is no address.
package kubenode

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	defaultInterval       = 5 * time.Second
	defaultRequestTimeout = 10 * time.Second
	notAskedYet           = "Kubernetes has not answered yet."
)

// Options control how a Directory lists nodes.
type Options struct {
	// Interval is the time between the starts of two lists. Zero or less means 5 s.
	Interval time.Duration
	// RequestTimeout is how long one list may take. Zero or less means 10 s.
	RequestTimeout time.Duration
	// UserAgent names the program to the API server. Empty means client-go's default.
	UserAgent string
}

// Directories keeps one Directory for each Config.
type Directories struct {
	opts Options

	mu       sync.Mutex
	byConfig map[Config]*Directory
}

// NewDirectories returns Directories that make each Directory with opts.
func NewDirectories(opts Options) *Directories {
	return &Directories{opts: opts, byConfig: map[Config]*Directory{}}
}

// Directory returns the Directory for cfg.
func (ds *Directories) Directory(cfg Config) *Directory {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.byConfig[cfg]
	if d == nil {
		d = New(cfg, ds.opts)
		ds.byConfig[cfg] = d
	}
	return d
}

// Directory knows the nodes of one cluster. It lists them at a steady pace while anybody watches, in a goroutine of
// its own. One list serves all watches.
type Directory struct {
	interval, timeout time.Duration
	list              func(context.Context) *snapshot // only called when the call before has returned
	wake              chan struct{}                   // tells the sleeping loop that the watches changed
	overdue           chan *snapshot                  // used by the loop alone: a list that has run out of time, else nil

	mu        sync.Mutex
	watches   map[*Watch]struct{}
	running   bool // the loop's goroutine exists
	lastStart time.Time
	latest    *snapshot          // nil before the first list
	cancel    context.CancelFunc // cancels the list in flight, nil if there is none
}

// New returns a Directory for the cluster that cfg names. It lists nothing until somebody watches; until then the
// kubeconfig need not exist and the API server need not answer.
func New(cfg Config, opts Options) *Directory {
	if opts.Interval <= 0 {
		opts.Interval = defaultInterval
	}
	if opts.RequestTimeout <= 0 {
		opts.RequestTimeout = defaultRequestTimeout
	}
	return &Directory{
		interval: opts.Interval, timeout: opts.RequestTimeout,
		list:    (&lister{config: cfg, userAgent: opts.UserAgent}).snapshot,
		wake:    make(chan struct{}, 1),
		watches: map[*Watch]struct{}{},
	}
}

// Watch follows the node of one VM.
type Watch struct {
	d      *Directory
	query  Query
	fresh  chan struct{}
	detach func() bool
}

// Watch makes the Directory list nodes until the Watch is stopped or ctx ends. If there is a recent list, the Watch has
// its status at once, and the next list starts one interval after it; otherwise a list starts at once. Watch never
// blocks.
func (d *Directory) Watch(ctx context.Context, q Query) *Watch {
	w := &Watch{d: d, query: q, fresh: make(chan struct{}, 1)}
	if ctx.Err() != nil {
		return w
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.latest != nil && time.Since(d.lastStart) >= d.interval && !d.running {
		d.latest = nil // The last list is too old to be shown as the current one.
	}
	d.watches[w] = struct{}{}
	if d.latest != nil {
		w.fresh <- struct{}{}
	}
	w.detach = context.AfterFunc(ctx, func() { d.leave(w) })
	if !d.running {
		d.running = true
		go d.run(context.WithoutCancel(ctx))
	}
	return w
}

// Fresh returns a channel that receives a value when there is a new status. Several new statuses that nobody has
// received count as one.
func (w *Watch) Fresh() <-chan struct{} { return w.fresh }

// Status returns the latest status of the VM's node, without waiting.
func (w *Watch) Status() Status { return w.d.Lookup(w.query) }

// Stop ends the Watch. The Directory stops listing when its last Watch ends. Calling Stop twice is harmless.
func (w *Watch) Stop() {
	if w.detach != nil {
		w.detach()
	}
	w.d.leave(w)
}

// Lookup returns the status by the latest list, without waiting and without causing a list.
func (d *Directory) Lookup(q Query) Status {
	d.mu.Lock()
	latest := d.latest
	d.mu.Unlock()
	if latest == nil {
		return Status{Problem: notAskedYet}
	}
	return latest.status(q)
}

// Look returns the status by a recent list, and waits for one until ctx ends. Looks that arrive together share a list.
func (d *Directory) Look(ctx context.Context, q Query) Status {
	w := d.Watch(ctx, q)
	defer w.Stop()
	select {
	case <-w.fresh:
		return w.Status()
	case <-ctx.Done():
		return Status{Problem: notAskedYet}
	}
}

func (d *Directory) leave(w *Watch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.watches, w)
	if len(d.watches) > 0 {
		return
	}
	if d.cancel != nil {
		d.cancel()
	}
	d.signal()
}

func (d *Directory) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run lists nodes until nobody watches. Its lists get the context values of the watch that started it.
func (d *Directory) run(values context.Context) {
	for {
		ctx, wait := d.next(values)
		switch {
		case ctx != nil:
			d.publish(ctx, d.await(ctx))
		case wait > 0:
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-d.wake:
			}
			timer.Stop()
		default:
			return
		}
	}
}

// next returns the context for the next list if that is due, or else how long to sleep until it is. If it returns
// neither, nobody watches any more and the loop must end.
func (d *Directory) next(values context.Context) (context.Context, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.watches) == 0 {
		d.running = false
		return nil, 0
	}
	now := time.Now()
	if wait := d.lastStart.Add(d.interval).Sub(now); wait > 0 {
		return nil, wait
	}
	d.lastStart = now
	ctx, cancel := context.WithTimeout(values, d.timeout)
	d.cancel = cancel
	return ctx, 0
}

// await lists in a goroutine of its own, because a credential plugin ignores the context and may hang. The next call
// continues to wait for a list that has run out of time, instead of starting another one.
func (d *Directory) await(ctx context.Context) *snapshot {
	if d.overdue == nil {
		overdue := make(chan *snapshot, 1)
		go func() { overdue <- d.list(ctx) }()
		d.overdue = overdue
	}
	select {
	case s := <-d.overdue:
		d.overdue = nil
		return s
	case <-ctx.Done():
	}
	// A list that ends together with its context gets a moment to say why it failed.
	grace := time.NewTimer(time.Second)
	defer grace.Stop()
	select {
	case s := <-d.overdue:
		d.overdue = nil
		return s
	case <-grace.C:
		return &snapshot{problem: "Kubernetes did not answer in time. Check whether a credential plugin of the kubeconfig waits for input."}
	}
}

func (d *Directory) publish(ctx context.Context, s *snapshot) {
	d.mu.Lock()
	defer d.mu.Unlock()
	cancelled := errors.Is(ctx.Err(), context.Canceled)
	d.cancel()
	d.cancel = nil
	if cancelled {
		return // All watches that it was for have ended. A watch that came since gets a list of its own.
	}
	s.at = time.Now()
	d.latest = s
	for w := range d.watches {
		select {
		case w.fresh <- struct{}{}:
		default:
		}
	}
}
