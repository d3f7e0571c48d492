// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// Managed describes a managed resource to the tests that every one must pass.
type Managed struct {
	// Resource is its name: "elf_vm_folder".
	Resource string
	// Scenario is what the simulator starts with; "" is the default.
	Scenario string
	// Create returns the arguments of an object. What else they need is in the
	// scenario, or made by calls of the API. Where there are a name and a cluster_id
	// among them, names are unique in a cluster.
	Create func(sim *Sim) Values
	// Update are arguments that change in place.
	Update Values
	// List, Creation and Deletion are the operations that read, make and delete the
	// objects: "get-vm-folders".
	List, Creation, Deletion string
	// NotImported are attributes that an import can't know.
	NotImported []string
}

// Test runs the tests, each on a simulator of its own.
func (m Managed) Test(t *testing.T) {
	t.Run("life", m.life)
	t.Run("import by identity", m.identity)
	t.Run("name taken", m.nameTaken)
	t.Run("create cancelled", m.cancelled)
	for name, fault := range m.faults() {
		t.Run(name, func(t *testing.T) { m.survive(t, fault) })
	}
}

// life takes an object from its creation to its destruction, by the CLI.
func (m Managed) life(t *testing.T) {
	s := m.stage(t)
	address := m.Resource + ".test"
	created := s.sim.ProviderConfig() + m.block(t, s.arguments)
	changed := maps.Clone(s.arguments)
	maps.Copy(changed, m.Update)
	updated := s.sim.ProviderConfig() + m.block(t, changed)
	checks := func(check plancheck.PlanCheck) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{check}}
	}
	steps := []resource.TestStep{
		{Config: created},
		{Config: created, ConfigPlanChecks: checks(plancheck.ExpectEmptyPlan())},
		{Config: updated, ConfigPlanChecks: checks(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))},
		{Config: updated, ConfigPlanChecks: checks(plancheck.ExpectEmptyPlan())},
	}
	for _, id := range s.importIDs() {
		steps = append(steps, resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: m.NotImported,
			ImportStateIdFunc: func(state *terraform.State) (string, error) {
				return id(state.RootModule().Resources[address].Primary.Attributes)
			},
		})
	}
	steps = append(steps, resource.TestStep{
		PreConfig:        s.deleteBehindTerraform,
		Config:           updated,
		ConfigPlanChecks: checks(plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)),
	})
	ParallelTest(t, resource.TestCase{
		Steps: steps,
		CheckDestroy: func(*terraform.State) error {
			if left := s.made(); len(left) > 0 {
				return fmt.Errorf("%s still finds %v", m.List, left)
			}
			return nil
		},
	})
}

// identity imports an object by what newer CLIs give in place of an id.
func (m Managed) identity(t *testing.T) {
	t.Parallel()
	s := m.stage(t)
	made := s.apply(s.arguments, Instance{})
	imported := s.protocol.ImportIdentity(m.Resource, made.Identity)
	for name, value := range made.Members {
		if !slices.Contains(m.NotImported, name) && !value.Equal(imported.Members[name]) {
			t.Errorf("%s is %s after the import, want %s", name, imported.Members[name], value)
		}
	}
}

// nameTaken creates an object that is there already, as after an apply that was
// killed before it could save its state.
func (m Managed) nameTaken(t *testing.T) {
	t.Parallel()
	s := m.stage(t)
	if !s.named() {
		t.Skip("names need not be unique")
	}
	made := s.apply(s.arguments, Instance{})
	again, diags := s.protocol.Apply(m.Resource, s.arguments, Instance{})
	text := Texts(diags)
	if again.Members != nil || !strings.Contains(text, "to = "+m.Resource) || !strings.Contains(text, made.ID()) {
		t.Errorf("the state has %q and the errors are %s, want one that shows how to import %s", again.ID(), text, made.ID())
	}
	s.checkOnly(made)
}

// stage is a simulator with a provider for one test.
type stage struct {
	Managed

	t         *testing.T
	sim       *Sim
	protocol  *Protocol
	arguments Values
	before    []string // what Tower had before the test
}

func (m Managed) stage(t *testing.T) *stage {
	t.Helper()
	s := &stage{Managed: m, t: t, sim: Simulator(t, m.Scenario)}
	s.arguments, s.protocol = m.Create(s.sim), NewProtocol(t, s.sim, nil)
	s.before = s.made()
	return s
}

// named reports whether names are unique in a cluster.
func (s *stage) named() bool { return s.arguments["name"] != nil && s.arguments["cluster_id"] != nil }

// made are the ids of what the test has made and Tower still has.
func (s *stage) made() []string {
	var ids []string
	for _, row := range s.sim.Rows(s.List, nil) {
		if id, _ := row["id"].(string); !slices.Contains(s.before, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// apply is an apply that must succeed.
func (s *stage) apply(arguments Values, prior Instance) Instance {
	s.t.Helper()
	after, diags := s.protocol.Apply(s.Resource, arguments, prior)
	s.protocol.succeed(diags)
	return after
}

// checkOnly checks that Tower has what the state says, and nothing else.
func (s *stage) checkOnly(state Instance) {
	s.t.Helper()
	var want []string
	if state.Members != nil {
		want = []string{state.ID()}
	}
	if got := s.made(); !slices.Equal(got, want) {
		s.t.Errorf("Tower has %v, and the state %v", got, want)
	}
}

// deleteBehindTerraform deletes what the test has made, and waits until it has
// gone.
func (s *stage) deleteBehindTerraform() {
	for _, id := range s.made() {
		var reply any
		s.sim.Call(s.Deletion, map[string]any{"where": map[string]any{"id": id}}, &reply)
	}
	for range 100 {
		if len(s.made()) == 0 {
			return
		}
		s.sim.Server().Advance(time.Second)
	}
	s.t.Fatalf("%s does not end", s.Deletion)
}

// importIDs are the ways to name an object in an import.
func (s *stage) importIDs() []func(map[string]string) (string, error) {
	attribute := func(name string) func(map[string]string) (string, error) {
		return func(attributes map[string]string) (string, error) {
			if attributes[name] == "" {
				return "", errors.New("the state has no " + name)
			}
			return attributes[name], nil
		}
	}
	ids := []func(map[string]string) (string, error){attribute("id")}
	for _, a := range s.protocol.resource(s.Resource).Block.Attributes {
		if a.Name == "local_id" {
			ids = append(ids, attribute("local_id"))
		}
	}
	if s.named() {
		ids = append(ids, func(attributes map[string]string) (string, error) {
			clusters := s.sim.Rows("get-clusters", map[string]any{"id": attributes["cluster_id"]})
			if len(clusters) != 1 {
				return "", fmt.Errorf("%d clusters have the id %s", len(clusters), attributes["cluster_id"])
			}
			return fmt.Sprintf("%s/%s", clusters[0]["name"], attributes["name"]), nil
		})
	}
	return ids
}

// block renders the resource. The values are JSON, which is an expression of HCL,
// too.
func (m Managed) block(t *testing.T, arguments Values) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "resource %q \"test\" {\n", m.Resource)
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		value, err := json.Marshal(arguments[name])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "  %s = %s\n", name, value)
	}
	b.WriteString("}\n")
	return b.String()
}
