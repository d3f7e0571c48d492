// SPDX-License-Identifier: MPL-2.0

package towersim_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

func TestEmptyScenarioHasTheDefaults(t *testing.T) {
	s, err := towersim.ParseScenario(nil)
	if err != nil {
		t.Fatal(err)
	}

	hosts := towersim.HostList{
		{Name: "cluster-1-host-1", MemoryGiB: 1024, Cores: 128, State: "IN_USE"},
		{Name: "cluster-1-host-2", MemoryGiB: 1024, Cores: 128, State: "IN_USE"},
		{Name: "cluster-1-host-3", MemoryGiB: 1024, Cores: 128, State: "IN_USE"},
	}
	want := &towersim.Scenario{
		Version: "4.6.0", UniqueVMNames: true, DeleteRunning: true, RecycleBin: true,
		Timing: towersim.Timing{Task: 2 * time.Second, Boot: 20 * time.Second, DHCP: 2 * time.Second, VMToolsSync: 60 * time.Second},
		Faults: []towersim.Fault{},
		Inventory: towersim.Inventory{
			Clusters: []towersim.ClusterSpec{{
				Name: "cluster-1", Hosts: hosts, StorageTiB: 100, ISOs: []string{"rocky-8.iso"},
				VLANs: []towersim.VLANSpec{{Name: "default", DHCP: "10.255.0.0/16"}, {Name: "ecp"}},
			}},
			ContentLibraryVMTemplates: []towersim.TemplateSpec{{
				Name: "rocky-8", NumCPUs: 2, MemoryMiB: 4096, DiskGiB: 40, CloudInit: true, Firmware: "BIOS",
			}},
			Users: []towersim.UserSpec{{Username: "root", Password: "tower-sim-password", Source: "LOCAL"}},
		},
	}

	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func TestScenarioReadsEveryKey(t *testing.T) {
	const document = `
version: 4.8
unique_vm_names: false
delete_running: false
stale_addresses: true
mfa: true
recycle_bin: false
inventory:
  clusters:
    - name: c
      hosts: [{name: h1, memory_gib: 64, cores: 16, state: MAINTENANCE_MODE}]
      storage_tib: 1.5
      vlans: [{name: v, dhcp: 10.0.0.0/24}]
      gpus: [{host: 0, model: A40, usage: VGPU}]
      isos: []
  content_library_vm_templates: [{name: t, num_cpus: 1, memory_mib: 2, disk_gib: 3, cloud_init: false}]
  vm_templates: [{name: u, num_cpus: 1, memory_mib: 2, disk_gib: 3, cloud_init: false, cluster: c}]
  vms: [{name: w, cluster: c, num_cpus: 4, memory_mib: 5, nics: [v], power: STOPPED}]
  users: [{username: u, password: p, source: LDAP}]
timing: {task: 1s, boot: 2s, dhcp: 3s, vmtools_sync: 4s}
guests:
  - match: "a*"
    nics: [{index: 1, address: 10.0.0.7, dhcp: never, reported: 127s, link_local_first: true}]
    kubernetes_node: {registered: 78s, internal_ip: 10.0.0.8, provider_id: false}
    vmtools: not_running
    acpi: false
    powers_off: 30s
faults:
  - {operation: get-vm-nics, skip: 3, times: 2, status: 500}
  - {operation: get-vms, status: reset}
  - {operation: get-vms, hang: true}
  - {operation: get-vms, reset: after}
  - {operation: start-vm, locked_for: 10s}
  - {operation: start-vm, task_error: {code: A, message: b}}`

	s, err := towersim.ParseScenario([]byte(document))
	if err != nil {
		t.Fatal(err)
	}

	no := false
	wantGuest := towersim.Guest{
		Match: "a*", VMTools: "not_running", ACPI: &no, PowersOff: towersim.After(30 * time.Second),
		NICs: []towersim.GuestNIC{{
			Index: 1, Address: "10.0.0.7", DHCP: towersim.NeverHappens(), Reported: towersim.After(127 * time.Second), LinkLocalFirst: true,
		}},
		KubernetesNode: &towersim.GuestNode{Registered: towersim.After(78 * time.Second), InternalIP: "10.0.0.8", ProviderID: &no},
	}
	wantFaults := []towersim.Fault{
		{Operation: "get-vm-nics", Skip: 3, Times: 2, Status: 500},
		{Operation: "get-vms", Reset: towersim.ResetBefore},
		{Operation: "get-vms", Hang: true},
		{Operation: "get-vms", Reset: towersim.ResetAfter},
		{Operation: "start-vm", LockedFor: towersim.Delay(10 * time.Second)},
		{Operation: "start-vm", TaskError: &towersim.TaskError{Code: "A", Message: "b"}},
	}

	if diff := cmp.Diff([]towersim.Guest{wantGuest}, s.Guests); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff(wantFaults, s.Faults); diff != "" {
		t.Error(diff)
	}

	if s.Version != "4.8.0" || s.UniqueVMNames || s.DeleteRunning || !s.StaleAddresses || !s.MFA || s.RecycleBin {
		t.Errorf("got %+v", s)
	}

	if s.Inventory.Clusters[0].Hosts[0].State != "MAINTENANCE_MODE" || s.Inventory.VMs[0].Power != "STOPPED" {
		t.Errorf("got %+v", s.Inventory)
	}
}

func TestScenarioErrorsNameLineAndField(t *testing.T) {
	for document, want := range map[string]string{
		"version: 4.6.0\nguests:\n  - mach: a":                             "line 3: guests[0].mach: unknown key; known are acpi,",
		"version: 2.7.0":                                                   "line 1: version: must be 2.8.0 to 4.8.0",
		"version: latest":                                                  "line 1: version: must be a release",
		"mfa: maybe":                                                       "line 1: mfa: must be true or false",
		"mfa: true\nmfa: true":                                             "line 2: mfa: given twice, first on line 1",
		"timing:\n  task: 2":                                               `line 2: timing.task: must be a duration such as 20s or 1m30s, not "2"`,
		"timing:\n  boot: -1s":                                             "line 2: timing.boot: must not be negative",
		"timing: 2s":                                                       `line 1: timing: must be a mapping of keys to values, not "2s"`,
		"guests: {match: a}":                                               "line 1: guests: must be a list, not a mapping",
		"guests: [{}]":                                                     "line 1: guests[0].match: is required",
		"guests:\n- match: '[a'":                                           "line 2: guests[0].match: the class of the glob",
		"guests:\n- match: '[z-a]'":                                        "line 2: guests[0].match: the glob",
		"guests:\n- match: a\n  vmtools: no":                               "line 3: guests[0].vmtools: must be running,",
		"guests:\n- match: a\n  nics:\n  - address: x":                     "line 4: guests[0].nics[0].address: must be an IP address",
		"guests:\n- match: a\n  nics: [{}, {}]":                            "line 3: guests[0].nics[1].index: the NIC 0 is given twice",
		"guests:\n- match: a\n  powers_off: soon":                          "line 3: guests[0].powers_off: must be a duration",
		"inventory:\n  clusters:\n  - hosts: 3":                            "line 3: inventory.clusters[0].name: is required",
		"inventory:\n  clusters:\n  - {name: a}\n  - {name: a}":            `line 4: inventory.clusters[1].name: "a" is used twice`,
		"inventory:\n  clusters:\n  - name: a\n    hosts: many":            "line 4: inventory.clusters[0].hosts: must be the number of hosts or a list",
		"inventory:\n  clusters:\n  - name: a\n    hosts: 2000000000":      "line 4: inventory.clusters[0].hosts: must be at most 10000 hosts",
		"inventory:\n  clusters:\n  - name: a\n    hosts: [{state: GONE}]": "line 4: inventory.clusters[0].hosts[0].state: must be one of",
		"inventory:\n  clusters:\n  - name: a\n    hosts:\n    - memory_gib: 0":          "line 5: inventory.clusters[0].hosts[0].memory_gib: must be more than 0",
		"inventory:\n  clusters:\n  - name: a\n    storage_tib: 9000000000":              "line 4: inventory.clusters[0].storage_tib: must not be more than 100000",
		"inventory:\n  clusters:\n  - name: a\n    storage_tib: .nan":                    "line 4: inventory.clusters[0].storage_tib: must be more than 0",
		"inventory:\n  clusters:\n  - name: a\n    hosts: [{cores: 9000000000}]":         "line 4: inventory.clusters[0].hosts[0].cores: must not be more than 4096",
		"inventory:\n  vms:\n  - {name: a, memory_mib: 9223372036854775807}":             "line 3: inventory.vms[0].memory_mib: must not be more than 1073741824",
		"inventory:\n  vm_templates:\n  - {name: a, disk_gib: 9223372036854775807}":      "line 3: inventory.vm_templates[0].disk_gib: must not be more than 1048576",
		"inventory:\n  clusters:\n  - name: a\n    vlans: [{name: v, dhcp: x}]":          "line 4: inventory.clusters[0].vlans[0].dhcp: must be an IPv4 range",
		"inventory:\n  clusters:\n  - name: a\n    vlans: [{name: v, dhcp: 1.0.0.0/31}]": "line 4: inventory.clusters[0].vlans[0].dhcp: 1.0.0.0/31 has no room",
		"inventory:\n  clusters:\n  - name: a\n    gpus: [{host: 3}]":                    "line 4: inventory.clusters[0].gpus[0].host: the cluster has no host 3",
		"inventory:\n  vms:\n  - {name: a, cluster: b}":                                  `line 3: inventory.vms[0].cluster: there is no cluster "b"`,
		"inventory:\n  vms:\n  - {name: a, nics: [b]}":                                   `line 3: inventory.vms[0].nics[0]: cluster "cluster-1" has no VM network "b"`,
		"inventory:\n  vms:\n  - {name: a}\n  - {name: a}":                               `line 4: inventory.vms[1].name: "a" is used twice`,
		"inventory:\n  vms:\n  - {name: a, power: OFF}":                                  "line 3: inventory.vms[0].power: must be RUNNING or STOPPED",
		"inventory:\n  users:\n  - {username: a}":                                        "line 3: inventory.users[0].password: is required",
		"inventory:\n  users:\n  - {username: a, password: b, source: X}":                "line 3: inventory.users[0].source: must be LOCAL,",
		"inventory:\n  vm_templates:\n  - {name: a, firmware: X}":                        "line 3: inventory.vm_templates[0].firmware: must be BIOS or UEFI",
		"inventory:\n  content_library_vm_templates:\n  - {name: a, nics: [b]}":          "line 3: inventory.content_library_vm_templates[0].nics[0]: no cluster has",
		"faults:\n- {operation: get-vmnics, status: 500}":                                `line 2: faults[0].operation: Tower has no operation "get-vmnics"`,
		"faults:\n- {operation: get-vms}":                                                "line 2: faults[0]: has no effect",
		"faults:\n- {operation: get-vms, status: 500, hang: true}":                       "line 2: faults[0]: has more than one effect",
		"faults:\n- {operation: get-vms, status: 99}":                                    "line 2: faults[0].status: must be an HTTP status",
		"faults:\n- {operation: get-vms, reset: later}":                                  "line 2: faults[0].reset: must be true, before or after",
		"faults:\n- {operation: get-vms, status: 500, times: -1}":                        "line 2: faults[0].times: must not be negative",
		"faults:\n- {operation: get-vms, status: 500, times: 1.5}":                       `line 2: faults[0].times: must be a whole number, not "1.5"`,
		"faults:\n- {operation: get-vms, slow: 1000000h}":                                "line 2: faults[0].slow: must not be more than 438000h",
		"faults:\n- {operation: start-vm, task_error: {message: a}}":                     "line 2: faults[0].task_error.code: is required",
		"a: [":                       "line 1: not valid YAML",
		"mfa: true\n---\nmfa: false": "only one document is expected",
		"- version":                  "line 1: must be a mapping of keys to values, not a list",
	} {
		_, err := towersim.ParseScenario([]byte(document))

		var invalid *towersim.ScenarioError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", document, err, want)
		}
	}
}

func TestGuestsMatchByGlob(t *testing.T) {
	for _, test := range []struct {
		glob, name string
		want       bool
	}{
		{"*", "a/b.c", true},
		{"ecp-*", "ecp-1", true},
		{"ecp-*", "x-ecp-1", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"[ab]1", "b1", true},
		{"[!ab]1", "b1", false},
		{"[^ab]1", "c1", true},
		{"[a-c]1", "b1", true},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{"a.c", "abc", false},
	} {
		x := start(t, "guests: [{match: '"+test.glob+"', vmtools: not_installed}]")

		vm := x.newVM(object{"name": test.name})
		if got := vm.VMToolsStatus == "NOT_INSTALLED"; got != test.want {
			t.Errorf("%q matches %q: %v", test.glob, test.name, got)
		}
	}
}

func TestFirstMatchingGuestWins(t *testing.T) {
	x := start(t, "guests: [{match: a, vmtools: not_installed}, {match: '*', vmtools: running}]")

	if vm := x.newVM(object{"name": "a"}); vm.VMToolsStatus != "NOT_INSTALLED" {
		t.Errorf("the tools are %s", vm.VMToolsStatus)
	}
}

func TestScenarioWrittenInGoIsChecked(t *testing.T) {
	s := towersim.DefaultScenario()
	s.Inventory.VMs = []towersim.VMSpec{{Name: "a", NumCPUs: 1, MemoryMiB: 1, Power: "RUNNING", NICs: []string{"none"}}}

	_, err := towersim.New(towersim.Options{Scenario: s})

	var invalid *towersim.ScenarioError
	if !errors.As(err, &invalid) || invalid.Field != "inventory.vms[0].nics[0]" || invalid.Line != 0 {
		t.Errorf("got %v", err)
	}
}

func TestServerDoesNotChangeTheCallersScenario(t *testing.T) {
	s := towersim.DefaultScenario()

	server, err := towersim.New(towersim.Options{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}

	defer server.Close()

	if s.Inventory.Clusters[0].Hosts[0].Name != "" {
		t.Errorf("the host was named %q", s.Inventory.Clusters[0].Hosts[0].Name)
	}
}
