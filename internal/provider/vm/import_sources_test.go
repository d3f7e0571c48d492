// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// nicsOfAllKinds are, but for one, on one network.
var nicsOfAllKinds = []string{
	`{ vlan_id = data.elf_vlan.test.id, network_type = "NONE", enabled = false }`,
	`{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = "10.255.7.7", netmask = "255.255.0.0" }`,
	`{ vlan_id = data.elf_vlan.ecp.id, network_type = "IPV4", ip_address = "10.9.0.9", netmask = "255.255.0.0", gateway = "10.9.0.1", routes = [{ gateway = "10.9.0.2", network = "10.8.0.0", netmask = "255.255.0.0" }] }`,
	`{ vlan_id = data.elf_vlan.test.id, network_type = "NONE", model = "E1000", mirror = true }`,
	`{ vlan_id = data.elf_vlan.test.id, network_type = "NONE" }`,
	`{ vlan_id = data.elf_vlan.test.id, default_route = true }`,
}

// everyKind is a VM of each kind of source, which together have each kind of NIC,
// disks of each kind and whatever else Tower can tell.
type everyKind struct {
	sim *acctest.Sim
	api *towerAPI

	// What was written for each VM.
	bodies map[string]string
}

// kinds are the VMs of everyKind.
var kinds = []string{"library", "template", "clone", "rebuild", "blank"}

func newEveryKind(t *testing.T) *everyKind {
	t.Helper()
	sim := acctest.Simulator(t, strings.Replace(origins, "{name: default, dhcp: 10.255.0.0/16}", "{name: default, dhcp: 10.255.0.0/16}, {name: ecp}], isos: [rocky-8.iso], gpus: [{host: 0, model: A16}", 1))
	k := &everyKind{sim: sim, api: apiOf(t, sim)}
	ids := sourceIDs(t, sim)
	given := k.api.volume("given", 5)
	gpu := sim.Rows("get-gpu-devices", rows{})[0]
	host, _ := gpu["host"].(map[string]any)
	k.bodies = map[string]string{
		"library": fmt.Sprintf(`
  source      = { content_library_vm_template_id = %q, full_copy = true }
  description = "from the library"
  owner       = "root"
  folder_id   = %q
  labels      = { "team" = "web", "retired" = "" }
  cloud_init  = { hostname = "library", user_data = "#cloud-config" }
  nics = [
    %s,
  ]
  network_readiness = { timeout = "10m", ignored_cidrs = ["172.17.0.0/16"] }
  timeouts          = { create = "20m" }
`, ids["content_library_vm_template_id"], newFolder(sim, "web", "cluster-1"), strings.Join(nicsOfAllKinds, ",\n    ")),
		"template": fmt.Sprintf(`
  source         = { vm_template_id = %q }
  num_cpus       = 6
  memory_mib     = 6144
  system_disk    = { size_gib = 12 }
  max_iops       = 1000
  max_bandwidth  = 1048576
  nics           = [{ vlan_id = data.elf_vlan.test.id, mac_address = "52:54:00:AA:BB:01" }]
`, ids["vm_template_id"]),
		"clone": fmt.Sprintf(`
  source             = { vm_id = %q }
  ha                 = false
  power_state        = "STOPPED"
  placement_group_id = %q
`, ids["vm_id"], newGroup(sim, "apart", "cluster-1")),
		"rebuild": fmt.Sprintf(`
  source  = { vm_snapshot_id = %q }
  host_id = %q
  nics    = [{ vlan_id = data.elf_vlan.test.id, wait_for_ip = false }]
`, ids["vm_snapshot_id"], host["id"]),
		"blank": fmt.Sprintf(`
  power_state   = "STOPPED"
  guest_os_type = "LINUX"
  firmware      = "UEFI"
  system_disk   = { size_gib = 20, storage_policy = "REPLICA_3_THIN_PROVISION" }
  data_disks    = [
    { name = "data", size_gib = 10, bus = "SCSI" },
    { name = "theirs", volume_id = %q },
  ]
  cd_roms     = [{ iso_id = %q }, {}, { iso_id = %q }]
  gpu_devices = [{ gpu_id = %q }]
  host_id     = %q
  ha          = false
  nics        = []
`, given, libraryISO(sim, "tools.iso", "cluster-1"), sim.RowID("get-elf-images", rows{"name": "rocky-8.iso", "cluster": rows{"name": "cluster-1"}}), gpu["id"], host["id"]),
	}
	return k
}

// config is the configuration of all VMs with these bodies, and what else it is to have for each.
func (k *everyKind) config(body func(kind string) string, more string) string {
	var b strings.Builder
	b.WriteString(k.sim.ProviderConfig() + k.sim.DataSources() + uplink)
	for _, kind := range kinds {
		fmt.Fprintf(&b, "\nresource \"elf_vm\" %q {\n  name       = %q\n  cluster_id = data.elf_cluster.test.id\n%s}\n", kind, kind, body(kind))
		if more != "" {
			fmt.Fprintf(&b, more, kind, kind)
		}
	}
	return b.String()
}

func (k *everyKind) written(kind string) string { return k.bodies[kind] }

// importBlocks imports each VM.
const importBlocks = "import {\n  to = elf_vm.%s\n  id = \"cluster-1/%s\"\n}\n"

// ImportStateVerify of each kind of source. What is left out is what Tower can't
// tell, and what the guest changes meanwhile.
func TestAccVM_importEachSource(t *testing.T) {
	t.Parallel()
	k := newEveryKind(t)
	notTold := map[string][]string{
		"": {
			"source",                   // Tower does not record what a VM was made from
			"network_readiness_report", // of the last wait, and an import waits for nothing
			"vm_tools_status",          // changes by itself
		},
		"library": {
			"cloud_init", "owner", // write-only in Tower
			"network_readiness", "timeouts", // the provider's own
			"labels.%", "labels.team", "labels.retired", // shown without those of the provider's default_labels
			// How the guest was told to configure a NIC went to cloud-init, and what
			// follows from it: which NICs the network's readiness depends on, and
			// which address is the default one.
			"nics.0.network_type", "nics.1.network_type", "nics.1.ip_address", "nics.1.netmask",
			"nics.2.network_type", "nics.2.ip_address", "nics.2.netmask", "nics.2.gateway", "nics.2.routes",
			"nics.3.network_type", "nics.4.network_type", "nics.5.default_route", "network_ready", "default_ip_address",
		},
		"template": {"nics.0.mac_address"}, // as it is spelt in the configuration
		"clone": {
			"nics", // not configured, so not managed; an import lists them
			"ip_addresses",
		},
		"rebuild": {
			"host_id", // Tower may move a VM, so its host is none of an import's
			// Nothing waited for the address.
			"nics.0.wait_for_ip", "network_ready", "default_ip_address", "ip_addresses", "nics.0.ip_addresses",
		},
		"blank": {
			"data_disks.1.name", // the configuration's, not the volume's
			"cd_roms.0.iso_id",  // of an image of the library Tower shows the copy in the cluster
		},
	}
	steps := []resource.TestStep{{Config: k.config(k.written, "")}}
	for _, kind := range kinds {
		steps = append(steps, resource.TestStep{
			ResourceName: "elf_vm." + kind, ImportState: true, ImportStateId: "cluster-1/" + kind, ImportStateVerify: true,
			ImportStateVerifyIgnore: append(notTold[""], notTold[kind]...),
		})
	}
	acctest.Test(t, resource.TestCase{CheckDestroy: k.sim.CheckNoVMs, Steps: steps})
}

// What Terraform writes for imported VMs plans empty, before and after the import;
// what a person writes plans an update in place that only reads. No VM is started.
func TestAccVM_importPlans(t *testing.T) {
	t.Parallel()
	k := newEveryKind(t)
	acctest.NewCLI(t, k.config(k.written, "")).Run("apply", "-auto-approve", "-no-color")
	// What others have done to the VMs since.
	k.api.attach("library", k.api.volume("pvc-1", 3))
	k.api.attach("blank", k.api.volume("pvc-2", 3))
	staged(t, k.sim.Server().LabelVM("library", "backup", "nightly"))
	staged(t, k.sim.Server().LabelVM("clone", "team", "others"))
	blocks := k.sim.ProviderConfig()
	for _, kind := range kinds {
		blocks += fmt.Sprintf(importBlocks, kind, kind)
	}
	imports := fmt.Sprintf("Plan: %d to import, 0 to add, ", len(kinds))
	bare := func(string) string { return "" }
	reversed := func(kind string) string {
		backwards := slices.Clone(nicsOfAllKinds)
		slices.Reverse(backwards)
		return strings.Replace(k.bodies[kind], strings.Join(nicsOfAllKinds, ",\n    "), strings.Join(backwards, ",\n    "), 1)
	}
	const output = "output \"default_ip_addresses\" {\n  value = [elf_vm.library.default_ip_address, elf_vm.library.ip_addresses, elf_vm.library.nics[*].ip_addresses]\n}\n"
	for _, tc := range []struct{ name, config, plan string }{
		{"generated", blocks, imports + "0 to change, 0 to destroy."},
		{"written, with the NICs in another order", k.config(reversed, importBlocks) + output, imports + "5 to change, 0 to destroy."},
		{"written without any argument", k.config(bare, importBlocks), imports + "5 to change, 0 to destroy."},
	} {
		cli := acctest.NewCLI(t, tc.config)
		before := mutations(k.sim)
		args := []string{"plan", "-no-color", "-out=import.plan"}
		if tc.name == "generated" {
			args = append(args, "-generate-config-out=generated.tf")
		}
		if plan := cli.Run(args...); !strings.Contains(plan, tc.plan) || strings.Contains(plan, "known after apply") {
			t.Fatalf("%s:\n%s", tc.name, plan)
		}
		cli.Run("apply", "-no-color", "import.plan")
		if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "No changes") {
			t.Errorf("%s, after the import:\n%s", tc.name, plan)
		}
		if got := sent(k.sim, before); len(got) > 0 {
			t.Errorf("%s: Tower was sent %v", tc.name, got)
		}
		nics, _ := cli.Show()["elf_vm.library"].Values["nics"].([]any)
		for i, nic := range nics {
			nic, _ := nic.(map[string]any)
			if static := nic["ip_address"]; static != nil && fmt.Sprint(nic["ip_addresses"]) != fmt.Sprintf("[%s]", static) {
				t.Errorf("%s: NIC %d, which has the address %s, is taken for that with %v", tc.name, i, static, nic["ip_addresses"])
			}
		}
	}
	for kind, want := range map[string]string{"library": "RUNNING", "template": "RUNNING", "clone": "STOPPED", "rebuild": "RUNNING", "blank": "STOPPED"} {
		if got := vmRow(k.sim, kind)["status"]; got != want {
			t.Errorf("VM %q is %v, want %s", kind, got, want)
		}
	}
}
