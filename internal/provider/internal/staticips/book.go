// SPDX-License-Identifier: MPL-2.0

// Package staticips knows which static addresses the VMs of one run of Terraform
// are planned to have, so that a plan can tell where two VMs would share one. It
// knows nothing of Tower.
package staticips

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// patience is how long Accounted waits for the plan of a VM that has been read: a plan
// follows the read at once, unless it waits for something else.
const patience = 2 * time.Second

// Address is an address on a VM network.
type Address struct{ VLANID, IP string }

// VM is a VM of the run. One that is to be created has no ID, and is known by the
// cluster and the name.
type VM struct{ ID, ClusterID, Name string }

func (v VM) key() VM {
	if v.ID != "" {
		return VM{ID: v.ID}
	}
	return v
}

// Plan is what becomes of the addresses of a VM.
type Plan struct {
	// Has are the addresses that the VM is to have. Those that it has not been
	// given before are true.
	Has map[Address]bool
	// Gives are those that it has and gives up.
	Gives []Address
}

// Book is what the VMs of a run are planned to have. Its zero value is empty. It
// is safe for concurrent use.
type Book struct {
	mu  sync.Mutex
	vms map[VM]*record
}

// record is what is known of one VM.
type record struct {
	vm      VM
	plan    Plan
	ends    bool
	planned chan struct{} // closed once plan or ends is known
}

// of returns the record of a VM. The lock must be held.
func (b *Book) of(vm VM) *record {
	r := b.vms[vm.key()]
	if r == nil {
		r = &record{planned: make(chan struct{})}
		if b.vms == nil {
			b.vms = map[VM]*record{}
		}
		b.vms[vm.key()] = r
	}
	return r
}

// settle marks a record as planned. The lock must be held.
func (r *record) settle() {
	select {
	case <-r.planned:
	default:
		close(r.planned)
	}
}

// Seen notes that the run manages a VM, whose plan is to follow.
func (b *Book) Seen(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(VM{ID: id})
}

// Ends notes that a VM is to be destroyed, and gives up all its addresses.
func (b *Book) Ends(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.of(VM{ID: id})
	r.plan, r.ends = Plan{}, true
	r.settle()
}

// Planned notes the plan of a VM in place of an earlier one, and returns the VMs
// planned before that are to have one of its addresses, too. Where neither of two
// is newly given an address, it is no news that they share it.
func (b *Book) Planned(vm VM, plan Plan) map[Address][]VM {
	b.mu.Lock()
	defer b.mu.Unlock()
	mine := b.of(vm)
	mine.vm, mine.plan, mine.ends = vm, plan, false
	mine.settle()
	shared := map[Address][]VM{}
	for _, other := range b.vms {
		if other == mine {
			continue
		}
		for address, isNew := range plan.Has {
			if wasNew, has := other.plan.Has[address]; has && (isNew || wasNew) {
				shared[address] = append(shared[address], other.vm)
			}
		}
	}
	for _, vms := range shared {
		slices.SortFunc(vms, func(a, b VM) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	}
	return shared
}

// Accounted reports whether the run's own plans answer for an address that the VM
// with the id shows: it is to be destroyed, gives the address up, or is planned
// to have it, which Planned tells. For a VM whose plan is still to come, it waits
// a moment.
func (b *Book) Accounted(ctx context.Context, id string, address Address) bool {
	b.mu.Lock()
	r := b.vms[VM{ID: id}]
	b.mu.Unlock()
	if r == nil {
		return false
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.planned:
	case <-timer.C:
		return false
	case <-ctx.Done():
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, has := r.plan.Has[address]
	return r.ends || has || slices.Contains(r.plan.Gives, address)
}
