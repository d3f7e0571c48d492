// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// manyConfig makes n VMs at once.
func manyConfig(sim *acctest.Sim, n int, provider ...string) string {
	return sim.ProviderConfig(provider...) + sim.DataSources() + fmt.Sprintf(`
resource "elf_vm" "test" {
  count      = %d
  name       = "many-${count.index}"
  cluster_id = data.elf_cluster.test.id
  source     = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }
  nics       = [{ vlan_id = data.elf_vlan.test.id }]
  labels     = { env = "test", alone = "", number = tostring(count.index) }
}
`, n)
}

// The requests that Tower gets for 100 VMs at once, each with labels that all
// have and one of its own: at most 6 for each over its
// create, the wait and the reads after it, and at most 0.6 for each at a refresh.
func TestAccVM_requestBudgetOfAHundred(t *testing.T) {
	t.Parallel()
	const n = 100
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1, hosts: 5}]}", acctest.WithSpeed(20))
	cli := acctest.NewCLI(t, manyConfig(sim, n, "poll_interval", `"1s"`))
	parallel := fmt.Sprintf("-parallelism=%d", n)

	start := sim.Server().Stats().Total
	cli.Run("apply", "-auto-approve", "-no-color", parallel)
	created := sim.Server().Stats()
	if spent := created.Total - start; spent > 6*n {
		t.Errorf("creating %d VMs took %d requests, the budget is %d: %v", n, spent, 6*n, created.Requests)
	}
	if plan := cli.Run("plan", "-no-color", parallel); !strings.Contains(plan, "No changes") {
		t.Errorf("the plan is not empty:\n%s", plan)
	}
	refreshed := sim.Server().Stats()
	spent := float64(refreshed.Total - created.Total)
	if spent > 0.6*n {
		t.Errorf("a refresh of %d VMs took %.0f requests, the budget is %.0f: %v", n, spent, 0.6*n, refreshed.Requests)
	}
	t.Logf("%d VMs: %.2f requests each to create, %.2f to refresh", n, float64(created.Total-start)/n, spent/n)
	cli.Run("destroy", "-auto-approve", "-no-color", parallel)
	if vms := sim.VMs(); len(vms) > 0 {
		t.Errorf("%d VMs are left", len(vms))
	}
}

// While VMs wait, Tower gets one get-vm-nics for each poll interval, however
// many they are.
func TestAccVM_oneLookForAllWhoWait(t *testing.T) {
	t.Parallel()
	const n, interval = 50, 500 * time.Millisecond
	sim := acctest.Simulator(t, "guests: [{match: 'many-*', nics: [{index: 0, reported: never}]}]")
	cli := acctest.NewCLI(t, manyConfig(sim, n, "poll_interval", fmt.Sprintf("%q", interval)))
	apply := cli.Start("apply", "-auto-approve", "-no-color", fmt.Sprintf("-parallelism=%d", n))
	stats := func() int { return sim.Server().Stats().Requests["get-vm-nics"] }
	eventually(t, "all wait", func() bool {
		up := 0
		for _, vm := range sim.VMs() {
			if vm.PoweredOnAt != nil {
				up++
			}
		}
		return up == n && stats() > 2
	})
	before, start := stats(), time.Now()
	eventually(t, "ten intervals pass", func() bool { return time.Since(start) >= 10*interval })
	looks, passed := stats()-before, time.Since(start)
	// One tick may begin at either end of the span.
	if allowed := int(passed/interval) + 1; looks > allowed {
		t.Errorf("%d looks in %s, at most %d may be", looks, passed, allowed)
	}
	if looks < 5 {
		t.Errorf("%d looks in %s: nobody waits", looks, passed)
	}
	if err := apply.Interrupt(); err != nil {
		t.Fatal(err)
	}
	<-apply.Done()
}
