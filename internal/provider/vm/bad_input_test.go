// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// badInput is a configuration that the plan has to refuse, at the argument that
// is to blame.
type badInput struct {
	name string
	args args
	at   string // the argument
	want []string
}

func (b badInput) row() inPlaceRow { return inPlaceRow{argument: b.name, effect: refused} }

const badInputScenario = `
inventory:
  clusters:
    - {name: cluster-1, hosts: [{name: h1, memory_gib: 64}, {name: h2, memory_gib: 32}], vlans: [{name: default, dhcp: 10.255.0.0/16}]}
    - {name: cluster-2, hosts: [{name: other}], vlans: [{name: far}]}
  content_library_vm_templates:
    - {name: rocky-8, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}
    - {name: plain, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: false}
  vm_templates: [{name: far-template, cluster: cluster-2}]
  vms: [{name: owner, cluster: cluster-1}, {name: far-vm, cluster: cluster-2}]
`

// newBadWorld is a Tower with what the configurations refer to.
func newBadWorld(t *testing.T) inPlaceWorld {
	t.Helper()
	sim := acctest.Simulator(t, badInputScenario)
	api := apiOf(t, sim)
	id := func(operation, name string) string { return sim.RowID(operation, rows{"name": name}) }
	taken := api.volume("taken", 5)
	api.attach("owner", taken)
	return inPlaceWorld{sim: sim, locals: map[string]string{
		"cluster_2": clusterID(sim, "cluster-2"), "other_host": id("get-hosts", "other"), "small_host": id("get-hosts", "h2"),
		"far_vlan": id("get-vlans", "far"), "plain": id("get-content-library-vm-templates", "plain"), "far_template": id("get-vm-templates", "far-template"),
		"far_vm": id("get-vms", "far-vm"), "far_folder": newFolder(sim, "far", "cluster-2"), "far_group": newGroup(sim, "far", "cluster-2"),
		"taken": taken, "big": api.volume("big", 50),
		"local_vlan": textAt(sim.Rows("get-vlans", rows{"name": "default"})[0], "local_id"),
	}}
}

// badPlan renders the configurations and lets the CLI plan them.
func (w inPlaceWorld) badPlan(t *testing.T, cli *acctest.CLI, table []badInput) {
	t.Helper()
	var b strings.Builder
	b.WriteString(w.headWithout(uplink))
	for _, bad := range table {
		b.WriteString(bad.row().render(bad.args))
	}
	cli.Configure(b.String())
	w.checkRefusals(t, table, cli.Plan)
}

// checkRefusals lets the CLI plan or apply the configurations, which must send
// no change.
func (w inPlaceWorld) checkRefusals(t *testing.T, table []badInput, run func(...string) acctest.Plan) {
	t.Helper()
	first := len(w.sim.Server().Mutations())
	plan := run()
	if sent := w.sim.Server().Mutations()[first:]; len(sent) > 0 {
		t.Errorf("Tower was sent %v", sent)
	}
	for _, bad := range table {
		t.Run(bad.row().key(), func(t *testing.T) {
			found := strings.Join(plan.Errors[bad.row().address()], "\n")
			for _, text := range bad.want {
				if !strings.Contains(found, text) {
					t.Errorf("the errors do not say %q:\n%s", text, found)
				}
			}
			// The CLI points at a line only where the argument is no nested one.
			if bad.at != "" && !strings.Contains(found, "\n  "+bad.at+" = ") && !strings.Contains(found, "Argument: "+bad.at+"\n") {
				t.Errorf("the errors do not point at %s:\n%s", bad.at, found)
			}
		})
	}
}

// What can be known before anything is created is refused by the plan.
func TestAccVM_badInputIsRefusedByThePlan(t *testing.T) {
	t.Parallel()
	w := newBadWorld(t)
	nic := func(id string) args { return args{"nics": "[{ vlan_id = " + id + " }]"} }
	disk := func(members string) args { return args{"data_disks": "[{ name = \"a\", " + members + " }]"} }
	source := func(member string) args { return args{"source": "{ " + member + " }"} }
	blank := func(more args) args {
		more["source"] = ""
		return more
	}
	cli := acctest.NewCLI(t, w.headWithout(uplink))
	w.badPlan(t, cli, []badInput{
		{"suspended", args{"power_state": `"SUSPENDED"`}, "power_state", []string{"can't be created suspended"}},
		{"cloud-init without a template", blank(args{"cloud_init": `{ hostname = "a" }`}), "", []string{"Cloud-init without a template", "Set source to a template"}},
		{"blank disk without a size", blank(args{"system_disk": `{ bus = "SCSI" }`}), "system_disk.size_gib", []string{"needs size_gib"}},
		{"no such cluster", args{"cluster_id": `"no-such-cluster"`}, "cluster_id", []string{"no cluster with the id", "no-such-cluster"}},
		{"no such template", source(`content_library_vm_template_id = "no-such-template"`), "source.content_library_vm_template_id", []string{"no content library VM template with the id"}},
		{"template of another cluster", source("vm_template_id = local.far_template"), "source.vm_template_id", []string{"belongs to another cluster"}},
		{"VM of another cluster", source("vm_id = local.far_vm"), "source.vm_id", []string{"belongs to another cluster"}},
		{"no such snapshot", source(`vm_snapshot_id = "no-such-snapshot"`), "source.vm_snapshot_id", []string{"no VM snapshot with the id"}},
		{
			"template without cloud-init",
			args{"source": "{ content_library_vm_template_id = local.plain }", "cloud_init": `{ hostname = "a" }`},
			"source.content_library_vm_template_id",
			[]string{"is not marked as supporting cloud-init"},
		},
		{"disk smaller than the template's", args{"system_disk": "{ size_gib = 20 }"}, "system_disk.size_gib", []string{"40 GiB and can't shrink"}},
		{"odd cores for the template", args{"num_cores_per_socket": "3"}, "num_cores_per_socket", []string{"2 vCPUs", "Set num_cpus"}},
		{"no such network", nic(`"no-such-network"`), "nics[0].vlan_id", []string{"no VM network with the id"}},
		{"network of another cluster", nic("local.far_vlan"), "nics[0].vlan_id", []string{"VM network of another cluster", `"far"`}},
		{"local id of a network", nic("local.local_vlan"), "nics[0].vlan_id", []string{"Not Tower's id"}},
		{"no such host", args{"host_id": `"no-such-host"`}, "host_id", []string{"No such host"}},
		{"host of another cluster", args{"host_id": "local.other_host"}, "host_id", []string{"Host of another cluster"}},
		{"folder of another cluster", args{"folder_id": "local.far_folder"}, "folder_id", []string{"VM folder of another cluster"}},
		{"group of another cluster", args{"placement_group_id": "local.far_group"}, "placement_group_id", []string{"VM placement group of another cluster"}},
		{"memory of no host", args{"memory_mib": "131072"}, "memory_mib", []string{"No host has so much memory", "131072 MiB", "65536 MiB"}},
		{"memory of another host", args{"memory_mib": "49152", "host_id": "local.small_host"}, "memory_mib", []string{"has so much memory", "h2", "32768 MiB"}},
		{"no such volume", disk(`volume_id = "no-such-volume"`), "data_disks[0].volume_id", []string{"Volume can't be attached", "no volume with the id"}},
		{"volume attached elsewhere", disk("volume_id = local.taken"), "data_disks[0].volume_id", []string{"Volume can't be attached", `attached to the VM "owner"`}},
		{"volume that would shrink", disk("volume_id = local.big, size_gib = 10"), "data_disks[0].volume_id", []string{"has 50 GiB and can't shrink to 10"}},
		{"volume of another policy", disk(`volume_id = local.big, storage_policy = "REPLICA_3_THIN_PROVISION"`), "data_disks[0].volume_id", []string{"storage policy", "can't change"}},
		{"volume of another cluster", args{"data_disks": "[{ name = \"a\", volume_id = local.big }]", "cluster_id": "local.cluster_2", "nics": ""}, "data_disks[0].volume_id", []string{"not in that of the VM"}},
	})
	if vms := w.sim.VMs(); len(vms) > 0 {
		t.Errorf("VMs were made: %v", vms)
	}
}

// What is known only during the apply is refused there, before anything is sent.
func TestAccVM_badInputThatIsKnownLaterCreatesNothing(t *testing.T) {
	t.Parallel()
	w := newBadWorld(t)
	late := func(value string) string {
		return fmt.Sprintf("terraform_data.late[index(keys(local.late), %q)].output", value)
	}
	table := []badInput{
		{"no such template of the library", args{"source": "{ content_library_vm_template_id = " + late("none") + " }"}, "source.content_library_vm_template_id", []string{"no content library VM template with the id"}},
		{"no such template", args{"source": "{ vm_template_id = " + late("none") + " }"}, "source.vm_template_id", []string{"no VM template with the id"}},
		{"no such VM", args{"source": "{ vm_id = " + late("none") + " }"}, "source.vm_id", []string{"no VM with the id"}},
		{"no such snapshot", args{"source": "{ vm_snapshot_id = " + late("none") + " }"}, "source.vm_snapshot_id", []string{"no VM snapshot with the id"}},
		{"another cluster's template", args{"source": "{ vm_template_id = " + late("far_template") + " }"}, "source.vm_template_id", []string{"belongs to another cluster"}},
		{"no such cluster", args{"cluster_id": late("none")}, "cluster_id", []string{"no cluster with the id"}},
		{"no such network", args{"nics": "[{ vlan_id = " + late("none") + " }]"}, "nics[0].vlan_id", []string{"no VM network with the id"}},
		{"another VM's volume", args{"data_disks": "[{ name = \"a\", volume_id = " + late("taken") + " }]"}, "data_disks[0].volume_id", []string{`attached to the VM "owner"`}},
	}
	config := w.headWithout(uplink) + `
locals { late = { far_template = local.far_template, none = "none", taken = local.taken } }

resource "terraform_data" "late" {
  count = length(local.late)
  input = values(local.late)[count.index]
}
`
	for _, bad := range table {
		config += bad.row().render(bad.args)
	}
	cli := acctest.NewCLI(t, config)
	w.checkRefusals(t, table, cli.TryApply)
	if vms := w.sim.VMs(); len(vms) > 0 {
		t.Errorf("VMs were made: %v", vms)
	}
}

// What a VM that exists can't become is refused by the plan.
func TestAccVM_badChangeIsRefusedByThePlan(t *testing.T) {
	t.Parallel()
	w := newBadWorld(t)
	nics := func(more string) args {
		return args{"nics": "[{ vlan_id = data.elf_vlan.test.id, network_type = \"NONE\" }, " + more + "]"}
	}
	table := []badInput{
		{"odd cores", args{"num_cores_per_socket": "3"}, "num_cores_per_socket", []string{"num_cpus (2) must be a multiple of num_cores_per_socket (3)"}},
		{"odd number of vCPUs", args{"num_cpus": "3", "num_cores_per_socket": "2"}, "num_cpus", []string{"multiple"}},
		{"memory of no host any more", args{"memory_mib": "131072"}, "memory_mib", []string{"No host has so much memory"}},
		{"another cluster's host", args{"host_id": "local.other_host"}, "host_id", []string{"Host of another cluster"}},
		{"another cluster's network", args{"nics": "[{ vlan_id = local.far_vlan, network_type = \"NONE\" }]"}, "nics[0].vlan_id", []string{"VM network of another cluster"}},
		{"a new NIC on another cluster's network", nics("{ vlan_id = local.far_vlan }"), "nics[1].vlan_id", []string{"VM network of another cluster"}},
		{"a new NIC on no network", nics(`{ vlan_id = "no-such-network" }`), "nics[1].vlan_id", []string{"No such VM network"}},
		{
			"a new NIC with routes", nics(`{ vlan_id = data.elf_vlan.test.id, network_type = "IPV4", ip_address = "10.255.3.3", netmask = "255.255.0.0", routes = [{ gateway = "10.255.0.1" }] }`),
			"nics[1].routes",
			[]string{"Routes of a new NIC"},
		},
		{"a volume of another VM", args{"data_disks": "[{ name = \"a\", volume_id = local.taken }]"}, "data_disks[0].volume_id", []string{"Volume can't be attached"}},
		{"less memory of a suspended VM", args{"memory_mib": "2048"}, "", []string{"is suspended", "memory_mib is lowered from 4096 to 2048", "RUNNING or STOPPED and apply first"}},
		{"another bus of a suspended VM", args{"system_disk": `{ bus = "SCSI" }`, "power_state": `"RUNNING"`}, "power_state", []string{"is suspended", "the bus of the system disk changes"}},
	}
	var b strings.Builder
	b.WriteString(w.headWithout(uplink))
	var good []badInput
	for _, bad := range table {
		if bad.name != "odd number of vCPUs" { // that one is refused before any plan, and alone
			good = append(good, bad)
			b.WriteString(bad.row().render(nil))
		}
	}
	cli := acctest.NewCLI(t, b.String())
	cli.Apply()
	api := apiOf(t, w.sim)
	for _, bad := range good {
		if strings.HasSuffix(bad.name, "of a suspended VM") {
			api.change("suspend-vm", body{"where": body{"id": api.vmID(bad.row().key())}})
		}
	}
	w.badPlan(t, cli, good)
}

// Destroying a VM by way of a recycle bin that is switched off is refused by the
// plan of it, by that of a replacement, and, where it was switched off since, by
// the apply, before anything is done to the VM. A new VM that wants it is warned of.
func TestAccVM_recycleBinThatIsOffLeavesTheVMUntouched(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, "")
	row, other := inPlaceRow{argument: "binned"}, inPlaceRow{argument: "another"}
	w := inPlaceWorld{sim: sim}
	bin := args{"delete_mode": `"RECYCLE_BIN"`}
	config := func(changes args) string { return w.headWithout(uplink) + row.render(changes) }
	cli := acctest.NewCLI(t, config(bin))
	if warnings := cli.Apply().Warnings[row.address()]; len(warnings) > 0 {
		t.Errorf("the apply warns: %v", warnings)
	}
	if plan := cli.Plan("-destroy", "-out=destroy.tfplan"); len(plan.Errors) > 0 {
		t.Fatalf("the destroy can't be planned: %v", plan.Errors)
	}
	sim.Call("update-global-recycle-bin-setting", body{"enabled": false, "retain": 1}, new(any))
	before := len(sim.Server().Mutations())
	want := func(what string, texts []string) {
		t.Helper()
		if all := strings.Join(texts, "\n"); !strings.Contains(all, "recycle bin is switched off") || !strings.Contains(all, `delete_mode`) {
			t.Errorf("%s does not say that the recycle bin is off: %s", what, all)
		}
	}
	applied := cli.TryApply("destroy.tfplan").Errors
	want("the apply of the destroy", slices.Concat(slices.Collect(maps.Values(applied))...))
	want("the plan of the destroy", cli.Plan("-destroy").Errors[row.address()])
	cli.Configure(config(args{"delete_mode": `"RECYCLE_BIN"`, "firmware": `"UEFI"`}) + other.render(bin))
	plan := cli.Plan()
	want("the plan of the replacement", plan.Errors[row.address()])
	want("the plan of another VM", plan.Warnings[other.address()])
	if sent := sim.Server().Mutations()[before:]; len(sent) > 0 {
		t.Errorf("Tower was sent %v", sent)
	}
	cli.Configure(config(args{"delete_mode": `"PERMANENT"`}))
	cli.Apply()
	cli.Run("destroy", "-auto-approve")
	if vms := sim.VMs(); len(vms) > 0 {
		t.Errorf("the VM is left: %v", vms)
	}
}
