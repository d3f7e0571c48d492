// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// Of the disks that an imported VM has, only those that the configuration manages
// by name go with the VM: who attached the others, nothing tells.
func TestVM_importedDisksOfOthersSurvive(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, older)
	p, api := newProtocol(t, sim), apiOf(t, sim)
	for _, vm := range []string{"older", "asleep"} {
		for _, disk := range []string{"data", "pvc", "given"} {
			api.attach(vm, api.volume(vm+"-"+disk, 3))
		}
	}
	config := map[string]any{"name": "older", "cluster_id": sim.RowID("get-clusters", byName{"name": "cluster-1"})}
	config["data_disks"] = []any{
		map[string]any{"name": "older-data", "size_gib": 3},
		map[string]any{"name": "theirs", "volume_id": api.volumes("older-given")[0].ID},
	}
	before := mutations(sim)
	changed := p.apply(p.read(p.importVM(tfprotov6.ImportResourceStateRequest{ID: "cluster-1/older"})), config)
	if got := sent(sim, before); len(got) > 0 {
		t.Errorf("Tower was sent %v", got)
	}
	p.destroy(changed)
	// Imported and never changed since.
	p.destroy(p.read(p.importVM(tfprotov6.ImportResourceStateRequest{ID: "cluster-1/asleep"})))

	var left []string
	for _, volume := range api.volumes("") {
		left = append(left, volume.Name)
	}
	if got, want := strings.Join(left, " "), "asleep-data asleep-given asleep-pvc older-given older-pvc"; got != want {
		t.Errorf("the volumes %q are left, want %q", got, want)
	}
}

// What Tower does not know of an imported VM is the configuration's to say, and
// stays said.
func TestVM_importedGuestOSType(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, older)
	p := newProtocol(t, sim)
	imported := p.read(p.importVM(tfprotov6.ImportResourceStateRequest{ID: "cluster-1/older"}))
	if told := p.text(p.vm, imported.state, "guest_os_type"); told != "" {
		t.Fatalf("Tower tells %q, so this tests nothing", told)
	}
	before := mutations(sim)
	changed := p.read(p.apply(imported, map[string]any{
		"name": "older", "cluster_id": sim.RowID("get-clusters", byName{"name": "cluster-1"}), "guest_os_type": "LINUX",
	}))
	if got := p.text(p.vm, changed.state, "guest_os_type"); got != "LINUX" || len(sent(sim, before)) > 0 {
		t.Errorf("the guest's type is %q, and Tower was sent %v", got, sent(sim, before))
	}
}

// A name that two VMs have says nothing.
func TestVM_importByAmbiguousName(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, older)
	twin, err := sim.Server().DuplicateVM("older")
	staged(t, err)
	resp, err := newProtocol(t, sim).server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "elf_vm", ID: "cluster-1/older"})
	if err != nil || len(resp.Diagnostics) != 1 || !strings.Contains(resp.Diagnostics[0].Detail, "2 VMs named \"older\"") || !strings.Contains(resp.Diagnostics[0].Detail, twin) {
		t.Errorf("the import by a name that two VMs have: %v, %v", err, resp.Diagnostics)
	}
}
