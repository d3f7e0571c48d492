// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"io"
	"testing"
	"time"
)

// FuzzParseScenario reads documents: there is never a panic, neither when a
// scenario is read nor when it is simulated and shown.
func FuzzParseScenario(f *testing.F) {
	f.Add([]byte("guests: [{match: a, nics: [{index: 0, reported: never}]}]"))
	f.Add([]byte("faults: [{operation: get-vms, status: reset}]"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("inventory: {clusters: [{name: c, hosts: 9999999999}]}"))
	f.Add([]byte(`{"inventory": {"clusters": [{"name": "c", "vlans": [{"name": "v", "dhcp": "10.0.0.0/31"}]}], "vms": [{"name": "a", "nics": ["v"]}]}}`))
	f.Add([]byte(`
timing: {task: 0s, boot: 2562047h, dhcp: 0, vmtools_sync: 1ns}
inventory: {vms: [{name: ecp-1, nics: [default, ecp]}, {name: x, memory_mib: 9999999}]}
guests: [{match: "ecp-*", powers_off: 30s, nics: [{index: 0, address: "::1", link_local_first: true}], kubernetes_node: {registered: never}}]
`))
	f.Fuzz(func(t *testing.T, document []byte) {
		s, err := ParseScenario(document)
		if (s == nil) == (err == nil) {
			t.Fatalf("got both or none of %v and %v", s, err)
		}

		if err != nil || tooLarge(s) {
			return
		}

		// No server listens: its other work would blur which code an input
		// reaches.
		c := newClock(time.Unix(1_700_000_000, 0), 1, true)
		w := newWorld(s, c, newIDSource(1), nil)

		for _, step := range []time.Duration{0, time.Second, time.Minute, 1000 * time.Hour} {
			c.advance(step)
			w.runDue(c.now())
			mapSlice(w.vms.list, w.vmReport)

			view := statusView{status: w.status(statusQuery{})}
			if err := statusTemplate.ExecuteTemplate(io.Discard, "status", view); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// tooLarge reports whether a scenario takes long only because of its size.
func tooLarge(s *Scenario) bool {
	inventory := &s.Inventory
	n := len(inventory.VMs) + len(inventory.VMTemplates) + len(inventory.ContentLibraryVMTemplates)

	for i := range inventory.Clusters {
		n += len(inventory.Clusters[i].Hosts) + len(inventory.Clusters[i].VLANs)
	}

	return n > 100
}
