// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"fmt"
	"testing"
	"time"
)

// createAndDeleteVMs creates and deletes VMs, each with its own name.
func createAndDeleteVMs(t *testing.T, w *world, vms int) {
	t.Helper()

	for i := range vms {
		b := &blueprint{
			name: fmt.Sprintf("vm-%d", i), cluster: w.clusters.list[0], running: true,
			hardware: hardware{cores: 1, sockets: 1, memory: gibibyte, disks: []diskConfig{{kind: "DISK", bus: "VIRTIO", size: gibibyte, policy: defaultPolicy}}},
		}

		v, failed := w.createOutsideTower(b)
		if failed != nil {
			t.Fatal(failed.message)
		}

		w.runDue(w.now.Add(time.Second)) // the node registers
		w.lastUsers[v.disks[0].volume.row.ID] = v
		w.removeVM(v)
		w.endStep()
	}
}

func TestTheNewestDeletedVMsStayListed(t *testing.T) {
	s, err := New(Options{ManualClock: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	s.withWorld(func(w *world) { createAndDeleteVMs(t, w, maxDeletedVMs+5) })

	vms := s.VMs()
	if len(vms) != maxDeletedVMs {
		t.Fatalf("%d deleted VMs are listed, not %d", len(vms), maxDeletedVMs)
	}

	for i, v := range vms {
		if want := fmt.Sprintf("vm-%d", i+5); v.Name != want || v.DeletedAt == nil {
			t.Fatalf("the entry %d is %s, deleted at %v, not %s", i, v.Name, v.DeletedAt, want)
		}
	}
}

// What a VM leaves in other lists is removed with it, or is limited too.
func TestDroppedVMsAreNotReferredTo(t *testing.T) {
	s, err := New(Options{ManualClock: true, YAML: []byte(`{
  timing: {boot: 0s},
  guests: [{match: "*", kubernetes_node: {registered: 0s}}],
  faults: [{operation: get-vms, times: 1000000, happens: power_off_vm}],
}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	s.withWorld(func(w *world) {
		rule := w.faults[0]

		v, failed := w.createOutsideTower(&blueprint{name: "hit", cluster: w.clusters.list[0], running: true, hardware: hardware{cores: 1, sockets: 1, memory: gibibyte}})
		if failed != nil {
			t.Fatal(failed.message)
		}

		w.nextFault("get-vms")

		if len(rule.hitVMs) != 1 {
			t.Fatalf("the event happened to %d VMs", len(rule.hitVMs))
		}

		w.removeVM(v)

		if len(rule.hitVMs) != 0 {
			t.Error("the fault still refers to a deleted VM")
		}

		createAndDeleteVMs(t, w, maxDeletedVMs+maxRemovedNodes+5)

		if n := len(w.lastUsers); n != 0 {
			t.Errorf("the last users of %d deleted volumes are kept", n)
		}

		if n := len(w.nodes.byName); n > maxDeletedVMs {
			t.Errorf("%d nodes are kept, more than deleted VMs", n)
		}

		if n := len(w.nodes.removed); n > maxRemovedNodes {
			t.Errorf("%d removed nodes are kept", n)
		}

		for _, n := range w.nodes.removed {
			if n.vm != nil {
				t.Fatalf("the removed node %s still refers to its VM", n.name)
			}
		}
	})
}
