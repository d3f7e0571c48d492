// SPDX-License-Identifier: MPL-2.0

package vm_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/smartxworks/terraform-provider-elf/internal/acctest"
	"github.com/smartxworks/terraform-provider-elf/internal/provider/vm"
	"github.com/smartxworks/terraform-provider-elf/internal/towersim"
)

// estate are VMs of many kinds in two clusters, and many of one kind.
func estate(many int) string {
	var b strings.Builder
	b.WriteString(`
inventory:
  clusters:
    - {name: cluster-1, hosts: 4, vlans: [{name: default, dhcp: 10.255.0.0/16}, {name: ecp}]}
    - {name: cluster-2, vlans: [{name: default, dhcp: 10.254.0.0/16}]}
  vms:
    - {name: web-0, cluster: cluster-1, num_cpus: 4, memory_mib: 4096, nics: [default, ecp], power: RUNNING}
    - {name: web-1, cluster: cluster-1, nics: [default], power: STOPPED}
    - {name: web-2, cluster: cluster-2, nics: [], power: RUNNING}
    - {name: web-binned, cluster: cluster-1, nics: [default], power: STOPPED}
    - {name: web-of-tower, cluster: cluster-1, nics: [default], power: RUNNING}
    - {name: db-0, cluster: cluster-1, nics: [default], power: RUNNING}
`)
	for i := range many {
		fmt.Fprintf(&b, "    - {name: many-%04d, cluster: cluster-1, nics: [default], power: STOPPED}\n", i)
	}
	return b.String()
}

// stageEstate puts one VM into the recycle bin, makes one Tower's own, and
// labels two.
func stageEstate(t *testing.T, sim *acctest.Sim) {
	t.Helper()
	staged(t, sim.Server().MoveToRecycleBin("web-binned"))
	staged(t, sim.Server().MakeSystemVM("web-of-tower"))
	staged(t, sim.Server().LabelVM("web-0", "role", "web"))
	staged(t, sim.Server().LabelVM("web-1", "role", ""))
}

// displayed are the names of a list, sorted.
func displayed(listed []acctest.Listed) string {
	var names []string
	for _, l := range listed {
		names = append(names, l.DisplayName)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func told(diags []*tfprotov6.Diagnostic) string {
	var lines []string
	for _, d := range diags {
		lines = append(lines, d.Summary+": "+d.Detail)
	}
	return strings.Join(lines, "\n")
}

func TestList_filters(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, estate(0))
	stageEstate(t, sim)
	provider := acctest.NewProtocol(t, sim, nil)
	cluster := sim.Rows("get-clusters", map[string]any{"name": "cluster-1"})[0]
	cases := map[string]struct {
		config acctest.Values
		want   string
	}{
		"none":             {nil, "db-0 (cluster-1), web-0 (cluster-1), web-1 (cluster-1), web-2 (cluster-2)"},
		"name":             {acctest.Values{"name": "web-1"}, "web-1 (cluster-1)"},
		"part":             {acctest.Values{"name_contains": "web"}, "web-0 (cluster-1), web-1 (cluster-1), web-2 (cluster-2)"},
		"names":            {acctest.Values{"name_in": []any{"db-0", "web-2", "nobody"}}, "db-0 (cluster-1), web-2 (cluster-2)"},
		"cluster":          {acctest.Values{"cluster_id": cluster["id"], "name_contains": "web"}, "web-0 (cluster-1), web-1 (cluster-1)"},
		"cluster's own id": {acctest.Values{"cluster_id": cluster["local_id"], "name_contains": "web"}, "web-0 (cluster-1), web-1 (cluster-1)"},
		"power":            {acctest.Values{"power_state": "STOPPED"}, "web-1 (cluster-1)"},
		"label":            {acctest.Values{"labels": map[string]any{"role": "web"}}, "web-0 (cluster-1)"},
		"label alone":      {acctest.Values{"labels": map[string]any{"role": ""}}, "web-1 (cluster-1)"},
		"nothing":          {acctest.Values{"name": "web-binned"}, ""},
		"Tower's":          {acctest.Values{"name": "web-of-tower"}, ""},
		"folder":           {acctest.Values{"folder_id": "nowhere"}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listed, diags := provider.List(vm.ResourceType, tc.config, false, 100)
			if len(diags) > 0 {
				t.Fatal(told(diags))
			}
			if got := displayed(listed); got != tc.want {
				t.Errorf("listed %q, want %q", got, tc.want)
			}
			for _, l := range listed {
				wantID := sim.RowID("get-vms", map[string]any{"name": strings.Fields(l.DisplayName)[0]})
				if !l.Identity["id"].Equal(tftypes.NewValue(tftypes.String, wantID)) || len(l.Identity) != 1 || l.Resource != nil {
					t.Errorf("%s has the identity %v, want the id %s, and the resource %v", l.DisplayName, l.Identity, wantID, l.Resource)
				}
			}
		})
	}
}

func TestList_refused(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, estate(0))
	provider := acctest.NewProtocol(t, sim, nil)
	before := sim.Server().Stats().Requests["get-vms"]
	for want, config := range map[string]acctest.Values{
		"name string length must be at least 1":          {"name": ""},
		"name_contains string length must be at least 1": {"name_contains": ""},
		"name_in list must contain at least 1":           {"name_in": []any{}},
		"cluster_id string length must be at least 1":    {"cluster_id": ""},
		"folder_id string length must be at least 1":     {"folder_id": ""},
		"power_state value must be one of":               {"power_state": "running"},
		"labels map must contain at least 1":             {"labels": map[string]any{}},
	} {
		listed, diags := provider.List(vm.ResourceType, config, false, 100)
		if len(diags) != 1 || !strings.Contains(told(diags), want) || len(listed) > 0 {
			t.Errorf("listed %q: %s, want %q", displayed(listed), told(diags), want)
		}
	}
	if n := sim.Server().Stats().Requests["get-vms"] - before; n > 0 {
		t.Errorf("%d requests", n)
	}
}

// What a list includes is what an import would put into the state, so that
// configuration which is generated from it plans empty.
func TestList_asAfterAnImport(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, estate(0))
	stageEstate(t, sim)
	provider := acctest.NewProtocol(t, sim, acctest.Values{"default_labels": map[string]any{"role": "web", "owner": "ops"}})
	eventually(t, "Tower reports the addresses", func() bool {
		return len(sim.Rows("get-vm-nics", map[string]any{"ip_address_not": ""})) >= 3
	})
	listed, diags := provider.List(vm.ResourceType, nil, true, 100)
	if len(diags) > 0 || len(listed) != 4 {
		t.Fatalf("listed %q: %s", displayed(listed), told(diags))
	}
	for _, l := range listed {
		var id string
		if err := l.Identity["id"].As(&id); err != nil {
			t.Fatal(err)
		}
		imported := provider.Import(vm.ResourceType, id)
		differences, err := imported.Diff(*l.Resource)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range differences {
			t.Errorf("%s: an import gives %s, the list %s", l.DisplayName, d, d.Value2)
		}
	}
}

// TestList_requests counts what a list of many VMs costs, and obeys the limit.
func TestList_requests(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, estate(204))
	stageEstate(t, sim)
	provider := acctest.NewProtocol(t, sim, nil)
	for _, tc := range []struct {
		limit    int64
		include  bool
		listed   int
		requests map[string]int
	}{
		{0, false, 208, map[string]int{"get-vms": 2}},
		{100, false, 100, map[string]int{"get-vms": 1}},
		{201, false, 201, map[string]int{"get-vms": 2}},
		{100, true, 100, map[string]int{"get-vms": 1, "get-vm-nics": 1, "get-vm-disks": 1, "get-vm-volumes": 1}},
		{1000, true, 208, map[string]int{"get-vms": 2, "get-vm-nics": 3, "get-vm-disks": 3, "get-vm-volumes": 3}},
	} {
		before := sim.Server().Stats().Requests
		listed, diags := provider.List(vm.ResourceType, nil, tc.include, tc.limit)
		if len(diags) > 0 || len(listed) != tc.listed {
			t.Errorf("limit %d: %d VMs, want %d: %s", tc.limit, len(listed), tc.listed, told(diags))
		}
		got := sim.Server().Stats().Requests
		for operation, n := range before {
			if got[operation] -= n; got[operation] == 0 {
				delete(got, operation)
			}
		}
		for operation, n := range got {
			// On a machine that is busy, reads that come together may miss each other.
			allowed := tc.requests[operation]
			if operation != "get-vms" {
				allowed *= 2
			}
			if n > allowed {
				t.Errorf("limit %d, include %t: %d %s, want %d", tc.limit, tc.include, n, operation, tc.requests[operation])
			}
		}
		names := map[string]bool{}
		for _, l := range listed {
			names[l.DisplayName] = true
			if (l.Resource != nil) != tc.include {
				t.Errorf("%s comes with the resource %v", l.DisplayName, l.Resource)
			}
		}
		if len(names) != tc.listed {
			t.Errorf("limit %d: only %d different VMs", tc.limit, len(names))
		}
	}
}

// TestList_streams ends when Terraform wants no more, and asks for no more.
func TestList_streams(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, estate(250))
	provider := acctest.NewProtocol(t, sim, nil)
	config, err := tfprotov6.NewDynamicValue(provider.Schemas().ListResourceSchemas[vm.ResourceType].ValueType(), listConfig(provider))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := provider.Server().ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: vm.ResourceType, Config: &config, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	before := sim.Server().Stats().Requests["get-vms"]
	for range stream.Results {
		break
	}
	if n := sim.Server().Stats().Requests["get-vms"] - before; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// listConfig is a configuration without any filter.
func listConfig(provider *acctest.Protocol) tftypes.Value {
	typ := provider.Schemas().ListResourceSchemas[vm.ResourceType].ValueType()
	object, _ := typ.(tftypes.Object)
	members := map[string]tftypes.Value{}
	for name := range maps.Keys(object.AttributeTypes) {
		members[name] = tftypes.NewValue(object.AttributeTypes[name], nil)
	}
	return tftypes.NewValue(typ, members)
}

// TestList_fails passes on what Tower says, after what it has listed.
func TestList_fails(t *testing.T) {
	t.Parallel()
	for operation, want := range map[string]string{
		"get-vms":        "Unable to list VMs: get-vms failed: ",
		"get-vm-nics":    "Unable to read VM",
		"get-vm-volumes": "Unable to read VM",
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			sim := acctest.Simulator(t, estate(0))
			provider := acctest.NewProtocol(t, sim, nil)
			staged(t, sim.Server().InjectFaults(towersim.Fault{Operation: operation, Status: 403}))
			listed, diags := provider.List(vm.ResourceType, nil, true, 100)
			if len(diags) != 1 || !strings.Contains(told(diags), want) || len(listed) > 0 {
				t.Errorf("listed %q: %s, want one error: %q", displayed(listed), told(diags), want)
			}
		})
	}
}

// TestAccVM_query lists by the CLI, where it can.
func TestAccVM_query(t *testing.T) {
	t.Parallel()
	sim := acctest.Simulator(t, estate(0))
	stageEstate(t, sim)
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{{
			Query: true,
			Config: sim.ProviderConfig() + `
list "elf_vm" "test" {
  provider         = elf
  include_resource = true

  config {
    name_contains = "web"
  }
}
`,
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectLength("elf_vm.test", 3),
				querycheck.ExpectIdentity("elf_vm.test", map[string]knownvalue.Check{
					"id": knownvalue.StringExact(sim.RowID("get-vms", map[string]any{"name": "web-0"})),
				}),
			},
		}},
	})
}
