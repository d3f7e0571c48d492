// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Query identifies the VM whose node is looked for.
type Query struct {
	// ProviderID is the VM's provider id, elf://<local id>.
	ProviderID string
	// NodeName is the node's name if that is configured.
	NodeName string
	// VMName is the VM's name.
	VMName string
	// VMCreatedAt is when the VM was created. If it is not known, the VM's name alone does not identify a node.
	VMCreatedAt time.Time
}

// Status is what is known about a VM's node.
type Status struct {
	// Node is the name of the VM's node, empty if it was not found.
	Node string
	// InternalIPs are the node's addresses as Kubernetes writes them.
	InternalIPs []string
	// Problem says in one sentence why there are no InternalIPs. It is empty if there are some.
	Problem string
	// At is when Kubernetes answered or failed to answer. It is zero before the first list.
	At time.Time
}

// node is the part of a Kubernetes node that is used here.
type node struct {
	name        string
	providerID  string
	created     time.Time
	internalIPs []string
}

// snapshot is one list of nodes, or the problem that prevented it.
type snapshot struct {
	at           time.Time
	problem      string
	byName       map[string]*node
	byProviderID map[string][]*node
}

func newSnapshot(items []corev1.Node) *snapshot {
	s := &snapshot{byName: make(map[string]*node, len(items)), byProviderID: make(map[string][]*node, len(items))}
	for i := range items {
		item := &items[i]
		n := &node{name: item.Name, providerID: item.Spec.ProviderID, created: item.CreationTimestamp.Time}
		for _, address := range item.Status.Addresses {
			if ip := strings.TrimSpace(address.Address); address.Type == corev1.NodeInternalIP && ip != "" {
				n.internalIPs = append(n.internalIPs, ip)
			}
		}
		s.byName[n.name] = n
		s.byProviderID[n.providerID] = append(s.byProviderID[n.providerID], n)
	}
	return s
}

// status finds the node of a VM: the one with the VM's provider id, else the one with the configured name, else the
// one that has the VM's name, if that node has no provider id and was created after the VM. The node of another VM
// with the same name, such as a predecessor, must not count.
func (s *snapshot) status(q Query) Status {
	status := Status{At: s.at, Problem: s.problem}
	if s.problem != "" {
		return status
	}
	found, problem := s.choose(q)
	if found == nil {
		status.Problem = problem
		return status
	}
	status.Node, status.InternalIPs = found.name, slices.Clone(found.internalIPs)
	if len(found.internalIPs) == 0 {
		status.Problem = fmt.Sprintf("The node %q has no InternalIP yet.", found.name)
	}
	return status
}

func (s *snapshot) choose(q Query) (*node, string) {
	if q.ProviderID != "" {
		switch same := s.byProviderID[q.ProviderID]; len(same) {
		case 0:
		case 1:
			return same[0], ""
		default:
			return nil, fmt.Sprintf("The nodes %s have the same provider id, %s: delete those that no longer exist.", names(same), q.ProviderID)
		}
	}
	if n := s.byName[q.NodeName]; n != nil && q.NodeName != "" {
		return n, ""
	}
	n := s.byName[q.VMName]
	if n == nil || q.VMName == "" {
		return nil, s.notFound(q)
	}
	switch {
	case n.providerID != "":
		return nil, fmt.Sprintf("The node %q has another provider id, %s, so it belongs to another VM.", n.name, n.providerID)
	case q.VMCreatedAt.IsZero():
		return nil, fmt.Sprintf("The node %q has no provider id, and it is not known when the VM was created, so the node may belong to a predecessor of the VM.", n.name)
	case !createdAfter(n.created, q.VMCreatedAt):
		return nil, fmt.Sprintf("The node %q has no provider id and was created at %s, before the VM (%s), so it belongs to a predecessor of the VM.",
			n.name, n.created.UTC().Format(time.RFC3339), q.VMCreatedAt.UTC().Format(time.RFC3339))
	}
	return n, ""
}

// createdAfter reports whether a node was created after a VM. Kubernetes truncates its times to whole seconds.
func createdAfter(nodeCreated, vmCreated time.Time) bool {
	if nodeCreated.Nanosecond() == 0 {
		vmCreated = vmCreated.Truncate(time.Second)
		return !nodeCreated.Before(vmCreated)
	}
	return nodeCreated.After(vmCreated)
}

func (s *snapshot) notFound(q Query) string {
	var wanted []string
	if q.ProviderID != "" {
		wanted = append(wanted, "has the provider id "+q.ProviderID)
	}
	for _, name := range slices.Compact([]string{q.NodeName, q.VMName}) {
		if name != "" {
			wanted = append(wanted, fmt.Sprintf("is named %q", name))
		}
	}
	if len(wanted) == 0 {
		return "The VM's node can't be found, because neither its provider id nor a name is known."
	}
	return fmt.Sprintf("No node %s (the cluster has %d).", strings.Join(wanted, " or "), len(s.byName))
}

func names(nodes []*node) string {
	quoted := make([]string, 0, len(nodes))
	for _, n := range nodes {
		quoted = append(quoted, fmt.Sprintf("%q", n.name))
	}
	slices.Sort(quoted)
	return strings.Join(quoted, ", ")
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
