// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

func TestAccVM_nameThatIsTakenOffersTheImport(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, `inventory: {clusters: [{name: cluster-1}], vms: [{name: taken, cluster: cluster-1}]}`)
	id := sim.Server().VMs()[0].ID
	acctest.Test(t, resource.TestCase{
		Steps: []resource.TestStep{{
			Config:      vmConfig(sim, "taken", dhcpNIC),
			ExpectError: acctest.Mentions("Unable to create VM \"taken\"", "has a VM of this name already", id, "import {", id, "leave create_before_destroy out"),
		}},
	})
	if vms := sim.VMs(); len(vms) > 0 {
		t.Errorf("VMs were created beside the one that was there: %+v", vms)
	}
}

func TestAccVM_failedTaskLeavesNothingInTheState(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		code, message string
		want          []string
	}{
		"no memory":      {"VM_SCHEDULE_FAILED", "EmptyCandidateHostsException::HostAvailableMemoryFilter", []string{"Unable to create VM", "HostAvailableMemoryFilter"}},
		"name raced for": {"VM_DUPLICATED_NAME", "duplicated vm name", []string{"Unable to create VM", "name", "duplicated vm name", "VM_DUPLICATED_NAME"}},
		"cloud-init":     {"VM_CLOUD_INIT_CONFIG_ERROR", "gateway is unreachable", []string{"Unable to create VM", "gateway is unreachable"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, fmt.Sprintf(
				"faults: [{operation: create-vm-from-content-library-template, times: 1, task_error: {code: %s, message: %q}}]", tc.code, tc.message))
			config := vmConfig(sim, acctest.RandomName(), dhcpNIC)
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{
					{Config: config, ExpectError: acctest.Mentions(tc.want...)},
					{
						Config: config,
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
						}},
					},
				},
			})
		})
	}
}

func TestAccVM_lostReplyAdoptsTheVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "faults: [{operation: create-vm-from-content-library-template, times: 1, reset: after}]")
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{{
			Config: vmConfig(sim, acctest.RandomName(), dhcpNIC),
			ConfigStateChecks: []statecheck.StateCheck{
				expect(knownvalue.Bool(true), "network_ready"),
				stateCheck(func() error {
					if vms := sim.VMs(); len(vms) != 1 {
						return fmt.Errorf("there are %d VMs, want one", len(vms))
					}
					return nil
				}),
			},
		}},
	})
}

func TestAccVM_passingFaultsAreNoVerdict(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"NICs fail":             "{operation: get-vm-nics, times: 3, status: 500}",
		"proxy":                 "{operation: get-vms, skip: 1, times: 2, status: 502}",
		"too many":              "{operation: get-vm-nics, times: 2, status: 429}",
		"session ends":          "{operation: get-vm-nics, skip: 1, times: 1, status: 401}",
		"connection resets":     "{operation: get-vm-nics, times: 2, reset: before}",
		"task can't be read":    "{operation: get-tasks, times: 2, status: 500}",
		"log-in fails at first": "{operation: login, times: 1, status: 503}",
	}
	for name, fault := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, "faults: ["+fault+"]")
			acctest.Test(t, resource.TestCase{
				CheckDestroy: sim.CheckNoVMs,
				Steps: []resource.TestStep{{
					Config:            vmConfig(sim, acctest.RandomName(), dhcpNIC),
					ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Bool(true), "network_ready")},
				}},
			})
		})
	}
}

func TestAccVM_poweredOffByItsGuestEndsTheWait(t *testing.T) {
	t.Parallel()
	const interval = 2 * time.Second
	sim := acctest.Simulator(t, "guests: [{match: 'quits-*', nics: [{index: 0, reported: never}], powers_off: 40s}]", acctest.WithSpeed(20))
	name := "quits-" + acctest.RandomName()
	config := strings.Replace(vmConfig(sim, name, dhcpNIC), sim.ProviderConfig(), sim.ProviderConfig("poll_interval", strconv.Quote(interval.String())), 1)
	cli := acctest.NewCLI(t, config)
	apply := cli.Start("apply", "-auto-approve", "-no-color")
	eventually(t, "the guest has switched itself off", func() bool {
		rows := sim.Rows("get-vms", map[string]any{"name": name})
		return len(rows) == 1 && rows[0]["status"] == "STOPPED" && sim.VMs()[0].PoweredOnAt != nil
	})
	off := time.Now()
	output, err := apply.Wait()
	// The CLI itself takes a moment to end.
	if took := time.Since(off); took > 2*interval+time.Second {
		t.Errorf("the error came %s after the guest had switched itself off, want two poll intervals", took)
	}
	if err == nil || !acctest.Mentions("is not ready", "was powered off while waiting", "power_state").MatchString(output) {
		t.Errorf("the apply said (%v):\n%s", err, output)
	}
	cli.Run("destroy", "-auto-approve", "-no-color")
}

func TestAccVM_interruptedCreateIsResumedInPlace(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, ecp)
	name := "mute-" + acctest.RandomName()
	cli := acctest.NewCLI(t, vmConfig(sim, name, dhcpNIC))
	apply := cli.Start("apply", "-auto-approve", "-no-color")
	eventually(t, "the wait has begun", func() bool { return running(sim, name) == nil && sim.Server().Stats().Requests["get-vm-nics"] > 2 })
	if err := apply.Interrupt(); err != nil {
		t.Fatal(err)
	}
	interrupted := time.Now()
	output, err := apply.Wait()
	if took := time.Since(interrupted); took > 3*time.Second {
		t.Errorf("the CLI took %s to end", took)
	}
	if err == nil {
		t.Error("an interrupted apply exits with 0")
	}
	for _, want := range []string{"Warning: Wait for the network of VM", "cancelled", "resumes the wait"} {
		if !strings.Contains(output, want) {
			t.Errorf("the output lacks %q:\n%s", want, output)
		}
	}
	before := cli.Show()[address]
	if before.Tainted || before.Values["network_ready"] != false || before.Values["id"] == nil {
		t.Fatalf("the state holds %+v, want the VM untainted and not ready", before)
	}

	setAddresses(t, sim, name, "10.255.9.9")
	if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "0 to add, 1 to change, 0 to destroy") {
		t.Errorf("the plan is no update in place:\n%s", plan)
	}
	cli.Run("apply", "-auto-approve", "-no-color")
	after := cli.Show()[address]
	if after.Values["id"] != before.Values["id"] || after.Values["network_ready"] != true || after.Values["default_ip_address"] != "10.255.9.9" {
		t.Errorf("the state holds %+v, want the same VM %v, ready", after, before.Values["id"])
	}
	if vms := sim.VMs(); len(vms) != 1 {
		t.Errorf("there are %d VMs, want one", len(vms))
	}
	if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "No changes") {
		t.Errorf("the plan is not empty:\n%s", plan)
	}
	cli.Run("destroy", "-auto-approve", "-no-color")
}
