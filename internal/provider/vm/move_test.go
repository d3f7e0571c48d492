// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	elf "github.com/smartxworks/terraform-provider-elf/internal/provider"
)

const movable = `
inventory:
  clusters: [{name: cluster-1, hosts: 1, vlans: [{name: default, dhcp: 10.255.0.0/16}], isos: [ubuntu.iso]}]
  content_library_vm_templates: [{name: rocky-8, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}]
  vm_templates: [{name: golden, cluster: cluster-1, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}]
`

// olderPassword is in the older provider's states in clear.
const olderPassword = "older-password"

// moves is a simulated Tower with the VMs of the older provider's examples.
type moves struct {
	api     *towerAPI
	ids     map[string]string
	objects []olderObject
}

// made has Tower make a VM as the older provider does, and keeps its state.
func (m *moves) made(label string, key any, operation string, request, arguments body) string {
	m.api.t.Helper()
	request["cluster_id"], request["status"] = m.ids["cluster"], orElse(request["status"], "STOPPED")
	m.api.change(operation, []body{request})
	name, _ := request["name"].(string)
	m.objects = append(m.objects, olderObject{name: label, key: key, attributes: olderState(m.api, name, arguments)})
	return m.api.vmID(name)
}

func orElse(value, otherwise any) any {
	if value == nil {
		return otherwise
	}
	return value
}

// olderEffect is the block create_effect as the older provider's states have it.
func olderEffect(from, id string, cloudInit ...body) body {
	e := body{
		"clone_from_vm": "", "clone_from_template": "", "clone_from_content_library_template": "", "rebuild_from_snapshot": "",
		"is_full_copy": false, "cloud_init": cloudInit,
	}
	e[from] = id
	return body{"create_effect": []body{e}}
}

// olderCloudInit is the block cloud_init with a static address, as the state has
// it and as Tower is sent it.
func olderCloudInit(hostname, address string) (state, sent body) {
	network := body{
		"type": "IPV4", "nic_index": 0, "ip_address": address, "netmask": "255.255.0.0",
		"routes": []body{{"gateway": "10.255.0.1", "netmask": "0.0.0.0", "network": "0.0.0.0"}},
	}
	state = body{
		"hostname": hostname, "nameservers": []string{"192.0.2.53"}, "default_user_password": olderPassword, "networks": []body{network},
		"public_keys": nil, "user_data": "",
	}
	sent = body{"hostname": hostname, "nameservers": []string{"192.0.2.53"}, "default_user_password": olderPassword, "networks": []body{network}}
	return state, sent
}

func olderDisk(boot int, bus, name string, gib int, policy string) body {
	return body{"boot": boot, "bus": bus, "vm_volume": body{"name": name, "size": gib << 30, "elf_storage_policy": policy}}
}

// newDisks are disks and an empty drive beside those of a template.
func newDisks(driveBoot int, disks ...body) body {
	return body{"disk_operate": body{"new_disks": body{"mount_cd_roms": []body{{"boot": driveBoot}}, "mount_new_create_disks": disks}}}
}

// insteadOf are newDisks that take the place of the template's.
func insteadOf(disks body) body {
	operate, _ := disks["disk_operate"].(body)
	operate["remove_disks"] = body{"disk_index": []int{0}}
	return disks
}

// newMoves makes the VMs of each example in the older provider's documentation.
func newMoves(t *testing.T, sim *acctest.Sim) *moves {
	t.Helper()
	api := apiOf(t, sim)
	m := &moves{api: api, ids: map[string]string{
		"cluster": sim.RowID("get-clusters", body{"name": "cluster-1"}), "vlan": sim.RowID("get-vlans", body{"name": "default"}),
		"host": sim.RowID("get-hosts", nil), "iso": sim.RowID("get-elf-images", nil),
		"template": sim.RowID("get-vm-templates", body{"name": "golden"}), "library": sim.RowID("get-content-library-vm-templates", body{"name": "rocky-8"}),
	}}
	nics := []body{{"connect_vlan_id": m.ids["vlan"]}}
	blank := func(name string, disks body, more body) body {
		request := body{
			"name": name, "description": "managed by terraform", "host_id": m.ids["host"], "vcpu": 4, "cpu_cores": 1, "cpu_sockets": 4, "memory": 4 << 30,
			"ha": false, "firmware": "BIOS", "guest_os_type": "UNKNOWN", "vm_disks": disks, "vm_nics": nics,
		}
		for member, value := range more {
			request[member] = value
		}
		return request
	}
	const thin = "REPLICA_2_THIN_PROVISION"
	one := body{"mount_cd_roms": []body{{"boot": 2}}, "mount_new_create_disks": []body{olderDisk(1, "VIRTIO", "d1", 20, thin)}}
	forced := body{"force_status_change": true}

	m.made("create", nil, "create-vm", blank("create", body{
		"mount_cd_roms":          []body{{"boot": 1, "elf_image_id": m.ids["iso"]}, {"boot": 4}},
		"mount_new_create_disks": []body{olderDisk(2, "VIRTIO", "d1", 10, thin), olderDisk(3, "VIRTIO", "d2", 1, "REPLICA_3_THICK_PROVISION")},
	}, body{"ha": true, "memory": 8 << 30}), forced)

	cloned := m.made("cloned", nil, "create-vm", blank("cloned", one, nil), forced)
	m.made("clone", nil, "clone-vm", body{"name": "clone", "src_vm_id": cloned, "memory": 2 << 30, "ha": false}, olderEffect("clone_from_vm", cloned))

	m.made("snapped", nil, "create-vm", blank("snapped", one, nil), forced)
	m.ids["snapshot"] = takeSnapshot(t, sim, "snapped", "frozen")
	m.made("rebuilt", nil, "rebuild-vm-from-snapshot", body{"name": "rebuilt", "rebuild_from_snapshot_id": m.ids["snapshot"], "memory": 2 << 30, "ha": false},
		body{"create_effect": olderEffect("rebuild_from_snapshot", m.ids["snapshot"])["create_effect"], "rollback_to": ""})
	m.made("golden", nil, "create-vm", blank("to-be-cloned", one, nil), forced)
	m.objects[len(m.objects)-1].attributes["hostname"] = "told-by-the-guest"

	from := func(name string, more body) body {
		request := body{"name": name, "template_id": m.ids["template"], "is_full_copy": false}
		for member, value := range more {
			request[member] = value
		}
		return request
	}
	template := func(cloudInit ...body) body {
		return olderEffect("clone_from_template", m.ids["template"], cloudInit...)
	}
	m.made("plain", nil, "create-vm-from-template", from("plain", nil), template())
	m.made("nics", nil, "create-vm-from-template", from("nics", body{"vm_nics": nics}), template())
	state, sent := olderCloudInit("ci", "10.255.11.1")
	m.made("cloud_init", nil, "create-vm-from-template", from("cloud-init", body{"cloud_init": sent, "status": "RUNNING"}), template(state))
	m.made("disks", nil, "create-vm-from-template", from("disks", newDisks(1, olderDisk(2, "VIRTIO", "d1", 20, thin))), template())
	m.made("modified_disk", nil, "create-vm-from-template", from("modified-disk", insteadOf(newDisks(1, olderDisk(0, "VIRTIO", "modified-1", 40, thin)))), template())
	state, sent = olderCloudInit("vsphere-like", "10.255.13.1")
	vsphere := insteadOf(newDisks(2, olderDisk(0, "VIRTIO", "vs-1", 40, thin), olderDisk(3, "SCSI", "vs-data", 10, "REPLICA_3_THIN_PROVISION")))
	vsphere["cloud_init"], vsphere["vm_nics"], vsphere["status"] = sent, nics, "RUNNING"
	m.made("vsphere", 0, "create-vm-from-template", from("vsphere-like", vsphere), template(state))

	for i, name := range []string{"lib-a", "lib-b"} {
		state, sent := olderCloudInit(name, fmt.Sprintf("10.255.12.%d", i+1))
		request := body{
			"name": name, "template_id": m.ids["library"], "is_full_copy": false, "vcpu": 2, "cpu_cores": 1, "cpu_sockets": 2, "memory": 2 << 30,
			"host_id": m.ids["host"], "vm_nics": nics, "cloud_init": sent, "status": "RUNNING",
			// The example's extra disk has the same place in the boot order as the template's own.
			"disk_operate": newDisks(5, olderDisk(1, "SCSI", name+"-data", 10, thin))["disk_operate"],
		}
		m.made("library", i, "create-vm-from-content-library-template", request, olderEffect("clone_from_content_library_template", m.ids["library"], state))
	}
	return m
}

// translated is the configuration of the same VMs for this provider.
func (m *moves) translated(sim *acctest.Sim) string {
	var b strings.Builder
	b.WriteString(sim.ProviderConfig() + sim.DataSources() + "locals {\n")
	for name, id := range m.ids {
		fmt.Fprintf(&b, "  %s = %q\n", name, id)
	}
	b.WriteString("  thin = \"REPLICA_2_THIN_PROVISION\"\n  nics = [{ vlan_id = data.elf_vlan.test.id }]\n}\n")
	vm := func(label, name, body string) {
		fmt.Fprintf(&b, "resource \"elf_vm\" %q {\n  name       = %s\n  cluster_id = data.elf_cluster.test.id\n%s}\nmoved {\n  from = cloudtower_vm.%s\n  to   = elf_vm.%s\n}\n", label, name, body, label, label)
	}
	const blank = `
  description     = "managed by terraform"
  host_id         = local.host
  num_cpus        = 4
  firmware        = "BIOS"
  power_state     = "STOPPED"
  force_power_off = true
  nics            = local.nics
`
	const one = blank + "  ha = false\n  memory_mib = 4096\n  system_disk = { size_gib = 20, storage_policy = local.thin }\n"
	vm("create", `"create"`, blank+`
  ha          = true
  memory_mib  = 8192
  system_disk = { size_gib = 10, bus = "VIRTIO", storage_policy = local.thin }
  data_disks  = [{ name = "d2", size_gib = 1, storage_policy = "REPLICA_3_THICK_PROVISION" }]
  cd_roms     = [{ iso_id = local.iso }, {}]
`)
	vm("cloned", `"cloned"`, one+"  cd_roms = [{}]\n")
	vm("clone", `"clone"`, "  source = { vm_id = elf_vm.cloned.id }\n  ha = false\n  memory_mib = 2048\n")
	vm("snapped", `"snapped"`, one)
	vm("rebuilt", `"rebuilt"`, "  source = { vm_snapshot_id = local.snapshot }\n  ha = false\n  memory_mib = 2048\n")
	// All disks of a blank VM may be data disks, too.
	vm("golden", `"to-be-cloned"`, blank+"  ha = false\n  memory_mib = 4096\n  data_disks = [{ name = \"d1\", size_gib = 20 }]\n")

	const template = "  source = { vm_template_id = local.template, full_copy = false }\n"
	const cloudInit = `
  cloud_init = { hostname = %s, nameservers = ["192.0.2.53"], default_user_password_wo = "anything", default_user_password_wo_version = 1 }
  nics       = [{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = %s, netmask = "255.255.0.0", gateway = "10.255.0.1" }]
`
	vm("plain", `"plain"`, template)
	vm("nics", `"nics"`, template+"  nics = local.nics\n")
	vm("cloud_init", `"cloud-init"`, template+fmt.Sprintf(cloudInit, `"ci"`, `"10.255.11.1"`))
	vm("disks", `"disks"`, template+"  data_disks = [{ name = \"d1\", size_gib = 20, storage_policy = local.thin }]\n")
	vm("modified_disk", `"modified-disk"`, template+"  system_disk = { size_gib = 40, bus = \"VIRTIO\" }\n  cd_roms = [{}]\n")
	vm("vsphere", `"vsphere-like"`, "  count = 1\n"+template+`
  system_disk = { size_gib = 40 }
  data_disks  = [{ name = "vs-data", size_gib = 10, bus = "SCSI", storage_policy = "REPLICA_3_THIN_PROVISION" }]
`+fmt.Sprintf(cloudInit, `"vsphere-like"`, `"10.255.13.1"`))
	vm("library", `["lib-a", "lib-b"][count.index]`, `
  count      = 2
  source     = { content_library_vm_template_id = local.library }
  num_cpus   = 2
  num_cores_per_socket = 1
  memory_mib = 2048
  host_id    = local.host
  data_disks = [{ name = "${["lib-a", "lib-b"][count.index]}-data", size_gib = 10, bus = "SCSI" }]
`+fmt.Sprintf(cloudInit, `["lib-a", "lib-b"][count.index]`, `"10.255.12.${count.index + 1}"`))
	return b.String()
}

// Each documented example of the older provider moves without a replacement and
// without a request that changes anything.
func TestAccVM_moveFromTheOlderProvider(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][]string{"with a refresh": nil, "without a refresh": {"-refresh=false"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, movable)
			m := newMoves(t, sim)
			beside, asked := olderNeighbour()
			cli := acctest.NewCLI(t, m.translated(sim), beside)
			writeOlderStates(t, cli, "cloudtower_vm", m.objects...)
			before := mutations(sim)
			plan := cli.Run(append([]string{"plan", "-no-color", "-out=move.plan"}, arguments...)...)
			if want := fmt.Sprintf("Plan: 0 to add, %d to change, 0 to destroy.", len(m.objects)); !strings.Contains(plan, want) || strings.Contains(plan, "replaced") {
				t.Fatalf("the plan is not %q:\n%s", want, plan)
			}
			if strings.Contains(plan, "stopped and started") {
				t.Errorf("the plan stops a VM:\n%s", plan)
			}
			cli.Run("apply", "-no-color", "move.plan")
			if got := sent(sim, before); len(got) > 0 {
				t.Errorf("Tower was sent %v\n%s", got, plan)
			}
			if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "No changes") {
				t.Errorf("after the move:\n%s", plan)
			}
			if n := asked.Load(); n > 0 {
				t.Errorf("the older provider was asked %d times", n)
			}
			state := cli.Show()
			for address, want := range map[string]map[string]any{
				"elf_vm.create":     {"delete_mode": "PERMANENT", "shutdown_timeout": "5m", "status": "STOPPED", "memory_mib": 8192.0, "network_ready": nil},
				"elf_vm.library[1]": {"status": "RUNNING", "num_cores_per_socket": 1.0},
			} {
				for attribute, value := range want {
					if got := state[address].Values[attribute]; got != value {
						t.Errorf("%s has %s %v, want %v", address, attribute, got, value)
					}
				}
			}
			for i, name := range []string{"lib-a", "lib-b"} {
				values := state[fmt.Sprintf("elf_vm.library[%d]", i)].Values
				system, _ := values["system_disk"].(map[string]any)
				if disks := fmt.Sprint(values["data_disks"]); system["size_gib"] != 40.0 || !strings.Contains(disks, "name:"+name+"-data") || strings.Contains(disks, name+"-1") {
					t.Errorf("%s boots from %v and has %s besides", name, system, disks)
				}
			}
			if strings.Contains(cli.Read("terraform.tfstate"), olderPassword) {
				t.Error("the password that the older provider kept is still in the state")
			}
		})
	}
}

// What can't be moved is said, and what is gone is made anew.
func TestAccVM_moveOfWhatIsGoneOrOther(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "inventory: {vms: [{name: kept}]}")
	api := apiOf(t, sim)
	kept := olderObject{name: "kept", attributes: olderState(api, "kept", nil)}
	gone := olderObject{name: "gone", attributes: olderState(api, "kept", body{"id": "cgone", "name": "gone"})}
	config := func(from, label string) string {
		return sim.ProviderConfig() + sim.DataSources() + fmt.Sprintf(
			"resource \"elf_vm\" %[2]q {\n  name = %[2]q\n  cluster_id = data.elf_cluster.test.id\n}\nmoved {\n  from = %[1]s.%[2]s\n  to = elf_vm.%[2]s\n}\n", from, label)
	}
	beside, _ := olderNeighbour()
	cli := acctest.NewCLI(t, config("cloudtower_vm", "gone"), beside)
	fails := func(want []string, arguments ...string) {
		t.Helper()
		output, err := cli.Start(arguments...).Wait()
		if err == nil || !acctest.Mentions(want...).MatchString(output) {
			t.Errorf("%v: %v, want %q in\n%s", arguments, err, want, output)
		}
	}
	writeOlderStates(t, cli, "cloudtower_vm", gone)
	if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "Plan: 1 to add, 0 to change, 0 to destroy.") {
		t.Errorf("a VM that is gone:\n%s", plan)
	}
	fails([]string{"Unable to read VM \"gone\"", "without -refresh=false"}, "plan", "-no-color", "-refresh=false")

	cli.Configure(config("cloudtower_vm_snapshot", "kept"))
	writeOlderStates(t, cli, "cloudtower_vm_snapshot", olderObject{name: "kept", attributes: body{"id": "csnapshot", "name": "kept", "vm_id": "cvm"}})
	fails([]string{"Unable to Move Resource State", "cloudtower_vm_snapshot"}, "plan", "-no-color")

	// Nothing is left to the provider but to move the VM, or to destroy it.
	cli.Configure(config("cloudtower_vm", "kept"))
	writeOlderStates(t, cli, "cloudtower_vm", kept)
	cli.Run("apply", "-no-color", "-auto-approve", "-refresh=false")
	if status := cli.Show()["elf_vm.kept"].Values["status"]; status != "RUNNING" {
		t.Errorf("the state has the status %v", status)
	}
	if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "No changes") {
		t.Errorf("after the move:\n%s", plan)
	}
	writeOlderStates(t, cli, "cloudtower_vm", kept)
	cli.Configure(strings.Replace(config("cloudtower_vm", "kept"), "{\n  name = \"kept\"", "{\n  description = \"moved\"\n  name = \"kept\"", 1))
	before := mutations(sim)
	cli.Run("apply", "-no-color", "-auto-approve", "-refresh=false")
	if got := sent(sim, before); !maps.Equal(got, map[string]int{"update-vm-basic-info": 1}) {
		t.Errorf("for a description Tower was sent %v", got)
	}
	if plan := cli.Run("plan", "-no-color"); !strings.Contains(plan, "No changes") {
		t.Errorf("after a move with a change:\n%s", plan)
	}
	writeOlderStates(t, cli, "cloudtower_vm", kept)
	cli.Run("destroy", "-no-color", "-auto-approve", "-refresh=false")
	if left := sim.Rows("get-vms", body{"name": "kept"}); len(left) > 0 {
		t.Errorf("the VM is left: %v", left)
	}
}

func TestMoveState(t *testing.T) {
	t.Parallel()
	const address = "registry.terraform.io/smartxworks/cloudtower"
	for name, tc := range map[string]struct {
		address, kind string
		version       int64
		state         string
		want          []string // of the error, nil for none
		values        map[string]string
	}{
		"a VM":                       {address, "cloudtower_vm", 0, `{"id": "c1", "name": "a", "cluster_id": "c2", "vcpu": 4, "nic": [{"vlan_id": "c3"}]}`, nil, map[string]string{"id": "c1", "name": "a", "cluster_id": "c2"}},
		"from a mirror":              {"mirror.example.com/smartxworks/cloudtower", "cloudtower_vm", 0, `{"id": "c1", "name": "a"}`, nil, map[string]string{"id": "c1", "name": "a"}},
		"of a release to come":       {address, "cloudtower_vm", 0, `{"id": "c1", "name": 7, "new": {"a": [1]}}`, nil, map[string]string{"id": "c1"}},
		"of another schema version":  {address, "cloudtower_vm", 1, `{"id": "c1"}`, []string{"version 1 of its schema", "import block"}, nil},
		"without an id":              {address, "cloudtower_vm", 0, `{"id": null, "name": "half"}`, []string{`"half" holds no id`, "terraform state rm"}, nil},
		"with an id of another type": {address, "cloudtower_vm", 0, `{"id": 7, "name": "half"}`, []string{`"half" holds no id`, "import block"}, nil},
		"no object":                  {address, "cloudtower_vm", 0, `[]`, []string{"can't be read", "import block"}, nil},
		"no JSON":                    {address, "cloudtower_vm", 0, "", []string{"not in JSON", "import block"}, nil},
		"another type":               {address, "cloudtower_cluster", 0, `{"id": "c1"}`, []string{"does not include support for the given source resource", "cloudtower_cluster"}, nil},
		"another provider":           {"registry.terraform.io/somebody/cloudtower", "cloudtower_vm", 0, `{"id": "c1"}`, []string{"does not include support for the given source resource", "somebody"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := providerserver.NewProtocol6(elf.New("test")())()
			resp, err := server.MoveResourceState(t.Context(), &tfprotov6.MoveResourceStateRequest{
				SourceProviderAddress: tc.address, SourceTypeName: tc.kind, SourceSchemaVersion: tc.version,
				SourceState: &tfprotov6.RawState{JSON: []byte(tc.state)}, SourcePrivate: []byte("null"), TargetTypeName: "elf_vm",
			})
			if err != nil {
				t.Fatal(err)
			}
			if tc.want != nil {
				if len(resp.Diagnostics) != 1 || resp.TargetState != nil {
					t.Fatalf("%d messages, state %v", len(resp.Diagnostics), resp.TargetState)
				}
				text := resp.Diagnostics[0].Summary + "\n" + resp.Diagnostics[0].Detail
				if !acctest.Mentions(tc.want...).MatchString(text) {
					t.Errorf("%q, want %q", text, tc.want)
				}
				return
			}
			if len(resp.Diagnostics) > 0 {
				t.Fatal(resp.Diagnostics[0])
			}
			got := knownStrings(t, server, resp.TargetState)
			want := map[string]string{"delete_mode": "PERMANENT", "shutdown_timeout": "5m"}
			maps.Copy(want, tc.values)
			if !maps.Equal(got, want) {
				t.Errorf("the state is %v, want %v", got, want)
			}
		})
	}
}

// knownStrings are the strings of a state of elf_vm that are not null.
func knownStrings(t *testing.T, server tfprotov6.ProviderServer, state *tfprotov6.DynamicValue) map[string]string {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	value, err := state.Unmarshal(schemas.ResourceSchemas["elf_vm"].ValueType())
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]tftypes.Value
	if err := value.As(&members); err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for name, member := range members {
		var text string
		if member.IsNull() || !member.Type().Is(tftypes.String) {
			continue
		}
		if err := member.As(&text); err != nil {
			t.Fatal(err)
		}
		known[name] = text
	}
	return known
}
