// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"cmp"
	"slices"
	"time"
)

// node is a Kubernetes node of the simulated workload cluster. It is called as
// its VM, and outlives it, as nodes do that nobody deletes: the next VM of the
// name takes its place.
type node struct {
	name         string
	uid          string
	created      time.Time
	providerID   string
	internalIP   string
	ready        bool
	changed      time.Time // when ready last changed
	addedVersion uint64    // the version that it came with
	version      uint64
	vm           *vm
}

// maxGoneNodes is how many removed nodes are kept for watches.
const maxRemovedNodes = 1000

// nodeBook holds the nodes by name, and the removed ones for the clients that
// watch them. Its version counts all changes, over resets too.
type nodeStore struct {
	byName    map[string]*node
	removed   []node // with the versions of their removal
	version   uint64
	compacted uint64 // a watch from an earlier version has missed the removal of a node
}

// planNode plans the guest's joining of its Kubernetes cluster.
func (w *world) planNode(s *guestRun) {
	line := s.guest.KubernetesNode
	if line == nil {
		return
	}

	at := w.scenario.Timing.Boot
	if line.Registered != nil {
		if *line.Registered == Never {
			return
		}

		at = time.Duration(*line.Registered)
	}

	w.addStep(s, at, func() { w.registerNode(s.vm, line) })
}

// register lets a VM's kubelet appear at the API. A VM that was registered
// before comes back to its node; any other gets a new one.
func (w *world) registerNode(v *vm, line *GuestNode) {
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

	if line.ProviderID == nil || *line.ProviderID {
		n.providerID = "elf://" + v.row.LocalID
	}

	n.internalIP = line.InternalIP
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

// lost lets the node of a VM that stopped running miss its heartbeats.
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

// remove takes a node out. Nil is none.
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

// removeOf removes the node of a VM, if it has one.
func (b *nodeStore) removeNodeOf(v *vm) {
	for _, n := range b.byName {
		if n.vm == v {
			b.remove(n)
		}
	}
}

// emptied returns the book after all nodes have left.
func (b *nodeStore) cleared() nodeStore {
	for _, name := range sortedKeys(b.byName) {
		b.remove(b.byName[name])
	}

	return *b
}

// since returns the nodes that changed after a version, the departed among them,
// in the order of the changes. Of those that have left, it returns the ones that
// were there at that version.
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

// missed reports whether a client that knows a version has missed the removal of
// a node that is not kept any more.
func (b *nodeStore) missed(version uint64) bool { return version > 0 && version < b.compacted }

// nodeEvent is what a watch tells of a node.
type nodeEvent struct {
	kind string
	node node
}
