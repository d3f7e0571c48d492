// SPDX-License-Identifier: MPL-2.0

// Package kubenode finds the Kubernetes node of a VM and the addresses that it shows. Nothing that Kubernetes does or
// fails to do is an error here: a Status says in words why there is no address.
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

// Options say how a Directory asks.
type Options struct {
	// Interval is the time between the starts of two lists. Zero or less means 5 s.
	Interval time.Duration
	// RequestTimeout is the longest that one list may take. Zero or less means 10 s.
	RequestTimeout time.Duration
	// UserAgent names the program to the API server, empty for client-go's default.
	UserAgent string
}

// Directories keeps one Directory for each Config.
type Directories struct {
	opts Options

	mu   sync.Mutex
	kept map[Config]*Directory
}

// NewDirectories returns a keeper whose Directories have opts.
func NewDirectories(opts Options) *Directories {
	return &Directories{opts: opts, kept: map[Config]*Directory{}}
}

// Directory returns the one of cfg.
func (ds *Directories) Directory(cfg Config) *Directory {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	d := ds.kept[cfg]
	if d == nil {
		d = New(cfg, ds.opts)
		ds.kept[cfg] = d
	}
	return d
}

// Directory knows the nodes of one cluster. It lists them at a steady pace for as long as anybody watches, however
// many they are, in a goroutine of its own.
type Directory struct {
	interval, timeout time.Duration
	list              func(context.Context) *snapshot // only called when the one before has returned
	wake              chan struct{}                   // tells the sleeping loop that the watches changed
	flight            chan *snapshot                  // of the loop: a list that has outlived its time, else nil

	mu        sync.Mutex
	watches   map[*Watch]struct{}
	running   bool // the loop's goroutine exists
	lastStart time.Time
	latest    *snapshot          // nil before the first list
	cancel    context.CancelFunc // of the list in flight, nil without
}

// New returns the Directory of the cluster that cfg names. It asks nothing until somebody watches, and neither wants
// the kubeconfig to exist nor the API server to answer.
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

// Watch is one VM's look at a Directory.
type Watch struct {
	d      *Directory
	query  Query
	fresh  chan struct{}
	detach func() bool
}

// Watch makes the Directory list nodes until the Watch is stopped or ctx ends. The latest list is told at once if it
// is recent; the next one starts an interval after it, at once where there was none. Watch never blocks.
func (d *Directory) Watch(ctx context.Context, q Query) *Watch {
	w := &Watch{d: d, query: q, fresh: make(chan struct{}, 1)}
	if ctx.Err() != nil {
		return w
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.latest != nil && time.Since(d.lastStart) >= d.interval && !d.running {
		d.latest = nil // Nobody has asked for a while: what was true then is not told as if it were now.
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

// Fresh receives when there is a status newer than the last one received for. Lists that nobody received count as one.
func (w *Watch) Fresh() <-chan struct{} { return w.fresh }

// Status returns the latest of the VM's node, without waiting.
func (w *Watch) Status() Status { return w.d.Lookup(w.query) }

// Stop ends the Watch. The Directory stops listing with the last one. Stopping twice is harmless.
func (w *Watch) Stop() {
	if w.detach != nil {
		w.detach()
	}
	w.d.leave(w)
}

// Lookup returns what the latest list tells, without waiting and without causing a list.
func (d *Directory) Lookup(q Query) Status {
	d.mu.Lock()
	latest := d.latest
	d.mu.Unlock()
	if latest == nil {
		return Status{Problem: notAskedYet}
	}
	return latest.look(q)
}

// Look returns what a recent list tells, waiting for one until ctx ends. Looks that come together share a list.
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

// run lists until nobody watches. The lists get the values of the context of the watch that started it.
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

// next begins the list that is due and returns its context; else it returns how long to sleep. With neither, nobody
// watches any more and the loop must end.
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

// await lists in a goroutine of its own, because a credential plugin knows no context and may hang. A list that
// outlives its time is awaited again by the next tick, in place of another one.
func (d *Directory) await(ctx context.Context) *snapshot {
	if d.flight == nil {
		flight := make(chan *snapshot, 1)
		go func() { flight <- d.list(ctx) }()
		d.flight = flight
	}
	select {
	case s := <-d.flight:
		d.flight = nil
		return s
	case <-ctx.Done():
	}
	// A list that ends with its context has the time to say why.
	grace := time.NewTimer(time.Second)
	defer grace.Stop()
	select {
	case s := <-d.flight:
		d.flight = nil
		return s
	case <-grace.C:
		return &snapshot{problem: "Kubernetes did not answer in time: is a credential plugin of the kubeconfig waiting for something?"}
	}
}

func (d *Directory) publish(ctx context.Context, s *snapshot) {
	d.mu.Lock()
	defer d.mu.Unlock()
	cancelled := errors.Is(ctx.Err(), context.Canceled)
	d.cancel()
	d.cancel = nil
	if cancelled {
		return // All who wanted it have left; whoever came since gets a list of its own.
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
