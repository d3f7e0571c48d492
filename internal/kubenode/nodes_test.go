// SPDX-License-Identifier: MPL-2.0

package kubenode

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func makeNode(name, providerID string, created time.Time, ips ...string) corev1.Node {
	n := corev1.Node{}
	n.Name, n.Spec.ProviderID, n.CreationTimestamp = name, providerID, metav1.NewTime(created)
	n.Status.Addresses = []corev1.NodeAddress{
		{Type: corev1.NodeHostName, Address: name},
		{Type: corev1.NodeExternalIP, Address: "203.0.113.1"},
	}
	for _, ip := range ips {
		n.Status.Addresses = append(n.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: ip})
	}
	return n
}

func TestSnapshot_look(t *testing.T) {
	const id, otherID = "elf://11111111-2222-3333-4444-555555555555", "elf://99999999-2222-3333-4444-555555555555"
	vm := time.Date(2026, 3, 1, 10, 0, 0, 400_000_000, time.UTC)
	second := vm.Truncate(time.Second)
	query := Query{ProviderID: id, VMName: "vm", VMCreatedAt: vm}
	named := Query{ProviderID: id, NodeName: "given", VMName: "vm", VMCreatedAt: vm}
	nodes := func(n ...corev1.Node) []corev1.Node { return n }
	for _, c := range []struct {
		name    string
		nodes   []corev1.Node
		query   Query
		node    string
		ips     string
		problem string // a part of it
	}{
		{"no node at all", nil, query, "", "", `No node has the provider id ` + id + ` or is named "vm" (the cluster has 0).`},
		{"by provider id, whatever its name and age", nodes(makeNode("x", id, time.Time{}, "10.0.0.1"), makeNode("vm", "", vm.Add(time.Minute), "10.0.0.2")), query, "x", "10.0.0.1", ""},
		{"by provider id before the given name", nodes(makeNode("given", "", vm, "10.0.0.2"), makeNode("x", id, vm, "10.0.0.1")), named, "x", "10.0.0.1", ""},
		{"two of one provider id", nodes(makeNode("y", id, vm, "10.0.0.1"), makeNode("x", id, vm, "10.0.0.2"), makeNode("given", "", vm, "10.0.0.3")), named, "", "", `The nodes "x", "y" have the same provider id`},
		{"by the given name, whatever its age", nodes(makeNode("given", "", vm.Add(-time.Hour), "10.0.0.1"), makeNode("vm", "", vm.Add(time.Minute), "10.0.0.2")), named, "given", "10.0.0.1", ""},
		{"by the given name, with a provider id of another kind", nodes(makeNode("given", "k3s://given", vm, "10.0.0.1")), named, "given", "10.0.0.1", ""},
		{"by the VM's name where the given one is not there", nodes(makeNode("vm", "", vm.Add(time.Minute), "10.0.0.2")), named, "vm", "10.0.0.2", ""},
		{"by the VM's name", nodes(makeNode("vm", "", vm.Add(time.Minute), "10.0.0.2")), query, "vm", "10.0.0.2", ""},
		{"the VM's name with another provider id", nodes(makeNode("vm", otherID, vm.Add(time.Minute), "10.0.0.2")), query, "", "", `The node "vm" has another provider id, ` + otherID},
		{"a predecessor's", nodes(makeNode("vm", "", vm.Add(-time.Minute), "10.0.0.2")), query, "", "", "created at 2026-03-01T09:59:00Z, before the VM (2026-03-01T10:00:00Z)"},
		{"of the VM's second, cut to it by Kubernetes", nodes(makeNode("vm", "", second, "10.0.0.2")), query, "vm", "10.0.0.2", ""},
		{"of the second before", nodes(makeNode("vm", "", second.Add(-time.Second), "10.0.0.2")), query, "", "", "predecessor"},
		{"a moment older", nodes(makeNode("vm", "", vm.Add(-time.Millisecond), "10.0.0.2")), query, "", "", "predecessor"},
		{"a moment younger", nodes(makeNode("vm", "", vm.Add(time.Millisecond), "10.0.0.2")), query, "vm", "10.0.0.2", ""},
		{"the VM's age unknown", nodes(makeNode("vm", "", vm, "10.0.0.2")), Query{ProviderID: id, VMName: "vm"}, "", "", "it is not known when the VM was created"},
		{"nodes without provider id are not each other's", nodes(makeNode("x", "", vm, "10.0.0.1")), Query{VMName: "vm", VMCreatedAt: vm}, "", "", `No node is named "vm" (the cluster has 1).`},
		{"nothing to go by", nodes(makeNode("x", "", vm, "10.0.0.1")), Query{}, "", "", "can't be found"},
		{"one name for both", nil, Query{NodeName: "vm", VMName: "vm"}, "", "", `No node is named "vm" (the cluster has 0).`},
		{"several addresses, empty ones ignored", nodes(makeNode("x", id, vm, "", "10.0.0.1", " ", "fd00::1")), query, "x", "10.0.0.1 fd00::1", ""},
		{"no address yet", nodes(makeNode("x", id, vm, "")), query, "x", "", `The node "x" has no InternalIP yet.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := newSnapshot(c.nodes).status(c.query)
			if got.Node != c.node || strings.Join(got.InternalIPs, " ") != c.ips {
				t.Errorf("got %+v", got)
			}
			if !strings.Contains(got.Problem, c.problem) || (got.Problem == "") != (c.ips != "") {
				t.Errorf("got problem %q, want %q", got.Problem, c.problem)
			}
		})
	}
}
