// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"cmp"
	"slices"
	"time"
)

// node is a Kubernetes node of the simulated workload cluster. It has its VM's
// name. It outlives the VM, as nodes do that nobody deletes; the next VM with
// the name replaces it.
type node struct {
	name         string
	uid          string
	created      time.Time
	providerID   string
	internalIP   string
	ready        bool
	changed      time.Time // when ready last changed
	addedVersion uint64    // the version in which it was added
	version      uint64
	vm           *vm
}

// maxRemovedNodes is the number of removed nodes that are kept for watches.
const maxRemovedNodes = 1000

// nodeStore holds the nodes by name, and the removed nodes for clients that
// watch. Its version counts all changes, also over resets.
type nodeStore struct {
	byName    map[string]*node
	removed   []node // version is that of the removal
	version   uint64
	compacted uint64 // removals up to this version may be lost
}

// planNode plans when the guest joins its Kubernetes cluster.
func (w *world) planNode(s *guestRun) {
	spec := s.guest.KubernetesNode
	if spec == nil {
		return
	}

	at := w.scenario.Timing.Boot
	if spec.Registered != nil {
		if *spec.Registered == Never {
			return
		}

		at = time.Duration(*spec.Registered)
	}

	w.addStep(s, at, func() { w.registerNode(s.vm, spec) })
}

// registerNode makes a VM's kubelet register. A VM that has a node already
// keeps it; any other VM gets a new node.
func (w *world) registerNode(v *vm, spec *GuestNode) {
	if w.nodes.byName == nil {
		w.nodes.byName = map[string]*node{}
	}

	n, ok := w.nodes.byName[v.row.Name]
	if !ok || n.vm != v {
		w.nodes.remove(n)

		n = &node{name: v.row.Name, uid: w.ids.uuid(), created: w.now, vm: v}
		w.nodes.byName[n.name] = n
		v.nodeRegisteredAt = w.now
	}

	if spec.ProviderID == nil || *spec.ProviderID {
		n.providerID = "elf://" + v.row.LocalID
	}

	n.internalIP = spec.InternalIP
	if n.internalIP == "" {
		n.internalIP = v.firstAddress()
	}

	w.nodes.touch(n, true, w.now)
}

// firstAddress returns the address of the first NIC that has one.
func (v *vm) firstAddress() string {
	for _, n := range v.nics {
		if n.address.ip != "" {
			return n.address.ip
		}
	}

	return ""
}

// markNotReady marks the node of a VM that has stopped as not ready: it misses
// its heartbeats.
func (b *nodeStore) markNotReady(v *vm, now time.Time) {
	for _, n := range b.byName {
		if n.vm == v && n.ready {
			b.touch(n, false, now)
		}
	}
}

func (b *nodeStore) touch(n *node, ready bool, now time.Time) {
	if n.ready != ready || n.changed.IsZero() {
		n.changed = now
	}

	n.ready = ready
	b.version++
	n.version = b.version

	if n.addedVersion == 0 {
		n.addedVersion = b.version
	}
}

// remove removes a node, unless it is nil.
func (b *nodeStore) remove(n *node) {
	if n == nil {
		return
	}

	b.version++
	gone := *n
	gone.version, gone.vm = b.version, nil
	b.removed = append(b.removed, gone)
	delete(b.byName, n.name)

	if len(b.removed) > maxRemovedNodes {
		b.compacted = b.removed[0].version
		b.removed = b.removed[1:]
	}
}

// removeNodeOf removes the node of a VM, if it has one.
func (b *nodeStore) removeNodeOf(v *vm) {
	for _, n := range b.byName {
		if n.vm == v {
			b.remove(n)
		}
	}
}

// cleared returns the store without nodes. All nodes count as removed.
func (b *nodeStore) cleared() nodeStore {
	for _, name := range sortedKeys(b.byName) {
		b.remove(b.byName[name])
	}

	return *b
}

// since returns the changes of nodes after a version, in their order. The
// removal of a node is included if the node existed at that version.
func (b *nodeStore) since(version uint64) (changed []nodeEvent) {
	for _, n := range b.byName {
		switch {
		case n.addedVersion > version:
			changed = append(changed, nodeEvent{"ADDED", *n})
		case n.version > version:
			changed = append(changed, nodeEvent{"MODIFIED", *n})
		}
	}

	for _, n := range b.removed {
		if n.addedVersion <= version && n.version > version {
			changed = append(changed, nodeEvent{"DELETED", n})
		}
	}

	slices.SortFunc(changed, func(a, b nodeEvent) int { return cmp.Compare(a.node.version, b.node.version) })

	return changed
}

// missed reports whether a client with a version has missed the removal of a
// node that is not kept any more.
func (b *nodeStore) missed(version uint64) bool { return version > 0 && version < b.compacted }

// nodeEvent is a change of a node, as a watch reports it.
type nodeEvent struct {
	kind string
	node node
}
