// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// hosts have GPUs: a pair that is passed through, one that is cut into four.
const gpuHosts = `
inventory:
  clusters:
    - name: cluster-1
      hosts: [{name: h1, memory_gib: 64, cores: 16}, {name: h2, memory_gib: 64, cores: 16}]
      isos: [rocky-8.iso]
      gpus: [{host: 0, model: A16}, {host: 0, model: A2}, {host: 1, model: A40, usage: VGPU}]
  vms: [{name: other, cluster: cluster-1, nics: [default], power: STOPPED}]
`

// hasGPUs checks the host of a VM in Tower and its GPU devices, given as "model
// amount"; the amount is 0 for a device that is passed through.
func (a *towerAPI) hasGPUs(vm, host string, want ...string) stateCheck {
	return func() error {
		infos := post[[]struct {
			Devices []struct {
				Model  string `json:"model"`
				Amount int    `json:"vgpu_instance_on_vm_num"`
			} `json:"gpu_devices"`
		}](a, "get-vm-gpu-device-info", body{"where": body{"id": a.vmID(vm)}})
		got := []string{}
		for _, d := range infos[0].Devices {
			got = append(got, fmt.Sprintf("%s %d", d.Model, d.Amount))
		}
		slices.Sort(got)
		slices.Sort(want)
		on := post[[]struct {
			Host struct {
				Name string `json:"name"`
			} `json:"host"`
		}](a, "get-vms", body{"where": body{"id": a.vmID(vm)}})[0].Host.Name
		if !slices.Equal(got, want) || on != host {
			return fmt.Errorf("VM %q is on %s and has the GPU devices %q, want %s and %q", vm, on, got, host, want)
		}
		return nil
	}
}

// stopsAndStarts is a plan that announces that the VM is stopped.
func stopsAndStarts() resource.ConfigPlanChecks {
	return planned(update, plancheck.ExpectUnknownValue(address, at("network_ready")))
}

func TestAccVM_gpuDevices(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, gpuHosts)
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	gpu := func(model string) string { return sim.RowID("get-gpu-devices", body{"model": model}) }
	a16, a2, a40 := gpu("A16"), gpu("A2"), gpu("A40")
	h1, h2 := sim.RowID("get-hosts", body{"name": "h1"}), sim.RowID("get-hosts", body{"name": "h2"})
	config := func(host, ha, gpus string) string {
		return vmConfig(sim, name, dhcpNIC+fmt.Sprintf("  host_id = %q\n  ha = %s\n%s\n", host, ha, gpus))
	}
	one := func(id string) string { return fmt.Sprintf("  gpu_devices = [{ gpu_id = %q }]", id) }
	virtual := func(amount int) string {
		return config(h2, "false", fmt.Sprintf("  gpu_devices = [{ gpu_id = %q, amount = %d }]", a40, amount))
	}
	calls.mark()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: config(h1, "false", one(a16)),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Int64Exact(1), "gpu_devices", 0, "amount"),
					api.hasGPUs(name, "h1", "A16 0"), calls.since("create-vm-from-content-library-template 1"),
				},
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: notTold},
			{
				PreConfig:        calls.mark,
				Config:           config(h1, "false", fmt.Sprintf("  gpu_devices = [{ gpu_id = %q }, { gpu_id = %q }]", a2, a16)),
				ConfigPlanChecks: stopsAndStarts(),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly(a2), "gpu_devices", 0, "gpu_id"), expect(exactly("RUNNING"), "status"), expect(knownvalue.Bool(true), "network_ready"),
					api.hasGPUs(name, "h1", "A16 0", "A2 0"), calls.since("shutdown-vm 1", "add-vm-gpu-device 1", "start-vm 1"),
				},
			},
			{
				// With its devices a VM moves to where the new ones are.
				PreConfig:        calls.mark,
				Config:           virtual(1),
				ConfigPlanChecks: stopsAndStarts(),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(exactly("RUNNING"), "status"), api.hasGPUs(name, "h2", "A40 1"),
					calls.since("shutdown-vm 1", "remove-vm-gpu-device 1", "migrate-vm 1", "add-vm-gpu-device 1", "start-vm 1"),
				},
			},
			{
				PreConfig:        calls.mark,
				Config:           virtual(3),
				ConfigPlanChecks: stopsAndStarts(),
				ConfigStateChecks: []statecheck.StateCheck{
					api.hasGPUs(name, "h2", "A40 3"), calls.since("shutdown-vm 1", "remove-vm-gpu-device 1", "add-vm-gpu-device 1", "start-vm 1"),
				},
			},
			{
				// Somebody has taken the device away, and stopped the VM for it.
				PreConfig: func() {
					api.change("poweroff-vm", body{"where": body{"id": api.vmID(name)}})
					api.change("remove-vm-gpu-device", body{"where": body{"id": api.vmID(name)}, "data": []body{{"gpu_id": a40}}})
					calls.mark()
				},
				Config:            virtual(3),
				ConfigPlanChecks:  planned(update),
				ConfigStateChecks: []statecheck.StateCheck{api.hasGPUs(name, "h2", "A40 3"), calls.since("add-vm-gpu-device 1")},
			},
			{
				// Without the argument the devices are left alone.
				PreConfig:        calls.mark,
				Config:           config(h2, "false", "  power_state = \"RUNNING\""),
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Null(), "gpu_devices"), api.hasGPUs(name, "h2", "A40 3"), calls.since("start-vm 1"),
				},
			},
			{
				// Those of others are seen where all are managed.
				PreConfig:        calls.mark,
				Config:           config(h2, "false", "  gpu_devices = []"),
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.ListSizeExact(0), "gpu_devices"), api.hasGPUs(name, "h2"), calls.since("shutdown-vm 1", "remove-vm-gpu-device 1", "start-vm 1"),
				},
			},
			{
				PreConfig:         calls.mark,
				Config:            config(h2, "true", "  gpu_devices = []"),
				ConfigPlanChecks:  planned(update),
				ConfigStateChecks: []statecheck.StateCheck{expect(knownvalue.Bool(true), "ha"), calls.since("update-vm-basic-info 1")},
			},
			{
				// HA goes before the devices come.
				PreConfig:        calls.mark,
				Config:           virtual(2),
				ConfigPlanChecks: stopsAndStarts(),
				ConfigStateChecks: []statecheck.StateCheck{
					api.hasGPUs(name, "h2", "A40 2"), calls.since("shutdown-vm 1", "update-vm-basic-info 1", "add-vm-gpu-device 1", "start-vm 1"),
				},
			},
		},
	})
}
