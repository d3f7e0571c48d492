// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
)

// exampleTower has what the examples name.
const exampleTower = `
inventory:
  clusters:
    - name: prod-1
      vlans: [{name: servers, dhcp: 10.255.0.0/16}, {name: ecp}]
      gpus: [{host: 0, model: A40, usage: VGPU}]
  vms: [{name: worker-0, cluster: prod-1, nics: [servers], power: RUNNING}]
`

// requiredProviders is the block that a directory has once.
var requiredProviders = regexp.MustCompile(`(?s)terraform \{\n  required_providers.*?\n\}\n`)

// example reads files of the examples as one configuration. The ids that they
// make up give way to those of the simulated Tower.
func example(t *testing.T, ids *strings.Replacer, files ...string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", filepath.FromSlash(name)))
		staged(t, err)
		all.WriteString(ids.Replace(requiredProviders.ReplaceAllString(string(text), "")) + "\n")
	}
	return all.String()
}

// The examples of the resources, data sources and functions apply as they are
// shown, and a plan is empty afterwards.
func TestAccVM_examples(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, exampleTower)
	api := apiOf(t, sim)
	volume := api.change("create-vm-volume", []body{{
		"cluster_id": sim.RowID("get-clusters", nil), "name": "archive", "size": 1 << 30, "sharing": false, "elf_storage_policy": "REPLICA_2_THIN_PROVISION",
	}})
	localID, _ := sim.Rows("get-vms", body{"name": "worker-0"})[0]["local_id"].(string)
	ids := strings.NewReplacer(
		"clxvol0a1b2c3d4e5f6g7h8i9", volume, "clximg0a1b2c3d4e5f6g7h8i9", sim.RowID("get-elf-images", nil),
		"clxhst0a1b2c3d4e5f6g7h8i9", sim.RowID("get-hosts", body{"name": "prod-1-host-1"}), "clxgpu0a1b2c3d4e5f6g7h8i9", sim.RowID("get-gpu-devices", nil),
		"~/.ssh/id_ed25519.pub", "main.tf", // any file will do
	)
	const another = `
data "elf_vlan" "ecp" {
  name       = "ecp"
  cluster_id = data.elf_cluster.prod.id
}
`
	for name, tc := range map[string]struct {
		config string
		vars   []string
		want   []string
	}{
		"vm": {
			config: another + example(t, ids, "resources/elf_vm/resource.tf", "resources/elf_vm/static.tf", "resources/elf_vm/ecp.tf", "resources/elf_vm/disks.tf",
				"resources/elf_vm/install.tf", "resources/elf_vm/gpu.tf", "resources/elf_vm/secrets.tf"),
			vars: []string{"-var=default_user_password=Passw0rd-"},
			want: []string{"elf_vm.web", "elf_vm.db", "elf_vm.cp", "elf_vm.database", "elf_vm.installed", "elf_vm.trainer", "elf_vm.guarded"},
		},
		"others": {
			config: example(t, ids, "data-sources/elf_cluster/data-source.tf", "data-sources/elf_vlan/data-source.tf",
				"data-sources/elf_content_library_vm_template/data-source.tf", "resources/elf_vm_network_readiness/resource.tf",
				"functions/local_id/function.tf", "functions/provider_id/function.tf"),
			vars: []string{"-var=provider_id=elf://" + localID, "-var=local_id=" + localID},
			want: []string{"elf_vm.worker", "elf_vm_network_readiness.worker"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli := acctest.NewCLI(t, sim.ProviderConfig()+tc.config)
			applied := cli.Apply(tc.vars...)
			for _, address := range tc.want {
				if applied.Actions[address] == "" {
					t.Errorf("the example of %s makes nothing: %v", address, applied.Actions)
				}
			}
			if plan := cli.Plan(tc.vars...); len(plan.Actions) > 0 || len(plan.Errors) > 0 {
				t.Errorf("after the apply, the plan has %v and %v", plan.Actions, plan.Errors)
			}
			var outputs map[string]struct {
				Value any `json:"value"`
			}
			staged(t, json.Unmarshal([]byte(cli.Run("output", "-json")), &outputs))
			for output, found := range outputs {
				if found.Value == nil || found.Value == "" {
					t.Errorf("the output %s is empty", output)
				}
			}
		})
	}
}
