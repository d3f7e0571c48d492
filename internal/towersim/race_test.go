// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

func TestManyClientsLoseNoUpdate(t *testing.T) {
	const clients, each = 8, 25

	x := start(t, "inventory: {clusters: [{name: cluster-1, hosts: 9}]}")
	x.base = x.URL()

	var wait sync.WaitGroup

	for client := range clients {
		wait.Go(func() {
			for i := range each {
				params := x.params(object{"name": fmt.Sprintf("vm-%d-%d", client, i), "memory": 1 << 20})
				if status, raw := x.call("create-vm-from-content-library-template", params); status != 200 {
					t.Errorf("status %d: %s", status, raw)
				}

				x.Advance(time.Second)
				x.call("get-vm-nics", object{})
				x.call("get-clusters", object{})
			}
		})
	}

	wait.Wait()
	x.Advance(time.Minute)

	if vms := x.vms(object{"status": "RUNNING"}); len(vms) != clients*each {
		t.Errorf("%d VMs run, want %d", len(vms), clients*each)
	}
}

func TestTwoServersDoNotInterfere(t *testing.T) {
	a, b := start(t, "version: 4.5.0"), start(t, "version: 4.7.0")
	a.newVM(object{"name": "a"})

	if len(b.vms(object{})) != 0 || post[string](a, "get-version", nil) != "4.5.0" {
		t.Error("the servers share something")
	}

	b.token = a.token
	if _, ok := b.Stats().Requests["create-vm-from-content-library-template"]; ok {
		t.Error("the servers share their counts")
	}
}

func TestEqualSeedsGiveEqualResults(t *testing.T) {
	reports := func() []towersim.VMReport {
		x := start(t, "")
		x.newVM(object{"name": "a"})
		x.newVM(object{"name": "b"})
		x.Advance(time.Hour)

		return x.VMs()
	}

	first, second := reports(), reports()
	for i := range first {
		a, b := first[i], second[i]
		if a.ID != b.ID || a.LocalID != b.LocalID || a.NICs[0].MACAddress != b.NICs[0].MACAddress || *a.NICs[0].Address != *b.NICs[0].Address {
			t.Errorf("got %+v and %+v", a, b)
		}
	}
}
