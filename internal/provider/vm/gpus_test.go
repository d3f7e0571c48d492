// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"slices"
	"strings"
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
  vms:
    - {name: holder-1, cluster: cluster-1, nics: [default], power: STOPPED}
    - {name: holder-2, cluster: cluster-1, nics: [default], power: STOPPED}
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
	a16, a40 := gpu("A16"), gpu("A40")
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
				// Without the argument the devices are left alone.
				PreConfig:        calls.mark,
				Config:           config(h2, "false", ""),
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					expect(knownvalue.Null(), "gpu_devices"), api.hasGPUs(name, "h2", "A40 1"), calls.since(),
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
			{
				// What the VM has that is replaced comes free for the new one.
				Config:            strings.Replace(virtual(4), "  ha = false", "  ha = false\n  guest_os_type = \"WINDOWS\"", 1),
				ConfigPlanChecks:  planned(plancheck.ResourceActionReplace),
				ConfigStateChecks: []statecheck.StateCheck{api.hasGPUs(name, "h2", "A40 4")},
			},
		},
	})
}

// give has a VM that is off get a GPU device from somebody else, and run.
func (a *towerAPI) give(vm, gpuID string, amount int) {
	a.t.Helper()
	where := body{"id": a.vmID(vm)}
	a.change("update-vm-basic-info", body{"where": where, "data": body{"ha": false}})
	a.change("add-vm-gpu-device", body{"where": where, "data": []body{{"gpu_id": gpuID, "amount": amount}}})
	host := post[[]struct {
		Host struct {
			ID string `json:"id"`
		} `json:"host"`
	}](a, "get-gpu-devices", body{"where": body{"id": gpuID}})[0].Host.ID
	a.change("start-vm", body{"where": where, "data": body{"host_id": host}})
}

func TestAccVM_gpuDevicesRefused(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, gpuHosts)
	api := apiOf(t, sim)
	gpu := func(model string) string { return sim.RowID("get-gpu-devices", body{"model": model}) }
	a16, a2, a40 := gpu("A16"), gpu("A2"), gpu("A40")
	h1, h2 := sim.RowID("get-hosts", body{"name": "h1"}), sim.RowID("get-hosts", body{"name": "h2"})
	api.give("holder-1", a16, 1)
	api.give("holder-2", a40, 3)
	config := func(vms map[string]string) string {
		out := sim.ProviderConfig() + sim.DataSources()
		for name, arguments := range vms {
			out += fmt.Sprintf("resource \"elf_vm\" %q {\n  name = %q\n  cluster_id = data.elf_cluster.test.id\n%s  %s\n}\n", name, name, quiet, arguments)
		}
		return out
	}
	on := func(host, gpu string, amount int) string {
		return fmt.Sprintf("ha = false\n  host_id = %q\n  gpu_devices = [{ gpu_id = %q, amount = %d }]", host, gpu, amount)
	}
	cli := acctest.NewCLI(t, config(map[string]string{
		"unknown": on(h1, "no-such-gpu", 1), "elsewhere": on(h1, a40, 1), "taken": on(h1, a16, 1), "too-few": on(h2, a40, 2), "too-many": on(h2, a40, 5),
		"whole": on(h1, a2, 2), "unsaid": strings.TrimPrefix(on(h1, a2, 1), "ha = false"), "possible": on(h2, a40, 1),
	}))
	plan := cli.Plan()
	for name, want := range map[string][]string{
		"unknown":   {`no GPU device with the id "no-such-gpu"`},
		"elsewhere": {`"A40"`, `in the host "h2"`, h2, "Set host_id to that host"},
		"taken":     {`"A16"`, `taken by the VM "holder-1"`, "Stop that VM"},
		"too-few":   {`"A40"`, "has 1 virtual GPUs left, and amount is 2", `"holder-2"`},
		"too-many":  {"cut into 4 virtual GPUs, and amount is 5"},
		"whole":     {`"A2"`, "passed through as a whole"},
		"unsaid":    {"GPU devices with HA", "Set ha = false"},
	} {
		refusedWith(t, plan, "elf_vm."+name, want...)
	}
	if errors := plan.Errors["elf_vm.possible"]; len(errors) > 0 {
		t.Errorf("what is left can't be had: %q", errors)
	}

	cli.Configure(config(map[string]string{
		"nowhere": fmt.Sprintf("ha = false\n  gpu_devices = [{ gpu_id = %q }]", a2), "available": strings.Replace(on(h1, a2, 1), "false", "true", 1),
		"twice": fmt.Sprintf("ha = false\n  host_id = %q\n  gpu_devices = [{ gpu_id = %q }, { gpu_id = %q, amount = 2 }]", h2, a40, a40),
	}))
	plan = cli.Plan()
	refusedWith(t, plan, "elf_vm.nowhere", "GPU devices without a host", "Set host_id")
	refusedWith(t, plan, "elf_vm.available", "GPU devices with HA", "Set ha = false")
	refusedWith(t, plan, "elf_vm.twice", "Duplicate GPU device", "Element 0")

	// A device that was taken since the plan is refused before the VM is stopped.
	cli.Configure(config(map[string]string{"late": fmt.Sprintf("ha = false\n  host_id = %q", h1)}))
	cli.Apply()
	cli.Configure(config(map[string]string{"late": on(h1, a2, 1)}))
	if plan := cli.Plan("-out=late.tfplan"); len(plan.Errors) > 0 || plan.Actions["elf_vm.late"] != "update" {
		t.Fatalf("the plan fails: %v", plan.Errors)
	}
	api.change("poweroff-vm", body{"where": body{"id": api.vmID("holder-1")}})
	api.change("remove-vm-gpu-device", body{"where": body{"id": api.vmID("holder-1")}, "data": []body{{"gpu_id": a16}}})
	api.give("holder-1", a2, 1)
	before := mutations(sim)
	output, err := cli.Start("apply", "-no-color", "late.tfplan").Wait()
	if err == nil || !acctest.Mentions("GPU device can't be assigned", `taken by the VM "holder-1"`).MatchString(output) {
		t.Errorf("the apply ends with %v: %s", err, output)
	}
	if got := sent(sim, before); len(got) > 0 {
		t.Errorf("the refused change sent %v", got)
	}
}

// An import lists drives and devices, what it writes down plans empty, and
// without them the VM keeps them.
func TestAccVM_devicesOfAnImportedVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, gpuHosts)
	api := apiOf(t, sim)
	rocky := sim.RowID("get-elf-images", body{"name": "rocky-8.iso"})
	api.change("add-vm-cd-rom", body{"where": body{"id": api.vmID("holder-2")}, "data": body{"vm_cd_roms": []body{{"boot": 7, "elf_image_id": rocky}, {"boot": 8}}}})
	api.give("holder-2", sim.RowID("get-gpu-devices", body{"model": "A40"}), 2)
	api.change("poweroff-vm", body{"where": body{"id": api.vmID("holder-2")}})
	head := sim.ProviderConfig() + importBlock("cluster-1/holder-2")
	cli := acctest.NewCLI(t, head)
	written := cli.Run("plan", "-generate-config-out=generated.tf", "-out=import.plan", "-no-color")
	generated := cli.Read("generated.tf")
	if !strings.Contains(written, "1 to import, 0 to add, 0 to change, 0 to destroy") || !strings.Contains(generated, rocky) {
		t.Fatalf("the generated configuration plans a change:\n%s\n%s", written, generated)
	}
	before := mutations(sim)
	cli.Run("apply", "-no-color", "import.plan")
	if after := cli.Plan(); len(after.Actions) > 0 {
		t.Errorf("after the import:\n%s", after.Output)
	}
	cli.Write("generated.tf", "")
	cli.Configure(head + sim.DataSources() + "resource \"elf_vm\" \"test\" {\n  name = \"holder-2\"\n  cluster_id = data.elf_cluster.test.id\n}\n")
	if done := cli.Apply(); done.Actions[address] != "update" {
		t.Errorf("without the arguments: %s", done.Output)
	}
	if after := cli.Plan(); len(after.Actions) > 0 {
		t.Errorf("after the change:\n%s", after.Output)
	}
	if got := sent(sim, before); len(got) > 0 {
		t.Errorf("Tower was sent %v", got)
	}
}
