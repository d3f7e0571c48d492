// SPDX-License-Identifier: MPL-2.0

package kubenode_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// simulatedNodes starts a simulator whose VMs have nodes, on a clock that only
// the test moves, and returns it with a client made from its kubeconfig alone.
func simulatedNodes(t *testing.T) (*towersim.Server, *typedcorev1.CoreV1Client) {
	t.Helper()

	s, err := towersim.New(towersim.Options{ManualClock: true, YAML: []byte(`
inventory: {vms: [{name: a}, {name: b}]}
guests: [{match: "a", kubernetes_node: {registered: 10s}}, {match: "b", kubernetes_node: {registered: 30s, internal_ip: 10.9.8.7}}]`)})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})

	kubeconfig, err := s.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}

	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}

	client, err := typedcorev1.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}

	return s, client
}

// TestClientsOfKubernetesReadTheSimulatedNodes lists, gets and watches nodes of
// the simulator with the Kubernetes client for Go.
func TestClientsOfKubernetesReadTheSimulatedNodes(t *testing.T) {
	t.Parallel()

	s, client := simulatedNodes(t)
	s.Advance(25 * time.Second)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	list, err := client.Nodes().List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != "a" || list.Items[0].Spec.ProviderID == "" {
		t.Fatalf("%v: %+v", err, list)
	}

	watch, err := client.Nodes().Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()

	s.Advance(10 * time.Second)

	event := <-watch.ResultChan()
	if node, ok := event.Object.(*corev1.Node); !ok || event.Type != "ADDED" || node.Name != "b" {
		t.Errorf("got %+v", event)
	}

	node, err := client.Nodes().Get(ctx, "b", metav1.GetOptions{})
	if err != nil || node.Status.Addresses[0] != (corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: "10.9.8.7"}) {
		t.Errorf("%v: %+v", err, node)
	}

	if node.Status.Conditions[0].Type != corev1.NodeReady || node.Status.Conditions[0].Status != corev1.ConditionTrue {
		t.Errorf("got %+v", node.Status.Conditions)
	}
}
