// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// effect is what changing an argument does.
type effect int

const (
	unseen   effect = iota // no change is planned
	recorded               // an update that sends nothing
	inPlace                // an update, whatever the VM does meanwhile
	restarts               // an update that stops and starts the VM, which the plan announces
	replaces               // another VM
	refused                // an error of the plan
)

// action is what the plan shows.
func (e effect) action() string {
	switch e {
	case unseen, refused:
		return ""
	case replaces:
		return "replace"
	default:
		return "update"
	}
}

// args are the arguments of an elf_vm in HCL; "" leaves one out.
type args map[string]string

// inPlaceRow is what a change of one argument does. Each has a VM of its own.
// The documentation page is made from these rows.
type inPlaceRow struct {
	argument string // as nics.vlan_id
	when     string // which change of it this is, in words; "" where all are alike
	effect   effect
	// before and after are the arguments beside, or in place of, those of
	// inPlaceBase.
	before, after args
	// calls are the changing calls that Tower gets about the VM, in their order,
	// each with the members of its data. Where a VM is replaced, nil is what
	// replaced gives for a template of the content library.
	calls []string
	// tower is what Tower has afterwards, by paths into what towerDocuments gives.
	// A value "local.x" is that local value.
	tower map[string]any
	// refusal are texts of the error.
	refusal []string
	// advice says on the page what to know or to do, in Markdown.
	advice string
}

// stopped are the calls of a change that a running VM can't take.
func stopped(calls ...string) []string {
	return slices.Concat([]string{"shutdown-vm"}, calls, []string{"start-vm"})
}

// replaced are the calls that end a VM and make another.
func replaced(create string) []string { return []string{"shutdown-vm", "delete-vm", create} }

// wants are the calls that the row's change sends.
func (r inPlaceRow) wants() []string {
	if r.effect == replaces && r.calls == nil {
		return replaced("create-vm-from-content-library-template")
	}
	return r.calls
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// key names the resource and the VM of the row.
func (r inPlaceRow) key() string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(r.argument+" "+r.when), "_"), "_")
}

func (r inPlaceRow) address() string { return "elf_vm." + r.key() }

// inPlaceSection is a part of the page.
type inPlaceSection struct {
	Title string
	rows  []inPlaceRow
}

// inPlaceTable is the whole table.
func inPlaceTable() []inPlaceSection {
	return []inPlaceSection{
		{"The VM", vmRows()},
		{"NICs", nicRows()},
		{"Disks", diskRows()},
		{"CD-ROM drives and GPU devices", deviceRows()},
		{"Source and first boot", sourceRows()},
		{"How the provider handles the VM", lifeRows()},
	}
}

func inPlaceRows() []inPlaceRow {
	var all []inPlaceRow
	for _, section := range inPlaceTable() {
		all = append(all, section.rows...)
	}
	return all
}

const (
	inPlaceScenario = `
inventory:
  clusters:
    - name: cluster-1
      hosts: [{name: h1}, {name: h2}, {name: h3}]
      vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: ecp}]
      isos: [rocky-8.iso, tools.iso]
      gpus: [{host: 0, model: A10}, {host: 0, model: A16}, {host: 0, model: A30, usage: VGPU}, {host: 0, model: A40, usage: VGPU}]
    - {name: cluster-2}
  content_library_vm_templates:
    - {name: rocky-8, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}
    - {name: rocky-9, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}
  vm_templates: [{name: golden-template, cluster: cluster-1, num_cpus: 2, memory_mib: 4096, disk_gib: 40, cloud_init: true}]
  vms: [{name: golden, cluster: cluster-1, nics: [default], power: STOPPED}]
  users:
    - {username: root, password: tower-sim-password, source: LOCAL}
    - {username: ann, password: x, source: LOCAL}
    - {username: bob, password: x, source: LOCAL}
`
	silentNIC = `[{ vlan_id = data.elf_vlan.test.id, network_type = "NONE" }]`
	library   = `{ content_library_vm_template_id = data.elf_content_library_vm_template.test.id }`
)

// inPlaceBase are the arguments of a row's VM that the row does not set.
func inPlaceBase(name string) args {
	return args{"name": fmt.Sprintf("%q", name), "cluster_id": "data.elf_cluster.test.id", "source": library, "nics": silentNIC}
}

// render is the VM with the given arguments.
func (r inPlaceRow) render(changes args) string {
	all := inPlaceBase(r.key())
	maps.Copy(all, changes)
	var b strings.Builder
	fmt.Fprintf(&b, "resource \"elf_vm\" %q {\n", r.key())
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] != "" {
			fmt.Fprintf(&b, "  %s = %s\n", name, all[name])
		}
	}
	return b.String() + "}\n\n"
}

// changed is the VM after the change.
func (r inPlaceRow) changed() args {
	all := maps.Clone(r.before)
	if all == nil {
		all = args{}
	}
	maps.Copy(all, r.after)
	return all
}

// inPlaceWorld is a Tower with all that the rows refer to, and the head of a
// configuration that names it: local values for the rows.
type inPlaceWorld struct {
	sim    *acctest.Sim
	locals map[string]string
}

func newInPlaceWorld(t *testing.T) inPlaceWorld {
	t.Helper()
	sim := acctest.Simulator(t, inPlaceScenario)
	api := apiOf(t, sim)
	w := inPlaceWorld{sim: sim, locals: map[string]string{
		"cluster_2":    clusterID(sim, "cluster-2"),
		"vlan_default": sim.RowID("get-vlans", rows{"name": "default", "vds": rows{"cluster": rows{"name": "cluster-1"}}}),
		"vlan_ecp":     sim.RowID("get-vlans", rows{"name": "ecp", "vds": rows{"cluster": rows{"name": "cluster-1"}}}),
		"rocky_9":      sim.RowID("get-content-library-vm-templates", rows{"name": "rocky-9"}),
		"vm_template":  sim.RowID("get-vm-templates", rows{"name": "golden-template"}),
		"golden":       sim.RowID("get-vms", rows{"name": "golden"}),
		"snapshot":     takeSnapshot(t, sim, "golden", "frozen"),
		"bob":          sim.RowID("get-users", rows{"username": "bob"}),
		"folder_a":     newFolder(sim, "a", "cluster-1"),
		"folder_b":     newFolder(sim, "b", "cluster-1"),
		"group_a":      newGroup(sim, "a", "cluster-1"),
		"group_b":      newGroup(sim, "b", "cluster-1"),
		"group_c":      newGroup(sim, "c", "cluster-1"),
		"volume_a":     api.volume("volume-a", 5),
		"volume_b":     api.volume("volume-b", 5),
		"volume_c":     api.volume("volume-c", 5),
	}}
	for local, model := range map[string]string{"gpu_a": "A10", "gpu_b": "A16", "vgpu_a": "A30", "vgpu_b": "A40"} {
		w.locals[local] = sim.RowID("get-gpu-devices", rows{"model": model})
	}
	for local, image := range map[string]string{"iso_a": "rocky-8.iso", "iso_b": "tools.iso"} {
		w.locals[local] = sim.RowID("get-elf-images", rows{"name": image, "cluster": rows{"name": "cluster-1"}})
	}
	w.locals["certificate"], w.locals["key"] = newKeyPair(t)
	w.locals["kubeconfig"] = "apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]\n" +
		"users: [{name: a, user: {token: a}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\ncurrent-context: a\n"
	for _, host := range []string{"h1", "h2", "h3"} {
		w.locals[host] = sim.RowID("get-hosts", rows{"name": host})
	}
	return w
}

// head is the part of a configuration that names what there is.
func (w inPlaceWorld) head() string { return w.headWithout("") }

// headWithout is head without some of it.
func (w inPlaceWorld) headWithout(part string) string {
	var b strings.Builder
	b.WriteString(strings.Replace(w.sim.ProviderConfig()+w.sim.DataSources()+uplink, part, "", 1) + "\nlocals {\n")
	for _, name := range slices.Sorted(maps.Keys(w.locals)) {
		fmt.Fprintf(&b, "  %s = %q\n", name, w.locals[name])
	}
	return b.String() + "}\n\n"
}

// config is a configuration of all rows, as each is to be.
func (w inPlaceWorld) config(arguments func(inPlaceRow) args) string {
	var b strings.Builder
	b.WriteString(w.head())
	for _, row := range inPlaceRows() {
		b.WriteString(row.render(arguments(row)))
	}
	return b.String()
}

// Every argument is changed, each on a VM of its own; one apply makes all VMs,
// one changes them all.
func TestAccVM_whatChangesInPlace(t *testing.T) {
	t.Parallel()
	table := inPlaceRows()
	w := newInPlaceWorld(t)
	cli := acctest.NewCLI(t, w.config(func(r inPlaceRow) args { return r.before }))
	cli.Apply()
	before := cli.Show()

	cli.Configure(w.config(func(r inPlaceRow) args {
		if r.effect == refused {
			return r.before
		}
		return r.changed()
	}))
	first := len(w.sim.Server().Mutations())
	plan := cli.Plan("-out=change.tfplan")
	if planned := len(w.sim.Server().Mutations()) - first; planned > 0 {
		t.Errorf("planning has sent %d changes to Tower", planned)
	}
	if all := plan.Errors; len(all) > 0 {
		t.Fatalf("the plan has errors: %v", all)
	}
	cli.Apply("change.tfplan")
	after, sent := cli.Show(), w.sim.Server().Mutations()[first:]
	documents := towerDocuments(w.sim)
	again := cli.Plan()

	cli.Configure(w.config(inPlaceRow.changed))
	refusals := cli.Plan()
	routes := inPlaceRow{argument: "nics.routes", when: "of a VM that stays"}.address()
	cli.Run("taint", routes)
	if tainted := cli.Plan("-target=" + routes); tainted.Actions[routes] != "replace" || len(tainted.Errors) > 0 {
		t.Errorf("the plan for the tainted VM is %q with the errors %v, want the replacement that the refusals advise", tainted.Actions[routes], tainted.Errors)
	}

	for _, row := range table {
		t.Run(row.key(), func(t *testing.T) {
			row.checkPlan(t, plan)
			if row.effect == refused {
				row.checkRefusal(t, refusals)
				return
			}
			ids := []string{idIn(before, row.address()), idIn(after, row.address())}
			if replaced := ids[0] != ids[1]; replaced != (row.effect == replaces) {
				t.Errorf("the VM %s became the VM %s", ids[0], ids[1])
			}
			if calls := callsAbout(sent, ids); !slices.Equal(calls, row.wants()) {
				t.Errorf("Tower was sent %q, want %q", calls, row.wants())
			}
			row.checkTower(t, w, documents[ids[1]])
			if action := again.Actions[row.address()]; action != "" {
				t.Errorf("the plan afterwards is %q, not empty", action)
			}
		})
	}
}

func (r inPlaceRow) checkPlan(t *testing.T, plan acctest.Plan) {
	t.Helper()
	if got, want := plan.Actions[r.address()], r.effect.action(); got != want {
		t.Errorf("the plan is %q, want %q", got, want)
	}
	warned := false
	for _, warning := range plan.Warnings[r.address()] {
		warned = warned || strings.Contains(warning, "will be stopped and started")
	}
	if warned != (r.effect == restarts) {
		t.Errorf("the plan warns of a restart: %t; its warnings: %q", warned, plan.Warnings[r.address()])
	}
}

func (r inPlaceRow) checkRefusal(t *testing.T, plan acctest.Plan) {
	t.Helper()
	errors := plan.Errors[r.address()]
	if len(errors) != 1 {
		t.Fatalf("the plan has the errors %q, want one", errors)
	}
	for _, text := range r.refusal {
		if !strings.Contains(errors[0], text) {
			t.Errorf("the error %q does not say %q", errors[0], text)
		}
	}
}

func (r inPlaceRow) checkTower(t *testing.T, w inPlaceWorld, document map[string]any) {
	t.Helper()
	for path, want := range r.tower {
		if local, ok := want.(string); ok && strings.HasPrefix(local, "local.") {
			want = w.locals[strings.TrimPrefix(local, "local.")]
		}
		if got := valueAt(document, path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("Tower has %s = %v, want %v", path, got, want)
		}
	}
}

func idIn(state map[string]acctest.Object, address string) string {
	id, _ := state[address].Values["id"].(string)
	return id
}

// callsAbout are the changing calls about the VMs of these ids, which must have
// been accepted.
func callsAbout(sent []towersim.Mutation, ids []string) []string {
	calls := []string{}
	for _, m := range sent {
		if !m.About(ids[0]) && !m.About(ids[1]) {
			continue
		}
		call := m.Operation
		if data := dataOf(m.Body); len(data) > 0 {
			call += " " + strings.Join(data, ",")
		}
		if m.Status != 200 {
			call += fmt.Sprintf(" (status %d)", m.Status)
		}
		calls = append(calls, call)
	}
	return calls
}
