// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// libraryISO imports an image into the content library, distributed to a cluster,
// and returns its id there.
func libraryISO(sim *acctest.Sim, name, cluster string) string {
	var upload body
	sim.Call("import-content-library-image", body{"data": body{
		"cluster": body{"name": cluster}, "name": name, "url": "https://mirror.example/" + name,
	}}, &upload)
	return sim.RowID("get-content-library-images", body{"name": name})
}

// hasBoot checks the boot order of a VM in Tower: "disk", "empty" for an empty
// drive, else the name of the image in it.
func (a *towerAPI) hasBoot(vm string, want ...string) stateCheck {
	return func() error {
		got := []string{}
		for _, d := range a.disks(vm) {
			switch {
			case d.Volume != nil:
				got = append(got, "disk")
			case d.Image != nil:
				got = append(got, d.Image.Name)
			default:
				got = append(got, "empty")
			}
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("VM %q boots from %q, want %q", vm, got, want)
		}
		return nil
	}
}

// drive is the id that Tower has now for the drive that holds an image.
func (a *towerAPI) drive(vm, image string) string {
	a.t.Helper()
	for _, d := range a.disks(vm) {
		if d.Image != nil && d.Image.Name == image {
			return d.ID
		}
	}
	a.t.Fatalf("VM %q has no drive with the image %q", vm, image)
	return ""
}

// isos are the elements of cd_roms with these images, "" for an empty drive.
func isos(ids ...string) knownvalue.Check {
	var drives []knownvalue.Check
	for _, id := range ids {
		var value knownvalue.Check = knownvalue.Null()
		if id != "" {
			value = exactly(id)
		}
		drives = append(drives, knownvalue.ObjectExact(map[string]knownvalue.Check{"iso_id": value}))
	}
	return knownvalue.ListExact(drives)
}

func TestAccVM_cdROMsOfABlankVM(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1, isos: [rocky-8.iso]}]}")
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	rocky, library := sim.RowID("get-elf-images", body{"name": "rocky-8.iso"}), libraryISO(sim, "library.iso", "cluster-1")
	config := func(drives string) string {
		return blankConfig(sim, name, quiet+"  system_disk = { size_gib = 20 }\n  data_disks = [{ name = \"data\", size_gib = 10 }]\n"+drives)
	}
	drives := func(ids ...string) string {
		var all []string
		for _, id := range ids {
			if id == "" {
				all = append(all, "{}")
				continue
			}
			all = append(all, fmt.Sprintf("{ iso_id = %q }", id))
		}
		return config("  cd_roms = [" + strings.Join(all, ", ") + "]\n")
	}
	id := statecheck.CompareValue(compare.ValuesSame())
	same := func() statecheck.StateCheck { return id.AddStateValue(address, at("id")) }
	calls.mark()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{
				Config: drives(rocky, ""),
				ConfigStateChecks: []statecheck.StateCheck{
					same(), expect(isos(rocky, ""), "cd_roms"),
					api.hasBoot(name, "disk", "rocky-8.iso", "empty", "disk"), calls.since("create-vm 1"),
				},
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: append([]string{"ip_addresses", "default_ip_address", "nics.0.ip_addresses"}, notTold...)},
			{
				// Another order changes nothing, and what is new is added in one call.
				PreConfig:        calls.mark,
				Config:           drives("", library, rocky, ""),
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					same(), expect(isos("", library, rocky, ""), "cd_roms"),
					api.hasBoot(name, "disk", "rocky-8.iso", "empty", "disk", "library.iso", "empty"), calls.since("add-vm-cd-rom 1"),
				},
			},
			{
				// Others eject one image, insert another one, and take and add drives.
				PreConfig: func() {
					api.change("eject-iso-from-vm-cd-rom", body{"where": body{"id": api.drive(name, "library.iso")}})
					empty := api.disks(name)[2]
					api.change("update-vm-disk", body{"where": body{"id": api.vmID(name)}, "data": body{"vm_disk_id": empty.ID, "content_library_image_id": library}})
					api.change("remove-vm-cd-rom", body{"where": body{"id": api.vmID(name)}, "data": body{"cd_rom_ids": []string{api.drive(name, "rocky-8.iso")}}})
					calls.mark()
				},
				Config:           drives("", library, rocky, ""),
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					same(), api.hasBoot(name, "disk", "library.iso", "disk", "empty", "empty", "rocky-8.iso"), calls.since("add-vm-cd-rom 1"),
				},
			},
			{
				PreConfig:        calls.mark,
				Config:           drives(library, library),
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					same(), expect(isos(library, library), "cd_roms"),
					api.hasBoot(name, "disk", "library.iso", "disk", "library.iso"), calls.since("remove-vm-cd-rom 1", "update-vm-disk 1"),
				},
			},
			{
				// Without the argument the drives are left alone, those of others too.
				PreConfig: func() {
					api.change("add-vm-cd-rom", body{"where": body{"id": api.vmID(name)}, "data": body{"vm_cd_roms": []body{{"boot": 40}}}})
					calls.mark()
				},
				Config:           config(""),
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					same(), expect(knownvalue.Null(), "cd_roms"), api.hasBoot(name, "disk", "library.iso", "disk", "library.iso", "empty"), calls.since(),
				},
			},
		},
	})
}

// Whatever the source brings along, a new VM has the drives that are configured.
func TestAccVM_cdROMsOfEachSource(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, `
inventory:
  clusters: [{name: cluster-1, isos: [rocky-8.iso]}]
  vms: [{name: origin, cluster: cluster-1, nics: [default], power: STOPPED}]
`)
	api, calls := apiOf(t, sim), &callLog{sim: sim}
	rocky, library := sim.RowID("get-elf-images", body{"name": "rocky-8.iso"}), libraryISO(sim, "library.iso", "cluster-1")
	origin := api.vmID("origin")
	api.change("add-vm-cd-rom", body{"where": body{"id": origin}, "data": body{"vm_cd_roms": []body{{"boot": 7, "elf_image_id": rocky}}}})
	template := api.change("clone-vm-template-from-vm", []body{{"vm_id": origin, "name": "with-drive", "cloud_init_supported": true}})
	config := sim.ProviderConfig() + sim.DataSources()
	for name, arguments := range map[string]string{
		"library":  fmt.Sprintf("source = { content_library_vm_template_id = data.elf_content_library_vm_template.test.id }\n  cd_roms = [{ iso_id = %q }, {}]", library),
		"template": fmt.Sprintf("source = { vm_template_id = %q }\n  cd_roms = [{ iso_id = %q }]\n  data_disks = [{ name = \"data\", size_gib = 1 }]", template, library),
		"without":  fmt.Sprintf("source = { vm_template_id = %q }\n  cd_roms = []\n  system_disk = { bus = \"SCSI\" }", template),
		"clone":    fmt.Sprintf("source = { vm_id = %q }\n  cd_roms = [{ iso_id = %q }, { iso_id = %q }]", origin, library, rocky),
		"as-it-is": fmt.Sprintf("source = { vm_id = %q }", origin),
	} {
		config += fmt.Sprintf("resource \"elf_vm\" %q {\n  name = %q\n  cluster_id = data.elf_cluster.test.id\n  %s\n%s}\n", name, name, arguments, quiet)
	}
	calls.mark()
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				api.hasBoot("library", "disk", "library.iso", "empty"),
				api.hasBoot("template", "disk", "library.iso", "disk"),
				api.hasBoot("without", "disk"),
				api.hasBoot("clone", "disk", "rocky-8.iso", "library.iso"),
				api.hasBoot("as-it-is", "disk", "rocky-8.iso"),
				calls.since("create-vm-from-content-library-template 1", "create-vm-from-template 2", "clone-vm 2", "add-vm-cd-rom 1"),
			},
		}},
	})
}

func TestAccVM_cdROMsRefused(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {clusters: [{name: cluster-1, isos: [here.iso]}, {name: cluster-2, isos: [there.iso]}]}")
	far, theirs := sim.RowID("get-elf-images", body{"name": "there.iso"}), libraryISO(sim, "library.iso", "cluster-2")
	local, ok := sim.Rows("get-elf-images", body{"name": "here.iso"})[0]["local_id"].(string)
	if !ok {
		t.Fatal("the image has no local id")
	}
	refusals := map[string][]string{
		"no-such-image": {"no ISO image with the id"},
		far:             {`"there.iso"`, "cluster-2", "not in that of the VM"},
		theirs:          {`"library.iso"`, "not distributed to the VM's cluster"},
		local:           {"not Tower's id of the image"},
	}
	config := sim.ProviderConfig() + sim.DataSources()
	for id := range refusals {
		config += fmt.Sprintf("resource \"elf_vm\" \"of-%[1]s\" {\n  name = %[1]q\n  cluster_id = data.elf_cluster.test.id\n  cd_roms = [{}, { iso_id = %[1]q }]\n}\n", id)
	}
	plan := acctest.NewCLI(t, config).Plan()
	for id, want := range refusals {
		refusedWith(t, plan, "elf_vm.of-"+id, append(want, "Image can't be inserted", id)...)
	}
}

// refusedWith checks that a plan refuses a resource with one error, which says the texts.
func refusedWith(t *testing.T, plan acctest.Plan, address string, texts ...string) {
	t.Helper()
	errors := plan.Errors[address]
	if len(errors) != 1 {
		t.Errorf("%s: the errors %q, want one; the plan: %s", address, errors, plan.Output)
		return
	}
	for _, text := range texts {
		if !strings.Contains(errors[0], text) {
			t.Errorf("%s: the error %q does not say %q", address, errors[0], text)
		}
	}
}

// A step that fails leaves in the state what has been done, and the next apply
// does the rest.
func TestAccVM_cdROMStepsThatFailAreCompletedInPlace(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "faults: [{operation: add-vm-cd-rom, times: 1, task_error: {code: EIO, message: a passing trouble}}]")
	api, calls, name := apiOf(t, sim), &callLog{sim: sim}, acctest.RandomName()
	rocky := sim.RowID("get-elf-images", body{"name": "rocky-8.iso"})
	second := vmConfig(sim, name, quiet+fmt.Sprintf("  cd_roms = [{ iso_id = %q }, {}]\n", rocky))
	acctest.Test(t, resource.TestCase{
		CheckDestroy: sim.CheckNoVMs,
		Steps: []resource.TestStep{
			{Config: vmConfig(sim, name, quiet+"  cd_roms = [{}]\n")},
			{Config: second, ExpectError: acctest.Mentions("Unable to update VM", "Adding 1 CD-ROM drives", "a passing trouble")},
			{
				PreConfig:        calls.mark,
				Config:           second,
				ConfigPlanChecks: planned(update),
				ConfigStateChecks: []statecheck.StateCheck{
					api.hasBoot(name, "disk", "empty", "rocky-8.iso"), calls.since("add-vm-cd-rom 1"),
				},
			},
		},
	})
}
